"""Muniment on this machine in one step, for `bin/demo`: servers, sample library, worker, web.

`--check` asks one question on the command line, follows the citations of the answer over HTTP, and stops again.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import django
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from config.local import models, postgres, running
from config.local.home import CHECKOUT, disk_fault, home, kept_secret
from config.local.process import free_port, listening
from config.local.services import DemoError, Service, bound_log, end_of_log, log_file
from knowledge.numbers import whole_number

QUESTION = "How long can you borrow a cargo bike?"
LIBRARY = "sample"
ADMIN = "admin"
PORT = 8000
WEB_TIMEOUT = 300  # seconds until the first page: a busy machine needs more than one minute
PATIENCE = 5  # seconds with one request for it, before it is looked whether the server lives
ROUND_SECONDS = 2  # between two looks at what runs
FAULTS = (  # said as they are
    ImproperlyConfigured,
    DemoError,
    postgres.PostgresError,
    models.ModelServerError,
    subprocess.CalledProcessError,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/demo", description="Start Muniment with its sample library.")
    parser.add_argument("--check", action="store_true", help="ask one question, check its citations, stop, exit 0 or 1")
    port_help = f"the web server's port (default: {PORT}, or a free one)"
    parser.add_argument("--port", type=port_number, default=0, help=port_help)
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    allow_sample()
    for interruption in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(interruption, signal.default_int_handler)
    began = time.monotonic()
    try:
        with ExitStack() as started:
            be_the_only_one(started)
            services: list[Service] = []
            door = started.enter_context(listen(arguments.port))
            started.callback(say, "Stopped.")
            site = start(started, door, services, must_read=arguments.check)
            say(f"Ready after {time.monotonic() - began:.1f} s.")
            return check(site) if arguments.check else serve(site, services)
    except KeyboardInterrupt:
        return 130 if arguments.check else 0
    except DatabaseError as error:
        print(f"\n{error}\nmanage.py doctor says more.", file=sys.stderr)
        return 1
    except FAULTS as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except OSError as error:
        if not (fault := disk_fault(error)):
            raise
        print(f"\n{fault}", file=sys.stderr)
        return 1


def be_the_only_one(started: ExitStack) -> None:
    """In this home, as long as `started` is open. Raises DemoError: of two that begin together, both may be refused."""
    record = started.enter_context(running.record("demo"))
    print(os.getpid(), file=record, flush=True)
    for pid in running.living("demo"):
        if pid != os.getpid():
            raise DemoError(f"bin/demo already runs in this home (pid {pid}); bin/stop ends it.")


def start(started: ExitStack, door: socket.socket, services: list[Service], must_read: bool) -> str:
    """Start what is not running; `started` stops it again, in reverse order. Returns the site's address.

    Who knocks at the `door` meanwhile waits.
    With `must_read` false a sample library that was read before may fail to be read again.
    """
    start_embedded_servers(started)
    prepare_database()
    if must_read or wants_sample():
        with step("Reading the sample library"):
            fault = read_sample(must_read)
        if fault:
            say(f"It stays as it was read before. {fault}")
    with step("Starting worker and web server"):
        services.append(Service(started, "worker", ["manage.py", "worker"]))
        bind = ["--bind", f"fd://{door.fileno()}", "--no-control-socket"]
        web = [
            "-m",
            "gunicorn",
            "config.wsgi",
            *bind,
            "--worker-class",
            "gthread",
            "--workers",
            "1",
            "--threads",
            "128",
            "--limit-request-line",
            "8190",
        ]
        services.append(Service(started, "web", web, (door.fileno(),)))
        site = f"http://localhost:{door.getsockname()[1]}/"
        wait_for_web(services[-1].process, site)
    return site


def start_embedded_servers(started: ExitStack) -> None:
    from django.conf import settings

    if settings.EMBEDDED_DATABASE:
        if not postgres.status()["running"]:
            started.callback(postgres.stop)
        with step("Starting Postgres"):
            postgres.ensure()
    for role in models.RECIPES:
        if not settings.ENDPOINTS[role]["url"] and not settings.AI_TEST_MODE:
            if not models.status(role)["running"]:
                started.callback(models.stop, role)
            with step(f"Starting the {role} model, {models.RECIPES[role].alias}"):
                models.ensure(role)


def prepare_database() -> None:
    django.setup()
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.db import connections
    from django.db.models import Q

    database: dict[str, Any] = settings.DATABASES["default"]
    database["OPTIONS"].pop("pool", None)  # for the web; its threads would be here at a fork
    with step("Preparing the database"):
        call_command("migrate", verbosity=0, interactive=False)
    with step("Collecting static files"):
        call_command("collectstatic", verbosity=0, interactive=False)
    users = get_user_model().objects
    if not users.filter(Q(is_superuser=True) | Q(username=ADMIN)).exists():
        users.create_superuser(ADMIN, password=kept_secret(password_file(), 12))
    connections.close_all()


def allow_sample() -> None:
    """The sample may be read, whatever other directories may: here, and in what is started from here."""
    roots = os.environ.get("DIRECTORY_ROOTS", "").split(",")
    os.environ["DIRECTORY_ROOTS"] = ",".join(dict.fromkeys([*filter(None, roots), sample()]))


def sample() -> str:
    return str((CHECKOUT / "sample").resolve())  # as libraries keep their locations


def wants_sample() -> bool:
    """Whether it is there, or nothing is: who removed it does not get it back."""
    from django.db import connections

    from knowledge.models import Library

    wanted = has_sample() or not Library.objects.exists()
    connections.close_all()
    return wanted


def has_sample() -> bool:
    from django.db import connections

    from knowledge.models import Library

    found = Library.objects.filter(slug=LIBRARY).exists()
    connections.close_all()
    return found


def read_sample(must_read: bool) -> str:
    """Why the library, which is there from before, could not be read again. Raises DemoError where it has to be."""
    from django.db import connections

    from knowledge.models import Library

    known = Library.objects.filter(slug=LIBRARY).first()
    connections.close_all()
    if known and known.location != sample() and known.active_snapshot_id and not must_read:
        return f"It is read from {known.location}, not from {sample()}; its location is changed in the admin."
    if not known:
        options = ["--directory", sample(), "--language", "english", "--access", "public"]
        manage("add_library", LIBRARY, *options)
        manage("golden", "import", f"{sample()}/questions.jsonl", "--library", LIBRARY)
    try:
        manage("reindex", "--full", LIBRARY, show_progress=sys.stderr.isatty())
    except DemoError as error:
        if must_read or not (known and known.active_snapshot_id):
            raise
        return str(error)
    return ""


def manage(*arguments: str, show_progress: bool = False) -> str:
    """Run a command as a user would, in a process of its own; returns what it printed. Raises DemoError."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if show_progress else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-3000:]
        raise DemoError(f"`manage.py {' '.join(arguments)}` failed with status {done.returncode}:\n{said}")
    return done.stdout


