"""benchmarks/withheld.py, its commands in this process."""

import gzip
import json
import subprocess
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from benchmarks import withheld


@pytest.fixture
def judged(tmp_path):
    """Two paragraphs of one article, the second withheld, and a question for each."""
    folder = tmp_path / "bikes"
    (folder / "qrels").mkdir(parents=True)
    texts = {"a": "A cargo bike is lent for three days.", "b": "The kiln is fired at noon."}
    documents = [{"_id": one, "title": "Loan", "text": text} for one, text in texts.items()]
    queries = [
        {"_id": "1", "text": "For how many days is a cargo bike lent?"},
        {"_id": "2", "text": "When is the kiln fired?"},
    ]
    for name, rows in (("corpus", documents), ("queries", queries)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t1\n")
    return folder


@pytest.fixture
def said(monkeypatch):
    """What the commands wrote to the terminal's stderr."""
    errors = StringIO()

    def run(*command, check=False, stderr=None):
        try:
            call_command(*command, stdout=(out := StringIO()), stderr=StringIO())
        except CommandError as error:
            if check:
                raise
            if stderr is None:
                errors.write(str(error))
            return subprocess.CompletedProcess(command, 1, "")
        return subprocess.CompletedProcess(command, 0, out.getvalue())

    monkeypatch.setattr(withheld, "run", run)
    return errors


def test_a_library_that_an_earlier_run_left_is_no_error(db, judged, said, tmp_path, settings):
    settings.DIRECTORY_ROOTS = [tmp_path]
    first = withheld.evaluate(judged, tmp_path / "made", 5)
    second = withheld.evaluate(judged, tmp_path / "made", 5)
    assert first["all"]["questions"] == second["all"]["questions"] == 2 and second["at_caution"]
    assert said.getvalue() == ""
