"""Whether a passage bears a sentence out, by rule: `support.py` asks what each of the others finds. Pure.

quantities: numbers, units, dates; tables: which row and column; negations, exceptions, conditions: what is denied,
excepted, or so only if; choices: one or both; degrees: how much, how often, how strictly; opposites; replaced: one noun
for another; relations: which comes first; roles: who does what to whom; tenses: what was and what will be; synonyms:
words that are read as one; blends: half of one sentence and half of another; numerals,
spellings, clauses: how numbers and words are written, where sentences end; reserved: what only some may do.
"""
