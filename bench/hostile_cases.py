"""What somebody who means harm may send: addresses, request lines and files. Seeded, so repeatable."""

import io
import pickle
import random
import struct
import zipfile
from collections.abc import Iterator
from urllib.parse import quote

import numpy as np
from numpy.lib import format as npy

__all__ = ["addresses", "targets", "uploads"]

# What each entry of an archive's directory begins with.
DIRECTORY = b"PK\x01\x02"
# The names that each page reads from its address.
NAMES = {
    "": ("step", "present", "budget", "ask"),
    "step_through": (
        *("run_input", "run_head", "run_mask", "run_window", "run_bq", "run_bk", "run_order", "run_storage"),
        *("run_direction", "run_mistake", "step"),
    ),
    "calculator": (
        *("calc_part", "calc_n_q", "calc_n_k", "calc_heads", "calc_batch", "calc_d", "calc_kv_heads"),
        *("calc_layers", "calc_bq", "calc_bk", "calc_stages", "calc_warps", "calc_budget", "calc_bandwidth"),
        *(
            "calc_rate",
            "calc_format",
            "calc_mask",
            "calc_order",
            "calc_direction",
            "calc_device",
            "calc_mode",
        ),
        *("calc_model", "calc_formulas"),
    ),
    "online_softmax": ("row_x", "row_method", "row_step"),
    "evidence": ("ev_topic", "ev_calls", "ev_n", "ev_d", "ev_m"),
    "exactness": ("ex_count", "ex_input", "ex_mask", "ex_format"),
    "quiz": ("quiz_q", "quiz_seed"),
    "reference": ("ref_find",),
    "classroom": ("room", "code", "key"),
}
VALUES = (
    *("", "0", "-1", "1e309", "nan", "inf", "-inf", "1_000", "٣", "0x10", "9" * 400, "2^9999", "9999**9999"),
    *("true", "None", "[]", "{}", "../../etc/passwd", "file:///etc/passwd", "%00", "\x00", "\U0001f600"),
    *(
        "<script>alert(1)</script>",
        "';DROP TABLE votes;--",
        "{{7*7}}",
        "${jndi:ldap://x}",
        "%s%s%n",
        "a" * 3000,
    ),
    *(
        "1, 2, 3",
        "1," * 2000,
        "-inf, -inf",
        "1e38, 1e38",
        "kv_outer",
        "no_rescale",
        "backward",
        "bottom_right",
    ),
    *("float16", "own", "file", "Fit", "Traffic", "Storage", "Roofline", "Presets", "Papers", "64", "131072"),
    *(
        "\u202e\u0000\uffff",
        "line\nbreak",
        "a;b=c&d",
        "[[stage]]",
        "[x](javascript:alert(1))",
        "`code`",
        "$x$",
    ),
)


