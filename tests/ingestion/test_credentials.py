"""A token or deploy key opens the source, and is seen nowhere else: every place that may show it is searched for it."""

import base64
import io
import json
import logging
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection
from django.forms import modelform_factory

from ingestion.sources import SourceError
from ingestion.sources.git import allowed_url, process
from ingestion.sources.git.access import access_to
from knowledge.admin.libraries import LibraryForm
from knowledge.health.examine import examine_credentials
from knowledge.models import AuditEvent, CredentialError, Library, SourceCredential
from knowledge.storage import vault
from tests.conftest import commit, reindex
from tests.git_server import GitServer
from tests.ingestion.conftest import A

SECRET = "tok!en/S3CR3T+x@y"
SPELLINGS = (SECRET, quote(SECRET), quote(SECRET, safe=""), "S3CR3T", base64.b64encode(SECRET.encode()).decode()[:12])


@pytest.fixture
def server(repository: Path, settings, monkeypatch) -> Iterator[GitServer]:
    """A git server that wants SECRET, at git.example.invalid."""
    commit(repository, {"a.md": A})
    server = GitServer(repository.parent, password=SECRET)
    settings.GIT_ALLOWED_SCHEMES = ["http", "ssh"]
    settings.GIT_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    found = [(2, 1, 6, "", ("127.0.0.1", server.port))]
    monkeypatch.setattr("ingestion.sources.git.address.socket.getaddrinfo", lambda *a, **k: found)
    yield server
    server.close()


@pytest.fixture
def private(db, server) -> Library:
    url = f"http://git.example.invalid:{server.port}/repository/.git"
    return Library.objects.create(slug="private", name="Private", kind="git", location=url, access="public")


@pytest.fixture
def processes(monkeypatch) -> list[list[str]]:
    """The command line and the environment of every git that is started; what these start, git's own trace says."""
    seen: list[list[str]] = []
    real = subprocess.Popen

    def popen(arguments, **options):
        if "git" in arguments:
            environment = options.get("env") or {}
            seen.append([*arguments, *(f"{name}={value}" for name, value in environment.items())])
            trace = Path(os.environ["GIT_TEST_TRACE"]) if "GIT_TEST_TRACE" in os.environ else None
            if trace:
                options["env"] = environment | {
                    "GIT_TRACE": str(trace),
                    "GIT_TRACE_CURL": str(trace),
                    "GIT_TRACE_CURL_NO_DATA": "1",
                }
        return real(arguments, **options)

    monkeypatch.setattr(process.subprocess, "Popen", popen)
    return seen


def everything_written(settings) -> dict[str, bytes]:
    """Every table, row by row, and every file in the home but the key itself."""
    found = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT * FROM "{table}"')
            found[table] = repr(
                [[bytes(v) if isinstance(v, memoryview) else v for v in row] for row in cursor]
            ).encode()
    for path in Path(settings.HOME).rglob("*"):
        if path.is_file():
            found[str(path)] = path.read_bytes()
    return found


def places_with(secrets: tuple[str, ...], places: dict[str, bytes]) -> list[str]:
    return [f"{name}: {secret}" for name, content in places.items() for secret in secrets if secret.encode() in content]


def test_a_token_opens_the_source_and_is_written_nowhere(
    private, settings, tmp_path, processes, caplog, capfd, monkeypatch
):
    caplog.set_level(logging.DEBUG)
    token = tmp_path / "token"
    token.write_text(SECRET + "\n")
    call_command("credential", "private", "--token-file", str(token), "--token-user", "robot")
    report = reindex(private)
    call_command("credential", "private", "--json")
    call_command("snapshots", "private", "--json")
    call_command("jobs", "--json")
    printed = capfd.readouterr()

    assert report.files["added"] == 1
    places = everything_written(settings) | {
        "log": caplog.text.encode(),
        "stdout": printed.out.encode(),
        "stderr": printed.err.encode(),
        "processes": repr(processes).encode(),
    }
    assert "knowledge_sourcecredential" in places and len(processes) > 3
    assert places_with(SPELLINGS, places) == []


