import os
import random
import re
import shlex
import subprocess
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from ingestion.adding import preview_of
from ingestion.jobs import run
from ingestion.sources import SourceAway, SourceBroken, SourceError, SourceRefused, open_source
from ingestion.sources.base import glob_to_regex, path_filter
from ingestion.sources.git import listing, process
from ingestion.sources.git.address import allowed_url, public_addresses
from ingestion.sources.git.process import CloneDamaged, failure, without_secrets
from knowledge.models import FileVersion, Job, Library
from knowledge.pages.fields import patterns
from tests.conftest import commit, reindex


@pytest.mark.parametrize(
    ("include", "exclude", "path", "wanted"),
    [
        ([], [], "a/b.md", True),
        ([], [], "a/b.exe", False),
        (["*.txt"], [], "a/b.txt", True),
        (["docs/"], [], "docs/a/b.md", True),
        (["docs/"], [], "docs/a/b.gif", False),
        (["*.gif"], [], "docs/a/b.gif", True),
        ([], ["docs"], "docs/a/b.md", False),
        (["docs/**/*.md"], [], "docs/b.md", True),
        (["docs/*.md"], [], "docs/a/b.md", False),
        ([], ["a/"], "a/b.md", False),
        ([], ["*.md"], "x.md", False),
        (["*.md"], ["drafts/"], "drafts/x.md", False),
        (["a?c.md"], [], "abc.md", True),
        (["a.c.md"], [], "abc.md", False),
        ([], ["pay-20[0-9][0-9].md"], "hr/pay-2024.md", False),
        ([], ["pay-20[!0-9]?.md"], "pay-20x4.md", False),
        ([], ["pay-20[!0-9]?.md"], "pay-2024.md", True),
        (["a[z-a].md"], [], "a[z-a].md", True),
        (["a[b.md"], [], "a[b.md", True),
        (["*.{txt,gif}"], [], "a/b.gif", True),
        (["{id}.gif"], [], "{id}.gif", True),
        ([], ["{docs/*,src/[a-c]*}.md"], "docs/x.md", False),
        ([], ["{docs/*,src/[a-c]*}.md"], "src/bee.md", False),
        ([], ["{docs/*,src/[a-c]*}.md"], "src/dee.md", True),
        ([], ["{docs/*,*.note}.md"], "a/b.note.md", False),
        ([], ["{hr,legal/{pay,fines}}/"], "legal/fines/x.md", False),
        ([], ["{hr,legal/{pay,fines}}/"], "legal/x.md", True),
        ([], ["[{,]x.md"], "{x.md", False),
        ([], ["x[a,b]{1,[2,3]}.md"], "x,3.md", False),
        ([], ["{hr,}"], "a.md", True),
        ([], ["{hr,b.md"], "{hr,b.md", False),
        (["./docs"], [], "docs/b.md", True),
        ([], ["HR Secret/**"], "HR Secret/pay.md", False),
    ],
)
def test_paths_are_chosen_by_globs(include, exclude, path, wanted):
    readable = lambda path: path.endswith(".md") or None  # noqa: E731

    assert path_filter(include, exclude, readable)(path) is wanted


@pytest.mark.parametrize("kind", ["directory", "git"])
def test_a_file_of_no_known_kind_whose_ending_is_not_utf_8_stops_no_build(make_library, documents, repository, kind):
    library = make_library("bytes", {})
    folder = repository if kind == "git" else documents / "bytes"
    (folder / os.fsdecode(b"Rapport v1.0 d\xe9finitif")).write_text("x")
    if kind == "git":
        commit(repository, {"a.md": "# A\n\nText.\n"})
        Library.objects.filter(pk=library.pk).update(kind="git", location=f"file://{repository}")
        library.refresh_from_db()
    else:
        (folder / "a.md").write_text("# A\n\nText.\n")
    assert preview_of(library).unread == r"1 file (.0 d\udce9finitif 1)"
    assert reindex(library).unread == {r".0 d\udce9finitif": 1}


def simply(pattern: str) -> str:
    """`glob_to_regex` with every wildcard free to try all it can."""
    anchored = pattern.removeprefix("./").strip("/")
    prefix = "" if "/" in pattern.removesuffix("/**").rstrip("/") else "(?:.*/)?"
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.findall(r"\*\*/|\*\*|\[a\]|.", anchored)
    return prefix + "".join(wild.get(piece, piece) for piece in pieces)


