"""The section for kernel authors: hold a kernel's numbers against the run on the stage."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from engine import FORMATS, Trace, trace_to_npz
from engine.kernel_file import MAX_FILE_BYTES, read_kernel_arrays
from engine.verdict import judge
from lesson.kernel_verdict import Frame, Report, report_on
from lesson.share_text import load_share_text
from ui.share import base_path


def draw_kernel_check(
    record: Callable[[], Trace], *, page: str, query: dict[str, str], name: str, own_file: bool, broken: bool
) -> None:
    """Draw the section, which is filled when it is opened.

    Parameters
    ----------
    record : callable
        Records the run on the stage, forward and with the right algorithm.
    page, query : str and dict of str to str
        What a link to this run needs; see `ui.share.share_of`.
    name : str
        Goes into the name of the file with inputs and trace.
    own_file : bool
        Whether the input is the reader's own file, which no link can carry.
    broken : bool
        Whether the stage shows a wrong algorithm beside the right one.
    """
    words = load_share_text()["check"]
    box = st.expander(words["heading"], icon=":material/rule:", key="check", on_change="rerun")
    if not box.open:
        return
    with box:
        trace = record()
        if broken:
            st.info(words["against_right"], icon=":material/info:")
        _draw_inputs(record, trace.problem, name)
        report = _ask_for_report(trace)
        if report is None:
            return
        text = "  \n".join(report.sentences)
        if report.frame is None:
            st.success(text, icon=":material/check_circle:")
            return
        st.warning(text, icon=":material/location_searching:")
        if own_file:
            st.markdown(words["step"].format(step=report.frame.step + 1))
        else:
            st.link_button(
                words["open"].format(step=report.frame.step + 1),
                _address(page, query, report.frame),
                icon=":material/open_in_new:",
            )


def _draw_inputs(record: Callable[[], Trace], sizes: dict[str, Any], name: str) -> None:
    """Say which arrays a kernel has to give back, and hand over those that it starts from."""
    words = load_share_text()["check"]
    tiles, n_q, d_v = sizes["tiles_k"], sizes["n_q"], sizes["d_v"]
    st.markdown(
        words["intro"].format(
            stats_shape=f"({tiles}, {n_q})",
            acc_shape=f"({tiles}, {n_q}, {d_v})",
            o_shape=f"({n_q}, {d_v})",
            lse_shape=f"({n_q},)",
        )
    )
    st.download_button(
        words["inputs"],
        lambda: trace_to_npz(record()),
        file_name=f"tilewise-{name}.npz",
        mime="application/zip",
        key="check_inputs",
        help=words["inputs_help"],
        on_click="ignore",
        icon=":material/download:",
    )


def _ask_for_report(trace: Trace) -> Report | None:
    """Ask for the kernel's file and return what it says; None without one, and for one that is refused."""
    words = load_share_text()["check"]
    storage = st.selectbox(
        words["storage"],
        list(FORMATS),
        index=list(FORMATS).index(trace.sizes.fmt.name),
        key="check_storage",
        help=words["storage_help"],
        width=320,
    )
    file = st.file_uploader(
        words["upload"],
        type="npz",
        key="check_file",
        help=words["upload_help"].format(bytes=f"{MAX_FILE_BYTES:,}"),
    )
    if file is None:
        return None
    try:
        return report_on(trace, judge(trace, read_kernel_arrays(file.getvalue()), storage))
    except ValueError as error:
        st.error(words["refused"].format(reason=error), icon=":material/error:")
        return None


def _address(page: str, query: dict[str, str], frame: Frame) -> str:
    """Return the address of the frame in question."""
    return f"{base_path()}/{page}?{urlencode({**query, 'step': frame.step, 'row': frame.row})}"
