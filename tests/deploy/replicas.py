"""Three app processes, a PostgreSQL and the shipped nginx configuration, all on loopback."""

import http.client
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.classroom.postgres import Postgres
from tests.conftest import ROOT, Server, free_port, start_server
from tests.deploy.ensure_nginx import find_nginx

SHIPPED = ROOT / "deploy/nginx"
COUNT = 3

__all__ = ["Answer", "Hall", "ask"]


@dataclass(frozen=True)
class Answer:
    """What came back: status, headers by lower-case name (cookies apart) and body."""

    status: int
    headers: dict[str, str]
    cookies: list[str]
    body: bytes

    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)


def ask(url: str, path: str, *, method: str = "GET", json_body: object = None, **headers: str) -> Answer:
    """Send one request on a connection of its own; an underscore in a header's name stands for a hyphen."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    body = None
    if json_body is not None:
        body, sent["Content-Type"] = json.dumps(json_body).encode(), "application/json"
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        cookies = [each.split(";")[0] for each in answer.headers.get_all("Set-Cookie") or []]
        return Answer(answer.status, found, cookies, answer.read())
    finally:
        connection.close()


class Hall:
    """All of it. `start` it, then `stop` it.

    Parameters
    ----------
    folder : Path
        An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = Postgres()
        self.replicas: list[Server] = []
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._nginx: subprocess.Popen[bytes] | None = None
        self._askings = count(1)

    def start(self) -> None:
        """Start the database, the replicas and the proxy, and return once the proxy serves.

        Raises
        ------
        RuntimeError
            If there is no nginx, or one of them does not start.
        """
        self.postgres.start()
        environment = {
            "DATABASE_URL": self.postgres.new_database("hall"),
            "TILEWISE_REPLICAS": str(COUNT),
            "FORWARDED_ALLOW_IPS": "*",
        }
        for number in range(COUNT):
            self.replicas.append(start_server(self.folder / f"app-{number}.log", env=environment))
        self._start_proxy()

    def _start_proxy(self) -> None:
        program = find_nginx()
        if program is None:
            raise RuntimeError("there is no nginx; run `python -m tests.deploy.ensure_nginx` as root")
        conf = self.folder / "nginx"
        conf.mkdir()
        shutil.copy(SHIPPED / "nginx.conf", conf)
        (conf / "listen.conf").write_text(f"listen 127.0.0.1:{self.port};\n", encoding="utf-8")
        shipped = (SHIPPED / "replicas.conf").read_text(encoding="utf-8").splitlines()
        lines = [
            line.replace(f"app-{number}:8501", urlsplit(replica.url).netloc)
            for number, (line, replica) in enumerate(zip(shipped, self.replicas, strict=True), start=1)
        ]
        (conf / "replicas.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [program, "-c", str(conf / "nginx.conf"), "-g", "daemon off;"]
        if os.geteuid() == 0:
            # Its helpers would lose the right to a log that root opened.
            command[-1] += " user root;"
        with (self.folder / "nginx.log").open("wb") as log:
            self._nginx = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self._nginx.poll() is None:
            try:
                if ask(self.url, "/readyz").status == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"nginx did not start:\n{self.proxy_log()}")

    def proxy_log(self) -> str:
        """What nginx wrote."""
        return (self.folder / "nginx.log").read_text(encoding="utf-8", errors="replace")

    def replica_of(self, cookie: str) -> str:
        """Return the address of the replica that a browser with this cookie is sent to."""
        # Each asking has an address of its own: a line of an earlier one would tell where it went then.
        mark = f"/static/asked-{next(self._askings)}"
        ask(self.url, mark, Cookie=cookie)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            told = [line.split() for line in self.proxy_log().splitlines() if f"{mark} " in line]
            if told:
                return told[0][-1]
            time.sleep(0.05)
        raise RuntimeError("nginx wrote no line of this request")

    def kill(self, netloc: str) -> None:
        """Kill a replica as a crash would."""
        replica = next(each for each in self.replicas if urlsplit(each.url).netloc == netloc)
        replica.process.kill()
        replica.process.wait(20)

    def stop(self) -> None:
        """End everything."""
        if self._nginx is not None:
            self._nginx.terminate()
            self._nginx.wait(20)
        for replica in self.replicas:
            replica.stop()
        self.postgres.remove()