def serve(site: str, services: list[Service]) -> int:
    """Until Ctrl-C. What dies is started again, as `manage.py worker` does with the queue's processes."""
    from django.conf import settings

    question = f"\n  Try        {QUESTION}" if has_sample() else ""
    say(f"\n  Muniment   {site}\n  Log-in     {first_account()}\n  Home       {home()}{question}\n\nCtrl-C stops it.")
    logs = [log_file(service.name) for service in services]
    if settings.EMBEDDED_DATABASE:
        logs.append(postgres.log_file())
    while True:
        time.sleep(ROUND_SECONDS)
        for log in logs:
            bound_log(log)
        for service in services:
            if (status := service.process.poll()) is not None:
                say(f"The {service.name} process ended with status {status}; it is started again.")
                service.start_again()


# --- --check ------------------------------------------------------------------------------------------


def check(site: str) -> int:
    """Ask, print the answer with its citations, open each; 0 when it is answered, cited and everything opens."""
    for page in ("healthz", ""):
        if (code := http_status(urljoin(site, page))) != 200:
            raise DemoError(f"{urljoin(site, page)} answered {code}; see {log_file('web')}")
    say(f"\nQuestion: {QUESTION}")
    answer = json.loads(manage("ask", QUESTION, "--library", LIBRARY, "--json"))
    say(f"Answer:   {answer['answer']}\n")
    codes = {}
    for citation in answer["citations"]:
        codes[citation["n"]] = http_status(urldefrag(urljoin(site, citation["url"])).url)
        say(describe(citation, codes[citation["n"]]))
    if problems := list(faults(answer, codes)):
        raise DemoError("The check failed: " + "; ".join(problems) + ".")
    say(f"\nThe check passed. Answered in {answer['took_ms']['total'] / 1000:.1f} s.")
    return 0