def test_the_helpers_that_git_starts_do_not_show_it_either(private, tmp_path, processes, monkeypatch):
    """git's own trace names every process that it starts, with its arguments, and every header but Authorization."""
    monkeypatch.setenv("GIT_TEST_TRACE", str(tmp_path / "trace"))
    SourceCredential.token(private, SECRET)
    reindex(private)

    trace = (tmp_path / "trace").read_text()
    assert "remote-http" in trace and "f() {" in trace and "authorization" in trace.lower()
    assert not [secret for secret in SPELLINGS if secret in trace]


def test_a_refusal_that_repeats_the_secret_is_shown_without_it(private, server, settings, caplog):
    wrong = "wr0ng-S3CR3T!"
    SourceCredential.token(private, wrong)

    def echo(handler) -> bool:
        """A server that puts the whole header into what git shows as `remote: …`."""
        said = f"bad credentials: {handler.headers.get('Authorization')} {wrong}".encode()
        handler.send_response(401 if "Authorization" not in handler.headers else 403)
        handler.send_header("WWW-Authenticate", f'Basic realm="{wrong}"')
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Content-Length", str(len(said)))
        handler.end_headers()
        handler.wfile.write(said)
        return True

    server.intercept = echo
    with pytest.raises(SourceError) as caught:
        reindex(private)

    header = base64.b64encode(f"git:{wrong}".encode()).decode()
    assert places_with((wrong, header), everything_written(settings) | {"error": str(caught.value).encode()}) == []
    assert private.jobs.get().message and wrong not in caplog.text


def test_a_secret_in_the_url_of_an_older_library_still_opens_it_and_is_not_shown(private, server, settings, processes):
    Library.objects.filter(pk=private.pk).update(
        location=private.location.replace("http://", f"http://robot:{quote(SECRET, safe='')}@")
    )

    assert reindex(private).files["added"] == 1
    assert places_with(SPELLINGS, {"processes": repr(processes).encode()}) == []
    server.intercept = lambda handler: handler.send_error(500) or True
    with pytest.raises(SourceError) as caught:
        reindex(private)
    assert not [secret for secret in SPELLINGS if secret in str(caught.value)]


@pytest.mark.parametrize(
    "url",
    [
        "https://robot:x@example.org/y",
        "https://ghp_x@example.org/y",
        "ssh://git:x@example.org/y",
        "https://robot:ab/cd@example.org/y",
        "https://robot:12/cd@example.org/y",
    ],
)
def test_a_url_with_a_secret_is_not_taken_any_more(db, url):
    with pytest.raises(ValidationError, match="out of the URL"):
        Library(slug="x", name="x", kind="git", location=url).full_clean()


def test_a_token_may_stay_in_the_environment(private, settings, monkeypatch):
    call_command("credential", "private", "--token-variable", "MANUAL_TOKEN")
    with pytest.raises(SourceError, match="MANUAL_TOKEN is not set"):
        reindex(private)
    monkeypatch.setenv("MANUAL_TOKEN", SECRET)

    assert reindex(private).active
    assert places_with(SPELLINGS, everything_written(settings)) == []


def test_the_token_of_one_library_is_not_offered_to_another(private, server, db):
    SourceCredential.token(private, SECRET)
    other = Library.objects.create(slug="other", name="o", kind="git", location=private.location)
    with pytest.raises(SourceError, match="git: "):
        reindex(other)


def test_git_gives_the_secret_to_the_librarys_own_host_alone(private, server, tmp_path):
    SourceCredential.token(private, SECRET)

    def filled(access, protocol: str, host: str) -> str:
        command = process.command(tmp_path, *access.options, "credential", "fill")
        asked = f"protocol={protocol}\nhost={host}\n\n".encode()
        options = {"env": process.environment(), "pass_fds": access.pass_fds, "capture_output": True}
        return subprocess.run(command, input=asked, check=False, **options).stdout.decode()

    own = f"git.example.invalid:{server.port}"
    with access_to(allowed_url(private.location), private, tmp_path / "hosts") as access:
        assert SECRET in filled(access, "http", own)
        for protocol, host in (
            ("https", own),
            ("http", "git.example.invalid"),
            ("http", f"evil.invalid:{server.port}"),
        ):
            assert SECRET not in filled(access, protocol, host)


