"""Whether a passage bears a sentence out, by rule: `support.py` asks what each of the others finds. Pure.

quantities: numbers, units, dates; negations, exceptions: what is denied or excepted; degrees: how much, how often, how
strictly; opposites; relations: which comes first; roles: who does what to whom; tables: which row and column; choices: one or both;
conditions: only if; replaced: one noun for another. synonyms: words that are read as one.
"""
