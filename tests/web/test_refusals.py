"""Pages that say no: they tell what one can do next, and leave one line in the log."""

import io
import logging

import pytest
from django.conf import settings
from django.test import Client
from django.utils.log import configure_logging

from knowledge.models import Answer


@pytest.fixture
def console():
    """What the product's own handler writes."""
    root = logging.getLogger()
    before = root.handlers[:]
    configure_logging("logging.config.dictConfig", settings.LOGGING)
    written = io.StringIO()
    for handler in root.handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(written)
    yield written
    root.handlers = before


def test_a_refusal_says_who_one_is_and_what_is_open(signed_in, handbook):
    response = signed_in.get("/libraries/handbook/settings")
    page = response.content.decode()
    assert response.status_code == 403 and "signed in as reader" in page
    assert all(f'href="{address}"' in page for address in ("/search", "/chat", "/libraries/"))


def test_a_form_of_an_old_page_is_told_how_to_send_it_again(reader):
    someone = Client(enforce_csrf_checks=True)
    someone.force_login(reader)
    for address in ("/chat", "/login", "/libraries/add"):
        response = someone.post(address, {"q": "How long?", "csrfmiddlewaretoken": "x" * 64})
        page = response.content.decode()
        assert response.status_code == 403 and "load the page again" in page and 'href="/search"' in page
        assert "CSRF" not in page


def test_where_the_settings_may_be_wrong_a_refused_form_says_so(reader):
    """Else whoever set the proxy up loads the page again and again."""
    browser = Client(enforce_csrf_checks=True)
    told = "set up for another address"
    assert told in browser.post("/login", {"username": "anna"}).content.decode(), "it has no cookie of the site"
    browser.get("/login")
    sent = {"csrfmiddlewaretoken": browser.cookies["csrftoken"].value}
    assert told in browser.post("/login", sent, HTTP_ORIGIN="https://docs.example.org").content.decode()
    assert told in browser.post("/login", sent, secure=True, HTTP_HOST="localhost").content.decode(), "no referer"
    page = browser.post("/login", {"csrfmiddlewaretoken": "x" * 64}).content.decode()
    assert "load the page again" in page and told not in page


def test_what_is_not_found_may_be_found_after_signing_in(client, signed_in, board):
    pages = [someone.get("/libraries/board/").content.decode() for someone in (client, signed_in)]
    assert ['href="/login?next=/libraries/board/">sign in</a>' in page for page in pages] == [True, False]


def test_a_button_that_a_log_in_interrupted_leads_back_to_its_page(client, signed_in, handbook):
    asked = client.post("/libraries/handbook/build")
    assert asked["Location"] == "/login?next=/libraries/handbook/build"
    answer = Answer.objects.create(question="How long?", searched_for="", text="", refused=True)
    for address, its_page in (
        ("/libraries/handbook/build", "/libraries/handbook/"),
        (f"/chat/{answer.pk}/feedback", f"/chat/{answer.pk}"),
        ("/logout", "/search"),
    ):
        response = signed_in.get(address)
        page = response.content.decode()
        assert response.status_code == 405 and "POST" in response["Allow"]
        assert "Nothing was done" in page and f'href="{its_page}"' in page
    assert not signed_in.get("/v1/chat/completions").content.startswith(b"<!doctype")


@pytest.mark.parametrize(
    ("method", "address", "taken"),
    [
        ("POST", "/search", "GET, HEAD"),
        ("POST", "/libraries/handbook/files", "GET, HEAD"),
        ("DELETE", "/chat", "GET, HEAD, POST"),
        ("PUT", "/libraries/handbook/build", "POST"),
    ],
)
def test_a_method_that_an_address_does_not_take_is_told_of_and_no_token(handbook, method, address, taken):
    response = Client(enforce_csrf_checks=True).generic(method, address)
    page = response.content.decode()
    assert (response.status_code, response["Allow"]) == (405, taken)
    assert f"does not take the method {method}: it takes {taken} alone" in page and "cookies" not in page


def test_a_page_that_is_not_there_is_none_of_the_menu(client, db):
    assert "aria-current" not in client.get("/nowhere").content.decode()


