"""The elements of HTML by what they are, as pages have them and Markdown does. Pure."""

from .directives import words

BLOCKS = words(
    """address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu ol p pre section summary ul"""
)
OLD_BLOCKS = words("dir listing plaintext xmp")  # in Markdown rather names in angle brackets: `<dir>`
TABLES = words("caption table tbody td tfoot th thead tr")
INLINE = words(
    """a abbr acronym b bdi bdo big cite code dfn em font i ins kbd label mark path picture q rb ruby s samp small span
    strike strong sub sup tt u var"""
)
VOID = words("area base col embed input link meta param source track")
EMBEDDED = words("audio canvas iframe map noframes noscript object svg video")
CONTROLS = words("button datalist option progress select")
ALOUD = words("rp rt rtc")  # how a word is read
UNSEEN = words("script style template")
