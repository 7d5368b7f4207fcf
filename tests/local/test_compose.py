"""What compose.yaml and the Dockerfile promise, as far as it can be read from them without a container."""

import re
from typing import Any

import yaml

from config.local.home import CHECKOUT

SERVICES: dict[str, Any] = yaml.safe_load((CHECKOUT / "compose.yaml").read_text())["services"]
DOCKERFILE = (CHECKOUT / "Dockerfile").read_text().replace("\\\n", "")


def test_model_servers_listen_where_the_others_look() -> None:
    urls = [url for name, url in SERVICES["web"]["environment"].items() if name.endswith("_URL") and "llama-" in url]
    found = [re.search(r"http://(llama-\w+):(\d+)", url) for url in urls]
    assert len(found) == 3
    for match in found:
        assert match
        server = SERVICES[match[1]]
        assert server["environment"]["LLAMA_ARG_PORT"] == int(match[2])
        assert f"http://localhost:{match[2]}/health" in server["healthcheck"]["test"]


def test_a_model_that_is_left_empty_is_done_without() -> None:
    """And summaries are of the model that answers, wherever that is."""
    environment = SERVICES["web"]["environment"]
    answers = "${CHAT_URL-http://llama-generate:8080/v1}"
    assert environment["CHAT_URL"] == answers
    assert environment["SUMMARY_URL"] == f"${{SUMMARY_URL-{answers}}}"