def test_signing_in_says_that_one_goes_on_and_how_to_get_an_account(client, db):
    plain, sent = (client.get(address).content.decode() for address in ("/login", "/login?next=/jobs/"))
    assert ["you go on" in page for page in (plain, sent)] == [False, True]
    assert "can invite you" in plain and 'href="/login' not in plain


def test_a_refusal_is_one_line_in_the_log_and_a_fault_has_its_trace(signed_in, handbook, console):
    signed_in.get("/jobs/")
    assert console.getvalue().count("\n") == 1 and "/jobs/" in console.getvalue()
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        logging.getLogger("django.request").exception("a fault", extra={"status_code": 500})
    assert "Traceback" in console.getvalue()


def test_what_others_send_that_makes_no_sense_leaves_no_trace_of_a_fault(client, as_superuser, console):
    assert client.get("/", HTTP_HOST="evil.example").status_code == 400
    assert as_superuser.get("/admin/knowledge/job/?requested_by__password=x").status_code == 400
    written = console.getvalue()
    assert "evil.example" in written and "requested_by__password" in written and "Traceback" not in written


def test_what_cannot_be_searched_is_said_in_plain_words(client, signed_in, handbook, board):
    for someone in (client, signed_in):
        assert "no library “board” that" in someone.get("/search?q=bike&library=board").content.decode()
        assert "“magic” is no way" in someone.get("/search?q=bike&mode=magic").content.decode()


def test_a_library_with_a_source_has_no_box_for_uploads(as_superuser, handbook):
    page = as_superuser.get("/libraries/handbook/files").content.decode()
    assert "files are changed there" in page and 'type="file"' not in page


def test_asking_says_what_an_answer_is_or_that_there_is_nothing_to_ask(client, board, make_library, indexed):
    assert "nothing to ask yet" in client.get("/chat").content.decode()
    indexed("open", {"a.md": "# A\n\nA bell.\n"}, access="public")
    assert "The answer quotes the documents" in client.get("/chat").content.decode()


@pytest.mark.parametrize("value", ["a\0b", str(2**70), "-1", "words"])
def test_what_no_form_sends_is_no_fault(as_superuser, handbook, value):
    as_superuser.post("/chat", {"q": "How long can you borrow a bike?"})
    row = Answer.objects.get()
    forms = {
        "/chat": ["q", "library", "mode", "snapshot", "top_k", "conversation", "standalone", "only"],
        f"/chat/{row.pk}/again": ["standalone", "pin", "exclude"],
        f"/chat/{row.pk}/feedback": ["verdict", "remark"],
        f"/conversations/{row.conversation_id}/share": ["shared", "next"],
        "/libraries/handbook/golden": ["q", "chunk", "next"],
    }
    for address, names in forms.items():
        for one in names:
            sent = {"q": "How long?", "verdict": "good", "chunk": "1", one: value}
            assert as_superuser.post(address, sent).status_code < 500, (address, one)


@pytest.mark.parametrize(
    "referer, back",
    [
        ("http://testserver/libraries/one/?page=2", "/libraries/one/%3Fpage%3D2"),
        ("http://testserver.example/libraries/", "/libraries/one/build"),
        ("", "/libraries/one/build"),
    ],
)
def test_who_sends_a_form_when_signed_out_is_told_so_and_led_back_to_its_page(client, referer, back):
    answer = client.post("/libraries/one/build", headers={"Referer": referer})
    assert answer.status_code == 302 and answer["Location"] == f"/login?next={back}"
    assert "nothing was done. Sign in, and send it once more." in client.get(answer["Location"]).content.decode()
    assert "nothing was done" not in client.get(client.get("/dashboard/")["Location"]).content.decode()


def test_a_button_pressed_when_signed_out_says_that_nothing_was_done(client, signed_in, handbook):
    signed_in.post("/chat", {"q": "How long can you borrow a cargo bike?"})
    own = f"/chat/{Answer.objects.get().pk}"
    for at in (own, "/chat/999"):  # alike whether it exists or not
        told = client.post(f"{at}/feedback", {"helpful": "yes"}, headers={"Referer": f"http://testserver{own}"})
        assert told.status_code == 404 and "Nothing was done." in told.content.decode()
        assert f'href="/login?next={own}"' in told.content.decode()
    assert "Nothing was done." not in client.get("/nowhere").content.decode()
