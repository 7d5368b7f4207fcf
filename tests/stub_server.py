"""A real HTTP server in this process that answers as model servers do, or misbehaves as they do."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any]  # status and JSON, or bytes as they are


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
                status, reply = stub.answer.get(self.path, lambda _: missing)(stub.calls[-1][1])
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
