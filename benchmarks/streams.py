"""Many answers streamed at once from one web process, with a chat model that is faked over HTTP.

    python benchmarks/streams.py sample [--streams 100] [--pause .5]

Starts gunicorn as bin/demo does, asks through /chat as a browser would, follows every answer's events, and searches all
the while. Prints the first token's delay beyond the model's own, what finished, and how long searches took; then kills
the web server in the middle of an answer and says what its page shows after a restart.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2 as httpx
import serving

from retrieval.evaluation.metrics import percentile

SAYS = "You can borrow a cargo bike for up to three days [1]."
QUESTION = "How long can you borrow a cargo bike?"
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
BEFORE_FIRST = 0.3  # seconds that the fake model thinks

asked_at: dict[str, float] = {}


class FakeModel(BaseHTTPRequestHandler):
    pause = 0.5
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.reply({"data": [{"id": "fake"}], "default_generation_settings": {"n_ctx": 8192}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/tokenize"):
            content = body["content"] if isinstance(body["content"], list) else [body["content"]]
            tokens = [one for part in content for one in ([part] if part == -1 else [1] * len(part.split()))]
            return self.reply({"tokens": tokens})
        if body.get("grammar"):
            return self.reply({"error": {"message": "no grammar"}}, 400)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        time.sleep(BEFORE_FIRST)
        try:
            for word in SAYS.split():
                self.piece({"choices": [{"index": 0, "delta": {"content": f"{word} "}, "finish_reason": None}]})
                time.sleep(self.pause)
            self.piece({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self.wfile.write(b"data: [DONE]\n\n")
        except BrokenPipeError:
            pass
        self.close_connection = True
        return None

    def piece(self, body: dict[str, Any]) -> None:
        head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "fake"}
        self.wfile.write(f"data: {json.dumps(head | body)}\n\n".encode())
        self.wfile.flush()

    def reply(self, body: dict[str, Any], status: int = 200) -> None:
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


def begin(client: httpx.Client, library: str, question: str) -> str:
    """Ask as the page does; the answer's address."""
    token = CSRF.search(client.get("/chat", headers={"Connection": "close"}).text)
    if not token:
        raise SystemExit("The page has no form.")
    headers = {"Connection": "close"}
    data = {"csrfmiddlewaretoken": token[1], "q": question, "library": library, "live": "yes"}
    response = client.post("/chat", data=data, headers=headers)
    if response.status_code != 302:
        raise SystemExit(response.text[-500:])
    return response.headers["Location"].partition("#")[0]


def events(client: httpx.Client, address: str) -> Iterator[tuple[str, float]]:
    with client.stream("GET", f"{address}/events", timeout=300) as response:
        for line in response.iter_lines():
            if line.startswith("event: "):
                yield line.removeprefix("event: "), time.perf_counter()


def one_stream(base: str, library: str, number: int, results: list[dict[str, Any]]) -> None:
    result: dict[str, Any] = {"first": None, "finished": False, "gaps": []}
    results.append(result)
    with httpx.Client(base_url=base, trust_env=False, timeout=120) as client:
        started = time.perf_counter()
        address = begin(client, library, f"{QUESTION} {number}")
        before = None
        for name, at in events(client, address):
            if name == "token":
                result["first"] = result["first"] or at - started
                if before:
                    result["gaps"].append(at - before)
                before = at
            result["finished"] |= name == "finished"
        result["seconds"] = time.perf_counter() - started


def searching(base: str, library: str, stop: threading.Event, took: list[float]) -> None:
    with httpx.Client(base_url=base, trust_env=False, timeout=60) as client:
        n = 0
        while not stop.is_set():
            n += 1
            started = time.perf_counter()
            query = {"q": f"bike loan {n}", "library": library, "mode": "lexical"}
            client.get("/api/v1/search", params=query, headers={"Connection": "close"})
            took.append(time.perf_counter() - started)
            time.sleep(0.25)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two words of the model")
    parser.add_argument("--port", type=int, default=8987)
    arguments = parser.parse_args()
    FakeModel.pause = arguments.pause
    model = Server(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{arguments.port}"
    limits = {"ASK_AT_ONCE": "1000", "ASK_PER_MINUTE": "100000"}
    chat = {"CHAT_URL": f"http://127.0.0.1:{model.server_port}/v1", "CHAT_MODEL": "fake"}
    serving.collect_static()
    process = serving.start(arguments.port, limits | chat)
    try:
        alone: list[dict[str, Any]] = []
        for n in range(3):
            one_stream(base, arguments.library, -n, alone)
        beyond = [result["first"] - BEFORE_FIRST for result in alone[1:]]
        print(f"alone: first token {statistics.median(beyond) * 1000:.0f} ms beyond the model's (median of 2)")
        results: list[dict[str, Any]] = []
        took: list[float] = []
        stop = threading.Event()
        searcher = threading.Thread(target=searching, args=(base, arguments.library, stop, took))
        searcher.start()
        threads = [
            threading.Thread(target=one_stream, args=(base, arguments.library, n, results))
            for n in range(arguments.streams)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        searcher.join()
        firsts = [result["first"] for result in results if result["first"]]
        gaps = [gap for result in results for gap in result["gaps"]]
        print(f"{arguments.streams} at once: {sum(result['finished'] for result in results)} finished")
        print(f"first token after {percentile(firsts, 0.5):.2f} s (p50), {percentile(firsts, 0.95):.2f} s (p95)")
        print(f"between pieces {percentile(gaps, 0.5):.2f} s (p50), {percentile(gaps, 0.99):.2f} s (p99)")
        print(
            f"{len(took)} searches meanwhile: {percentile(took, 0.5):.2f} s (p50), {percentile(took, 0.95):.2f} s (p95)"
        )
        process = killed(base, arguments, process, limits | chat)
    finally:
        process.terminate()
        process.wait()
        model.shutdown()


def killed(
    base: str, arguments: argparse.Namespace, process: subprocess.Popen[bytes], environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    with httpx.Client(base_url=base, trust_env=False, timeout=60) as client:
        address = begin(client, arguments.library, QUESTION)
        time.sleep(BEFORE_FIRST + 3)
        os.killpg(process.pid, 9)
        process.wait()
        process = serving.start(arguments.port, environment)
        page = client.get(address).text
        print("killed, at once after the restart:", state(page))
        time.sleep(16)
        print("16 s later:", state(client.get(address).text))
    return process


def state(page: str) -> str:
    broken, writing = "broke off before it was checked" in page, "data-events" in page
    draft = "can borrow" in page
    return f"{'broken off' if broken else 'being written' if writing else 'other'}, draft {'kept' if draft else 'lost'}"


if __name__ == "__main__":
    main()