def test_wildcards_match_what_they_would_if_they_tried_everything():
    chance = random.Random(7)
    paths = ["".join(chance.choices("ab/", k=length)) for length in range(9) for _ in range(60)]
    for _ in range(3_000):
        pattern = "".join(chance.choices(["*", "**", "/", "?", "a", "b", "[a]", "**/"], k=chance.randint(1, 9)))
        quick, thorough = re.compile(glob_to_regex(pattern)), re.compile(simply(pattern))
        for path in chance.sample(paths, 40):
            assert bool(quick.fullmatch(path)) == bool(thorough.fullmatch(path)), (pattern, path)


@pytest.mark.parametrize(
    "pattern", ["*a" * 12 + "*b.md", "**a" * 12 + "**b.md", "*" * 40 + "b.md", "x/" + "*a" * 9 + "*b"]
)
def test_many_stars_are_as_quick_as_one(pattern):
    started = time.process_time()
    for path in ("a" * 900, f"x/{'a' * 900}"):
        assert path_filter([pattern], [], lambda path: None)(path) is False
    assert time.process_time() - started < 1


def test_braces_that_stand_for_too_much_are_refused_when_they_are_saved(documents, db):
    with pytest.raises(CommandError, match="more than 1,000 patterns"):
        call_command("add_library", "x", "--directory", str(documents), "--exclude", "{a,b}" * 200)
    with pytest.raises(SourceError, match="more than 1,000 patterns"):
        path_filter([], ["{a,b}" * 200], str)


def test_a_pattern_that_is_longer_than_any_path_is_refused_unread(documents, db):
    with pytest.raises(CommandError, match="has 20,000 characters; a pattern has at most 1,000"):
        call_command("add_library", "x", "--directory", str(documents), "--exclude", "[" * 20_000)
    with pytest.raises(SourceError, match="at most 1,000"):
        path_filter(["[" * 1_001], [], str)
    assert path_filter(["a" * 1_000], [], str)("a" * 1_000)


@pytest.mark.parametrize("include", [[1], 5, None, "*.md", {"a": 1}])
def test_what_is_no_list_of_patterns_is_refused_when_it_is_saved(include):
    with pytest.raises(ValidationError, match="list of patterns"):
        Library(slug="x", include=include).clean()


def test_a_directory_outside_the_roots_is_refused(make_library, tmp_path):
    library = make_library("x", {})
    library.location = str(tmp_path)

    with pytest.raises(SourceError, match=r"DIRECTORY_ROOTS .*in \.env .*starts it again"), open_source(library):
        pass


def test_a_link_that_leaves_the_directory_is_not_followed(make_library, documents, tmp_path):
    library = make_library("x", {"a.md": "# A"})
    (tmp_path / "secret.md").write_text("# Secret")
    (documents / "x/link.md").symlink_to(tmp_path / "secret.md")
    (documents / "x/folder").symlink_to(tmp_path)
    with open_source(library) as source:
        assert [file.path for file in source.files] == ["a.md"]


def test_a_root_that_is_a_link_out_is_refused(make_library, documents, tmp_path):
    library = make_library("x", {})
    (tmp_path / "outside").mkdir()
    (documents / "sneaky").symlink_to(tmp_path / "outside")
    library.location = str(documents / "sneaky")

    with pytest.raises(SourceError, match="DIRECTORY_ROOTS"), open_source(library):
        pass


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id",
        "file:///etc",
        "git://example.org/x",
        "--upload-pack=id",
        "-oProxyCommand=id",
        "https://",
        "http://example.org/x",
        "/etc",
        "ssh://-oProxyCommand=id/x",
    ],
)
def test_git_urls_outside_the_allowed_schemes_are_refused(url, settings):
    settings.GIT_ALLOWED_SCHEMES = ["https", "ssh"]
    with pytest.raises(SourceError):
        allowed_url(url)
    with pytest.raises(SourceError, match=r"GIT_ALLOWED_SCHEMES in \.env, and starts it again"):
        allowed_url("file:///srv/manual")


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "0177.0.0.1", "2130706433", "169.254.169.254", "::1", "0.0.0.0", "::ffff:127.0.0.1"],
)
def test_git_hosts_that_mean_this_machine_or_its_metadata_are_refused(host):
    with pytest.raises(SourceError):
        public_addresses(host, 443)


@pytest.mark.parametrize("ref", ["--upload-pack=id", "a b", "x;id", "a..b", "$(id)"])
def test_a_ref_that_is_no_ref_is_refused(make_library, repository, ref):
    commit(repository, {"a.md": "# A"})
    library = make_library("x", {})
    library.kind, library.location, library.ref = Library.Kind.GIT, f"file://{repository}", ref

    with pytest.raises(SourceError), open_source(library):
        pass


