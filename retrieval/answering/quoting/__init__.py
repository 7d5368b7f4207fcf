"""The documents' own words as an answer: which of them, from where to where."""
