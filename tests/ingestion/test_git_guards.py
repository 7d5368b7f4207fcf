"""Every known way around the guards of git sources, one named test each. docs/sources.md lists them."""

import os
import socket
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingestion.sources import SourceError, open_source
from ingestion.sources.git import allowed_url, clone, listing, process
from ingestion.sources.git.address import public_addresses, refuse_address
from knowledge.models import Library
from tests.conftest import commit, reindex
from tests.git_server import GitServer
from tests.ingestion.conftest import A


@pytest.fixture(autouse=True)
def only_https_and_ssh(settings) -> None:
    settings.GIT_ALLOWED_SCHEMES = ["https", "ssh"]
    settings.GIT_ALLOWED_NETWORKS = []


@pytest.fixture
def make_git(db, repository: Path, settings) -> Callable[..., Library]:
    """A library of the repository, over file:// unless told otherwise."""

    def make(**fields: object) -> Library:
        settings.GIT_ALLOWED_SCHEMES = ["file", "http"]
        defaults = {"slug": "orchard", "kind": "git", "location": f"file://{repository}", "access": "public"}
        return Library.objects.create(**(defaults | fields))

    return make


@pytest.fixture
def server(repository: Path, settings) -> Iterator[GitServer]:
    server = GitServer(repository.parent)
    yield server
    server.close()


@pytest.fixture
def resolves(monkeypatch, settings) -> Callable[..., list[str]]:
    """`resolves("10.0.0.1", "127.0.0.1")`: what the next lookups say, in turn. Returns the hosts looked up."""

    def answers(*addresses: str) -> list[str]:
        asked: list[str] = []

        def getaddrinfo(host, port, *rest, **named):
            asked.append(host)
            address = addresses[min(len(asked), len(addresses)) - 1]
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

        monkeypatch.setattr("ingestion.sources.git.address.socket.getaddrinfo", getaddrinfo)
        return asked

    return answers


def listed(library: Library) -> dict[str, bytes | str]:
    """path → content, or why it is refused."""
    with open_source(library) as source:
        return {file.path: content_of(file) for file in source.files}


def content_of(file) -> bytes | str:
    try:
        return file.read()
    except SourceError as error:
        return str(error)


# --- the URL -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "--upload-pack=touch /tmp/x",
        "-u touch",
        "ssh://-oProxyCommand=id/x",
        "ssh://-oProxyCommand=id@example.org/x/y",
        "git@-oProxyCommand=id:x",
        "https://-x/y",
    ],
)
def test_options_dressed_as_urls_are_refused(url, resolves):
    resolves("93.184.216.34")
    try:
        remote = allowed_url(url)
    except SourceError:
        return
    assert not remote.host.startswith("-") and not remote.url.startswith("-")


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id",
        "ext::https://example.org/x",
        "file::/etc",
        "fd::7",
        "https::https://example.org/x",
        "HTTPS::https://example.org/x",
        "file:///etc",
        "file://localhost/etc",
        "/etc",
        "../x",
        "git://example.org/x",
        "http://example.org/x",
        "ftp://example.org/x",
        "data:,x",
        "",
        "https://",
        "https:///etc",
        "https:example.org",
    ],
)
def test_transports_that_run_programs_or_read_this_machine_are_refused(url):
    with pytest.raises(SourceError):
        allowed_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org:99999/x.git",
        "https://example.org:x/y",
        "ssh://git@host$(id)/x",
        "ssh://git@host;id/x",
        "ssh://git@host'/x",
        "ssh://git@[::1/x",
        "https://example.org\\@127.0.0.1/x",
        "https://exam\nple.org/x",
        "https://example.org/x\0y",
        "https://example.org/x y",
        "https://exa_mple..org/x",
        "https://example.org./x",
        "https://exämple.org/x",
        "https://127.0.0.1@evil@example.org/x",
    ],
)
def test_urls_that_parsers_read_in_two_ways_are_refused(url):
    with pytest.raises(SourceError):
        allowed_url(url)


