"""The live room's routes alone, in a process of their own: `python -m tests.classroom.bare_server PORT`."""

import sys

import uvicorn
from starlette.applications import Starlette

from classroom.mount import room_routes, rooms_open
from classroom.routes import PhonePage

PAGE = PhonePage('<html><script type="module" src="SCRIPT_URL"></script></html>', "export {};")


def main() -> None:
    """Serve until killed."""
    app = Starlette(routes=room_routes(PAGE), lifespan=lambda _: rooms_open())
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
