"""The directives of reStructuredText, and of MyST, by what they hold and what stands behind their names. Pure."""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = words(
    """code code-block sourcecode parsed-literal math prompt console terminal doctest testcode testsetup testoutput
    testcleanup productionlist graphviz digraph graph uml mermaid ipython"""
)
"""What is further in stands as it is."""
BEGUN_BY_ARGUMENT = words("math parsed-literal productionlist prompt")
"""Of these, the first line may be all that there is; that of others names a language, a group or a file."""
ADMONITIONS = words("attention caution danger error hint important note seealso tip warning")
SINCE = words("deprecated deprecated-removed versionadded versionchanged versionremoved")
NOTES = ADMONITIONS | SINCE | words("admonition best-practice screencast sidebar todo topic")
LEADING = words("contents highlight include index literalinclude raw toctree")
"""What stands behind their names and below them is no text: it leads elsewhere, or says how something looks."""
SETTING_UP = words(
    """autosummary codeauthor currentmodule default-domain default-role footer header image meta module moduleauthor
    namespace php:namespace role rst-class section-numbering sectionauthor sectnum tabularcolumns target-notes title"""
)
"""They show nothing where they stand either, but what is behind their names may be a word that is asked for."""
OBJECTS = words(
    """attribute class classmethod cmdoption confval const data decorator describe directive django-admin
    django-admin-option enum envvar exception fieldlookup function glossary interface macro member method module
    object option program property role setting signal staticmethod struct templatefilter templatetag trait type var
    variable"""
)
"""They describe something of a program, which is named behind them."""
