"""Periods of time in every language of the answers: how each is named, and how “per day” or “daily” is said. Pure."""

import re
from collections.abc import Iterable
from functools import lru_cache

from knowledge.texts.languages.questions import language_of
from knowledge.texts.words import UNSPACED_RUN, folded
from retrieval.answering.checking.opposites import tokens

# Of each language what one is called, in the cases that are said; behind the bar what stands behind a number.
NAMES: dict[str, dict[str, str]] = {
    "second": {
        "en": "second|seconds", "fr": "seconde|secondes", "de": "sekunde|sekunden", "es": "segundo|segundos",
        "it": "secondo|secondi", "nl": "seconde|seconden", "pt": "segundo|segundos", "pl": "sekunda|sekundy sekund",
        "ru": "секунда секунду|секунды секунд", "zh": "秒", "ja": "秒", "ar": "ثانية|ثوان",
    },
    "minute": {
        "en": "minute|minutes", "fr": "minute|minutes", "de": "minute|minuten", "es": "minuto|minutos",
        "it": "minuto|minuti", "nl": "minuut|minuten", "pt": "minuto|minutos", "pl": "minuta minutę|minuty minut",
        "ru": "минута минуту|минуты минут", "zh": "分钟 分鐘", "ja": "分 分間", "ar": "دقيقة|دقائق دقيقتين",
    },
    "hour": {
        "en": "hour|hours", "fr": "heure|heures", "de": "stunde|stunden", "es": "hora|horas", "it": "ora|ore",
        "nl": "uur|uur uren", "pt": "hora|horas", "pl": "godzina godzinę|godziny godzin", "ru": "час|часа часов",
        "zh": "小时 小時 钟头", "ja": "時 時間", "ar": "ساعة|ساعات ساعتين",
    },
    "day": {
        "en": "day|days", "fr": "jour|jours", "de": "tag|tage tagen", "es": "día|días", "it": "giorno|giorni",
        "nl": "dag|dagen", "pt": "dia|dias", "pl": "dzień doba dobę dnia|dni doby dób",
        "ru": "день сутки|дня дней суток", "zh": "日 天", "ja": "日 日間", "ar": "يوم|يوما أيام يومين",
    },
    "night": {
        "en": "night|nights", "fr": "nuit|nuits", "de": "nacht|nächte nächten", "es": "noche|noches",
        "it": "notte|notti", "nl": "nacht|nachten", "pt": "noite|noites", "pl": "noc|noce nocy",
        "ru": "ночь|ночи ночей", "zh": "晚", "ja": "泊", "ar": "ليلة|ليال ليلتين",
    },
    "week": {
        "en": "week|weeks", "fr": "semaine|semaines", "de": "woche|wochen", "es": "semana|semanas",
        "it": "settimana|settimane", "nl": "week|weken", "pt": "semana|semanas",
        "pl": "tydzień tygodnia tygodniu|tygodnie tygodni", "ru": "неделя неделю|недели недель",
        "zh": "周 週 星期 礼拜", "ja": "週 週間", "ar": "أسبوع|أسبوعا أسابيع أسبوعين",
    },
    "month": {
        "en": "month|months", "fr": "mois|mois", "de": "monat|monate monaten", "es": "mes|meses", "it": "mese|mesi",
        "nl": "maand|maanden", "pt": "mês|meses", "pl": "miesiąc miesiąca miesiącu|miesiące miesięcy",
        "ru": "месяц|месяца месяцев", "zh": "月 个月 個月", "ja": "月 か月 ヶ月 ヵ月 カ月 ケ月 箇月",
        "ar": "شهر|شهرا أشهر شهور شهرين",
    },
    "quarter": {
        "en": "quarter|quarters", "fr": "trimestre|trimestres", "de": "quartal|quartale quartalen",
        "es": "trimestre|trimestres", "it": "trimestre|trimestri", "nl": "kwartaal|kwartalen",
        "pt": "trimestre|trimestres", "pl": "kwartał kwartału|kwartały kwartałów", "ru": "квартал|квартала кварталов",
        "zh": "季 季度", "ja": "四半期", "ar": "ربع|أرباع",
    },
    "year": {
        "en": "year annum|years", "fr": "an année|ans années", "de": "jahr|jahre jahren", "es": "año|años",
        "it": "anno|anni", "nl": "jaar|jaar jaren", "pt": "ano|anos", "pl": "rok roku|lata lat", "ru": "год|года лет",
        "zh": "年", "ja": "年 年間", "ar": "سنة عام|سنوات أعوام سنتين عامين",
    },
}  # fmt: skip
# In a word: “daily”. A star stands for any ending.
EACH: dict[str, dict[str, str]] = {
    "minute": {"ru": "ежеминутн*"},
    "hour": {
        "en": "hourly", "de": "stündlich*", "pl": "godzinow*", "ru": "ежечасн* почасов*", "zh": "时薪 按小时",
        "ja": "時給",
    },
    "day": {
        "en": "daily nightly", "fr": "quotidien* journalier* journalièr*", "de": "täglich* nachts",
        "es": "diario* diaria*", "it": "giornalier* giornalmente quotidian*", "nl": "dagelijks* nachts",
        "pt": "diário* diária*", "pl": "dziennie dzienny* dzienna* dzienne* codzienn*",
        "ru": "ежедневн* посуточн*", "zh": "按日 按天 日租 日薪", "ja": "日額 日給", "ar": "يوميا يومي يومية",
    },
    "week": {
        "en": "weekly", "fr": "hebdomadaire*", "de": "wöchentlich*", "es": "semanal*", "it": "settimanal*",
        "nl": "wekelijks*", "pt": "semanal* semanais", "pl": "tygodniow* cotygodniow*", "ru": "еженедельн*",
        "zh": "按周 周租 周薪", "ja": "週給", "ar": "أسبوعيا أسبوعي أسبوعية",
    },
    "month": {
        "en": "monthly", "fr": "mensuel*", "de": "monatlich*", "es": "mensual*", "it": "mensil*", "nl": "maandelijks*",
        "pt": "mensal* mensais", "pl": "miesięczn* comiesięczn*", "ru": "ежемесячн* помесячн*",
        "zh": "按月 月费 月費 月租 月薪 月付 包月", "ja": "月額 月給 月謝", "ar": "شهريا شهري شهرية",
    },
    "quarter": {
        "en": "quarterly", "fr": "trimestriel*", "de": "vierteljährlich* quartalsweise", "es": "trimestral*",
        "it": "trimestral*", "nl": "driemaandelijks*", "pt": "trimestral* trimestrais", "pl": "kwartaln*",
        "ru": "ежеквартальн*", "zh": "按季 季付", "ar": "فصليا فصلي فصلية",
    },
    "year": {
        "en": "yearly annually annual", "fr": "annuel*", "de": "jährlich*", "es": "anual*", "it": "annual*",
        "nl": "jaarlijks*", "pt": "anual* anuais", "pl": "rocznie roczny* roczna* roczne* coroczn*", "ru": "ежегодн*",
        "zh": "按年 年费 年費 年租 年薪 年付", "ja": "年額 年会費 年俸", "ar": "سنويا سنوي سنوية",
    },
}  # fmt: skip
_WITH_ARTICLE = {"ar": "ال"}