def test_what_stands_before_the_at_sign_is_no_host(resolves):
    remote = allowed_url("https://github.com@internal.example/x")

    assert remote.host == "internal.example" and remote.url == "https://internal.example/x"


@pytest.mark.parametrize(
    "host",
    [
        "0177.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0x7F.1",
        "017700000001",
        "1",
        "0",
        "0x",
        "256.256.256.256",
        "127.0.0.1.0x1",
    ],
)
def test_ipv4_addresses_in_octal_hex_decimal_or_short_are_refused_as_written(host):
    with pytest.raises(SourceError, match="unusual spelling"):
        allowed_url(f"https://{host}/x")


@pytest.mark.parametrize(
    "url", ["https://[fe80::1%25eth0]/x", "https://[fe80::1%eth0]/x", "ssh://git@[fe80::1%25lo]/x"]
)
def test_addresses_with_a_zone_are_refused(url):
    with pytest.raises(SourceError):
        allowed_url(url)


# --- the address ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.9.10",
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "169.254.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "192.0.0.192",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:0:10.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::10.0.0.1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "2001:0:7f00:1::1",
        "fe80::1",
        "fe80::1%lo",
        "fc00::1",
        "fec0::1",
        "fd00:ec2::254",
        "ff02::1",
    ],
)
def test_addresses_that_are_not_public_are_refused_in_every_wrapping(address):
    with pytest.raises(SourceError, match=r"may reach|not a public address"):
        refuse_address("git.example.org", address)


@pytest.mark.parametrize(
    "address", ["140.82.121.3", "2606:50c0:8000::153", "64:ff9b::140.82.121.3", "::ffff:140.82.121.3"]
)
def test_public_addresses_are_reached(address):
    refuse_address("git.example.org", address)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_names_of_this_machine_are_refused(host):
    with pytest.raises(SourceError, match="not a public address"):
        public_addresses(host, 443)


