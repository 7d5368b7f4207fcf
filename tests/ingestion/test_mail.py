"""What mails may be like, and what is read of them."""

import re

import pytest

from ingestion.parsers import parse


def part(kind: str, *content: str, disposition: str = "inline") -> str:
    """A part of a mail: its text, or, of a multipart, its parts."""
    mark = f"={kind}-{len(''.join(content))}="
    head = f'Content-Type: {kind}; boundary="{mark}"\nContent-Disposition: {disposition}\n\n'
    if not kind.startswith("multipart"):
        return head + "".join(content)
    return head + "".join(f"\n--{mark}\n{each}" for each in content) + f"\n--{mark}--\n"


PLAIN, OTHER, PAGE = part("text/plain", "Oil it."), part("text/plain", "Daily."), part("text/html", "<b>Oil</b> it.")
NOTES, DATE = part("text/markdown", "*Oil* it."), part("text/calendar", "SUMMARY:Oil it.")
PICTURE, BLANK = part("image/png", "AAAA"), part("text/plain", " \n")
FILE = part("text/plain", "x = 1", disposition="attachment; filename=a.txt")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (part("multipart/mixed", PLAIN, PICTURE, OTHER), "Oil it.\n\nDaily.\n"),
        (part("multipart/mixed", PAGE, OTHER), "Oil it.\n\nDaily.\n"),
        (part("multipart/mixed", PLAIN, FILE, OTHER), "Oil it.\n\nDaily.\n\n- Attachment: a.txt\n"),
        (part("multipart/mixed", part("multipart/alternative", PLAIN, PAGE), OTHER), "Oil it.\n\nDaily.\n"),
        (part("multipart/alternative", BLANK, PAGE), "Oil it.\n"),
        (part("multipart/alternative", PAGE, OTHER), "Daily.\n"),
        (part("multipart/alternative", BLANK, part("multipart/related", PAGE, PICTURE)), "Oil it.\n"),
        (part("multipart/alternative", part("multipart/mixed", PLAIN, OTHER), PAGE), "Oil it.\n\nDaily.\n"),
        (part("multipart/related", PAGE, PICTURE, OTHER), "Oil it.\n"),
        (part("multipart/mixed", BLANK, PICTURE), ""),
        (part("multipart/mixed", PLAIN, NOTES), "Oil it.\n\n*Oil* it.\n"),
        (part("multipart/alternative", NOTES, PAGE), "Oil it.\n"),
        (part("multipart/alternative", DATE, NOTES), "*Oil* it.\n"),
        (part("multipart/alternative", DATE, PAGE), "Oil it.\n"),
        (part("multipart/alternative", BLANK, DATE), "SUMMARY:Oil it.\n"),
        (NOTES, "*Oil* it.\n"),
    ],
)
def test_all_that_a_mail_shows_as_text_is_read_once(body, text):
    document = parse(f"From: a@example.org\nSubject: Lathe\n{body}".encode(), "a.eml")
    assert document.text.partition("a@example.org\n")[2].lstrip("\n") == text


def attached(name: str, headers: str) -> str:
    return f"--b\nContent-Type: application/pdf; name={name}\n{headers}\nx\n"


def test_an_attachment_is_named_once_with_the_message_that_it_is_of():
    inner = f"Subject: Within\nContent-Type: multipart/mixed; boundary=b\n\n{attached('in.pdf', '')}--b--\n"
    forwarded = f"--a\nContent-Type: message/rfc822\n\n{inner}"
    mixed = "From: a\nSubject: Outer\nContent-Type: multipart/mixed; boundary=a\n\n"
    text = parse(f"{mixed}--a\n\nSee below.\n{forwarded}--a--\n".encode(), "a.eml").text
    assert re.findall("Within|Attachment: .*", text) == ["Within", "Attachment: in.pdf"]


@pytest.mark.parametrize(("name", "told"), [("", ["Within"]), ("; filename=in.eml", ["Attachment: in.eml", "Within"])])
def test_a_message_that_is_read_below_is_named_only_where_it_has_a_name(name, told):
    inner = f"Content-Type: message/rfc822\nContent-Disposition: attachment{name}\n\nSubject: Within\n\nText.\n"
    mixed = "From: a\nSubject: Outer\nContent-Type: multipart/mixed; boundary=a\n\n"
    text = parse(f"{mixed}--a\n\nSee below.\n--a\n{inner}--a--\n".encode(), "a.eml").text
    assert re.findall("Within|Attachment: .*", text) == told


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ("Content-Type: application/pdf\nContent-Disposition: inline; filename=x.pdf", True),
        ("Content-Type: application/pdf; name=x.pdf", True),
        ("Content-Type: image/jpeg\nContent-Disposition: inline; filename=x.jpg", True),
        ("Content-Type: image/png; name=x.png\nContent-ID: <logo>", False),
        ("Content-Type: application/pgp-signature", False),
    ],
)
def test_what_a_mailer_may_show_in_place_is_attached_all_the_same(part, named):
    mixed = "From: a\nSubject: Hi\nContent-Type: multipart/mixed; boundary=a\n\n"
    text = parse(f"{mixed}--a\n\nText.\n--a\n{part}\n\nx\n--a--\n".encode(), "a.eml").text
    assert ("- Attachment: x" in text) == named


def test_a_text_of_a_mail_that_is_none_is_attached_and_the_rest_is_read():
    binary = part("text/plain", "\x01\x02\x03" * 20, disposition="inline; filename=core.txt")
    mail = f"From: a@example.org\nSubject: Lathe\n{part('multipart/mixed', PLAIN, binary, OTHER)}"
    document = parse(mail.encode(), "a.eml")
    assert document.text.endswith("\n\nOil it.\n\nDaily.\n\n- Attachment: core.txt\n")
    assert [warning.partition(":")[0] for warning in document.warnings] == ["its part “core.txt” cannot be read"]


@pytest.mark.parametrize(("depth", "read"), [(60, True), (300, False)])
def test_parts_within_parts_are_read_to_a_depth(depth, read):
    heads = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(depth))
    assert ("Oil it." in parse(f"Subject: Lathe\n{heads}{PLAIN}".encode(), "a.eml").text) is read