def test_a_library_that_is_moved_to_another_host_forgets_its_credential(private, server, tmp_path):
    SourceCredential.token(private, SECRET)
    before = Library.objects.get(pk=private.pk)
    private.location = f"http://robot@GIT.example.invalid:{server.port}/other/.git"
    private.save()
    assert SourceCredential.objects.exists()
    with access_to(allowed_url(before.location), before, tmp_path / "hosts") as access:  # a build that began before
        assert not access.pass_fds
    for elsewhere in ("http://evil.invalid?@git.example.invalid", "https://git.example.invalid"):
        SourceCredential.token(private, SECRET)
        private.location = f"{elsewhere}:{server.port}/other/.git"
        private.save(update_fields=["location"])
        assert not SourceCredential.objects.exists()


# --- SSH -------------------------------------------------------------------------------------------


@pytest.fixture
def fake_ssh(tmp_path: Path, monkeypatch, server) -> Path:
    """`ssh` that writes down how it was called, reads its identity as OpenSSH does, and runs the command here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "ssh"
    program.write_text(
        f"""#!/bin/sh
exec 9>&- 8>&- 7>&- 6>&- 5>&- 4>&- 3>&-
printf '%s\\n' "$@" >> {tmp_path}/ssh.calls
for option in "$@"; do
    case "$option" in
        -oIdentityFile=*) ssh-keygen -y -f "${{option#-oIdentityFile=}}" >> {tmp_path}/ssh.public || exit 255 ;;
        -oUserKnownHostsFile=*)
            hosts=$(printf %s "${{option#-oUserKnownHostsFile=}}" | tr -d '"')
            cat "$hosts" >> {tmp_path}/ssh.hosts ;;
    esac
    last=$option
done
eval "$last"
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


@pytest.fixture
def over_ssh(db, fake_ssh, repository) -> Library:
    url = f"ssh://git@git.example.invalid:2222{repository}/.git"
    return Library.objects.create(slug="manual", name="Manual", kind="git", location=url, access="public")


def test_a_new_deploy_key_opens_the_source_and_its_private_half_is_written_nowhere(
    over_ssh, fake_ssh, settings, capsys, processes
):
    call_command("credential", "manual", "--deploy-key")
    public = re.search(r"ssh-ed25519 \S+", capsys.readouterr().out)[0]
    report = reindex(over_ssh)

    assert report.files["added"] == 1
    assert public in (fake_ssh / "ssh.public").read_text()  # OpenSSH took the key, and its permissions, as they are
    secret = tuple(line for line in over_ssh.credential.secret().splitlines() if line and not line.startswith("-----"))[
        1:
    ]
    places = everything_written(settings) | {"processes": repr(processes).encode(), **calls(fake_ssh)}
    assert secret and places_with(secret, places) == []


def calls(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("ssh.*")}


def test_ssh_reads_no_configuration_offers_no_other_key_and_goes_to_the_pinned_address(over_ssh, fake_ssh):
    SourceCredential.deploy_key(over_ssh)
    reindex(over_ssh)

    called = (fake_ssh / "ssh.calls").read_text().splitlines()
    for option in (
        "-oHostname=127.0.0.1",
        "-oHostKeyAlias=git.example.invalid",
        "-oIdentitiesOnly=yes",
        "-oBatchMode=yes",
    ):
        assert option in called
    assert called[called.index("-F") + 1] == "none"


def test_the_host_key_is_pinned_by_the_operator_or_by_first_sight(over_ssh, fake_ssh, tmp_path, settings):
    reindex(over_ssh)
    seen = (fake_ssh / "ssh.calls").read_text()
    assert "accept-new" in seen and f"clones/{over_ssh.pk}.known_hosts" in seen
    (fake_ssh / "ssh.calls").unlink()
    (tmp_path / "hosts").write_text("git.example.invalid ssh-ed25519 AAAAC3Nz\n")
    call_command("credential", "manual", "--known-hosts", str(tmp_path / "hosts"))
    over_ssh.refresh_from_db()
    reindex(over_ssh)

    assert "-oStrictHostKeyChecking=yes" in (fake_ssh / "ssh.calls").read_text()
    assert "AAAAC3Nz" in (fake_ssh / "ssh.hosts").read_text()


