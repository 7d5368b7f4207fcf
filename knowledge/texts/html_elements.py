"""The elements of HTML by what they are, as pages have them and Markdown does. Pure."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLOCKS = _words(
    """address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu ol p pre section summary ul"""
)
OLD_BLOCKS = _words("dir listing plaintext xmp")  # in Markdown rather names in angle brackets: `<dir>`
TABLES = _words("caption table tbody td tfoot th thead tr")
INLINE = _words(
    """a abbr acronym b bdi bdo big cite code dfn em font i ins kbd label mark path picture q rb ruby s samp small span
    strike strong sub sup tt u var"""
)
VOID = _words("area base col embed input link meta param source track")
EMBEDDED = _words("audio canvas iframe map noframes noscript object svg video")
CONTROLS = _words("button datalist option progress select")
ALOUD = _words("rp rt rtc")  # how a word is read
UNSEEN = _words("script style template")
