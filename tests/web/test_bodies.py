"""Bodies of requests that bring no uploads: none fills the disk or the memory, whoever sends it."""

import json
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import BadRequest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.wsgi import get_wsgi_application
from django.test import Client, RequestFactory

from config.chunked import with_length
from knowledge.admin.evaluation import LARGEST_FORM, LARGEST_IMPORT
from knowledge.pages.common import refused

LARGE = 3_000_000  # bytes, more than Django keeps in memory by default
IMPORT = "/admin/knowledge/goldenquestion/import/"


@pytest.fixture
def spooled(monkeypatch) -> Mock:
    """What is called for each file that is put on the disk."""
    opened = Mock(side_effect=OSError("the disk is full"))
    monkeypatch.setattr("django.core.files.uploadedfile.TemporaryUploadedFile.__init__", opened)
    return opened


def with_token(visitor: Client) -> Client:
    """Without one a form is refused unread."""
    visitor.cookies["csrftoken"] = "x" * 32
    return visitor


def form_with(size: int, token: str = "x") -> dict[str, object]:
    return {"csrfmiddlewaretoken": token * 32, "file": SimpleUploadedFile("x", b"x" * size)}


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/login", "/logout", "/chat", "/libraries/add"])
def test_a_form_with_a_large_file_is_refused_without_a_trace_on_the_disk(spooled, address):
    visitor = with_token(Client(enforce_csrf_checks=True))
    large, small = (visitor.post(address, form_with(size, token="y")) for size in (LARGE, LARGE // 2))

    assert (large.status_code, small.status_code) == (413, 403)
    assert "larger than this page takes" in large.content.decode()
    assert not spooled.called


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/api/v1/ask", "/retrieve"])
def test_a_large_body_is_refused_by_the_api_whatever_it_is(spooled, settings, client, address):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = LARGE
    assert client.post(address, {"file": SimpleUploadedFile("x", b"x" * LARGE)}).status_code == 413
    for kind in ("application/json", "application/x-www-form-urlencoded"):
        assert client.post(address, b"x" * LARGE, content_type=kind).status_code == 413
    assert not spooled.called


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/api/v1/ask", "/v1/chat/completions", "/mcp", "/retrieve"])
def test_a_large_body_in_chunks_is_refused_as_one_that_says_its_length(settings, address):
    request = RequestFactory().post(address, b"x" * LARGE, content_type="application/json").environ
    request |= {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
    start = Mock()
    answer = with_length(get_wsgi_application(), settings.DATA_UPLOAD_MAX_MEMORY_SIZE)(request, start)

    assert start.call_args[0][0].startswith("413 ")
    assert "at most 2,560 KB are read" in str(json.loads(b"".join(answer)))


def test_golden_questions_may_be_larger_than_other_forms_for_who_may_import_them(spooled, superuser):
    importer = with_token(Client(enforce_csrf_checks=True))
    importer.force_login(superuser)
    answers = [importer.post(IMPORT, form_with(size)) for size in (LARGE, LARGEST_IMPORT + 1, LARGEST_FORM)]

    assert [answer.status_code for answer in answers] == [200, 200, 413]
    assert "x:1" in answers[0].content.decode()  # it was read
    assert "larger than 10 MB" in answers[1].content.decode()
    assert "larger than this page takes" in answers[2].content.decode()
    assert not spooled.called


def test_golden_questions_need_a_token_and_the_right_to_import_them(superuser, reader):
    reader.is_staff = True
    reader.save()
    for user, size, token, status in ((superuser, LARGE, "y", 403), (reader, LARGE, "x", 413), (reader, 9, "x", 403)):
        visitor = with_token(Client(enforce_csrf_checks=True))
        visitor.force_login(user)
        assert visitor.post(IMPORT, form_with(size, token)).status_code == status


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/libraries/sea/files/upload", "/nowhere"])
def test_what_is_sent_to_where_it_may_not_go_is_not_found_whatever_its_size(make_library, address):
    make_library("sea", {"a.md": "# A\n"})
    visitor = with_token(Client(enforce_csrf_checks=True))
    assert visitor.post(address, form_with(LARGE)).status_code == 404


@pytest.mark.django_db
def test_what_is_no_request_is_answered_with_a_page_and_for_programs_in_json(client):
    request = RequestFactory().get("/search")
    request.user = AnonymousUser()
    page = refused(request, BadRequest())
    assert page.status_code == 400 and "Not understood" in page.content.decode()
    answer = refused(RequestFactory().get("/api/v1/libraries/"), BadRequest())
    assert (answer.status_code, json.loads(answer.content)) == (400, {"detail": "Bad request."})


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/search", "/api/v1/libraries/", "/v1/models"])
def test_a_name_that_is_not_the_sites_is_said_to_be_none_and_where_to_add_it(client, address):
    answer = client.get(address, HTTP_HOST="unknown.example")
    said = answer.content.decode()
    assert answer.status_code == 400 and "does not answer to the name in its address" in said
    assert "ALLOWED_HOSTS" in said and "unknown.example" not in said
    assert 'href="/search"' not in said  # which would say the same
