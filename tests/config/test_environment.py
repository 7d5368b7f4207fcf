import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from config.environment import Env
from config.local.home import CHECKOUT

EXAMPLE = (CHECKOUT / ".env.example").read_text()
DOCUMENTED = set(re.findall(r"^#([A-Z_]+)=", EXAMPLE, re.MULTILINE))

NO_SETTINGS = {"PROMETHEUS_MULTIPROC_DIR", "MUNIMENT_ENV_FILE"}  # set by us: for a library; by bin/test, against .env


def test_every_variable_of_the_settings_is_documented() -> None:
    settings = (CHECKOUT / "config" / "settings.py").read_text()
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', settings))
    read |= {
        f"{prefix}_{part}" for prefix in re.findall(r'"[a-z_]+": "([A-Z_]+)"', settings) for part in ("URL", "MODEL")
    }
    assert "RERANK_URL" in read
    assert read - DOCUMENTED == set()


def test_every_variable_that_the_code_reads_is_documented_with_a_line_of_meaning() -> None:
    read: set[str] = set()
    for folder in ("config", "knowledge", "ingestion", "retrieval"):
        for path in (CHECKOUT / folder).rglob("*.py"):
            text = path.read_text()
            read |= set(re.findall(r'(?:env\.\w+|environ\.get|getenv)\(\s*"([A-Z][A-Z_]+)"', text))
            read |= set(re.findall(r'environ\["([A-Z][A-Z_]+)"\]', text))
    assert {"MUNIMENT_HOME", "DATABASE_POOL"} <= read
    assert read - DOCUMENTED - NO_SETTINGS == set()
    lines = EXAMPLE.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"#[A-Z_]+=", line):
            above = lines[number - 1]
            assert re.match(r"# \S|#[A-Z_]+=", above), f"{line} has no line of meaning"


def test_what_is_documented_is_read_by_something() -> None:
    compose = (CHECKOUT / "compose.yaml").read_text()
    code = "".join(path.read_text() for path in (CHECKOUT / "config").rglob("*.py"))
    for name in DOCUMENTED - set(re.findall(r"\$\{([A-Z_]+)", compose)):
        prefix = re.sub("_(URL|MODEL)$", "", name)
        assert f'"{name}"' in code or f'"{prefix}"' in code or name == "COMPOSE_PROFILES", name


def test_the_example_changes_nothing_as_it_stands() -> None:
    assert all(line.startswith("#") for line in EXAMPLE.splitlines() if line)


def test_every_variable_of_the_compose_file_is_documented() -> None:
    compose = (CHECKOUT / "compose.yaml").read_text()
    assert set(re.findall(r"\$\{([A-Z_]+)", compose)) - DOCUMENTED == set()
    services = yaml.safe_load(compose)["services"]
    assert all("healthcheck" in service for name, service in services.items() if name not in ("prepare", "worker"))


def test_no_lock_file_names_a_package_index() -> None:
    for lock in CHECKOUT.glob("requirements*.txt"):
        assert not re.search(r"https?:|file:|index-url|find-links", lock.read_text()), lock.name


def test_the_commands_are_valid_and_executable() -> None:
    for name in ("demo", "stop", "test", "lock"):
        assert os.access(CHECKOUT / "bin" / name, os.X_OK)
        subprocess.run(["bash", "-n", CHECKOUT / "bin" / name], check=True)