def test_an_operator_may_allow_a_private_network_but_never_metadata(settings):
    settings.GIT_ALLOWED_NETWORKS = ["10.0.0.0/8", "0.0.0.0/0", "::/0"]
    refuse_address("git.intern", "10.1.2.3")
    refuse_address("git.intern", "fec0::1")
    for address in ("169.254.169.254", "fe80::1", "0.0.0.0", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"):
        with pytest.raises(SourceError, match="no git source may reach"):
            refuse_address("git.intern", address)


def test_one_forbidden_address_among_several_is_enough(monkeypatch):
    found = [(2, 1, 6, "", (address, 443)) for address in ("140.82.121.3", "10.0.0.1")]
    monkeypatch.setattr("ingestion.sources.git.address.socket.getaddrinfo", lambda *a, **k: found)
    with pytest.raises(SourceError, match=r"10\.0\.0\.1"):
        public_addresses("git.example.org", 443)


def test_a_name_that_is_rebound_after_the_check_is_not_looked_up_again(
    make_git, server, repository, resolves, settings
):
    """The name exists nowhere: only the pinned address can have been used, and the second answer never."""
    commit(repository, {"a.md": A})
    settings.GIT_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    asked = resolves("127.0.0.1", "169.254.169.254")
    library = make_git(location=f"http://git.rebinding.invalid:{server.port}/repository/.git")

    assert listed(library) == {"a.md": A.encode()}
    assert asked == ["git.rebinding.invalid"] and server.hosts[0] == f"git.rebinding.invalid:{server.port}"


def test_a_redirect_to_a_private_address_is_not_followed(make_git, server, repository, resolves, settings):
    commit(repository, {"a.md": A})
    inner = GitServer(repository.parent)
    settings.GIT_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    resolves("127.0.0.1")

    def redirect(handler) -> bool:
        handler.send_response(302)
        handler.send_header("Location", f"http://127.0.0.1:{inner.port}{handler.path}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return True

    server.intercept = redirect
    with pytest.raises(SourceError, match="git: "):
        listed(make_git(location=f"http://git.example.invalid:{server.port}/repository/.git"))
    inner.close()

    assert server.requests and inner.requests == []


def test_a_private_address_is_refused_before_anything_is_sent(make_git, server, repository):
    with pytest.raises(SourceError, match="GIT_ALLOWED_NETWORKS"):
        listed(make_git(location=f"http://127.0.0.1:{server.port}/repository/.git"))

    assert server.requests == []


# --- what is asked for ----------------------------------------------------------------------------


@pytest.mark.parametrize("ref", ["--upload-pack=id", "-x", "a b", "x;id", "a..b", "$(id)", "x:y", "x\ny", "+refs/*"])
def test_a_ref_that_is_no_ref_is_refused(make_git, repository, ref):
    commit(repository, {"a.md": A})
    with pytest.raises(SourceError):
        listed(make_git(ref=ref))


@pytest.mark.parametrize("folder", ["../x", "a/../..", "a.md", "nowhere", "./a", "a//b", "-x", "a\nb"])
def test_a_subdirectory_that_is_no_folder_of_the_commit_is_refused(make_git, repository, folder):
    commit(repository, {"a.md": A, "docs/b.md": A})
    with pytest.raises(SourceError, match="folder"):
        listed(make_git(subdirectory=folder))


def test_a_branch_a_tag_and_a_subdirectory_are_read(make_git, repository):
    commit(repository, {"a.md": A, "docs/b.md": "# Old\n"})
    subprocess.run(["git", "-C", str(repository), "tag", "v1"], check=True)
    commit(repository, {"docs/b.md": "# New\n"})

    library = make_git(subdirectory="docs/", ref="v1")
    assert listed(library) == {"b.md": b"# Old\n"}
    library.ref = "main"
    assert listed(library) == {"b.md": b"# New\n"}


def test_the_operators_own_git_and_ssh_settings_are_not_read(make_git, repository, monkeypatch, tmp_path):
    commit(repository, {"a.md": A})
    home = tmp_path / "somebody"
    home.mkdir()
    (home / ".gitconfig").write_text('[url "file:///nowhere"]\n\tinsteadOf = file://\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "url.file:///nowhere.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "file://")

    assert listed(make_git()) == {"a.md": A.encode()}


# --- what is in the repository --------------------------------------------------------------------


def object_id(repository: Path, kind: str, content: bytes) -> str:
    made = subprocess.run(
        ["git", "-C", str(repository), "hash-object", "-t", kind, "--literally", "-w", "--stdin"],
        input=content,
        capture_output=True,
        check=True,
    )
    return made.stdout.decode().strip()


def commit_tree(repository: Path, tree: str) -> None:
    """A commit of a tree that git itself would not make."""
    text = f"tree {tree}\nauthor T <t@example.org> 0 +0000\ncommitter T <t@example.org> 0 +0000\n\nx\n"
    made = object_id(repository, "commit", text.encode())
    subprocess.run(["git", "-C", str(repository), "update-ref", "refs/heads/main", made], check=True)


def tree_of(repository: Path, entries: list[tuple[str, str, str]]) -> str:
    """(mode, name, id) of each, as they are."""
    content = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in entries)
    return object_id(repository, "tree", content)


def test_symbolic_links_are_left_out_wherever_they_point(make_git, repository):
    (repository / "out.md").symlink_to("/etc/passwd")
    (repository / "in.md").symlink_to("a.md")
    (repository / "folder").symlink_to("/etc")
    commit(repository, {"a.md": A})

    assert listed(make_git()) == {"a.md": A.encode()}


def test_gitlinks_and_submodules_are_left_out_and_nothing_is_fetched_for_them(make_git, repository):
    blob = object_id(repository, "blob", A.encode())
    modules = object_id(repository, "blob", b'[submodule "x"]\n\tpath = x.md\n\turl = ext::touch /tmp/x\n')
    commit_tree(
        repository,
        tree_of(
            repository, [("100644", ".gitmodules", modules), ("100644", "a.md", blob), ("160000", "x.md", "1" * 40)]
        ),
    )

    assert listed(make_git()) == {"a.md": A.encode()}


def test_hooks_and_configuration_in_the_content_are_only_hidden_files(make_git, repository, tmp_path):
    marker = tmp_path / "ran"
    hook = object_id(repository, "blob", f"#!/bin/sh\ntouch {marker}\n".encode())
    hooks = tree_of(repository, [("100755", "post-checkout", hook), ("100755", "x.md", hook)])
    config = object_id(repository, "blob", b"[core]\n\tfsmonitor = touch /tmp/x\n")
    inner = tree_of(repository, [("100644", "config", config), ("40000", "hooks", hooks)])
    blob = object_id(repository, "blob", A.encode())
    names = (".GIT", ".git", "a.md", "git~1")
    kinds = {".GIT": ("40000", inner), ".git": ("40000", inner), "a.md": ("100644", blob), "git~1": ("40000", inner)}
    commit_tree(repository, tree_of(repository, [(kinds[name][0], name, kinds[name][1]) for name in names]))

    found = listed(make_git())
    assert found["a.md"] == A.encode() and not any(path.lower().startswith(".git/") for path in found)
    assert not marker.exists()


def test_case_twins_and_unicode_twins_are_files_of_their_own(make_git, repository):
    composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
    names = sorted(["README.md", "Readme.md", "readme.md", composed, decomposed], key=str.encode)
    entries = [("100644", name, object_id(repository, "blob", f"# {i}\n".encode())) for i, name in enumerate(names)]
    commit_tree(repository, tree_of(repository, entries))
    library = make_git()

    assert reindex(library).files["added"] == 5
    held = dict(library.active_snapshot.files.values_list("document_file__path", "file_version__text"))
    assert held == {name: f"# {i}\n" for i, name in enumerate(names)}


def test_paths_with_control_characters_or_parents_are_rejected_by_a_name_that_can_be_shown(make_git, repository):
    blob = object_id(repository, "blob", A.encode())
    names = sorted(["a\nb.md", "\x1b[31m.md", "b\u2028.md", "ok.md"], key=str.encode)
    library = make_git()
    commit_tree(repository, tree_of(repository, [("100644", name, blob) for name in names]))

    rejected = reindex(library).rejected
    assert len(rejected) == 3 and all(file["path"].isprintable() for file in rejected)
    assert {file["reason"] for file in rejected} == {"its name has control characters"}


def test_parent_folders_in_a_tree_lead_nowhere(make_git, repository):
    blob = object_id(repository, "blob", A.encode())
    inner = tree_of(repository, [("100644", "x.md", blob)])
    commit_tree(repository, tree_of(repository, [("40000", "..", inner), ("100644", "a.md", blob)]))

    assert listed(make_git()) == {"a.md": A.encode()}


def test_lfs_pointers_are_rejected_with_a_reason(make_git, repository):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    library = make_git()
    commit(repository, {"a.md": A, "big.md": pointer, "about.md": "# version https://git-lfs.github.com/spec/v1\n"})

    report = reindex(library)
    assert [(file["path"], "Git LFS" in file["reason"]) for file in report.rejected] == [("big.md", True)]
    assert report.files["added"] == 2


# --- how much ---------------------------------------------------------------------------------------


def test_a_tree_that_holds_itself_a_million_times_is_given_up(make_git, repository, monkeypatch):
    tree = tree_of(repository, [("100644", f"{n}.md", object_id(repository, "blob", A.encode())) for n in range(10)])
    for _ in range(7):
        tree = tree_of(repository, [("40000", str(n), tree) for n in range(10)])
    commit_tree(repository, tree)
    monkeypatch.setattr(listing, "MOST_ENTRIES", 20_000)
    with pytest.raises(SourceError, match="more than 20,000 files"):
        listed(make_git())


def test_a_pack_larger_than_the_limit_is_cut_off_and_leaves_nothing(make_git, repository, settings):
    settings.GIT_MAX_PACK_MB = 1
    library = make_git()
    (repository / "big.bin").write_bytes(os.urandom(3_000_000))
    commit(repository, {"a.md": A})
    with pytest.raises(SourceError, match="pack of more than 1 MB"):
        listed(library)
    kept = settings.HOME / "clones" / f"{library.pk}.git"
    with clone.sole_user(kept):
        clone.prepare(kept)

    assert sum(file.stat().st_size for file in kept.rglob("*") if file.is_file()) < 100_000


def test_a_blob_that_unpacks_to_much_is_rejected_unread(make_git, repository, monkeypatch):
    monkeypatch.setattr("ingestion.sources.base.MAX_FILE_BYTES", 1_000_000)
    (repository / "zeros.md").write_bytes(b"\0" * 5_000_000)
    commit(repository, {"a.md": A})
    found = listed(make_git())

    assert found["a.md"] == A.encode() and "at most 1,000,000 are read" in found["zeros.md"]


def test_too_many_files_and_too_many_bytes_are_refused(make_git, repository, monkeypatch):
    commit(repository, {f"{n}.md": A for n in range(4)})
    library = make_git()
    monkeypatch.setattr("ingestion.sources.base.MAX_FILES", 3)
    with pytest.raises(SourceError, match="more than 3 files"):
        listed(library)
    monkeypatch.setattr("ingestion.sources.base.MAX_FILES", 9)
    monkeypatch.setattr("ingestion.sources.base.MAX_BYTES", 3 * len(A))
    with pytest.raises(SourceError, match="GiB"):
        listed(library)


# --- fetching -----------------------------------------------------------------------------------------


def test_a_second_fetch_brings_only_what_is_new(make_git, repository, settings):
    (repository / "big.bin").write_bytes(os.urandom(400_000))
    commit(repository, {"a.md": A})
    library = make_git()
    listed(library)
    packs = settings.HOME / "clones" / f"{library.pk}.git/objects/pack"
    before = set(packs.glob("*.pack"))
    commit(repository, {"b.md": A + "More.\n"})
    listed(library)

    new = set(packs.glob("*.pack")) - before
    assert len(before) == len(new) == 1 and new.pop().stat().st_size < 5_000


def test_clones_are_for_the_account_that_made_them_also_those_of_before(make_git, repository, settings):
    (settings.HOME / "clones").mkdir(parents=True, mode=0o755)
    commit(repository, {"a.md": "# A\n"})
    listed(make_git())
    assert stat.S_IMODE((settings.HOME / "clones").stat().st_mode) == 0o700


def test_packs_do_not_pile_up(make_git, repository, settings, monkeypatch):
    monkeypatch.setattr(clone, "MANY_PACKS", 2)
    library = make_git()
    for n in range(5):
        commit(repository, {"a.md": f"{A}{n}\n"})
        assert listed(library) == {"a.md": f"{A}{n}\n".encode()}

    assert len(list((settings.HOME / "clones" / f"{library.pk}.git/objects/pack").glob("*.pack"))) <= 2


def test_packs_that_are_together_larger_than_the_limit_become_several(make_git, repository, settings, monkeypatch):
    monkeypatch.setattr(clone, "MANY_PACKS", 2)
    settings.GIT_MAX_PACK_MB = 1
    library = make_git()
    for n in range(4):
        (repository / f"{n}.bin").write_bytes(os.urandom(400_000))
        commit(repository, {"a.md": f"{A}{n}\n"})
        assert listed(library)["a.md"] == f"{A}{n}\n".encode()

    packs = list((settings.HOME / "clones" / f"{library.pk}.git/objects/pack").glob("*.pack"))
    assert len(packs) == 2 and max(pack.stat().st_size for pack in packs) > 800_000


def test_packs_that_cannot_be_brought_together_stop_no_build(make_git, repository, monkeypatch, caplog):
    real = clone.git

    def without_room(kept: Path, *arguments: str, **rest: object) -> bytes:
        if "repack" in arguments:
            raise SourceError("there is no room left")
        return real(kept, *arguments, **rest)

    monkeypatch.setattr(clone, "MANY_PACKS", 0)
    monkeypatch.setattr(clone, "git", without_room)
    library = make_git()
    commit(repository, {"a.md": A})
    listed(library)
    commit(repository, {"b.md": A})

    assert set(listed(library)) == {"a.md", "b.md"} and "no room left" in caplog.text


def test_locks_that_a_killed_git_left_do_not_stop_the_next_one(make_git, repository, settings):
    library = make_git()
    commit(repository, {"a.md": A})
    listed(library)
    kept = settings.HOME / "clones" / f"{library.pk}.git"
    for lock in ("shallow.lock", "HEAD.lock", "refs/muniment/source.lock"):
        (kept / lock).touch()
    for pack in ("tmp_pack_x", ".tmp-7-pack-x.pack"):
        (kept / "objects/pack" / pack).write_bytes(b"x" * 1000)
    commit(repository, {"b.md": A})

    assert set(listed(library)) == {"a.md", "b.md"} and not list(kept.rglob("*.lock")) + list(kept.rglob("*tmp*"))


@pytest.mark.parametrize("pattern", ["objects/pack/*.pack", "objects/pack/*.idx", "objects/pack/*"])
def test_a_damaged_clone_is_made_anew(make_git, repository, settings, pattern):
    commit(repository, {"a.md": A, "b.md": "# B\n\nAbout bread.\n"})
    library = make_git()
    reindex(library)
    for damaged in (settings.HOME / "clones" / f"{library.pk}.git").glob(pattern):
        damaged.chmod(0o600)
        os.truncate(damaged, damaged.stat().st_size // 2)
    assert listed(library) == {"a.md": A.encode(), "b.md": b"# B\n\nAbout bread.\n"}


def test_a_clone_that_is_whole_is_kept_whatever_the_remote_says(make_git, repository, settings):
    commit(repository, {"a.md": A})
    library = make_git()
    reindex(library)
    library.ref = "nowhere"
    before = sorted((settings.HOME / "clones" / f"{library.pk}.git").rglob("*.pack"))
    with pytest.raises(SourceError, match="has no branch"):
        listed(library)
    assert before and sorted((settings.HOME / "clones" / f"{library.pk}.git").rglob("*.pack")) == before


@pytest.mark.parametrize("place", ["file://{folder}", "http://127.0.0.1:{port}"])
def test_a_repository_whose_commits_are_named_by_sha_256_is_read(
    make_git, server, repository, tmp_path, settings, place
):
    settings.GIT_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    place = place.format(folder=tmp_path, port=server.port)
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(other)], check=True)
    first, elsewhere = commit(other, {"a.md": "# One\n"}), commit(repository, {"b.md": "# Two\n"})
    library = make_git(location=f"{place}/other/.git")
    assert (len(first), reindex(library).revision) == (64, first)
    newest = commit(other, {"a.md": "# Three\n"})
    for ref, revision in (("", newest), (first, first)):
        Library.objects.update(ref=ref)
        assert reindex(library).revision == revision
    Library.objects.update(ref="", location=f"{place}/repository/.git")
    assert reindex(library).revision == elsewhere


def test_a_repository_without_its_default_branch_is_told_from_an_empty_one(make_git, repository):
    library = make_git()
    with pytest.raises(SourceError, match="is empty: it has no commit yet"):
        listed(library)
    commit(repository, {"a.md": A})
    subprocess.run(["git", "-C", str(repository), "tag", "v1"], check=True)
    subprocess.run(["git", "-C", str(repository), "symbolic-ref", "HEAD", "refs/heads/gone"], check=True)
    with pytest.raises(SourceError, match="has no default branch; it has main, v1: name one of these"):
        listed(library)
    library.ref = "main"
    assert listed(library) == {"a.md": A.encode()}


def test_of_many_branches_some_are_named_and_none_is_taken_for_print():
    there = "".join(f"{number:040}\trefs/heads/a/{number}\n" for number in range(9)).replace("a/1", "\x1b[1m")
    said = clone.missing("", there.encode())
    assert "it has a/0, \\x1b[1m, a/2, a/3, a/4, …: name" in said


def test_a_commit_that_is_named_by_some_of_its_digits_is_told_to_have_more(make_git, repository):
    library = make_git(ref=commit(repository, {"a.md": A})[:7])
    with pytest.raises(SourceError, match="a commit is named by all its 40 digits"):
        listed(library)


@pytest.fixture
def asked_of_git(monkeypatch) -> list[str]:
    """What git is told to do, word by word."""
    words: list[str] = []
    real = process.command
    monkeypatch.setattr(process, "command", lambda *given: words.extend(given[1:]) or real(*given))
    return words


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"ref": "nowhere"}, "has no branch"),
        ({"subdirectory": "nowhere"}, "there is no folder"),
        ({"location": "http://git.example.invalid/x"}, "cannot be resolved"),
        ({"location": "file:///nowhere/x"}, "does not appear to be a git repository"),
    ],
)
def test_a_clone_is_not_examined_for_what_is_not_its_fault(make_git, repository, asked_of_git, changed, reason):
    commit(repository, {"a.md": A})
    library = make_git()
    listed(library)
    for name, value in changed.items():
        setattr(library, name, value)
    with pytest.raises(SourceError, match=reason):
        listed(library)
    assert "fsck" not in asked_of_git


