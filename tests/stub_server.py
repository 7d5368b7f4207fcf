"""A real HTTP server in this process that answers as model servers do, or misbehaves as they do."""

import json
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any] | Callable[[BaseHTTPRequestHandler], None]  # status and JSON, or bytes; or what writes it


class Stub:
    """`answer[path]` is a function from the request's JSON to a reply; `calls` are the requests that came."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.answer: dict[str, Callable[[Any], Reply]] = {
            "/v1/embeddings": lambda body: (200, vectors(body["input"])),
            "/tokenize": lambda body: (200, {"tokens": tokenised(body)}),
            "/props": lambda _: (200, {"default_generation_settings": {"n_ctx": 512}}),
            "/v1/models": lambda _: (200, {"object": "list", "data": [{"id": "listed", "object": "model"}]}),
        }
        self.keys: list[str | None] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                stub.keys.append(self.headers.get("Authorization"))
                stub.calls.append((self.path, json.loads(body or "null")))
                missing = (404, {"error": {"message": "File Not Found"}})
                answer = stub.answer.get(self.path, lambda _: missing)(stub.calls[-1][1])
                if callable(answer):
                    answer(self)
                    return
                status, reply = answer
                payload = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(status)
                stream = payload.startswith(b"data:")
                self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
                if not stream:
                    self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def sizes(self) -> list[int]:
        return [len(body["input"]) for path, body in self.calls if path == "/v1/embeddings"]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def vector(text: str) -> list[float]:
    return [float(len(text)), float(text.count("e")), 1.0]


def vectors(texts: list[str]) -> dict[str, Any]:
    data = [{"index": i, "embedding": vector(text), "object": "embedding"} for i, text in enumerate(texts)]
    return {"object": "list", "data": data, "model": "m"}


def tokenised(body: dict[str, Any]) -> list[int]:
    parts = body["content"] if isinstance(body["content"], list) else [body["content"]]
    found = [token for part in parts for token in ([part] if isinstance(part, int) else [7] * len(part.split()))]
    return [101, *found, 102] if body.get("add_special") else found


# --- misbehaving in ways that no status and no JSON say -------------------------------------------


def truncated(payload: bytes, kept: int) -> Reply:
    """Promises the whole and breaks off."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        head(handler, len(payload))
        handler.wfile.write(payload[:kept])
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)

    return write


def endless(part: bytes, times: int, pause: threading.Event, seconds: float = 0.0) -> Reply:
    """Sends `part` again and again, with pauses that `pause` ends."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        head(handler, len(part) * times)
        try:
            for _ in range(times):
                handler.wfile.write(part)
                handler.wfile.flush()
                pause.wait(seconds)
        except OSError:
            pass  # the client has had enough

    return write


def silent(release: threading.Event) -> Reply:
    """Takes the request and says nothing until it is released."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        release.wait(30)

    return write


def head(handler: BaseHTTPRequestHandler, length: int) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(length))
    handler.end_headers()