def addresses(count: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Yield pages and queries: known names with hostile values, unknown names, repeats and broken escapes."""
    chance = random.Random(seed)
    pages = tuple(NAMES)
    # Whether a page answers slowly is another bench's matter; each comes as often as the others.
    for number in range(count):
        page = pages[number % len(pages)]
        parts = []
        for _ in range(chance.randint(1, 6)):
            known = chance.random() < 0.85
            name = chance.choice(NAMES[page]) if known else chance.choice(VALUES)[:40]
            value = chance.choice(VALUES)
            if chance.random() < 0.2:
                value = "".join(
                    chr(chance.choice((*range(32, 127), 0x2028, 0xFEFF, 0x1F600))) for _ in range(12)
                )
            parts.append(f"{quote(name)}={quote(value) if chance.random() < 0.9 else value.replace('&', '')}")
        yield page, "&".join(parts)


def targets() -> list[tuple[str, str]]:
    """Return request lines as method and target: tricks with paths on every route."""
    climbs = (
        *(
            "../",
            "..%2f",
            "%2e%2e/",
            "%2e%2e%2f",
            "..%5c",
            "..\\",
            "....//",
            "%252e%252e%252f",
            "..;/",
            ".%00./",
        ),
        *("%c0%ae%c0%ae/", "/", "//", "%2f"),
    )
    roots = (
        *("/", "/static/", "/media/", "/component/x/", "/_stcore/bidi-components/x/", "/app/static/"),
        *("/_stcore/upload_file/", "/calculator/", "/qr.svg/", "/size/"),
    )
    goals = ("etc/passwd", "app.py", ".streamlit/config.toml", "data/tilewise.db", "proc/self/environ")
    found = [("GET", f"{root}{climb * 6}{goal}") for root in roots for climb in climbs for goal in goals]
    own = (
        "/",
        "/calculator",
        "/readyz",
        "/qr.svg",
        "/_stcore/health",
        "/_stcore/host-config",
        "/_stcore/stream",
    )
    own += ("/room", "/room/AAAAAA", "/room/AAAAAA/state", "/room/AAAAAA/join", "/room/AAAAAA/vote", "/size")
    found += [
        (method, path)
        for path in own
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "X")
    ]
    found += [
        ("GET", f"/qr.svg?link={quote(link)}")
        for link in ("", "javascript:1", "http://x/", "a" * 3000, "\x00")
    ]
    found += [
        ("GET", "/_stcore/metrics?families=" + "x" * 2000),
        ("GET", "/" + "a" * 6000),
        ("GET", "/?" + "a=1&" * 1500),
        ("GET", "/%"),
        ("GET", "/%ff%fe"),
        ("GET", "http://elsewhere.example/"),
        ("GET", "*"),
        ("PUT", "/_stcore/upload_file/none/none"),
        ("DELETE", "/_stcore/upload_file/../../x"),
    ]
    return found


def _archive(members: dict[str, bytes], *, squeeze: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            # With a fixed date, so that the same seed makes the same bytes.
            member = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED if squeeze else zipfile.ZIP_STORED
            archive.writestr(member, data)
    return out.getvalue()


def _array(value: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    out = io.BytesIO()
    np.save(out, value, allow_pickle=allow_pickle)
    return out.getvalue()


def _header(text: str, version: tuple[int, int] = (1, 0)) -> bytes:
    """An array file whose header says anything, with next to no numbers behind it."""
    body = text.encode("latin-1", "replace")
    length = struct.pack("<H" if version == (1, 0) else "<I", len(body))
    return npy.magic(*version) + length + body + bytes(64)


class _Bomb:
    """Runs a command when a pickle of it is read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return eval, ("__import__('os').abort()",)


def _good() -> dict[str, bytes]:
    """The members of a file with nothing wrong."""
    return {f"{name}.npy": _array(np.ones((4, 8), np.float32)) for name in "qkv"}


def _with_q(data: bytes) -> bytes:
    return _archive(_good() | {"q.npy": data})


def _wrong_arrays() -> list[tuple[str, bytes]]:
    """Files whose q holds what is no matrix of numbers, or numbers at an edge."""
    wrong = {
        "complex": np.ones((4, 8), np.complex64),
        "bool": np.ones((4, 8), bool),
        "text": np.full((4, 8), "x"),
        "bytes": np.full((4, 8), b"x"),
        "time": np.zeros((4, 8), "datetime64[s]"),
        "record": np.zeros((4, 8), [("a", "f4"), ("b", "i8")]),
        "empty": np.ones((0, 8), np.float32),
        "flat": np.ones(8, np.float32),
        "deep": np.ones((1,) * 30, np.float32),
        "scalar": np.float32(1),
        "wide": np.ones((4, 200), np.float32),
        "tall": np.ones((100, 8), np.float32),
        "other": np.ones((4, 9), np.float32),
        "nan": np.full((4, 8), np.nan, np.float32),
        "inf": np.full((4, 8), np.inf, np.float32),
        "huge": np.full((4, 8), 1e308),
        "tiny": np.full((4, 8), 5e-324),
        "integers": np.full((4, 8), 2**63 - 1),
        "swapped": np.ones((4, 8), ">f8"),
        "columns": np.asfortranarray(np.ones((4, 8), np.float16)),
        "large": np.full((4, 8), 3e38, np.float32),
    }
    return [(f"{name}.npz", _with_q(_array(np.asarray(value)))) for name, value in wrong.items()]


def _wrong_headers() -> list[tuple[str, bytes]]:
    """Files whose q says impossible things of itself."""
    described = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n"
    shapes = (
        "(1000000000, 64)",
        "(1000000000, 1000000000)",
        "(-1, 8)",
        "(4, 8, 0)",
        "(2**62,)",
        "('a', 1)",
        "4",
    )
    cases = [("shape.npz", _with_q(_header(described % shape))) for shape in shapes]
    headers = (
        "",
        "\n" * 60_000,
        "{" * 5000,
        "__import__('os').abort()",
        "{'descr': '|O', 'shape': (4, 8)}",
        "[]",
    )
    cases += [("header.npz", _with_q(_header(text))) for text in headers]
    cases.append(("header2.npz", _with_q(_header("{'a': " * 2000, (2, 0)))))
    cases.append(("version.npz", _with_q(b"\x93NUMPY\x09\x09" + bytes(80))))
    return cases


def _wrong_archives() -> list[tuple[str, bytes]]:
    """Files that unpack to too much, hold other things than arrays, climb out, or are no archive."""
    good = _good()
    whole = _archive(good)
    objects = np.empty((4, 8), object)
    objects[:] = _Bomb()
    return [
        ("bomb.npz", _archive({f"{name}.npy": bytes(200 << 20) for name in "q"} | good, squeeze=True)),
        ("many.npz", _archive({f"{number}.npy": b"" for number in range(3000)} | good)),
        ("objects.npz", _with_q(_array(objects, allow_pickle=True))),
        ("pickle.npz", pickle.dumps(_Bomb())),
        ("pickled-member.npz", _with_q(pickle.dumps(_Bomb()))),
        ("nested.npz", _with_q(whole)),
        ("climb.npz", _archive({f"../../{name}": data for name, data in good.items()})),
        ("none.npz", b""),
        ("text.npz", b"q,k,v\n1,2,3\n" * 50),
        ("half.npz", whole[: len(whole) // 2]),
        ("big.npz", bytes((1 << 20) + 10)),
        ("lying.npz", _lying(whole)),
        ("locked.npz", _locked(whole)),
    ]


def _lying(archive: bytes) -> bytes:
    """The archive, with a directory whose sizes say more than there is."""
    changed = bytearray(archive)
    at = changed.find(DIRECTORY)
    changed[at + 20 : at + 28] = struct.pack("<II", 0xFFFFFFF0, 0xFFFFFFF0)
    return bytes(changed)


def _locked(archive: bytes) -> bytes:
    """The archive, with a first member that says it is encrypted, there and in the directory."""
    changed = bytearray(archive)
    changed[6] |= 1
    changed[changed.find(DIRECTORY) + 8] |= 1
    return bytes(changed)


def _hand_made() -> list[tuple[str, bytes]]:
    """Files that each aim at one weakness; at last a good one under names that do."""
    names = ("../../x.npz", "<img src=x onerror=alert(1)>.npz", "a" * 200 + ".npz")
    named = [(name, _archive(_good())) for name in names]
    return _wrong_arrays() + _wrong_headers() + _wrong_archives() + named


def uploads(count: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield files by name: the ones made by hand, then those again with bytes changed, cut or repeated."""
    made = _hand_made()
    yield from made[:count]
    chance = random.Random(seed)
    for number in range(count - len(made)):
        name, data = made[number % len(made)]
        damaged = bytearray(data[: 1 << 20])
        kind = chance.randrange(3)
        if kind == 0 and damaged:
            for _ in range(chance.randint(1, 30)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        elif kind == 1:
            del damaged[chance.randrange(len(damaged) + 1) :]
        else:
            damaged += damaged[: chance.randrange(len(damaged) + 1)]
        yield name, bytes(damaged)
