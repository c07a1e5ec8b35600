"""The live room's routes alone, for a process of their own."""

import os
import sys

import uvicorn
from starlette.applications import Starlette

from classroom.mount import room_routes, rooms_open
from classroom.routes import PhonePage

__all__ = ["serve"]

PAGE = PhonePage('<html><script type="module" src="SCRIPT_URL"></script></html>', "export {};")


def serve(port: int, environment: dict[str, str], log: str) -> None:
    """Serve until killed, with this environment alone, and with everything that is said in the log."""
    os.environ.clear()
    os.environ.update(environment)
    with open(log, "ab") as out:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(out.fileno(), stream.fileno())
    app = Starlette(routes=room_routes(PAGE), lifespan=lambda _: rooms_open())
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
