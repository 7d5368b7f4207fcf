import re

import pytest
from django.utils import timezone

from knowledge.governance.activation import rollback
from knowledge.models import DocumentFile
from tests.conftest import reindex, write

ADDRESS = "/read/handbook/lending.rst"


def test_it_shows_every_line_with_its_number_and_marks_the_cited_ones(client, handbook):
    page = client.get(f"{ADDRESS}?snapshot=1&lines=10-10").content.decode()
    assert '<div class="l prose cited" id="L10">' in page
    assert page.count(" cited") == 1 and 'href="#L10">Cited: line 10<' in page
    assert all(
        f'id="L{number}"' in page
        for number in range(
            1, handbook.active_snapshot.files.get(document_file__path="lending.rst").file_version.line_count + 1
        )
    )


def test_sections_are_reachable_by_anchor_and_by_alias(client, handbook):
    page = client.get(ADDRESS).content.decode()
    assert '<section id="how-long-you-can-borrow-a-bike"' in page and '<a id="how-long">' in page
    assert 'href="#late-returns">Late returns</a>' in page


def test_it_says_which_version_of_which_snapshot_this_is(client, handbook):
    page = client.get(ADDRESS).content.decode()
    assert "snapshot 1, active" in page and "sha256" in page


def test_code_is_coloured_and_escaped(client, handbook):
    page = client.get("/read/handbook/booking/pricing.py").content.decode()
    assert '<span class="k">def</span>' in page and "&lt;b&gt;" in page and "<b>" not in page


def test_a_path_with_odd_characters_has_an_address(client, handbook):
    page = client.get("/libraries/handbook/").content.decode()
    assert "/read/handbook/workshop%20%231%3F.md" in page
    assert client.get("/read/handbook/workshop%20%231%3F.md").status_code == 200


def test_an_older_snapshot_is_shown_as_it_was_and_says_so(client, handbook, documents):
    write(documents / "handbook", {"lending.rst": "Lending\n=======\n\nNow five days.\n"})
    reindex(handbook)
    old, new = (client.get(f"{ADDRESS}{query}").content.decode() for query in ("?snapshot=1", ""))
    assert "up to three days" in old and "The file has changed since" in old
    assert "Now five days" in new and "snapshot 2, active" in new


def test_an_older_snapshot_with_the_same_file_says_that(client, handbook, documents):
    write(documents / "handbook", {"new.md": "# New\n"})
    reindex(handbook)
    assert "the file is the same in" in client.get(f"{ADDRESS}?snapshot=1").content.decode()


def test_a_document_says_which_language_it_is_in(client, handbook, documents):
    said = "Die Werkstatt ist am Montag geschlossen, und wir bitten um Ihr Verständnis dafür.\n"
    write(documents / "handbook", {"haus.md": f"# Hausordnung\n\n{said}"})
    reindex(handbook)
    assert '<section id="hausordnung" class="level1" lang="de"' in client.get("/read/handbook/haus.md").content.decode()
    assert "<section" in (english := client.get(ADDRESS).content.decode()) and english.count("lang=") == 1
    found = client.get("/search?q=Werkstatt+Montag").content.decode()
    assert '<h2 lang="de">' in found and '<p class="excerpt" lang="de">' in found


def test_a_drawn_table_runs_the_way_its_words_do(client, handbook, documents):
    write(documents / "handbook", {"prices.md": "# الأسعار\n\n| القاعة | المقاعد |\n|---|---|\n| الورشة | 10 |\n"})
    reindex(handbook)
    assert '<div class="drawn" dir="auto"' in client.get("/read/handbook/prices.md").content.decode()


def test_a_file_that_is_gone_says_that(client, handbook, documents):
    (documents / "handbook" / "lending.rst").unlink()
    reindex(handbook)
    assert "not in the active snapshot any more" in client.get(f"{ADDRESS}?snapshot=1").content.decode()


def test_a_plain_link_to_a_file_that_is_gone_leads_to_the_last_snapshot_that_has_it(client, handbook, documents):
    write(documents / "handbook", {"new.md": "# New\n"})
    reindex(handbook)
    (documents / "handbook" / "workshop #1?.md").unlink()
    reindex(handbook)
    address = "/read/handbook/workshop%20%231%3F.md"
    assert client.get(f"{address}?lines=3")["Location"] == f"{address}?lines=3&snapshot=2"
    assert "not in the active snapshot any more" in client.get(address, follow=True).content.decode()
    assert client.get("/read/handbook/never.md").status_code == 404
    DocumentFile.objects.update(withdrawn_at=timezone.now())
    assert client.get(address).status_code == 404


