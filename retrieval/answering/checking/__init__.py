"""Whether a passage bears a sentence out, by rule: `support.py` asks what each of the others finds. Pure.

quantities: numbers, units, dates; tables: which row and column; negations, excepted, conditions: what is denied,
excepted, or so only if; universals: all and nothing; reserved: what only some may do; choices: one or both; degrees:
how much, how often, how strictly; opposites; replaced: one noun for another; relations: which comes first; pairings:
which number is of what; roles: who does what to whom; blends: half of one sentence and half of another; tenses: what
was and what will be. synonyms, figures, numerals: what is read as one; periods: what days and months are called;
clauses: where sentences end.

Most know words. What is compared in every language of the answers,
`tests/retrieval/answering/checking/test_languages.py` holds; the rest knows the words
of English, German, French and Spanish best.
"""
