"""Which language a text is in."""

import pytest

from knowledge.texts.languages.documents import detect
from knowledge.texts.languages.little_words import of_these


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The quick brown fox jumps over the lazy dog, and that is all that there is to it in this text.", "en"),
        ("Der schnelle Fuchs springt über den faulen Hund, und das ist alles, was es in diesem Text gibt.", "de"),
        ("Le renard rapide saute par-dessus le chien paresseux, et c'est tout ce que dit ce texte pour vous.", "fr"),
        ("Быстрая лиса прыгает через ленивую собаку, и это всё, что есть в этом тексте для нас.", "ru"),
        ("素早い茶色の狐が怠け者の犬を飛び越える", "ja"),
        ("敏捷的棕色狐狸跳过懒狗。", "zh"),
        ("東京都は日本の首都", "ja"),
        ("優の良品是香港的一家零食连锁店，出售各种零食、饮料和其他食品，在香港各区设有分店。" * 4, "zh"),
        (
            "The house is open to all members of the club from Monday to Friday, and on Saturday it is closed.\n"
            "Das Haus ist von Montag bis Freitag für alle Mitglieder offen.\n"
            "La maison est ouverte à tous les membres du lundi au vendredi.\n"
            "会館は月曜日から金曜日まで会員の皆さまがご利用になれます。",
            "en",
        ),
        ("使い方は git clone と make を実行し config.toml を編集してください", "ja"),
        (
            "It counts the letters of a text, as of Japanese: すしとてんぷら. "
            + "There it is a word of four letters. " * 9,
            "en",
        ),
        ("Release 2.2.10. A bug in a query was fixed: it led to a crash when a backend was given to a pool.", "en"),
        ("A kutya a kertben van, és a macska az asztal alatt alszik, de nem sokáig.", "hu"),
        ("Pes a kočka jsou na zahradě, ale už se nehrají, protože je to pro ně nuda.", "cs"),
        ("x = 1", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_text_is_told_by_script_and_little_words(text, language):
    assert detect(text) == language


@pytest.mark.parametrize(
    ("languages", "spoken"),
    [
        ({"es"}, {"si"}),
        ({"es", "en"}, {"si", "if"}),
        (set(), {"si", "if"}),
        ({"it"}, {"if"}),  # “si” is “oneself” there
        ({"nl"}, {"si", "if"}),
        ({"pl"}, set()),
        ({"pl", "en"}, {"if"}),
    ],
)
def test_a_language_that_a_table_lacks_has_the_words_of_others_but_its_own(languages: set[str], spoken: set[str]):
    assert of_these(frozenset(languages), {"en": "if", "es": "si", "pl": ""}) == spoken