def test_a_file_that_is_gone_leads_nobody_to_what_is_not_theirs_to_read(client, signed_in, reader, board, documents):
    write(documents / "board", {"new.md": "# New\n"})
    (documents / "board" / "board.md").unlink()
    reindex(board)
    assert client.get("/read/board/board.md").status_code == signed_in.get("/read/board/board.md").status_code == 404
    reader.groups.add(board.groups.get())
    assert signed_in.get("/read/board/board.md")["Location"] == "/read/board/board.md?snapshot=1"
    rollback(board)
    assert signed_in.get("/read/board/new.md").status_code == 404


def test_a_snapshot_that_was_rolled_back_is_a_newer_one(client, handbook, documents):
    write(documents / "handbook", {"lending.rst": "Lending\n=======\n\nNow five days.\n", "new.md": "# New\n"})
    reindex(handbook)
    rollback(handbook)
    changed, same, added = (
        client.get(f"/read/handbook/{path}?snapshot=2").content.decode()
        for path in ("lending.rst", "booking/pricing.py", "new.md")
    )
    assert "This is a newer snapshot, which is not active" in changed and "has changed since" not in changed
    assert "This is a newer snapshot; the file is the same in" in same
    assert "not in the active snapshot.\n" in added


def test_a_version_that_is_active_is_said_to_be_though_a_newer_snapshot_holds_it(client, handbook, documents):
    for files in ({"lending.rst": "Lending\n=======\n\nNow five days.\n"}, {"new.md": "# New\n"}):
        write(documents / "handbook", files)
        reindex(handbook)
    rollback(handbook)
    page = client.get(f"{ADDRESS}?snapshot=1").content.decode()
    assert '<a href="?snapshot=2">snapshot 2</a> <span class="badge">active</span>' in page


