"""Weekdays and months, and what each is shortened to, by language of the answers. Pure.

Shortened, many are words of their own: “Do” and “So”, “mar” and “set”. A rule tells by what stands beside them.
"""

from collections.abc import Iterator, Mapping

from knowledge.texts.words import folded

Named = Mapping[str, str]  # by language; a bar parts one from the next, in their order

DAYS: Named = {
    "en": "monday mondays|tuesday tuesdays|wednesday wednesdays|thursday thursdays|friday fridays|saturday saturdays"
    "|sunday sundays",
    "de": "montag montags|dienstag dienstags|mittwoch mittwochs|donnerstag donnerstags|freitag freitags"
    "|samstag samstags sonnabend|sonntag sonntags",
    "fr": "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
    "es": "lunes|martes|miércoles|jueves|viernes|sábado|domingo",
    "it": "lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica",
    "nl": "maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
    "pt": "segunda-feira|terça-feira|quarta-feira|quinta-feira|sexta-feira|sábado|domingo",
    "pl": "poniedziałek poniedziałki poniedziałku|wtorek wtorki wtorku|środa środę środy|czwartek czwartki czwartku"
    "|piątek piątki piątku|sobota sobotę soboty|niedziela niedzielę niedziele",
    "ru": "понедельник понедельникам|вторник вторникам|среда среду средам|четверг четвергам|пятница пятницу пятницам"
    "|суббота субботу субботам|воскресенье воскресеньям",
    "zh": "周一 星期一|周二 星期二|周三 星期三|周四 星期四|周五 星期五|周六 星期六|周日 星期日",
    "ja": "月曜 月曜日|火曜 火曜日|水曜 水曜日|木曜 木曜日|金曜 金曜日|土曜 土曜日|日曜 日曜日",
    "ar": "الاثنين|الثلاثاء|الأربعاء|الخميس|الجمعة|السبت|الأحد",
}
SHORT_DAYS: Named = {
    "en": "Mon|Tue Tues|Wed|Thu Thur Thurs|Fri|Sat|Sun", "de": "Mo|Di|Mi|Do|Fr|Sa|So",
    "fr": "lun|mar|mer|jeu|ven|sam|dim", "es": "lun|mar|mié|jue|vie|sáb|dom", "it": "lun|mar|mer|gio|ven|sab|dom",
    "nl": "ma|di|wo|do|vr|za|zo", "pt": "seg|ter|qua|qui|sex|sáb|dom", "pl": "pon|wt|śr|czw|pt|sob|niedz",
    "ru": "пн|вт|ср|чт|пт|сб|вс", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
MONTHS: Named = {
    "en": "january|february|march|april|may|june|july|august|september|october|november|december",
    "de": "januar jänner|februar feber|märz|april|mai|juni|juli|august|september|oktober|november|dezember",
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    "es": "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre setiembre|octubre|noviembre|diciembre",
    "it": "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre",
    "nl": "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
    "pt": "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
    # No Polish “marca”, which is a brand in Spanish.
    "pl": "styczeń stycznia styczniu|luty lutego lutym|marzec marcu|kwiecień kwietnia kwietniu|maj maja maju"
    "|czerwiec czerwca czerwcu|lipiec lipca lipcu|sierpień sierpnia sierpniu|wrzesień września wrześniu"
    "|październik października październiku|listopad listopada listopadzie|grudzień grudnia grudniu",
    "ru": "январь января январе|февраль февраля феврале|март марта марте|апрель апреля апреле|май мая мае"
    "|июнь июня июне|июль июля июле|август августа августе|сентябрь сентября сентябре|октябрь октября октябре"
    "|ноябрь ноября ноябре|декабрь декабря декабре",
    "zh": "", "ja": "",
    "ar": "يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر",
}  # fmt: skip
SHORT_MONTHS: Named = {
    "en": "jan|feb||apr||jun|jul|aug|sep sept|oct|nov|dec", "de": "jan|feb||apr||jun|jul|aug|sep sept|okt|nov|dez",
    "fr": "janv|févr||avr|||juil||sept|oct|nov|déc", "es": "ene|feb||abr||jun|jul||sept|oct|nov|dic",
    "it": "|feb||apr|||||sett|ott|nov|dic", "nl": "jan|feb|mrt|apr||jun|jul|aug|sept|okt|nov|dec",
    "pt": "jan|fev||abr||jun|jul||||nov|dez", "pl": "", "ru": "", "zh": "", "ja": "", "ar": "",
}  # fmt: skip


def in_order(*named: Named, languages: frozenset[str] = frozenset()) -> Iterator[tuple[int, str, str]]:
    """Place, language and each of its names as it is written: of these languages, or of all."""
    for one in named:
        for language, text in one.items():
            if not languages or language in languages:
                for place, names in enumerate(text.split("|")):
                    yield from ((place, language, name) for name in names.split())


def places(*named: Named) -> dict[str, int]:
    """The place of each name, folded."""
    return {folded(name): place for place, _, name in in_order(*named)}
