"""Texts as they are written: words, markup, tables, links to other files. Pure: no Django, no database, no network."""
