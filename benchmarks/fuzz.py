"""Hostile queries through the whole search: none may raise, none may take long.

    AI_TEST_MODE=true python benchmarks/fuzz.py [LIBRARY …] [--queries 100000] [--generated 20000] [--longest 2.0]

Every nasty one in every mode, then mixtures of nasties, operators, the libraries' words and misspelt ones by chance,
then what Hypothesis makes.
Prints (when it is stopped, too) how many were asked, how many raised or were too slow, and the slowest; exits
with 1 if any did.
"""

import argparse
import random
import signal
import string
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from _setup import ROOT, set_up_django
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CONTROL = [
    "",
    " ",
    "\0",
    "-\0x",
    '"\0"',
    "file:\0",
    "\ud800",
    "library:\ud800",
    "\ud83d \ude00",
    "\ufeff",
    "\u200b\u200d\u2060",
    "\x1b[31mred",
    "\u202eabc\u202c",
    "\u0300",
    "\U0010ffff",
    "\ue000",
    "\uffff",
]
LONG = [
    "-" * 33,
    "- " * 33,
    "\0" * 500,
    "\udfff" * 40,
    "+" * 50,
    "." * 200,
    "_" * 300,
    "a" * 1_000_000,
    "word " * 200_000,
    "é" * 10_000,
    "🦉" * 5_000,
    "-x " * 3_000,
    '"' * 999,
    '"a" ' * 2_000,
    "file:* " * 1_000,
    '"a' + " a" * 190 + '"',
    '-"' + "the request " * 15 + '" x',
    "file:" + "*a" * 190,
    "file:" + "?*" * 190 + "z",
    "file:" + "[a-z]*" * 60 + "!",
    "file:" + "/" * 390,
    "library:" + "x" * 380,
    "e\u0301" * 100,
    "a" + "\u0300" * 3_000,
    "1" * 5_000,
    "0x" + "f" * 300,
    "../" * 500,
    "CamelCase" * 300,
    "snake_case_" * 300,
    "kebab-case-" * 300,
    "aB" * 3_000,
    "a_" * 4_000,
    "x-" * 4_000,
]
NASTIES = [*(ROOT / "benchmarks" / "nasties.txt").read_text().splitlines(), *CONTROL, *LONG]
OPERATORS = [
    '"',
    '-"',
    " ",
    "\0",
    "\ud800",
    "\n",
    "\\",
    *"-*?[]/:|&!()'%",
    "-file:",
    "file:",
    "library:",
    "lang:",
    "kind:",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*")
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--generated", type=int, default=20_000, help="queries that Hypothesis makes, after the others")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=2.0, help="seconds that a query may take")
    chosen = parser.parse_args()

    set_up_django()
    from knowledge.models import Chunk
    from knowledge.texts.analysis import words
    from retrieval.results import SearchOptions
    from retrieval.search import MODES, search

    slugs = tuple(chosen.libraries)
    texts = Chunk.objects.visible_to(None, slugs).values_list("text", flat=True)[:2_000]
    own = sorted({word for text in texts for word in words(text)})
    search(None, "warm up", SearchOptions(libraries=slugs))
    asked = Asked(chosen.longest)

    def ask(mode: str, query: str) -> None:
        asked.one(mode, query, lambda: search(None, query, SearchOptions(libraries=slugs, mode=mode)))

    patient = settings(
        max_examples=chosen.generated, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    every_kind_of_text = st.one_of(st.text(), st.lists(st.sampled_from([*OPERATORS, *own[:200]])).map("".join))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for mode, query in islice(queries(chosen.seed, own, MODES), chosen.queries):
            ask(mode, query)
        patient(given(st.sampled_from(MODES), every_kind_of_text)(ask))()
    except KeyboardInterrupt:
        print("stopped", end=": ")
    sys.exit(asked.report())


class Asked:
    """What happened to the queries so far."""

    def __init__(self, longest: float) -> None:
        self.longest, self.slowest = longest, list[tuple[float, str, str]]()
        self.counts: Counter[str] = Counter()

    def one(self, mode: str, query: str, search: Callable[[], Any]) -> None:
        started = time.perf_counter()
        try:
            result = search()
            self.counts.update(asked=1, hits=bool(result.hits), suggestions=bool(result.did_you_mean))
            self.counts.update(f"degraded: {name}" for name in result.degraded)
        except Exception:
            self.counts.update(asked=1, raised=1)
            print(mode, ascii(query[:300]), traceback.format_exc(limit=-3), sep="\n")
        took = time.perf_counter() - started
        self.counts["too slow"] += took > self.longest
        self.slowest = sorted([*self.slowest, (took, mode, query)], key=lambda entry: -entry[0])[:10]
        if self.counts["asked"] % 10_000 == 0:
            print(f"{self.counts['asked']:,} asked, slowest {self.slowest[0][0]:.3f} s", file=sys.stderr, flush=True)

    def report(self) -> int:
        print(", ".join(f"{name} {self.counts[name]:,}" for name in sorted({*self.counts, "raised"})))
        for took, mode, query in self.slowest:
            print(f"  {took:6.3f} s {mode:8} {len(query):>9,} characters: {query[:90]!a}")
        return 1 if self.counts["raised"] or self.counts["too slow"] else 0


def queries(seed: int, own: list[str], modes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Nasties in every mode first; then mixtures, for ever."""
    yield from ((mode, nasty) for nasty in NASTIES for mode in modes)
    draw = random.Random(seed)  # noqa: S311
    short = [nasty for nasty in NASTIES if len(nasty) < 500]
    sources = (
        lambda: draw.choice(own) if own else "word",
        lambda: misspelt(draw, draw.choice(own)) if own else "wrod",
        lambda: draw.choice(OPERATORS) + (draw.choice(own) if own else "word"),
        lambda: f'"{" ".join(draw.choices(own, k=2)) if own else "two words"}"',
        lambda: draw.choice(OPERATORS),
        lambda: draw.choice(short),
        lambda: "".join(draw.choices(string.printable, k=draw.randrange(1, 12))),
        lambda: "".join(chr(draw.randrange(1, 0x110000)) for _ in range(draw.randrange(1, 6))),
    )
    while True:
        parts = [draw.choice(sources)() for _ in range(draw.choice((1, 2, 3, 4, 6, 10, 40)))]
        yield draw.choice(modes), draw.choice((" ", " ", " ", "", "\n")).join(parts)


def misspelt(draw: random.Random, word: str) -> str:
    place = draw.randrange(len(word))
    return draw.choice(
        (word[:place] + word[place + 1 :], word[:place] + draw.choice(string.ascii_letters) + word[place:], word[::-1])
    )


if __name__ == "__main__":
    main()
