"""One learner's Streamlit session over its WebSocket, without a browser. For load and hostile input."""

import itertools
import json
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field
from types import TracebackType
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileUploaderState as UploaderState
from streamlit.proto.Common_pb2 import FileURLs, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

PATIENCE_S = 60
# The page asked for another run of itself, which follows.
_RERUNS = ForwardMsg.FINISHED_EARLY_FOR_RERUN

__all__ = ["Refused", "Run", "Session", "opened"]


class Refused(RuntimeError):
    """The server did not do what a browser may ask of it."""


@dataclass
class Run:
    """What one script run sent.

    Attributes
    ----------
    seconds : float
        From the request to the end of the run.
    received_bytes, messages : int
    exceptions : list of str
        What stood in red boxes: a run with one has failed.
    alerts : list of str
        Messages to the learner: what was refused and why.
    uploaders : list of str
        Widget ids of the file fields.
    closed : list of str
        Widget ids of the sections that are filled only once they are opened.
    components : int
        How many of our own parts were sent.
    """

    seconds: float = 0.0
    received_bytes: int = 0
    messages: int = 0
    exceptions: list[str] = field(default_factory=list)
    alerts: list[str] = field(default_factory=list)
    uploaders: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    components: int = 0

    def take(self, message: ForwardMsg) -> None:
        """Note what a message puts on the page."""
        if message.WhichOneof("type") != "delta":
            return
        section = message.delta.add_block.expandable
        if section.id and not section.expanded:
            self.closed.append(section.id)
        if message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.exceptions.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "alert":
            self.alerts.append(element.alert.body)
        elif kind == "file_uploader":
            self.uploaders.append(element.file_uploader.id)
        elif kind == "bidi_component":
            self.components += 1


def opened(section: str) -> WidgetState:
    """Return the state to run a page with in which a closed section, by its widget id, is open."""
    return WidgetState(id=section, bool_value=True)


class Session:
    """A connected learner, for as long as the block lasts.

    Parameters
    ----------
    url : str
        Where the app is, without a slash at its end.
    cookie : str
        Sent with the handshake and with uploads.
    """

    def __init__(self, url: str, cookie: str = "") -> None:
        self.url, self.cookie = url, cookie
        parts = urlsplit(url)
        address = f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}{parts.path}/_stcore/stream"
        headers = {"Cookie": cookie} if cookie else {}
        self._connection = connect(
            address,
            subprotocols=["streamlit"],  # type: ignore[list-item]  # a plain name to the library
            origin=f"{parts.scheme}://{parts.netloc}",  # type: ignore[arg-type]  # likewise
            additional_headers=headers,
            max_size=None,
            compression=None,
            open_timeout=PATIENCE_S,
        )
        self.session_id = ""
        self._requests = itertools.count()

    def __enter__(self) -> "Session":
        self.socket = self._connection.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.__exit__(kind, error, trace)

    def _receive(self, deadline: float) -> tuple[ForwardMsg, int]:
        raw = self.socket.recv(timeout=max(deadline - time.monotonic(), 0.001))
        data = raw.encode() if isinstance(raw, str) else raw
        return ForwardMsg.FromString(data), len(data)

    def run(self, page: str = "", query: str = "", widgets: list[WidgetState] | None = None) -> Run:
        """Run a page's script, as opening or changing it does, and return what came.

        Parameters
        ----------
        page : str
            Its name in the address, "" for the first.
        query : str
            Without a question mark.
        widgets : list of WidgetState, optional

        Raises
        ------
        Refused
            If the page is not found.
        TimeoutError
            If the run has not ended after a minute.
        """
        state = ClientState(query_string=query, page_name=page)
        if widgets:
            state.widget_states.widgets.extend(widgets)
        began = time.monotonic()
        self.socket.send(BackMsg(rerun_script=state).SerializeToString())
        found = Run()
        while True:
            message, size = self._receive(began + PATIENCE_S)
            found.received_bytes += size
            found.messages += 1
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.session_id = message.new_session.initialize.session_id or self.session_id
            elif kind == "page_not_found":
                raise Refused(f"there is no page {page!r}")
            elif kind == "script_finished" and message.script_finished != _RERUNS:
                found.seconds = time.monotonic() - began
                return found
            found.take(message)

    def upload(self, widget: str, name: str, body: bytes) -> tuple[int, WidgetState | None]:
        """Put a file into a file field and return the answer's status, and the state to run the page with.

        The status is 0 where the server hangs up before it has read the file.

        Raises
        ------
        TimeoutError
            If the server names no place to put it.
        """
        request = BackMsg()
        request.file_urls_request.request_id = str(next(self._requests))
        request.file_urls_request.file_names.append(name)
        request.file_urls_request.session_id = self.session_id
        self.socket.send(request.SerializeToString())
        deadline = time.monotonic() + PATIENCE_S
        while True:
            message, _ = self._receive(deadline)
            if message.WhichOneof("type") == "file_urls_response":
                break
        place: FileURLs = message.file_urls_response.file_urls[0]
        status = self._put(place.upload_url, name, body)
        if not 200 <= status < 300:
            return status, None
        info = UploadedFileInfo(file_id=place.file_id, name=name, size=len(body), file_urls=place)
        state = UploaderState(uploaded_file_info=[info])
        return status, WidgetState(id=widget, file_uploader_state_value=state)

    def _put(self, address: str, name: str, body: bytes) -> int:
        boundary = uuid.uuid4().hex
        # A browser quotes a name in the same way.
        shown = json.dumps(name)[1:-1]
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{shown}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        origin = urlsplit(self.url)
        token = dict(part.strip().partition("=")[::2] for part in self.cookie.split(";")).get(
            "_streamlit_xsrf", ""
        )
        request = urllib.request.Request(
            f"{origin.scheme}://{origin.netloc}/{address.lstrip('/')}",
            data=head.encode() + body + f"\r\n--{boundary}--\r\n".encode(),
            headers={
                "Content-Type": f"multipart/form-data; boundary={boundary}",
                "Cookie": self.cookie,
                "X-Xsrftoken": token,
            },
            method="PUT",
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code
        except (urllib.error.URLError, ConnectionError):
            return 0