def faults(answer: dict[str, Any], codes: dict[int, int]) -> Iterator[str]:
    if answer["refused"]:
        yield "the question was refused"
    if not any(citation["verified"] for citation in answer["citations"]):
        yield "no citation is verified"
    for number, code in codes.items():
        if code != 200:
            yield f"citation [{number}] opens with {code}"


def describe(citation: dict[str, Any], code: int) -> str:
    lines = f"lines {citation['line_start']}-{citation['line_end']}" if citation.get("line_start") else ""
    where = ", ".join(part for part in (citation["source_file"], citation.get("section_title"), lines) if part)
    verified = "verified" if citation["verified"] else "NOT VERIFIED"
    parts = (f"“{citation['quote']}”", where, f"{verified}; {citation['url']} opens with {code}")
    return f"  [{citation['n']}] " + "\n      ".join(parts)


# --- small things ---------------------------------------------------------------------------------------


def port_number(text: str) -> int:
    """Raises ArgumentTypeError."""
    if (port := whole_number(text)) is None or not 0 < port < 2**16:
        raise argparse.ArgumentTypeError(f"{text} is no port: a whole number from 1 to 65535")
    return port


def listen(wanted: int) -> socket.socket:
    """At the port; for 0 at the usual one, or another. It is ours from now on, long before the web server is there.

    Raises DemoError.
    """
    port = wanted or free_port(PORT)
    try:
        return listening(port)
    except PermissionError as error:
        raise DemoError(f"You may not listen on port {port}: --port 1024 or higher, or none, will do.") from error
    except OSError as error:
        raise DemoError(f"Port {port} is taken; another --port, or none, will do.") from error


def wait_for_web(server: subprocess.Popen[bytes], site: str) -> None:
    deadline = time.monotonic() + WEB_TIMEOUT
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise DemoError(f"The web server ended as it started. {end_of_log('web')}")
        if http_status(urljoin(site, "healthz"), PATIENCE):
            return
        time.sleep(0.1)
    raise DemoError(f"The web server did not answer within {WEB_TIMEOUT // 60} minutes. {end_of_log('web')}")


def http_status(url: str, timeout: float = 30) -> int:
    """The status of a GET; 0 when nobody answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=timeout) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def first_account() -> str:
    """The account that was made here, and what it signs in with as long as that is what was made up for it."""
    from django.contrib.auth import get_user_model
    from django.db import connections

    account = get_user_model().objects.filter(username=ADMIN, is_superuser=True).first()
    password = password_file().read_text() if password_file().exists() else ""
    valid = account is not None and account.is_active and account.check_password(password)
    connections.close_all()
    if not account:
        return "as an account of yours"
    if not password:  # as after a restore
        return f"{ADMIN} / (not kept here; another: .venv/bin/python manage.py changepassword {ADMIN})"
    return f"{ADMIN} / {password if valid else '(its password was changed, or the account switched off)'}"


def password_file() -> Path:
    return home() / "admin_password"


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is happening, and when it is done, how long it took."""
    began = time.monotonic()
    print(f"{what} … ", end="", flush=True)
    try:
        yield
    except BaseException:
        say("not finished")
        raise
    again = f"\r\033[K{what} … " if sys.stdout.isatty() else ""  # a command's progress may have taken the line
    say(f"{again}{time.monotonic() - began:.1f} s")


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