def _forms(unit: str, language: str) -> list[str]:
    forms = folded(NAMES[unit][language].replace("|", " ")).split()
    article = _WITH_ARTICLE.get(language)
    return [*forms, *(article + form for form in forms)] if article else forms


def _is_unspaced(form: str) -> bool:
    return bool(UNSPACED_RUN.match(form))


def _alternatives(forms: Iterable[str]) -> str:
    return "|".join(sorted({*forms}, key=lambda form: (-len(form), form)))


# A night is compared as a day: what is done daily may be done nightly.
PERIODS = {
    form: "day" if unit == "night" else unit
    for unit, names in NAMES.items()
    for language in names
    for form in _forms(unit, language)
}
# What a number counts, in scripts that part words.
COUNTED = frozenset(
    form for names in NAMES.values() for text in names.values() for form in folded(text.partition("|")[2]).split()
)
SPELT = {  # each in its spellings, in those scripts
    unit: [form for language in names for form in _forms(unit, language) if not _is_unspaced(form)]
    for unit, names in NAMES.items()
}
_SAID = {
    form: unit
    for unit, said in EACH.items()
    for language, text in said.items()
    for word in folded(text).split()
    for form in (word, _WITH_ARTICLE.get(language, "") + word)
}
UNIT_OF = PERIODS | {form.rstrip("*"): unit for form, unit in _SAID.items()}
UNIT_OF |= {f"{day}曜": "week" for day in "月火水木金土日"}  # “every Monday”; without their second sign months and days
_SPACED, _UNSPACED = (
    _alternatives(form for form in PERIODS if _is_unspaced(form) is unspaced) for unspaced in (False, True)
)
_LONG = _alternatives(form for form in PERIODS if _is_unspaced(form) and len(form) > 1)
_ROOTS = _alternatives(form[:-1] for form in _SAID if form.endswith("*"))
_WORDS = _alternatives(form for form in _SAID if not form.endswith("*") and not _is_unspaced(form))
_EACH = r"per|each|every|pro|je|jede[nmrs]?|par|chaque|por|cada|ogni|elke?|iedere?|kazd\w*|кажд\w*|كل|لكل"
_PER = rf"{_EACH}|by the|(?:im|am|in der)(?!\s\w+\s(?:der|des|nach|vor)\b)|a[lo]|alla|za|na|co|в|за|في"
BY_EACH = re.compile(rf"\b(?:{_EACH})\s[^\W\d_]")  # of folded text: “per head”
_BEHIND = "minute|hour|day|week|month|year|heure|hora|semana|mes|ano|settimana|trimestre"
OFTEN = re.compile(
    r"\b(?!(?:each|every|chaque|cada|ogni|al) se[cg]ond)"  # “every second week”
    rf"(?:(?:{_PER})\s|all[’'])+(?:calendar\s|kalender)?(?P<unit>[^\W\d_]+)(?!\s\d)"  # “per day”; not “im Jahr 2024”
    rf"|(?<=[\w€$£¥])\s?/\s?(?:(?P<parted>{_SPACED})\b|(?P<beside>{_UNSPACED}))"  # “€5/day”
    rf"|\b(?:an?|l[’']|la|el)\s?(?P<behind>{_BEHIND})\b"  # “a day” and “l'heure”, behind an amount
    rf"|\b(?P<root>{_ROOTS})\w*|\b(?P<word>{_WORDS})\b|(?P<alone>{_alternatives(filter(_is_unspaced, _SAID))})"
    rf"|[每毎]一?[个個]?(?:(?P<weekday>[月火水木金土日]曜)|(?P<each>{_UNSPACED}))|(?P<for>{_UNSPACED})(?:あたり|当たり|につき|ごと)"
)
NAMED = re.compile(rf"一(?P<one>{_UNSPACED})|(?P<long>{_LONG})")


@lru_cache(maxsize=2048)
def rates(text: str) -> dict[str, str]:
    """The periods by which a text says how often or for how long, each with the words that say it."""
    found: dict[str, str] = {}
    for match in OFTEN.finditer(folded(text)):
        if unit := UNIT_OF.get(next(filter(None, match.groups()))):
            found.setdefault(unit, match[0])
    return found


def periods_in(text: str) -> set[str]:
    """Those that a text names in any way. “An” is one in French alone."""
    article = {"an"} if language_of(text) != "fr" else set()
    named = {PERIODS[word] for word in tokens(text) if word in PERIODS.keys() - article}
    unspaced = (PERIODS[one["one"] or one["long"]] for one in NAMED.finditer(folded(text)))
    return named.union(unspaced, rates(text))
