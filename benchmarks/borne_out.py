"""False sentences that are near to a passage, and true ones in other words: what the check makes of them.

    python benchmarks/borne_out.py [blends] [altered] [unseen]

`blends.jsonl`: sentences mixed from two of a passage. `altered.jsonl`: a word, a role, a condition or a reason changed,
each sentence with its kind; who wrote a passage that was not made for it is named there.
`unseen.jsonl`: the same, written without knowledge of the check.
Lists those that the check gets wrong, then the rates. No model is asked, nothing is stored.
"""

import json
import sys
from collections import Counter

from _django import ROOT

from retrieval.answering.citations import best_quote
from retrieval.results import Hit

SETS = ("blends", "altered", "unseen")


def holds(sentence: str, passage: str) -> bool:
    """Whether a quotation from the passage bears the sentence out."""
    quote = best_quote(sentence, [as_hit(passage)])
    return bool(quote and quote.support.holds)


def as_hit(passage: str) -> Hit:
    return Hit(
        rank=1, library="", source_file="handbook.md", version="", section_title="", breadcrumb=(), section_anchor="",
        line_start=1, line_end=1 + passage.count("\n"), page=None, language="", preview_text="", chunk_id=1, url="",
        text=passage, char_start=0, char_end=len(passage), snapshot=1, ordinal=0,
    )  # fmt: skip


def main() -> None:
    for name in sys.argv[1:] or SETS:
        rows = [json.loads(line) for line in (ROOT / "benchmarks" / f"{name}.jsonl").read_text().splitlines()]
        for side, verdict in (("false", "shown as borne out"), ("true", "refused")):
            print(f"\n{name}: {side} sentences {verdict}")
            report(
                [(row["passage"], said, kind) for row in rows for said, kind in with_kinds(row[side])], side == "true"
            )


def with_kinds(sentences: list[str] | dict[str, str]) -> list[tuple[str, str]]:
    return list(sentences.items()) if isinstance(sentences, dict) else [(said, "all") for said in sentences]


def report(sentences: list[tuple[str, str, str]], true: bool) -> None:
    wrong: Counter[str] = Counter()
    for passage, said, kind in sentences:
        if holds(said, passage) != true:
            wrong[kind] += 1
            print(f"  [{kind}] {said}")
    for kind, count in Counter(kind for _, _, kind in sentences).most_common():
        print(f"  {kind}: {wrong[kind]} of {count}")
    print(f"  {wrong.total()} of {len(sentences)} wrong")


if __name__ == "__main__":
    main()
