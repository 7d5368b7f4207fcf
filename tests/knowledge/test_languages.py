"""Which language a text is in."""

import pytest

from knowledge.texts.languages.documents import detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The quick brown fox jumps over the lazy dog, and that is all that there is to it in this text.", "en"),
        ("Der schnelle Fuchs springt über den faulen Hund, und das ist alles, was es in diesem Text gibt.", "de"),
        ("Le renard rapide saute par-dessus le chien paresseux, et c'est tout ce que dit ce texte pour vous.", "fr"),
        ("Быстрая лиса прыгает через ленивую собаку, и это всё, что есть в этом тексте для нас.", "ru"),
        ("素早い茶色の狐が怠け者の犬を飛び越える", "ja"),
        ("敏捷的棕色狐狸跳过懒狗。", "zh"),
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
