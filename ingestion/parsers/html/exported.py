"""Pages as other programs export them, made such as pages are elsewhere. In place."""

from selectolax.lexbor import LexborNode

WIKI = "#main-content.wiki-content"  # what a page of Confluence says
AROUND_WIKI = "#breadcrumb-section, .page-metadata, .pageSection:has(#attachments), #footer"


def leave_out_around_wiki(body: LexborNode) -> None:
    """The way to a page of Confluence, who wrote it when, the names of its attachments, its foot."""
    for node in body.css(AROUND_WIKI) if body.css_first(WIKI) is not None else ():
        node.attrs["hidden"] = ""
