import re

from config.local.home import CHECKOUT
from knowledge.progress_line import BAR, STAGES, clock, line, words


def test_a_line_has_bar_count_rates_and_time_left():
    figures = {"done": 50, "total": 200, "files_per_second": 12.4, "chunks_per_second": 3.25, "eta_seconds": 3725}
    assert line("parse", figures) == (
        f"parse   {'█' * (BAR // 4)}{'░' * (BAR - BAR // 4)} 50/200  12 files/s, 3.2 chunks/s, 1:02:05 left"
    )
    assert line("source", {}) == "source  " and words({}) == ""


def test_a_bar_never_runs_over():
    assert line("embed", {"done": 9, "total": 3}).count("█") == BAR


def test_clock():
    assert [clock(seconds) for seconds in (0, 61, 3600)] == ["0:00", "1:01", "1:00:00"]


def test_every_stage_has_words_for_the_pages():
    code = "".join(path.read_text() for path in (CHECKOUT / "ingestion").rglob("*.py"))
    assert set(re.findall(r'\.timed\("(\w+)"', code)) == STAGES.keys()