def test_links_and_submodules_in_a_repository_are_left_out(make_library, repository):
    (repository / "link.md").symlink_to("/etc/passwd")
    commit(repository, {"a.md": "# A"})
    library = make_library("x", {})
    library.kind, library.location = Library.Kind.GIT, f"file://{repository}"
    with open_source(library) as source:
        assert [(file.path, file.read()) for file in source.files] == [("a.md", b"# A")]


def test_credentials_are_kept_out_of_messages():
    assert without_secrets("fatal: https://me:secret@example.org/x") == "fatal: https://example.org/x"


ADVICE = "\n\nPlease make sure you have the correct access rights\nand the repository exists."


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            f"git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.{ADVICE}",
            "git@host: Permission denied (publickey).; fatal: Could not read from remote repository.",
        ),
        (
            f"fatal: '/x' is no git repository\nfatal: Could not read from remote repository.{ADVICE}",
            "fatal: '/x' is no git repository; fatal: Could not read from remote repository.",
        ),
        ("fatal: unable to access 'https://h/': Could not resolve host: h", None),
        ("warning: x\nerror: the object is broken", "error: the object is broken"),
        ("", "no reason given"),
    ],
)
def test_what_git_failed_of_is_told_and_not_its_advice(said, reason):
    assert failure(said) == (reason or said)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("fatal: unable to access 'https://h/': Could not resolve host: h", SourceAway),
        ("fatal: unable to access 'https://h/': Failed to connect to h port 443: Connection refused", SourceAway),
        ("fatal: unable to access 'https://h/': The requested URL returned error: 503", SourceAway),
        ("ssh: connect to host h port 22: No route to host\nfatal: Could not read from remote repository.", SourceAway),
        ("fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF", SourceAway),
        ("error: unable to write file x: No space left on device", SourceAway),
        ("fatal: bad tree object 820a49941b9ec51577f65aff79166b0e0e38d41b", CloneDamaged),
        ("error: object file x.git/objects/58/c2 is empty\nfatal: git cat-file: x", CloneDamaged),
        ("fatal: unable to read tree 820a49941b9ec51577f65aff79166b0e0e38d41b", CloneDamaged),
        ("fatal: packed object 58c2 (stored in x.pack) is corrupt", CloneDamaged),
        ("error: cannot lock ref 'x': unable to resolve reference 'x': reference broken", CloneDamaged),
        ("fatal: could not read Username for 'https://h': terminal prompts disabled", SourceRefused),
        ("error: unable to read askpass response from 'true'", SourceRefused),
        ("fatal: Authentication failed for 'https://h/x'", SourceRefused),
        ("remote: Repository not found.\nfatal: repository 'https://h/x/' not found", SourceRefused),
        ("git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.", SourceRefused),
        ("fatal: unable to access 'https://h/': The requested URL returned error: 403", SourceRefused),
        ("fatal: couldn't find remote ref refs/heads/nowhere", SourceError),
        ("Host key verification failed.\nfatal: Could not read from remote repository.", SourceError),
        ("fatal: Could not read from remote repository.", SourceError),
    ],
)
def test_what_may_pass_is_damaged_or_needs_a_token_is_told_from_other_faults(said, fault, monkeypatch, tmp_path):
    monkeypatch.setattr(process, "command", lambda *_: ["sh", "-c", f"echo {shlex.quote(said)} >&2; exit 128"])
    with pytest.raises(SourceError) as raised:
        process.git(tmp_path, "fetch")
    assert type(raised.value) is fault


def test_a_directory_that_is_not_mounted_is_looked_for_again(make_library, documents):
    job = Job.objects.create(library=make_library("shelf", {"a.md": "# A\n"}))
    (documents / "shelf").rename(documents / "away")
    with pytest.raises(SourceAway, match="mounted"):
        run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED and job.not_before


def test_what_no_parser_reads_is_told_and_not_passed_over_in_silence(make_library, capsys):
    library = make_library("x", {"a.md": "# A", "a.zzz": "?", "b/c.ZZZ": "?", "noname": "?", "d.md": "# D"})
    library.exclude = ["b"]
    library.save()
    with open_source(library) as source:
        assert dict(source.unread) == {".zzz": 1, "without suffix": 1}

    call_command("reindex", "x")
    assert "no parser reads 2 files (.zzz 1, without suffix 1)" in capsys.readouterr().out
    assert library.jobs.get().report["unread"] == {".zzz": 1, "without suffix": 1}


def test_a_source_of_which_nothing_can_be_read_is_warned_of(make_library):
    library = make_library("x", {"a.zzz": "?"})
    for _ in range(2):  # also where nothing has changed
        report = reindex(library)
        assert (report.files["added"], report.warnings) == (0, ["there is no file that can be read"])


