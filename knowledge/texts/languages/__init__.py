"""Which language a text is in: `documents` labels files, `questions` tells those in which answers are written; and the
words of grammar of these, `little_words` and, before nouns, `determiners`, with weekdays and months, `calendar`.

One more language of the answers is words in these places, in this order; the first two tell that a text is in it, and
matter to all that follows:

1. `STOP_WORDS` in `knowledge/texts/words.py`, and its commonest endings there; a script without spaces has neither.
2. `ASKED_WITH` and `TELLING_LETTERS` in `questions`; what other languages have, too, in its `_ENGLISH_TOO`. A script of
   its own is told in `likeliest` instead.
3. Each table of `little_words`, `determiners` and `calendar`; what it shortens in `knowledge/texts/abbreviations.py`.
4. `IN` in `retrieval/answering/phrases.py`: what is said in it.
5. In `retrieval/answering/checking/`: each table by language, with an empty row where it has no such words, `NAMES` and
   `EACH` of `periods`, the numbers of `numerals`, the rows of `opposites`, and a line of each of the `PAIRS` in
   `tests/retrieval/answering/checking/test_languages.py`, which fail one by one and so tell what else is wanted.

The same file names what a language may lack. Follow-ups (`retrieval/answering/followups/`) know some of them only.
"""