def not_found(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 404
    shown = response.content.decode().split("<main")[1]
    return re.sub(r'"/login\?next=[^"]*"', "", shown)  # back to the address, whatever is there


def test_missing_foreign_and_withdrawn_documents_are_one_and_the_same_404(client, signed_in, handbook, board):
    missing = {someone: not_found(someone, "/read/handbook/none.rst") for someone in (client, signed_in)}
    DocumentFile.objects.filter(path="lending.rst").update(withdrawn_at=timezone.now())
    for address in (ADDRESS, f"{ADDRESS}?snapshot=1", "/read/board/board.md", "/read/nowhere/board.md"):
        assert not_found(client, address) == missing[client]
        assert not_found(signed_in, address) == missing[signed_in]


def test_a_member_may_read(signed_in, reader, board):
    reader.groups.add(board.groups.get())
    assert "purple bike" in signed_in.get("/read/board/board.md").content.decode()


@pytest.mark.parametrize("number", ["0", "2", "-1", "x", "9" * 30, "1.0", "²"])
def test_a_snapshot_that_is_not_there_is_not_found(client, handbook, number):
    not_found(client, f"{ADDRESS}?snapshot={number}")


def test_another_librarys_snapshot_number_opens_nothing(client, handbook, indexed, documents):
    other = indexed("other", {"lending.rst": "Other\n=====\n"})
    write(documents / "other", {"lending.rst": "Other\n=====\n\nmore\n"})
    reindex(other)
    not_found(client, f"{ADDRESS}?snapshot=2")


def test_it_asks_few_questions(client, handbook, django_assert_max_num_queries):
    with django_assert_max_num_queries(5):
        client.get(f"{ADDRESS}?lines=10-12")


def test_the_line_that_takes_in_a_file_is_led_to_in_another_part(client, indexed):
    text = "Log\n===\n\n" + "entry\n\n" * 1200 + ".. include:: note.rst.inc\n"
    indexed("log", {"log.rst": text, "note.rst.inc": "A note.\n", "short.rst": ".. include:: note.rst.inc\n\nText.\n"})
    assert 'href="?snapshot=1&amp;from=2404#L2404"' in client.get("/read/log/log.rst").content.decode()
    assert 'line <a href="#L1"' in client.get("/read/log/short.rst").content.decode()


LINKED = {
    "a.md": "# A\n\n[one](b/c.md#more), **[two](<#the-end>)** and [`three`][c]. ![no](b/c.md)\n"
    "[bad](javascript:alert(1)) [far](https://example.org/b/c.md) [up](../../etc/passwd) [gone](gone.md) [nul](%00)\n\n"
    "| T | U |\n|---|---|\n| [four](b/c) | x |\n\n[c]: b/c.md 'C'\n\n## The end\n\nText.\n",
    "b/c.md": "# C\n\n[back](../a.md)\n\n## More\n\nText.\n",
    "b/d.rst": "D\n=\n\n:ref:`far_off`, :ref:`as said <near>`, :doc:`/a`, `On top`_, `out`_ and `e <e.rst>`_.\n\n"
    ".. _out: https://example.org\n\nOn top\n------\n\nText.\n\nOut\n---\n\nText.\n",
    "b/e.rst": "E\n=\n\nText.\n\n.. _far_off:\n.. _near:\n\nFar off\n-------\n\nText.\n",
}


def linked(client, address: str) -> list[tuple[str, str]]:
    text = client.get(address).content.decode().partition('<div class="text')[2]
    return re.findall(r'<a href="([^"]*)">(.*?)</a>', text)


def test_links_lead_to_sections_and_files_of_the_snapshot_and_nowhere_else(client, indexed):
    indexed("manual", LINKED)
    assert linked(client, "/read/manual/a.md") == [
        ("/read/manual/b/c.md?snapshot=1#more", "one"),
        ("#the-end", "two"),
        ("/read/manual/b/c.md?snapshot=1", '<span class="mk">`</span><code>three</code><span class="mk">`</span>'),
        ("/read/manual/b/c.md?snapshot=1", "four"),
    ]
    assert linked(client, "/read/manual/b/c.md") == [("/read/manual/a.md?snapshot=1", "back")]


def test_roles_and_names_of_rst_lead_to_what_they_name(client, indexed):
    indexed("manual", LINKED)
    assert linked(client, "/read/manual/b/d.rst") == [
        ("/read/manual/b/e.rst?snapshot=1#far-off", "far_off"),
        ("/read/manual/b/e.rst?snapshot=1#near", "as said"),
        ("/read/manual/a.md?snapshot=1", "/a"),
        ("#on-top", "On top"),
        ("/read/manual/b/e.rst?snapshot=1", "e"),
    ]


def test_a_label_is_of_the_file_that_has_it_before_a_heading_that_reads_alike(client, indexed):
    faq = "FAQ\n===\n\n:ref:`i <installation>`, :ref:`fees`, :ref:`own` and `Installation`_.\n"
    own = "\nInstallation\n------------\n\nText.\n\nFees\n----\n\nText.\n\n.. _own:\n\nMine\n----\n\nText.\n"
    setup = ".. _installation:\n.. _own:\n\nHow to set it up\n================\n\nText.\n"
    indexed("manual", {"faq.rst": faq + own, "setup.rst": setup})
    assert linked(client, "/read/manual/faq.rst") == [
        ("/read/manual/setup.rst?snapshot=1#installation", "i"),
        ("#fees", "fees"),
        ("#own", "own"),
        ("#installation", "Installation"),
    ]


def test_a_withdrawn_file_is_no_link_and_of_another_part_it_is_one(client, indexed):
    indexed("manual", LINKED | {"long.md": "# L\n\n[end](#end) [a](a.md)\n" + "\nx\n" * 1200 + "\n## End\n\nText.\n"})
    assert linked(client, "/read/manual/long.md")[0] == ("?snapshot=1&amp;from=2405#end", "end")
    DocumentFile.objects.filter(path__in=["a.md", "b/e.rst"]).update(withdrawn_at=timezone.now())
    assert [said for _, said in linked(client, "/read/manual/long.md")] == ["end", "From line 2001"]
    assert [said for _, said in linked(client, "/read/manual/b/d.rst")] == ["On top"]


def test_an_anchor_in_another_file_is_the_one_that_is_there_on_the_part_that_has_it(client, indexed):
    log = "# Log\n\n## Node.js\n\n" + "x\n\n" * 1200 + "## Late (Über)\n\nText.\n"
    toc = "[a](log.md#late-über) [b](log.md#Late-%C3%9Cber) [c](log.md#nodejs) [d](log.md#no-such) "
    more = "[e](log.md#L2300-L2310) [f](b/e.rst#near) [g](b/e.rst#late%00)\n"
    indexed("manual", LINKED | {"log.md": log, "toc.md": f"# T\n\n{toc}{more}"})
    late = "/read/manual/log.md?snapshot=1&amp;from=2405#late-%C3%BCber"
    assert [address for address, _ in linked(client, "/read/manual/toc.md")] == [
        late,
        late,
        "/read/manual/log.md?snapshot=1#node-js",
        "/read/manual/log.md?snapshot=1",
        "/read/manual/log.md?snapshot=1&amp;from=2300#L2300",
        "/read/manual/b/e.rst?snapshot=1#near",
        "/read/manual/b/e.rst?snapshot=1",
    ]
    assert 'id="late-über"' in client.get(late.partition("#")[0].replace("&amp;", "&")).content.decode()


def test_a_link_may_have_an_address_with_spaces_a_folder_a_page_or_no_address_of_its_own(client, indexed):
    page = '# T\n\n[1](<data/a b.md> "B") [2](data/) [3](data) [4](..) [5](data/a%20b.html#b) [see][]'
    page += " <b>[6](data/#D)</b>\n\n[see]: data/index.md\n"
    files = {"README.md": "# R\n", "docs/data/index.md": "# D\n\nText.\n", "docs/data/a b.md": "# B\n\nText.\n"}
    indexed("manual", files | {"docs/t.md": page})
    assert linked(client, "/read/manual/docs/t.md") == [
        ("/read/manual/docs/data/a%20b.md?snapshot=1", "1"),
        ("/read/manual/docs/data/index.md?snapshot=1", "2"),
        ("/read/manual/docs/data/index.md?snapshot=1", "3"),
        ("/read/manual/README.md?snapshot=1", "4"),
        ("/read/manual/docs/data/a%20b.md?snapshot=1#b", "5"),
        ("/read/manual/docs/data/index.md?snapshot=1", "see"),
        ("/read/manual/docs/data/index.md?snapshot=1#d", "6"),
    ]


def test_footnotes_lead_to_where_they_stand(client, indexed):
    of_rst = (
        "T\n=\n\nOne [1]_, two [#far]_, none [9]_, [#]_.\n\n.. [1] First.\n" + "\nx\n" * 1200 + "\n.. [#far] Far.\n"
    )
    of_markdown = "# T\n\n**One[^1]**, none[^2].\n\n[^1]: First.\n[^1]: Twice.\n"
    indexed("manual", {"a.rst": of_rst, "b.md": of_markdown})
    mark = '<span class="mk to">{}</span>'.format
    assert linked(client, "/read/manual/a.rst")[:2] == [
        ("#L6", "[1]"),
        ("?snapshot=1&amp;from=2408#L2408", mark("[#far]_")),
    ]
    assert linked(client, "/read/manual/b.md") == [("#L5", mark("[^1]"))]


def test_a_label_alone_is_a_link_where_the_text_says_whither(client, indexed):
    page = "# Optional\n\nSee [the *B*], [optional], [x] and [out].\n\n[the *b*]: b.md\n[out]: https://example.org/\n"
    indexed("manual", {"a.md": page, "b.md": "# B\n\nText.\n"})
    assert linked(client, "/read/manual/a.md") == [
        (
            "/read/manual/b.md?snapshot=1",
            '[the <span class="mk">*</span><em>B</em><span class="mk">*</span>]',
        )
    ]


def test_links_that_lead_elsewhere_take_no_place_of_others_and_the_first_are_kept(client, indexed, monkeypatch):
    monkeypatch.setattr("retrieval.pages.leading.MOST", 2)
    away = "[x](https://example.org/1) [y](http://example.org/2) [z][out]\n"
    page = f"# T\n\n{away}[one](t.md) [two](b.md) [three](a.md)\n\n[out]: https://example.org/3\n"
    indexed("manual", {"t.md": page, "a.md": "# A\n\nText.\n", "b.md": "# B\n\nText.\n"})
    assert [said for _, said in linked(client, "/read/manual/t.md")] == ["one", "two"]


def test_links_cost_two_questions_however_many_there_are(client, indexed, django_assert_max_num_queries):
    indexed("manual", LINKED)
    with django_assert_max_num_queries(7):
        client.get("/read/manual/b/d.rst")


def test_a_long_document_is_read_in_parts(client, indexed):
    indexed("log", {"log.txt": "".join(f"entry {n}\n\n" for n in range(1, 2501))})
    first = client.get("/read/log/log.txt").content.decode()
    assert 'id="L2000"' in first and 'id="L2001"' not in first and "from=2001" in first
    assert 'id="L3999">' in client.get("/read/log/log.txt?from=2001").content.decode()
    assert 'cited" id="L4501"' in client.get("/read/log/log.txt?lines=4501-4501").content.decode()
