"""The words that stand before a noun, by language of the answers: the, a, this, my, their, every. Pure.

One word may be several: “des” is the plural of “un”, and “de” with “les”. Rules take what they mean by an article from
here; `little_words` has the functions that join the tables.
"""

from knowledge.texts.languages.little_words import Said

THE: Said = {
    "en": "the", "fr": "le la les l", "de": "der die das den dem des", "es": "el la los las",
    "it": "il lo la i gli le l", "nl": "de het", "pt": "o a os as", "pl": "", "ru": "", "ar": "",
}  # fmt: skip
AN: Said = {
    "en": "a an", "fr": "un une des", "de": "ein eine einen einem einer eines", "es": "un una unos unas",
    "it": "un uno una", "nl": "een", "pt": "um uma uns umas", "pl": "", "ru": "", "ar": "",
}  # fmt: skip
MERGED: Said = {  # with a preposition
    "en": "", "fr": "du au aux", "de": "im am zum zur vom beim", "es": "al del",
    "it": "al allo alla ai alle dal dalla del dello della dei degli delle nel nella sul sulla", "nl": "",
    "pt": "ao aos à às da das do dos na nas no nos", "pl": "", "ru": "", "ar": "",
}  # fmt: skip
THIS: Said = {
    "en": "this that these those", "fr": "ce cet cette ces", "de": "dieser diese dieses diesen diesem",
    "es": "este esta estos estas ese esa esos esas", "it": "questo questa questi queste quel quella",
    "nl": "deze dit die dat", "pt": "este esta estes estas esse essa", "pl": "ten ta to te tego tej",
    "ru": "этот эта это эти этого этой", "ar": "هذا هذه ذلك",
}  # fmt: skip
MINE: Said = {  # of who speaks, or is spoken to
    "en": "my our your", "fr": "mon ma mes notre nos votre vos",
    "de": "mein meine meinen meinem meiner unser unsere unseren unserem unserer",
    "es": "mi mis tu tus nuestro nuestra nuestros nuestras", "it": "mio mia nostro nostra vostro vostra",
    "nl": "mijn onze ons", "pt": "meu minha nosso nossa", "pl": "mój moja moje nasz nasza nasze",
    "ru": "мой моя моё наш наша наше ваш ваша ваше", "ar": "",
}  # fmt: skip
THEIRS: Said = {  # of what was spoken of before
    "en": "its his her their", "fr": "son sa ses leur leurs",
    "de": "sein seine seinen seinem seiner ihr ihre ihren ihrem", "es": "su sus",
    "it": "suo sua suoi loro", "nl": "haar hun", "pt": "seu sua seus suas", "pl": "jego jej ich swój",
    "ru": "его её их свой", "ar": "",
}  # fmt: skip
EVERY: Said = {
    "en": "each every all any some both", "fr": "chaque tout toute",
    "de": "jeder jede jedes jeden jedem alle kein keine", "es": "cada",
    "it": "ogni", "nl": "elke elk alle", "pt": "cada", "pl": "każdy każda każde", "ru": "каждый каждая",
    "ar": "كل",
}  # fmt: skip
