"""Tabs: the name of each before what it shows, which names in a row do not say once they are all read."""

from collections.abc import Sequence
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingestion.parsers.html.elements import above
from ingestion.parsers.html.nodes import visible_text

ROWS = "[role=tablist], .tabbed-labels"
TABS = "[role=tab], label"
PANELS = "[role=tabpanel], .tabbed-block, .tab-pane"
LEADING = ("aria-controls", "data-bs-target", "data-target", "href")  # from a tab to its panel
NEAR = 3  # elements around a row of names, in which its panels may be
MOST_ROWS, MOST_PANELS = 500, 100


def name_panels(body: LexborNode) -> None:
    """In place. Rows whose panels cannot be told apart stay as they are."""
    rows = body.css(ROWS)[:MOST_ROWS]
    panels = body.css(PANELS) if rows else []
    by_id = {panel.attributes.get("id") or "": panel for panel in panels}
    labelled = {panel.attributes.get("aria-labelledby") or "": panel for panel in panels}
    near: dict[int, list[LexborNode]] = {}
    for row in rows:
        tabs = row.css(TABS)
        if row.css_first(PANELS) is not None:  # they unfold where they stand
            continue
        led = [by_id.get(leads_to(tab)) or labelled.get(tab.attributes.get("id") or " ") for tab in tabs]
        shown = [panel for panel in led if panel is not None]
        if len(shown) != len(tabs):
            shown = panels_near(row, near)
        if tabs and len(shown) == len(tabs):
            put_names(row, tabs, shown)


def leads_to(tab: LexborNode) -> str:
    """The id of its panel; a space, which none is, without one."""
    return next((value.lstrip("#") for name in LEADING if (value := tab.attributes.get(name))), " ")


def panels_near(row: LexborNode, known: dict[int, list[LexborNode]]) -> list[LexborNode]:
    """Those in the nearest element around it that has some, without those within them; `known` by such elements."""
    for around in above(row)[:NEAR]:
        if around.mem_id not in known:
            found = around.css(PANELS)
            known[around.mem_id] = outermost(found) if len(found) <= MOST_PANELS else []
        if panels := known[around.mem_id]:
            return panels
    return []


def outermost(panels: Sequence[LexborNode]) -> list[LexborNode]:
    known = {panel.mem_id for panel in panels}
    return [panel for panel in panels if not any(each.mem_id in known for each in above(panel))]


def put_names(row: LexborNode, tabs: Sequence[LexborNode], panels: Sequence[LexborNode]) -> None:
    for tab, panel in zip(tabs, panels, strict=True):
        name = LexborHTMLParser(f"<p>{escape(visible_text(tab))}</p>").css_first("p")
        if name is not None:
            panel.insert_before(name)
    row.attrs["hidden"] = ""
