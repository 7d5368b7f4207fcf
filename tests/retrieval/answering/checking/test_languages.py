"""What is compared in every language of the answers, as docs/answers.md says."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

import pytest

from knowledge.texts.languages import calendar, determiners, little_words
from retrieval.answering import checking
from retrieval.answering.checking.periods import NAMES
from retrieval.answering.phrases import IN
from tests.retrieval.answering.checking.pairs import holds

# What a passage says, and the same with another word: it must not be borne out.
PAIRS = {
    "numbers, units, currencies": {
        "en": "The locker costs {}./5 euros/6 euros", "fr": "Le casier coûte {}./5 euros/6 euros",
        "de": "Das Schließfach kostet {}./5 Euro/6 Euro", "es": "La taquilla cuesta {}./5 euros/6 euros",
        "it": "L'armadietto costa {}./5 euro/6 euro", "nl": "Het kluisje kost {}./5 euro/6 euro",
        "pt": "O cacifo custa {}./5 euros/6 euros", "pl": "Szafka kosztuje {}./5 euro/6 euro",
        "ru": "Шкафчик стоит {}./5 евро/6 евро", "zh": "储物柜的价格是{}。/5欧元/6欧元",
        "ja": "ロッカーの料金は{}です。/5ユーロ/6ユーロ", "ar": "تكلفة الخزانة {}./5 يورو/6 يورو",
    },
    "per day, per month": {
        "en": "The locker costs 5 euros {}./per day/per month", "fr": "Le casier coûte 5 euros {}./par jour/par mois",
        "de": "Das Schließfach kostet 5 Euro {}./pro Tag/im Monat",
        "es": "La taquilla cuesta 5 euros {}./por día/al mes", "it": "L'armadietto costa 5 euro {}./al giorno/al mese",
        "nl": "Het kluisje kost 5 euro {}./per dag/per maand", "pt": "O cacifo custa 5 euros {}./por dia/por mês",
        "pl": "Szafka kosztuje 5 euro {}./za dzień/za miesiąc", "ru": "Шкафчик стоит 5 евро {}./в день/в месяц",
        "zh": "储物柜{}5欧元。/每天/每月", "ja": "ロッカーの料金は{}5ユーロです。/毎日/毎月",
        "ar": "تكلفة الخزانة 5 يورو {}./في اليوم/في الشهر",
    },
    "denied": {
        "en": "Guests {} use the sauna./may/may not",
        "fr": "Les visiteurs {} utiliser le sauna./peuvent/ne peuvent pas",
        "de": "Gäste dürfen die Sauna {}./benutzen/nicht benutzen",
        "es": "Los visitantes {} usar la sauna./pueden/no pueden",
        "it": "Gli ospiti {} usare la sauna./possono/non possono",
        "nl": "Gasten mogen de sauna {}./gebruiken/niet gebruiken",
        "pt": "Os visitantes {} usar a sauna./podem/não podem", "pl": "Goście {} korzystać z sauny./mogą/nie mogą",
        "ru": "Гости {} пользоваться сауной./могут/не могут", "zh": "客人{}使用桑拿房。/可以/不可以",
        "ja": "ゲストはサウナを利用{}。/できます/できません", "ar": "{} للضيوف استخدام الساونا./يمكن/لا يمكن",
    },
    "at least, at most": {
        "en": "A group has {} 10 people./at least/at most", "fr": "Un groupe compte {} 10 personnes./au moins/au plus",
        "de": "Eine Gruppe hat {} 10 Personen./mindestens/höchstens",
        "es": "Un grupo tiene {} 10 personas./al menos/como máximo",
        "it": "Un gruppo ha {} 10 persone./almeno/al massimo",
        "nl": "Een groep heeft {} 10 personen./minstens/hoogstens",
        "pt": "Um grupo tem {} 10 pessoas./pelo menos/no máximo",
        "pl": "Grupa liczy {} 10 osób./co najmniej/co najwyżej", "ru": "В группе {} 10 человек./не менее/не более",
        "zh": "每组{}10人。/至少/最多", "ja": "グループは{}10人です。/最低/最大",
        "ar": "تضم المجموعة 10 أشخاص على {}./الأقل/الأكثر",
    },
    "may, must": {
        "en": "Members {} wear a badge./may/must", "fr": "Les membres {} porter un badge./peuvent/doivent",
        "de": "Mitglieder {} ein Abzeichen tragen./können/müssen",
        "es": "Los socios {} llevar una insignia./pueden/deben",
        "it": "I soci {} portare un distintivo./possono/devono",
        "nl": "Leden {} een badge dragen./mogen/moeten", "pt": "Os membros {} usar um crachá./podem/devem",
        "pl": "Członkowie {} nosić odznakę./mogą/muszą", "ru": "Участники {} носить значок./могут/должны",
        "zh": "会员{}佩戴徽章。/可以/必须", "ja": "会員はバッジを着用{}。/できます/しなければなりません",
        "ar": "{} على الأعضاء ارتداء شارة./يجوز/يجب",
    },
    "and, or": {
        "en": "Guests must show a passport {} a card./or/and",
        "fr": "Vous devez montrer un passeport {} une carte./ou/et",
        "de": "Sie müssen einen Pass {} eine Karte zeigen./oder/und",
        "es": "Debe mostrar un pasaporte {} una tarjeta./o/y",
        "it": "Deve mostrare un passaporto {} una carta./o/e", "nl": "U moet een paspoort {} een kaart tonen./of/en",
        "pt": "Deve mostrar um passaporte {} um cartão./ou/e", "pl": "Musisz pokazać paszport {} kartę./lub/i",
        "ru": "Вы должны показать паспорт {} карту./или/и", "zh": "您必须出示护照{}会员卡。/或/和",
        "ja": "パスポート{}カードを提示しなければなりません。/または/と",
        "ar": "يجب إظهار جواز السفر {}البطاقة./أو /و",
    },
    "numbers in words": {
        "en": "A group has {} members./three/four", "fr": "Un groupe compte {} membres./trois/quatre",
        "de": "Eine Gruppe hat {} Mitglieder./drei/vier", "es": "Un grupo tiene {} miembros./tres/cuatro",
        "it": "Un gruppo ha {} membri./tre/quattro", "nl": "Een groep heeft {} leden./drie/vier",
        "pt": "Um grupo tem {} membros./três/quatro", "pl": "Grupa liczy {} członków./trzech/czterech",
        "ru": "Группа состоит из {} членов./трёх/четырёх", "zh": "每组有{}名成员。/三/四",
        "ja": "グループは{}人です。/三/四",
        "ar": "تضم المجموعة {} أعضاء./ثلاثة/أربعة",
    },
    "months": {
        "en": "The pool closes in {}./June/July", "fr": "La piscine ferme en {}./juin/juillet",
        "de": "Das Schwimmbad schließt im {}./Juni/Juli", "es": "La piscina cierra en {}./junio/julio",
        "it": "La piscina chiude a {}./giugno/luglio", "nl": "Het zwembad sluit in {}./juni/juli",
        "pt": "A piscina fecha em {}./junho/julho", "pl": "Basen zamyka się w {}./czerwcu/lipcu",
        "ru": "Бассейн закрывается в {}./июне/июле", "zh": "游泳池{}月关闭。/六/七",
        "ja": "プールは{}月に閉まります。/六/七",
        "ar": "يغلق المسبح في {}./يونيو/يوليو",
    },
    "weekdays": {
        "en": "The desk is closed on {}./Monday/Tuesday", "fr": "Le bureau est fermé le {}./lundi/mardi",
        "de": "Das Büro ist am {} geschlossen./Montag/Dienstag",
        "es": "La oficina cierra el {}./lunes/martes",
        "it": "L'ufficio è chiuso il {}./lunedì/martedì", "nl": "Het kantoor is op {} gesloten./maandag/dinsdag",
        "pt": "O balcão está fechado na {}./segunda-feira/terça-feira",
        "pl": "Biuro jest zamknięte we {}./wtorek/czwartek",
        "ru": "Офис закрыт в {}./понедельник/вторник", "zh": "办公室{}关闭。/周一/周二",
        "ja": "事務所は{}に閉まります。/月曜日/火曜日", "ar": "المكتب مغلق يوم {}./الاثنين/الثلاثاء",
    },
    "all, some": {
        "en": "{} rooms have a balcony./Some/All", "fr": "{} chambres ont un balcon./Certaines/Toutes les",
        "de": "{} Zimmer haben einen Balkon./Einige/Alle", "es": "{} habitaciones tienen balcón./Algunas/Todas las",
        "it": "{} camere hanno un balcone./Alcune/Tutte le", "nl": "{} kamers hebben een balkon./Sommige/Alle",
        "pt": "{} quartos têm varanda./Alguns/Todos os", "pl": "{} pokoje mają balkon./Niektóre/Wszystkie",
        "ru": "{} номера имеют балкон./Некоторые/Все", "zh": "{}房间有阳台。/有些/所有",
        "ja": "{}の部屋にバルコニーがあります。/一部/すべて", "ar": "{} الغرف لها شرفة./بعض/كل",
    },
}  # fmt: skip

# What a passage says, what it bears out in other words, and what it does not, in languages whose words the rule knows.
OTHERS = {
    "only some": {
        "it": "Solo i direttori possono approvare la fattura./I direttori possono approvare la fattura."
        "/I dipendenti possono approvare la fattura.",
        "nl": "Alleen leidinggevenden mogen de factuur goedkeuren./Leidinggevenden mogen de factuur goedkeuren."
        "/Medewerkers mogen de factuur goedkeuren.",
        "pt": "Apenas os diretores podem aprovar a fatura./Os diretores podem aprovar a fatura."
        "/Os funcionários podem aprovar a fatura.",
        "pl": "Tylko kierownicy mogą zatwierdzić fakturę./Kierownicy mogą zatwierdzić fakturę."
        "/Pracownicy mogą zatwierdzić fakturę.",
        "ru": "Только менеджеры могут утвердить счёт./Менеджеры могут утвердить счёт./Сотрудники могут утвердить счёт.",
        "zh": "只有经理可以批准发票。/经理可以批准发票。/员工可以批准发票。",
    },
    "except": {
        "pl": "Wszystkie sale oprócz sauny są ogrzewane./Wszystkie sale są ogrzewane oprócz sauny."
        "/Sauna jest ogrzewana.",
        "ja": "契約社員以外の従業員はバッジを受け取ります。/バッジは契約社員以外の従業員が受け取ります。"
        "/契約社員はバッジを受け取ります。",
    },
    "unless": {
        "fr": "La visite commence à midi sauf s'il pleut./Sauf s'il pleut, la visite commence à midi."
        "/La visite commence à midi.",
        "pl": "Wycieczka zaczyna się w południe, chyba że pada deszcz."
        "/Chyba że pada deszcz, wycieczka zaczyna się w południe./Wycieczka zaczyna się w południe.",
        "zh": "参观中午开始，除非下雨。/除非下雨，参观中午开始。/参观中午开始。",
        "ja": "雨が降らない限り、ツアーは正午に始まります。/ツアーは、雨が降らない限り正午に始まります。"
        "/ツアーは正午に始まります。",
    },
    "only if": {
        "nl": "De vergoeding wordt alleen betaald als het ticket ongebruikt is."
        "/Als het ticket ongebruikt is, wordt de vergoeding betaald./De vergoeding wordt betaald.",
        "pt": "O reembolso é pago somente se o bilhete estiver intacto."
        "/Se o bilhete estiver intacto, o reembolso é pago./O reembolso é pago.",
        "pl": "Zwrot jest wypłacany tylko wtedy, gdy bilet jest nieużywany."
        "/Gdy bilet jest nieużywany, zwrot jest wypłacany./Zwrot jest wypłacany.",
        "zh": "只有票未使用时才退款。/票未使用时退款。/票可以退款。",
        "ja": "切符が未使用の場合に限り、料金は払い戻されます。/切符が未使用の場合、料金は払い戻されます。"
        "/料金は払い戻されます。",
        "ar": "يُدفع المبلغ فقط إذا كانت التذكرة سليمة./إذا كانت التذكرة سليمة يُدفع المبلغ./يُدفع المبلغ.",
    },
    "if": {
        "nl": "Leden krijgen een vergoeding als de cursus vervalt./Als de cursus vervalt, krijgen leden een vergoeding."
        "/Leden krijgen een vergoeding.",
        "pt": "Os sócios recebem um reembolso se o curso for cancelado."
        "/Se o curso for cancelado, os sócios recebem um reembolso./Os sócios recebem um reembolso.",
        "pl": "Członkowie otrzymują zwrot, jeśli kurs zostanie odwołany."
        "/Jeśli kurs zostanie odwołany, członkowie otrzymują zwrot./Członkowie otrzymują zwrot.",
        "ru": "Участники получают возврат, если курс отменён./Если курс отменён, участники получают возврат."
        "/Участники получают возврат.",
        "zh": "如果课程取消，会员可获得退款。/课程取消，会员可获得退款。/会员可获得退款。",
        "ar": "يحصل الأعضاء على استرداد إذا ألغيت الدورة./إذا ألغيت الدورة يحصل الأعضاء على استرداد."
        "/يحصل الأعضاء على استرداد.",
    },
    "all": {
        "it": "I soci che pagano ricevono un armadietto./Ricevono un armadietto i soci che pagano."
        "/Tutti i soci ricevono un armadietto.",
        "pl": "Członkowie, którzy płacą, otrzymują szafkę./Szafkę otrzymują członkowie, którzy płacą."
        "/Wszyscy członkowie otrzymują szafkę.",
        "ru": "Участники, которые платят, получают шкафчик./Шкафчик получают участники, которые платят."
        "/Все участники получают шкафчик.",
        "ar": "الأعضاء الذين يدفعون يحصلون على خزانة./يحصل الأعضاء الذين يدفعون على خزانة."
        "/جميع الأعضاء يحصلون على خزانة.",
    },
    "before, after": {
        "pt": "A porta abre antes do concerto./Antes do concerto a porta abre./A porta abre depois do concerto.",
        "pl": "Płatność następuje przed dostawą./Przed dostawą następuje płatność./Dostawa następuje przed płatnością.",
        "zh": "音乐会之前开门。/在音乐会之前开门。/音乐会之后开门。",
        "ja": "コンサートの前に開場します。/開場はコンサートの前にします。/コンサートの後に開場します。",
        "ar": "يفتح الباب قبل الحفل./قبل الحفل يفتح الباب./يفتح الباب بعد الحفل.",
    },
    "open, closed": {
        "nl": "Het museum is open op feestdagen./Op feestdagen is het museum open."
        "/Het museum is gesloten op feestdagen.",
        "pt": "O museu está aberto nos feriados./Nos feriados o museu está aberto./O museu está fechado nos feriados.",
        "pl": "Muzeum jest otwarte w święta./W święta muzeum jest otwarte./Muzeum jest zamknięte w święta.",
        "ja": "博物館は祝日に開館します。/祝日に博物館は開館します。/博物館は祝日に閉館します。",
    },
    "allowed, forbidden": {
        "it": "I cani sono ammessi nel giardino./Nel giardino sono ammessi i cani./I cani sono vietati nel giardino.",
        "pt": "Os cães são permitidos no jardim./No jardim são permitidos os cães./Os cães são proibidos no jardim.",
        "pl": "Psy są dozwolone w ogrodzie./W ogrodzie psy są dozwolone./Psy są zabronione w ogrodzie.",
        "ja": "庭で犬は許可されています。/犬は庭で許可されています。/庭で犬は禁止されています。",
    },
    "without": {
        "pl": "Wejście jest możliwe bez karty./Możliwe jest wejście bez karty./Wejście jest możliwe z kartą.",
        "ja": "チケットなしで入場できます。/入場はチケットなしでできます。/チケットありで入場できます。",
        "ar": "الدخول ممكن بدون تذكرة./بدون تذكرة الدخول ممكن./الدخول ممكن مع تذكرة.",
    },
    "will be, was": {
        "pt": "O orçamento será aprovado em março./Em março será aprovado o orçamento."
        "/O orçamento foi aprovado em março.",
        "pl": "Budżet zostanie zatwierdzony w marcu./W marcu zostanie zatwierdzony budżet."
        "/Budżet został zatwierdzony w marcu.",
        "ru": "Бюджет будет утверждён в марте./В марте будет утверждён бюджет./Бюджет был утверждён в марте.",
    },
    "who does what to whom": {
        "it": "Il venditore paga al compratore 100 euro./Al compratore il venditore paga 100 euro."
        "/Il compratore paga al venditore 100 euro.",
        "pt": "O vendedor paga ao comprador 100 euros./Ao comprador o vendedor paga 100 euros."
        "/O comprador paga ao vendedor 100 euros.",
        "pl": "Sprzedawca płaci kupującemu 100 euro./Kupującemu płaci sprzedawca 100 euro."
        "/Kupujący płaci sprzedawcy 100 euro.",
    },
    "nothing said of others": {
        "nl": "Leden mogen de sauna op zondag gebruiken./Op zondag mogen leden de sauna gebruiken."
        "/Alleen leden mogen de sauna op zondag gebruiken.",
        "pt": "Os sócios podem usar a sauna ao domingo./Ao domingo os sócios podem usar a sauna."
        "/Apenas os sócios podem usar a sauna ao domingo.",
        "pl": "Członkowie mogą korzystać z sauny w niedzielę./W niedzielę członkowie mogą korzystać z sauny."
        "/Tylko członkowie mogą korzystać z sauny w niedzielę.",
        "ru": "Участники могут пользоваться сауной в воскресенье./В воскресенье участники могут пользоваться сауной."
        "/Только участники могут пользоваться сауной в воскресенье.",
        "zh": "会员周日可以使用桑拿房。/周日会员可以使用桑拿房。/只有会员周日可以使用桑拿房。",
        "ja": "会員は日曜日にサウナを利用できます。/日曜日に会員はサウナを利用できます。"
        "/会員だけが日曜日にサウナを利用できます。",
        "ar": "يمكن للأعضاء استخدام الساونا يوم الأحد./يوم الأحد يمكن للأعضاء استخدام الساونا."
        "/يمكن للأعضاء فقط استخدام الساونا يوم الأحد.",
    },
}


MODULES = (
    calendar,
    determiners,
    little_words,
    *(import_module(f"{checking.__name__}.{m.name}") for m in iter_modules(checking.__path__)),
)
TABLES = {
    f"{module.__name__}.{name}": said
    for module in MODULES
    for name, said in vars(module).items()
    if isinstance(said, dict) and "en" in said and said.keys() <= IN.keys()
}
UNSPACED = {"zh", "ja"}  # words are looked for where spaces part them
GAPS = {  # auxiliaries that nothing looks for; numbers, of which other languages have theirs in `_OTHERS`
    "AUXILIARIES": {"ar"}, "BELOW_HUNDRED": IN, "NO_NUMERALS": IN, "_TENS": IN, "_UP_TO_NINETEEN": IN,
}  # fmt: skip


@pytest.mark.parametrize(("name", "said"), {**TABLES, **NAMES}.items())
def test_every_language_of_the_answers_has_its_words_or_none(name: str, said: Mapping[str, str]) -> None:
    lacking = IN.keys() - said.keys() - UNSPACED
    assert lacking <= {*GAPS.get(name.rsplit(".", maxsplit=1)[-1], ())}


@pytest.mark.parametrize("language", IN)
@pytest.mark.parametrize("compared", PAIRS)
def test_another_word_is_not_borne_out_in_any_language(compared: str, language: str) -> None:
    frame, there, said = PAIRS[compared][language].rsplit("/", 2)
    assert holds(frame.format(there), frame.format(there))
    assert not holds(frame.format(said), frame.format(there))


@pytest.mark.parametrize("row", [f"{kind}: {language}" for kind, said in OTHERS.items() for language in said])
def test_what_is_told_apart_in_other_languages(row: str) -> None:
    kind, language = row.split(": ")
    passage, true, false = OTHERS[kind][language].split("/")
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize("reply", ["Tak", "Nie", "No", "Nee", "Não", "Нет", "لا", "いいえ"])
def test_a_reply_in_front_denies_nothing(reply: str) -> None:
    assert holds(f"{reply}, Szafka 5 euro.", "Szafka 5 euro.")
