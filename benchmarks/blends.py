"""Sentences blended from two of a passage, which are false, and true ones in other words: what the check makes of them.

    python benchmarks/blends.py

`blends.jsonl` has passages of handbooks that do not exist, each with false and true sentences about it.
Lists those that the check gets wrong. No model is asked, nothing is stored.
"""

import json

from _django import ROOT

from retrieval.answering.checking.support import support
from retrieval.answering.sentences import windows


def holds(sentence: str, passage: str) -> bool:
    """Whether a quotation from the passage bears the sentence out."""
    spans = (passage[span.start : span.end] for span in windows(passage))
    return any(support(sentence, span, around=passage).holds for span in spans)


def main() -> None:
    rows = [json.loads(line) for line in (ROOT / "benchmarks" / "blends.jsonl").read_text().splitlines()]
    wrong = {"false": 0, "true": 0}
    for row in rows:
        for kind in wrong:
            for sentence in row[kind]:
                if holds(sentence, row["passage"]) == (kind == "false"):
                    wrong[kind] += 1
                    print(f"{'shown as borne out' if kind == 'false' else 'refused'}: {sentence}")
    for kind, count in wrong.items():
        print(f"{kind}: {count} of {sum(len(row[kind]) for row in rows)} wrong")


if __name__ == "__main__":
    main()