def test_a_private_key_of_ones_own_is_taken_and_one_with_a_passphrase_is_not(over_ssh, fake_ssh, tmp_path):
    for name, passphrase in (("plain", ""), ("closed", "secret")):
        subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-N", passphrase, "-f", str(tmp_path / name)], check=True)
    call_command("credential", "manual", "--deploy-key", str(tmp_path / "plain"))
    assert reindex(over_ssh).active
    with pytest.raises(CommandError, match="without a passphrase"):
        call_command("credential", "manual", "--deploy-key", str(tmp_path / "closed"))


# --- at rest ---------------------------------------------------------------------------------------


def test_the_key_file_is_readable_by_its_owner_alone_and_made_once(settings):
    first = vault.seal("x")
    assert stat.S_IMODE(vault.key_file().stat().st_mode) == 0o600
    assert vault.unseal(first) == "x" and vault.unseal(vault.seal("y")) == "y"
    assert vault.seal("y") != vault.seal("y")


def test_two_that_make_the_key_at_once_get_the_same(settings):
    first = Fernet.generate_key().decode()
    vault.write_keys([first], only_if_missing=True)
    vault.write_keys([Fernet.generate_key().decode()], only_if_missing=True)

    assert vault.keys() == [first] and not list(Path(settings.HOME).glob(".credentials-*"))


def test_rotation_seals_all_with_a_new_key_and_forgets_the_old(private, capsys):
    SourceCredential.token(private, SECRET)
    before, sealed = vault.keys(), private.credential.sealed
    call_command("credential", "--rotate")
    private.credential.refresh_from_db()

    assert len(vault.keys()) == 1 and vault.keys() != before
    assert private.credential.sealed != sealed and private.credential.secret() == SECRET
    with pytest.raises(vault.VaultError):
        vault.unseal(sealed)


def test_rotation_with_keys_of_the_environment_takes_the_first(private, settings, capsys):
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.CREDENTIALS_KEY = old
    SourceCredential.token(private, SECRET)
    settings.CREDENTIALS_KEY = f"{new},{old}"
    call_command("credential", "--rotate")
    settings.CREDENTIALS_KEY = new
    private.credential.refresh_from_db()

    assert private.credential.secret() == SECRET and "may lose all keys but its first" in capsys.readouterr().out


def test_a_rotation_is_told_as_json_and_in_the_audit(private, capsys):
    SourceCredential.token(private, SECRET)
    call_command("credential", "--rotate", "--json")
    assert json.loads(capsys.readouterr().out) == {"sealed": 1}
    assert AuditEvent.objects.get(action="credential.rotate").details == {"sealed": 1}


def test_a_lost_key_is_said_and_not_a_traceback(private, settings):
    SourceCredential.token(private, SECRET)
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    with pytest.raises(SourceError, match="sealed with another key"):
        reindex(private)
    settings.CREDENTIALS_KEY = "short"
    with pytest.raises(SourceError, match="CREDENTIALS_KEY holds something that is no key of 32 bytes"):
        reindex(private)


@pytest.mark.parametrize("damaged", [b"short\n", b"\xff\xfe"])
def test_a_damaged_key_of_the_home_is_named_as_that(private, damaged):
    SourceCredential.token(private, SECRET)
    vault.key_file().write_bytes(damaged)
    with pytest.raises(vault.VaultError, match=r"^credentials\.key in the home holds something that is no key"):
        vault.unseal(private.credential.sealed)


def test_a_key_that_is_missing_is_said_and_not_made_anew(private):
    SourceCredential.token(private, SECRET)
    vault.key_file().unlink()
    with pytest.raises(vault.VaultError, match="is not here: bring back that key"):
        private.credential.secret()
    assert not vault.key_file().exists()
    SourceCredential.token(private, SECRET)
    private.credential.refresh_from_db()
    assert private.credential.secret() == SECRET, "set anew, it has a new key"


