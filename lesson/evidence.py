"""Our own GPU measurements, read from the committed table and checked when loaded.

Knows the table's columns and nothing of any model; `lesson.evidence_checks` compares the two.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Literal, cast

Algorithm = Literal["standard", "fused"]
Calls = Literal["forward", "forward_backward"]

RESULTS = Path(__file__).resolve().parents[1] / "bench" / "results"
TABLE_FILE, TEXT_FILE = RESULTS / "gpu_traffic.csv", RESULTS / "gpu_traffic.md"
FORMAT_BYTES = 2
"""Every call was made in fp16."""

__all__ = [
    "FORMAT_BYTES",
    "TABLE_FILE",
    "Algorithm",
    "Calls",
    "Measurement",
    "Provenance",
    "load_measurements",
    "load_provenance",
    "parse_measurements",
    "parse_provenance",
]

_ALGORITHMS, _CALLS = ("standard", "fused"), ("forward", "forward_backward")


@dataclass(frozen=True)
class Measurement:
    """One row: one call at one shape, batch 1, fp16. Bytes are medians of the repeats.

    Attributes
    ----------
    n, d, heads : int
    causal : bool
    algorithm : {"standard", "fused"}
    direction : {"forward", "forward_backward"}
    dram_read_bytes, dram_written_bytes : int
        Memory traffic from an emptied L2, with what the call left in L2 at its end.
    dram_min_bytes, dram_max_bytes : int
        Read and written together: least and most of the repeats.
    sm_read_bytes, sm_written_bytes : int
        What the multiprocessors asked for, and sent.
    local_stored_bytes : int
        Of the bytes sent, those that spilled from registers.
    time_median_s : float
        Seconds, without the profiler.
    peak_extra_bytes : int
        Most memory held at once beside inputs and outputs.
    kernels : str
    forward_block_q, forward_block_k, backward_block_q, backward_block_k : int or None
        Tiles read off the kernels' names; None for standard attention.
    """

    n: int
    d: int
    heads: int
    causal: bool
    algorithm: Algorithm
    direction: Calls
    dram_read_bytes: int
    dram_written_bytes: int
    dram_min_bytes: int
    dram_max_bytes: int
    sm_read_bytes: int
    sm_written_bytes: int
    local_stored_bytes: int
    time_median_s: float
    peak_extra_bytes: int
    kernels: str
    forward_block_q: int | None
    forward_block_k: int | None
    backward_block_q: int | None
    backward_block_k: int | None

    @property
    def dram_bytes(self) -> int:
        """Read and written."""
        return self.dram_read_bytes + self.dram_written_bytes

    @property
    def sm_bytes(self) -> int:
        """Asked for and sent by the multiprocessors."""
        return self.sm_read_bytes + self.sm_written_bytes

    @property
    def score_bytes(self) -> int:
        """One n × n matrix over all heads."""
        return self.n * self.n * self.heads * FORMAT_BYTES

    @property
    def tensor_bytes(self) -> int:
        """One n × d tensor over all heads."""
        return self.n * self.d * self.heads * FORMAT_BYTES

    @property
    def splits_keys(self) -> bool:
        """Whether the library split the keys over several blocks and joined partial outputs."""
        return "splitkv" in self.kernels

    @property
    def with_backward(self) -> bool:
        """Whether the row is a forward and a backward."""
        return self.direction == "forward_backward"

    @property
    def shape(self) -> tuple[int, int, int, bool]:
        """What was asked: n, d, heads, causal."""
        return self.n, self.d, self.heads, self.causal


@dataclass(frozen=True)
class Provenance:
    """Where and how the table was made, in the words of the file beside it.

    Attributes
    ----------
    device, driver, libraries, profiler, date, command, counters : str
    l2_bytes : int
        The device's second-level cache.
    """

    device: str
    driver: str
    libraries: str
    profiler: str
    date: str
    command: str
    counters: str
    l2_bytes: int


def parse_measurements(text: str) -> tuple[Measurement, ...]:
    """Return the rows of a CSV text.

    Raises
    ------
    ValueError
        If a column is missing, a cell is not what its column holds, or a row comes twice; the message names
        the row and the column.
    """
    reader = csv.DictReader(text.splitlines())
    wanted = [field.name for field in fields(Measurement)]
    missing = [name for name in wanted if name not in (reader.fieldnames or [])]
    if missing:
        raise ValueError(f"the table lacks the columns {', '.join(missing)}")
    rows = tuple(_row(number, cells) for number, cells in enumerate(reader, start=1))
    if not rows:
        raise ValueError("the table has no rows")
    keys = [(*row.shape, row.algorithm, row.direction) for row in rows]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the table has the row {key} {keys.count(key)} times")
    return rows


def _row(number: int, cells: Mapping[str, str]) -> Measurement:
    def fail(name: str, wanted: str) -> ValueError:
        return ValueError(f"row {number} has {name} = {cells[name]!r}; it must be {wanted}")

    def count(name: str, lowest: int = 0) -> int:
        if not re.fullmatch(r"\d+", cells[name] or "") or int(cells[name]) < lowest:
            raise fail(name, f"a whole number from {lowest}")
        return int(cells[name])

    def choice(name: str, choices: tuple[str, ...]) -> str:
        if cells[name] not in choices:
            raise fail(name, f"one of {', '.join(choices)}")
        return cells[name]

    def tile(name: str, there: bool) -> int | None:
        if not there and cells[name]:
            raise fail(name, "empty")
        return count(name, 1) if there else None

    try:
        seconds = float(cells["time_median_s"])
    except ValueError:
        raise fail("time_median_s", "a number of seconds") from None
    if not 0 < seconds < 60:
        raise fail("time_median_s", "between 0 and 60 seconds")
    fused = choice("algorithm", _ALGORITHMS) == "fused"
    both = choice("direction", _CALLS) == "forward_backward"
    return Measurement(
        n=count("n", 1),
        d=count("d", 1),
        heads=count("heads", 1),
        causal=choice("causal", ("True", "False")) == "True",
        algorithm=cast(Algorithm, cells["algorithm"]),
        direction=cast(Calls, cells["direction"]),
        dram_read_bytes=count("dram_read_bytes"),
        dram_written_bytes=count("dram_written_bytes"),
        dram_min_bytes=count("dram_min_bytes"),
        dram_max_bytes=count("dram_max_bytes"),
        sm_read_bytes=count("sm_read_bytes"),
        sm_written_bytes=count("sm_written_bytes"),
        local_stored_bytes=count("local_stored_bytes"),
        time_median_s=seconds,
        peak_extra_bytes=count("peak_extra_bytes"),
        kernels=cells["kernels"],
        forward_block_q=tile("forward_block_q", fused),
        forward_block_k=tile("forward_block_k", fused),
        backward_block_q=tile("backward_block_q", fused and both),
        backward_block_k=tile("backward_block_k", fused and both),
    )


def parse_provenance(text: str) -> Provenance:
    """Return the facts at the head of the Markdown file beside the table.

    Raises
    ------
    ValueError
        If a fact is missing; the message names it.
    """

    def fact(name: str) -> str:
        found = re.search(rf"^\* \*\*{name}:\*\* (.+)$", text, re.MULTILINE)
        if found is None:
            raise ValueError(f"the text beside the table does not say its {name}")
        return found.group(1)

    cache_size = re.search(r"([\d,]+) bytes of L2", fact("Device"))
    if cache_size is None:
        raise ValueError("the text beside the table does not say the device's bytes of L2")
    command = re.search(r"`([^`]+)`", fact("Command"))
    if command is None:
        raise ValueError("the text beside the table does not give its Command")
    return Provenance(
        device=fact("Device").split(",")[0],
        driver=fact("Driver"),
        libraries=fact("Libraries"),
        profiler=fact("Profiler"),
        date=fact("Date"),
        command=command.group(1),
        counters=fact("Counters").strip("`"),
        l2_bytes=int(cache_size.group(1).replace(",", "")),
    )


@cache
def load_measurements() -> tuple[Measurement, ...]:
    """Return the committed table. Read once; raises as `parse_measurements` does."""
    return parse_measurements(TABLE_FILE.read_text(encoding="utf-8"))


@cache
def load_provenance() -> Provenance:
    """Return what the committed text says of the table. Read once; raises as `parse_provenance` does."""
    return parse_provenance(TEXT_FILE.read_text(encoding="utf-8"))