def test_a_clone_stays_where_git_is_killed_while_it_examines_it(make_git, repository, settings, monkeypatch):
    commit(repository, {"a.md": A})
    library = make_git()
    listed(library)
    kept = settings.HOME / "clones" / f"{library.pk}.git"
    (kept / "shallow").write_text("damaged\n")
    real = process.command
    killed = lambda *given: ["sh", "-c", "kill -9 $$"] if "fsck" in given else real(*given)  # noqa: E731
    with monkeypatch.context() as patched, pytest.raises(SourceError, match="bad shallow line"):
        patched.setattr(process, "command", killed)
        listed(library)
    assert (kept / "shallow").read_text() == "damaged\n"
    assert listed(library) == {"a.md": A.encode()}


def test_while_another_git_holds_the_clone_nobody_else_writes_to_it(make_git, repository, settings, monkeypatch):
    monkeypatch.setattr(clone, "ORPHAN_SECONDS", 0)
    library = make_git()
    commit(repository, {"a.md": A})
    with (
        clone.sole_user(settings.HOME / "clones" / f"{library.pk}.git"),
        pytest.raises(SourceError, match="another git"),
    ):
        listed(library)


def test_a_server_that_says_nothing_is_given_up(make_git, server, repository, settings, resolves, monkeypatch):
    settings.GIT_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    resolves("127.0.0.1")
    monkeypatch.setattr(clone, "FETCH_SECONDS", 0.5)
    release = threading.Event()
    server.intercept = lambda handler: release.wait(20) or True
    with pytest.raises(SourceError, match="did not finish within"):
        listed(make_git(location=f"http://git.example.invalid:{server.port}/repository/.git"))
    release.set()


def test_what_git_says_is_shown_without_what_opened_it():
    said = process.without_secrets("fatal: https://me:s3cr3t@example.org/x s3cr3t%21 s3cr3t!", ["s3cr3t!", "s3cr3t%21"])

    assert said == "fatal: https://example.org/x … …"