def test_the_doctor_names_the_libraries_whose_credential_does_not_open(private, settings):
    assert examine_credentials().state == "off"
    SourceCredential.token(private, SECRET)
    elsewhere = Library.objects.create(slug="elsewhere", name="e", kind="git", location=private.location)
    SourceCredential.in_variable(elsewhere, "NOT_SET_HERE", "")
    assert examine_credentials().state == "ok"
    for key, advice in (("short", "no key of 32 bytes"), (Fernet.generate_key().decode(), "bring back that key")):
        settings.CREDENTIALS_KEY = key
        found = examine_credentials()
        assert (found.state, found.detail) == ("broken", "those of private do not open") and advice in found.to_do


@pytest.mark.parametrize("token", ["", "  ", "a\nb", "a\0b", "x" * 30_000])
def test_a_token_that_cannot_be_one_is_refused(private, token):
    with pytest.raises(CredentialError):
        SourceCredential.token(private, token)


@pytest.mark.parametrize("user", ["x" * 201, "robot\npassword=y", "a\x07b"])
def test_a_user_that_git_would_misread_is_refused(private, user):
    with pytest.raises(CredentialError):
        SourceCredential.token(private, SECRET, user)
    with pytest.raises(CommandError, match="user is too long, or has control"):
        call_command("credential", "private", "--token-variable", "X", "--token-user", user)
    form = modelform_factory(Library, LibraryForm, fields=["name"])
    wrong = form({"name": "x", "token_user": user, "token_variable": "X" * 201}, instance=private).errors
    assert wrong.keys() == {"token_user", "token_variable"}
    location = private.location.replace("http://", f"http://{quote(user[:200])}:y@")
    Library.objects.filter(pk=private.pk).update(location=location)
    with pytest.raises(SourceError, match="control characters" if len(user) < 200 else "git: "):
        reindex(private)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["private", "--token-variable", "X" * 201], "not the name"),
        (["private", "--deploy-key"], "for SSH"),
        (["private", "--token-variable", "not a name"], "not the name"),
        (["private", "--token-file", "/nowhere"], "cannot be read"),
        (["nowhere"], "no such library"),
        ([], "which library"),
    ],
)
def test_the_command_says_what_is_wrong(private, arguments, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("credential", *arguments)


def test_a_library_is_added_with_its_credential_or_not_at_all(db, tmp_path, settings, capsys, monkeypatch):
    settings.GIT_ALLOWED_SCHEMES = ["https", "ssh"]
    call_command("add_library", "one", "--git", "ssh://git@example.org/x", "--deploy-key")
    assert "ssh-ed25519" in capsys.readouterr().out and Library.objects.get().credential.public_key
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("add_library", "two", "--git", "https://example.org/x", "--token-file", str(tmp_path / "none"))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert Library.objects.count() == 1


def test_the_admin_takes_a_token_shows_none_and_logs_none(private, admin_client, settings):
    from django.contrib.admin.models import LogEntry

    address = f"/admin/knowledge/library/{private.pk}/change/"
    form = admin_client.get(address).context["adminform"].form
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    posted = {name: json.dumps(value) if isinstance(value, list) else value for name, value in values.items() if value}
    posted |= {"groups": [], "token": SECRET, "token_user": "robot", "include": "[]", "exclude": "[]", "caution": 0}
    answer = admin_client.post(address, posted, follow=True)

    assert private.credential.secret() == SECRET, answer.context["errors"]
    pages = [answer, admin_client.get(address), admin_client.get(f"/admin/knowledge/library/{private.pk}/history/")]
    places = {str(number): page.content for number, page in enumerate(pages)} | everything_written(settings)
    assert LogEntry.objects.exists() and b"Access token" in pages[1].content
    assert places_with(SPELLINGS, places) == []
    admin_client.post(address, posted | {"token": "", "forget_credential": "on"})
    assert not SourceCredential.objects.exists()
