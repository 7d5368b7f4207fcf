"""What is compared with a number, a day or anything else, and denied: “no later than Friday” is until then. Pure."""

from knowledge.texts.words import plain

DENIED = "no|not|nicht|niet|nie|non|não|не"
# Of each language; French denies in two words, Chinese, Japanese and Arabic elsewhere.
MORE = (
    "more than|longer than|mehr als|länger als|meer dan|langer dan|więcej niż|dłużej niż|más de|più di"
    "|mais (?:de|do que)|более|больше|дольше"
)
LESS = (
    "less than|fewer than|weniger als|kürzer als|minder dan|korter dan|mniej niż|krócej niż|menos (?:de|do que)|meno di"
    "|менее|меньше"
)
LATER = "later than|später als|later dan|później niż|más tarde (?:del?|que)|più tardi|mais tarde|позднее|позже"
EARLIER = "earlier than|früher als|eerder dan|wcześniej niż|más temprano (?:del?|que)|più presto|mais cedo|ранее|раньше"
# The sides on which a comparison leaves what it compares, folded.
SIDES = {
    side: plain(rf"(?:{DENIED}) (?:{denied})|{said}")
    for side, denied, said in (
        ("least", LESS, MORE), ("most", MORE, LESS), ("later", EARLIER, LATER), ("earlier", LATER, EARLIER),
    )
}  # fmt: skip