def test_patterns_that_choose_nothing_are_named_at_every_run(make_library):
    library = make_library("x", {"a.md": "# A"}, include=["docs/*.mdd"], exclude=["old", "new"])
    for _ in range(2):
        (warning,) = reindex(library).warnings
        assert warning.endswith("with the patterns of this library (only docs/*.mdd, without old new)")


@pytest.mark.parametrize("branch", ["feature/#12-tea", "fix,that=it", "größe"])
def test_a_branch_may_be_called_whatever_git_allows(repository, db, branch):
    commit(repository, {"a.md": "# A"})
    subprocess.run(["git", "-C", str(repository), "branch", branch], check=True)
    library = Library.objects.create(slug="g", kind="git", location=f"file://{repository}", ref=branch)
    with open_source(library) as source:
        assert [file.path for file in source.files] == ["a.md"]


@pytest.mark.parametrize("ref", ["-x", "+main", "a:b", "a..b", "main~1", "a^", "a*", "a b", "a\\b", "HEAD@{1}", "a\n"])
def test_what_is_no_branch_is_refused_before_git_sees_it(repository, db, ref):
    library = Library(slug="g", kind="git", location=f"file://{repository}", ref=ref)
    with pytest.raises(SourceError, match="is not a branch"), open_source(library):
        pass


@pytest.mark.parametrize(
    ("ref", "said"), [("", "it has no commit yet"), ("v1", "no branch or tag “v1”"), ("blob", "a blob and no commit")]
)
def test_a_repository_without_the_commit_is_said_in_words(repository, db, ref, said):
    if ref:
        commit(repository, {"a.md": "# A"})
        subprocess.run(["git", "-C", str(repository), "tag", "blob", "HEAD:a.md"], check=True)
    library = Library.objects.create(slug="g", kind="git", location=f"file://{repository}", ref=ref)
    with pytest.raises(SourceError, match=said), open_source(library):
        pass


def test_patterns_in_the_form_may_hold_blanks():
    assert patterns("'HR Secret/**' *.md") == ["HR Secret/**", "*.md"]
    with pytest.raises(ValidationError, match="quotation marks"):
        patterns("what's new.md")


class Breaking:
    """A pipe whose writer dies after so many bytes."""

    def __init__(self, pipe, left: int) -> None:
        self.pipe, self.left = pipe, left

    def read(self, size: int) -> bytes:
        return self.cut(self.pipe.read(size))

    def readline(self) -> bytes:
        return self.cut(self.pipe.readline())

    def cut(self, content: bytes) -> bytes:
        shown = content[: self.left]
        self.left -= len(shown)
        return shown


@pytest.mark.parametrize("after", [0, 20, 100, 192])
def test_a_git_that_dies_while_it_is_read_fails_the_build_and_stores_nothing(repository, monkeypatch, db, after):
    """Before the first file, in a header, in a blob, and before its end: none is taken for shorter, or unreadable."""
    text = f"# A\n\n{'Words and words. ' * 8}\n"
    commit(repository, {f"{n}.md": text for n in range(3)})
    library = Library.objects.create(slug="g", kind="git", location=f"file://{repository}", name="g")
    whole = listing.running

    @contextmanager
    def breaking(clone, *arguments, **options):
        with whole(clone, *arguments, **options) as process:
            if arguments[0] == "cat-file":
                process = SimpleNamespace(stdin=process.stdin, stdout=Breaking(process.stdout, after))
            yield process

    monkeypatch.setattr(listing, "running", breaking)
    with pytest.raises(SourceBroken, match="broke off"):
        reindex(library)
    assert not library.snapshots.filter(state="ready").exists()
    monkeypatch.setattr(listing, "running", whole)
    reindex(library)
    versions = FileVersion.objects.filter(memberships__snapshot=library.active_snapshot)
    assert [version.text for version in versions] == [text] * 3


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('{"_id": "a", "text": "x"}\n{"text": "y"}\n', "line 2"),
        ('{"_id": "a", "text": "x"}\n\nnot JSON\n', "line 3"),
        ("[1]\n", "line 1"),
        ('{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n', "two documents have the id a"),
    ],
)
def test_a_corpus_that_is_none_says_where(tmp_path, lines, said):
    (tmp_path / "corpus.jsonl").write_text(lines)
    library = Library(slug="set", kind="corpus", location=str(tmp_path / "corpus.jsonl"))
    with pytest.raises(SourceError, match=said), open_source(library):
        pass