def test_an_environment_that_lost_its_packages_is_made_anew(tmp_path: Path) -> None:
    """As when the system's Python became another one, whose packages the old environment does not have."""
    stamped = ("bin/_setup", "requirements.txt", "requirements-models.txt")
    (tmp_path / "bin").mkdir()
    for name in stamped:
        shutil.copy(CHECKOUT / name, tmp_path / name)
    venv.create(tmp_path / ".venv", with_pip=False)
    stamp = sha256(b"".join((tmp_path / name).read_bytes() for name in stamped)).hexdigest()
    (tmp_path / ".venv/installed-requirements.txt").write_text(f"{stamp}  -\n")
    setup = shlex.quote(str(tmp_path / "bin/_setup"))
    script = f"set -e; source {setup}; check_machine() {{ fail made anew; }}; set_up requirements.txt"
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(["bash", "-c", script], env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == "made anew\n"


def test_pip_is_called_through_python_which_works_in_a_copied_checkout() -> None:
    for name in ("bin/_setup", "docs/operations.md"):
        text = (CHECKOUT / name).read_text()
        assert ".venv/bin/python -m pip install" in text and ".venv/bin/pip install" not in text


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HNSW_EF_SEARCH", "abc", "HNSW_EF_SEARCH: “abc” is no whole number"),
        ("HNSW_EF_SEARCH", "0", "HNSW_EF_SEARCH: 0 is less than 1"),
        ("ASK_AT_ONCE", "0", "ASK_AT_ONCE: 0 is less than 1"),
        ("ASK_PER_MINUTE", "0", "ASK_PER_MINUTE: 0 is less than 1"),
        ("SEARCH_MEMORY_MB", "-1", "SEARCH_MEMORY_MB: -1 is less than 0"),
        (
            "SEARCH_STATEMENT_TIMEOUT_MS",
            "2147483648",
            "SEARCH_STATEMENT_TIMEOUT_MS: 2147483648 is more than 2147483647",
        ),
        ("GIT_ALLOWED_NETWORKS", "10.0.0.0/8,foo", "GIT_ALLOWED_NETWORKS: “foo” is no network"),
        ("EMBEDDING_URL", "anna:secret@host/v1", "EMBEDDING_URL is no address of a server"),
        ("CHAT_URL", "http://[secret", "CHAT_URL is no address of a server"),
        ("CHAT_URL", "http://secret:99999/v1", "CHAT_URL is no address of a server"),
        ("SITE_URL", "docs.secret.org", "SITE_URL is no address of a server: https://HOST"),
        ("OIDC_ISSUER", "secret", "OIDC_ISSUER is no address of a server: https://HOST/PATH"),
        ("GIT_ALLOWED_SCHEMES", "https,foo", "GIT_ALLOWED_SCHEMES: “foo” is none of https, ssh, http, git, file"),
        ("CREDENTIALS_KEY", "secret", "CREDENTIALS_KEY holds what is no key of 32 bytes"),
        ("AI_TEST_MODE", "maybe", "AI_TEST_MODE: “maybe” is neither true nor false"),
        ("DATABASE_URL", "mysql://anna:secret@db/x", "DATABASE_URL is no address"),
        ("DATABASE_URL", "postgres://anna:secret@db", "DATABASE_URL is no address"),
        ("LOG_LEVEL", "LOUD", "LOG_LEVEL: “LOUD” is none of"),
        ("FORWARDED_ALLOW_IPS", "10.0.0.0/8,proxy", "FORWARDED_ALLOW_IPS: “proxy” is no network"),
        ("EMAIL_URL", "smtp://anna:secret@mail:port/", "EMAIL_URL is no address of a mail server"),
        ("EMAIL_TIMEOUT", "0", "EMAIL_TIMEOUT: 0 is less than 1"),
        ("ALLOWED_HOSTS", "a.example,https://b.example/", "ALLOWED_HOSTS: “https://b.example/” is no name of a host"),
        ("CSRF_TRUSTED_ORIGINS", "docs.example.org", "CSRF_TRUSTED_ORIGINS: “docs.example.org” is no origin"),
        ("SECRET_KEY", "secret", "SECRET_KEY can be guessed: it needs 32 characters"),
        ("SECRET_KEY", "abcd" * 20, "SECRET_KEY can be guessed"),
        ("OIDC_SIGN_ALGORITHM", "none", "OIDC_SIGN_ALGORITHM: “none” is none of RS256, RS384"),
        ("EMAIL_URL", "secret", "EMAIL_URL is no address of a mail server"),
        ("EMAIL_URL", "smtp:", "EMAIL_URL is no address of a mail server"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_in_one_line(name: str, value: str, said: str) -> None:
    ran = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=CHECKOUT,
        env=os.environ | {name: value},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1 and said in ran.stderr and ran.stderr.count("\n") == 1
    assert "secret" not in ran.stdout + ran.stderr


def test_a_setting_that_is_left_empty_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AI_OFFLINE_FALLBACK", "")
    monkeypatch.setenv("HNSW_EF_SEARCH", " ")
    env = Env()
    assert env.bool("AI_OFFLINE_FALLBACK", default=True) is True and env.int("HNSW_EF_SEARCH", default=7) == 7
    monkeypatch.setenv("DATABASE_POOL", "-1")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOL: -1 is less than 0"):  # which manage.py does not read
        env.count("DATABASE_POOL", default=0)
    monkeypatch.setenv("DATABASE_URL", "postgresql://anna@db:5433/x")
    assert env.postgres("DATABASE_URL")["NAME"] == "x"


def test_several_keys_may_stand_in_one_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ",\n".join(Fernet.generate_key().decode() for _ in range(2))
    monkeypatch.setenv("CREDENTIALS_KEY", keys)
    assert Env().keys("CREDENTIALS_KEY") == keys and Env().keys("NO_SUCH_KEY") == ""
    monkeypatch.setenv("CREDENTIALS_KEY", f"{keys},{keys[:40]}")
    with pytest.raises(ImproperlyConfigured, match="is no key of 32 bytes"):
        Env().keys("CREDENTIALS_KEY")


def test_hosts_and_origins_are_taken_as_django_knows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = ["docs.example.org", ".example.org", "*", "10.0.0.7", "[::1]", "my_host"]
    origins = ["https://docs.example.org", "http://localhost:8000", "https://*.example.org", "https://[::1]:8443"]
    monkeypatch.setenv("ALLOWED_HOSTS", ", ".join(hosts))
    monkeypatch.setenv("CSRF_TRUSTED_ORIGINS", ",".join(origins))
    assert Env().hosts("ALLOWED_HOSTS") == hosts and Env().origins("CSRF_TRUSTED_ORIGINS") == origins
    for wrong in ("docs.example.org:443", "a b", "docs.example.org/"):
        monkeypatch.setenv("ALLOWED_HOSTS", wrong)
        with pytest.raises(ImproperlyConfigured, match="is no name of a host"):
            Env().hosts("ALLOWED_HOSTS")
    for wrong in ("ftp://a.example", "https://a.example/", "https://", "https://a.example:port"):
        monkeypatch.setenv("CSRF_TRUSTED_ORIGINS", wrong)
        with pytest.raises(ImproperlyConfigured, match="is no origin"):
            Env().origins("CSRF_TRUSTED_ORIGINS")


def test_a_value_that_begins_with_a_dollar_is_taken_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    for value in ("$ecret", "$HOME", "$$", r"$\$a"):
        monkeypatch.setenv("METRICS_TOKEN", value)
        assert Env().str("METRICS_TOKEN", default="") == value
    monkeypatch.setenv("ALLOWED_HOSTS", "$a, b")
    assert Env().names("ALLOWED_HOSTS") == ["$a", "b"]


@pytest.mark.parametrize(("level", "theirs"), [("DEBUG", "WARNING"), ("INFO", "WARNING"), ("ERROR", "ERROR")])
def test_no_log_has_the_password_of_a_model_s_address_or_what_it_is_asked(level: str, theirs: str) -> None:
    told = """import django, logging, openai, httpx2; django.setup()
answers = httpx2.MockTransport(lambda request: httpx2.Response(200, json={}))
client = openai.OpenAI(base_url="http://anna:s3cret@host/v1", api_key="k", http_client=httpx2.Client(transport=answers))
client.post("/rerank", cast_to=object, body={"query": "confidential"})
logging.getLogger("knowledge").error("logged")
of = logging.getLogger
print(*{logging.getLevelName(of(name).getEffectiveLevel()) for name in ("openai._base_client", "mcp")})"""
    given = {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": level}
    run = subprocess.run(
        [sys.executable, "-c", told], cwd=CHECKOUT, env=os.environ | given, capture_output=True, text=True
    )
    assert run.stdout == f"{theirs}\n" and "ERROR knowledge logged" in run.stderr
    assert "s3cret" not in run.stderr and "confidential" not in run.stderr


def test_relative_directories_are_in_the_checkout(tmp_path: Path) -> None:
    told = "from config import settings; print(*settings.DIRECTORY_ROOTS)"
    given = {"DIRECTORY_ROOTS": "documents, /srv", "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-c", told]
    run = subprocess.run(command, cwd=tmp_path, env=os.environ | given, stdout=subprocess.PIPE, text=True)
    assert run.stdout == f"{CHECKOUT / 'documents'} /srv\n"


def test_spaces_around_commas_are_no_part_of_a_name() -> None:
    """A host, a scheme or a directory that begins with a space is nobody's."""
    told = "from config import settings as s; print(s.ALLOWED_HOSTS[:2], s.GIT_ALLOWED_SCHEMES, *s.DIRECTORY_ROOTS)"
    given = {"ALLOWED_HOSTS": "a.example, b.example", "GIT_ALLOWED_SCHEMES": "https, ssh", "DIRECTORY_ROOTS": "/a, /b"}
    run = subprocess.run(
        [sys.executable, "-c", told], cwd=CHECKOUT, env=os.environ | given, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout == "['a.example', 'b.example'] ['https', 'ssh'] /a /b\n"


@pytest.mark.parametrize(("written", "most"), [("", "24"), ("7", "7"), ("0", "None")])
def test_the_web_server_shares_connections_unless_it_is_told_not_to(tmp_path: Path, written: str, most: str) -> None:
    """With one for each of its 128 threads, Postgres would soon have none left."""
    told = """import config.wsgi
from django.db import connection
print(connection.settings_dict["OPTIONS"].get("pool", {}).get("max_size"))"""
    given = {"DATABASE_POOL": written, "MUNIMENT_HOME": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", told], cwd=CHECKOUT, env=os.environ | given, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout == f"{most}\n"
