"""What compose.yaml and the Dockerfile promise, as far as it can be read from them without a container."""

import re
import shlex
import subprocess
from pathlib import Path
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


def test_the_image_is_read_by_its_user_whatever_umask_the_checkout_had(tmp_path: Path) -> None:
    opened = re.search(r"^RUN (find .*?) +&&", DOCKERFILE, re.M)
    assert opened
    (tmp_path / "package").mkdir(0o700)
    (tmp_path / "package/module.py").touch(0o600)
    (tmp_path / "manage.py").touch(0o700)
    subprocess.run(shlex.split(opened[1]), cwd=tmp_path, check=True)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"package": 0o755, "module.py": 0o644, "manage.py": 0o755}
