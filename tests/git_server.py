"""A real git server over HTTP in this process: `git http-backend`, with a password if one is asked for."""

import base64
import os
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class GitServer:
    """Serves the repositories below `root`. `intercept(handler)` may answer a request itself, and then returns True."""

    def __init__(self, root: Path, password: str = "") -> None:
        self.requests: list[str] = []
        self.hosts: list[str | None] = []
        self.intercept: Callable[[BaseHTTPRequestHandler], bool] = lambda handler: False
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.requests.append(self.path)
                server.hosts.append(self.headers.get("Host"))
                if server.intercept(self):
                    return
                given = base64.b64decode((self.headers.get("Authorization") or "").removeprefix("Basic "))
                if password and given.partition(b":")[2] != password.encode():
                    said = f"no: {given.decode()}".encode()
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="git"')
                    self.send_header("Content-Type", "text/plain")
                    self.send_header("Content-Length", str(len(said)))
                    self.end_headers()
                    self.wfile.write(said)
                    return
                self.backend()

            do_POST = do_GET

            def backend(self) -> None:
                path, _, query = self.path.partition("?")
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                environment = os.environ | {
                    "GIT_PROJECT_ROOT": str(root),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "PATH_INFO": path,
                    "QUERY_STRING": query,
                    "REQUEST_METHOD": self.command,
                    "CONTENT_TYPE": self.headers.get("Content-Type") or "",
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
                    "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
                }
                done = subprocess.run(
                    ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
                )
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
                self.send_response(int(fields.pop("Status", "200").split()[0]))
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
