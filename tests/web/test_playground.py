"""Two settings side by side: what they find, and how ranks move."""

import re
from unittest.mock import Mock

import pytest

from knowledge.endpoints import EndpointError
from knowledge.models import Membership
from retrieval import search as searching

PAGE = "/playground?q=late+bike"


def test_both_sides_and_their_moves_are_shown(as_superuser, handbook):
    page = as_superuser.get(f"{PAGE}&b_mode=vector").content.decode()
    assert page.count("lending.rst:") >= 2 and page.count("<path class=") >= 2
    assert set(re.findall(r'class="moved"[^>]*>([^<]+)<', page)) <= {
        "=",
        "new",
        *(f"{way} {n}" for way in "↑↓" for n in range(10)),
    }
    alone = as_superuser.get(PAGE).context["second"]
    assert alone.mode == "lexical", "as its side says before anything is chosen"
    same = as_superuser.get(f"{PAGE}&b_mode=hybrid").content.decode()
    assert set(re.findall(r'class="moved"[^>]*>([^<]+)<', same)) == {"="} and 'class="stayed"' in same


def test_what_is_missing_stands_above_both_sides_whose_lines_begin_level(as_superuser, handbook, monkeypatch):
    """The moves between the lists are drawn by their heights."""
    monkeypatch.setattr(searching, "query_vector", Mock(side_effect=EndpointError("embedding", "is away")))
    page = as_superuser.get(PAGE).content.decode()
    above, _, sides = page.partition("<h2>First")
    assert above.count("First: The embedding model does not answer") == 1 and 'class="notice"' not in sides


def test_a_hit_is_offered_as_a_golden_question_where_it_can_be_kept(signed_in, reader, handbook, indexed):
    indexed("other", {"late.md": "# Late\n\nA bike that comes back late costs ten euros.\n"})
    Membership.objects.create(library=handbook, user=reader, role="editor")
    for page in ("/search?q=late+bike", "/playground?q=late+bike"):
        shown = signed_in.get(page).content.decode()
        assert "late.md" in shown and "/libraries/handbook/golden" in shown, page
        assert "/libraries/other/golden" not in shown, page
    Membership.objects.update(role="reader")
    assert "/golden" not in signed_in.get("/search?q=late+bike").content.decode()


def test_a_hit_of_either_setting_is_kept_as_a_golden_question(as_superuser, handbook):
    page = as_superuser.get(PAGE).content.decode()
    first, second = page.partition("<h2>Second")[::2]
    assert 'name="chunk"' in first and 'name="chunk"' in second


def test_a_hit_is_kept_as_a_golden_question(as_superuser, handbook):
    page = as_superuser.get(PAGE).content.decode()
    chunk = re.search(r'name="chunk" value="(\d+)"', page)[1]
    kept = as_superuser.post("/libraries/handbook/golden", {"q": "late bike", "chunk": chunk, "next": PAGE})
    assert kept.status_code == 302 and handbook.golden_questions.get().text == "late bike"


@pytest.mark.parametrize(
    "bad", ["a_depth=1", "b_lexical_weight=x", "a_mode=magic", "b_rrf_k=0", "snapshot=2", "library=none"]
)
def test_bad_knobs_are_said(as_superuser, handbook, bad):
    answer = as_superuser.get(f"{PAGE}&{bad}")
    assert answer.status_code == 400 and "notice bad" in answer.content.decode()
    assert f"{bad.partition('=')[0]}: " not in answer.content.decode()


def test_a_bad_knob_is_called_what_the_page_calls_it(as_superuser, handbook):
    assert "First setting, candidates: Ensure" in as_superuser.get(f"{PAGE}&a_depth=1").content.decode()


def test_a_snapshot_that_is_not_there_is_said(as_superuser, handbook):
    assert as_superuser.get(f"{PAGE}&library=handbook&snapshot=99").status_code == 404


def test_it_is_for_those_who_may_look_behind_the_pages(client, signed_in, handbook):
    assert client.get(PAGE).status_code == 302
    assert signed_in.get(PAGE).status_code == 403
