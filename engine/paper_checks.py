"""FlashAttention's figure 2 beside our own arithmetic: what agrees, what does not, and by how much."""

from dataclasses import dataclass

from engine.io_bounds import published_counts
from engine.paper_tables import FIGURE_2, PrintedRun
from engine.roofline import attention_flops
from engine.shapes import AttentionShape

# The tile of the published counts: the paper's figure goes up to 512 keys and flattens at 256.
FIGURE_2_BLOCK = 256
FORMAT_BYTES = 2

__all__ = ["RunCheck", "check_figure_2"]


@dataclass(frozen=True)
class RunCheck:
    """One column of figure 2.

    Attributes
    ----------
    printed : PrintedRun
    flops : int
        Matrix products of one forward and backward, exactly: the corrected figure.
    model_bytes : int
        Traffic of the published pseudo-code, forward and backward, statistics left out.
    least_bytes : int
        Each tensor once.
    """

    printed: PrintedRun
    flops: int
    model_bytes: int
    least_bytes: int

    @property
    def flops_factor(self) -> float:
        """Corrected over printed FLOPs."""
        return self.flops / self.printed.flops_printed

    @property
    def bytes_factor(self) -> float:
        """Measured bytes over the pseudo-code's: above 1, the run moved more; below, a cache helped."""
        return self.printed.hbm_bytes / self.model_bytes


def check_figure_2() -> tuple[RunCheck, ...]:
    """Both columns of figure 2, left, with the corrected FLOPs and the modelled bytes."""
    checks = []
    for run in FIGURE_2:
        shape = AttentionShape(run.n, run.n, run.d, heads=run.heads, batch=run.batch)
        again = run.method == "flash"
        flops = attention_flops(shape) + attention_flops(shape, "backward", recompute=again)
        counts = published_counts(
            run.n,
            run.d,
            run.d,
            FIGURE_2_BLOCK,
            heads=run.heads,
            batch=run.batch,
            bytes_per_element=FORMAT_BYTES,
        )
        model, least = (
            counts[f"{key}_forward"].n_bytes + counts[f"{key}_backward"].n_bytes
            for key in ("fa1" if again else "standard", "compulsory")
        )
        checks.append(RunCheck(run, flops, model, least))
    return tuple(checks)
