"""The words of requests in four languages, as `resources/requests.toml` has them, and what single words mean.

Pure functions over tables that are read and compiled once; any thread.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.message_classes import clearest_language
from desktop.paths import resources
from desktop.tools.text import without_accents

_ACCENTED = {"ä": "(?:ä|ae)", "ö": "(?:ö|oe)", "ü": "(?:ü|ue)", "ß": "(?:ß|ss)"}


def typed(pattern: str) -> str:
    """A pattern whose accents may be left out, as people type: `anade` for `añade`."""
    pieces: list[str] = []
    is_escaped = is_class = False
    for letter in pattern:
        plain = unicodedata.normalize("NFD", letter)[0]
        if is_class and plain != letter:
            pieces.append(letter + plain)
        elif plain != letter or letter == "ß":
            pieces.append(_ACCENTED.get(letter, f"[{letter}{plain}]"))
        else:
            pieces.append(letter)
        if not is_escaped:
            is_class = letter == "[" or (is_class and letter != "]")
        is_escaped = letter == "\\" and not is_escaped
    return "".join(pieces)


# Of what describes a file of the user's own, or asks what only such a file tells; else nobody looks further.
MAY_DESCRIBE = re.compile(
    r"list|to-?do|grocer|note|minutes|contract|lease|invoice|bill|receipt|letter|report|budget|expens|recipe|"
    r"diary|journal|(?<!\w)cv(?!\w)|r[eé]sum|spreadsheet|document|payslip|paperwork|policy|zettel|notiz|"
    r"protokoll|vertrag|rechnung|quittung|brief|bericht|haushaltsplan|ausgaben|rezept|tagebuch|lebenslauf|"
    r"tabelle|dokument|police|unterlagen|compte|contrat|bail|factur|reçu|ticket|lettre|courrier|rapport|"
    r"dépenses|recette|tableau|relevé|fiche|acta|recibo|carta|informe|presupuesto|gasto|receta|diario|"
    r"currículum|tabla|nómina|apuntes|nota|spen[dt]|spending|(?<!\w)(?:pay|owe|earn)|to (?:do|buy|get)|plate|"
    r"costs|geb|zahl|schuld|verdien|muss|soll|kosten|abrechnung|combien|dois|j'ai (?:quoi )?à|frais|"
    r"cu[aá]nto|(?<!\w)(?:tengo|tenemos)(?!\w)",
    re.IGNORECASE,
)
# Of what ends an order that is taken back by the same message, a word; else nobody looks further.
MAY_TAKE_BACK = re.compile(
    r"(?<!\w)(?:no+|nope|nah|not|stop|do not|don['’]?t|never ?mind|scratch|forget|changed|leave|keep|cancel|"
    r"nein|ne+|nö|nicht|vergiss|lass|überlegt|behalt|abbrechen|bleib|non|nan|pas|laisse|oublie|annule|changé|"
    r"rien|garde|alto|d[ée]jal|olv[ií]d|cancela|cambi|gu[aá]rd|cons[eé]rv)\w*\W*(?:\w+\W+){0,5}\w*\W*$",
    re.IGNORECASE,
)
# Looked for in every question before anything else is read, so it must cost nothing: where it finds no word,
# no table has one either (a test compares them). Verbs first, then what is asked of files and reminders.
MAY_ACT = re.compile(
    typed(
        r"(?<!\w)(?:undo|revert|reverse|take|roll|put|change|bring|get|restore|cancel|delete|remove|drop|"
        r"forget|clear|"
        r"stop|kill|scrap|turn|move|shift|push|reschedule|postpone|set|replace|swap|exchange|correct|update|"
        r"fix|edit|"
        r"cross|strike|erase|cut|tick|add|append|insert|include|attach|write|note|jot|stick|make|create|"
        r"start|open|"
        r"mention|erwähn|mencion|précis|di (?:que|también|además)|"
        r"tack|slap|scratch|swap|switch|tausch|wechsel|échang|interver|permut|inverse|intercamb|que sean|"
        r"faut|"
        r"brauch|chuck|bung|stuff|dump|tuck|knock|kick|ditch|rub|bump|stopf|hau|schmei|fourre|coll|balanc|"
        r"bazard|"
        r"vire|bot[ae]|cárg|v[uo]ela|vola|echa|écha|"
        r"pop|bung|chuck|shove|preferred|liked|old |"
        r"multipl|divide|divis|split|share|suma|súma|resta|résta|quít|soustr|zieh|give|lass|teile|subtract|"
        r"addier|ping|poke|countdown|nudge|alert|notify|buzz|wake|warn|remind|weck|erinner|rappel|prévien|"
        r"préven|réveil|avert|"
        r"règl|"
        r"program|démarr|activ|inici|"
        r"lanc|recuér|avís|despier|acuér|config|timer|alarm|rename|give|place|file|transfer|throw|stash|"
        r"store|sort|trash|bin|save|keep|record|read|show|display|print|"
        r"view|cat|list|ls|find|search|look|locate|"
        r"mach|nimm|stell|hol|bring|lösch|streich|entfern|stornier|brich|vergiss|sag|verschieb|leg|änder|"
        r"setz|ersetz|"
        r"sors|sort|pose|écha|echa|laiss|oubli|vergiss|hat sich|tauf|baptis|should|soll|belong|gehör|kommt|"
        r"never|"
        r"better|besser|mieux|leave|plus besoin|dis-|tell|péga|haz|lo que|"
        r"tausch|korrigier|füg|ergänz|schreib|pack|notier|häng|trag|tu |erstell|erzeug|benenn|nenn|gib|"
        r"schieb|beweg|räum|steck|wirf|schmeiß|werf|speicher|sicher|lies|lese|öffne|zeig|liste|such|"
        r"annule|défai|remet|revien|restaur|supprim|enlèv|effac|retire|barre|raye|ôte|déplac|report|décal|"
        r"remplac|"
        r"chang|corrig|ajout|rajout|inscri|not|met|écri|insèr|cré|fais|fait|renomm|plac|rang|gliss|transfèr|jet|"
        r"enregistr|sauv|lis|ouvr|montr|affich|trouv|cherch|donne|y ajout|"
        r"deshaz|deshac|anul|reviert|revért|déja|pon|recuper|cancel|borr|elimin|quit|muev|mover|camb|cámb|"
        r"posp|aplaz|"
        r"reemplaz|sustitu|saca|tacha|añad|agreg|apunt|anot|escrib|inclu|mete|inserta|crea|cree|haz|hacer|"
        r"renombr|"
        r"coloc|pasa|guard|traslad|tir[ae]|manda|envía|echa|lee|lea|abr|muestr|muést|enséñ|dame|encuentr|"
        r"busc|localiz"
        r")|\b(?:plus|minus|times|divided by|mal|durch|moins|fois|divisé par|más|menos|por|entre)\s+\d|"
        r"^\W*[-+*/×÷]\s*\d"
        r"|(?:rückgängig|umbenennen|löschen|hinzufügen|anlegen|verschieben)|"
        r"\b(?:in|inside|on|im|auf|dans|en|files?|dateien?|fichiers?|archivos?|says?|contains?|steht|enthält|"
        r"dit|dice|"
        r"contient|contiene|pone|reminders?|alarms?|timers?|erinnerungen|wecker|rappels|recordatorios|"
        r"alarmas|copy|"
        r"copied|kopiert|copié|copiar|copiado|clipboard|zwischenablage|presse-papiers?|portapapeles|erinnern|"
        r"remind|"
        r"do i have|have i|are there|is there|where|habe ich|hab ich|gibt es|wo|wie ?viele|how many|ai-je|"
        r"j'ai|"
        r"il y a|y a-t-il|où|combien|tengo|hay|dónde|cuánt[oa]s|mistake|accident|wrong|versehen)\b"
        # What goes on from the sentence before.
        r"|^\W*(?:and|und|et|y|no|nein|nee|non|oh|oops|ups|oups|sorry|perdón|pardon|actually|wait|same|"
        r"das ?gleiche|dasselbe|la même|lo mismo|pareil|igual|half|double|twice|triple|davon|die hälfte|"
        r"das doppelte|la moitié|le double|la mitad|el doble|i mean|ich mein|rather|plutôt|lieber|mejor|"
        r"je voulais|quería|what about|count|zähl)\b"
        r"|\b(?:genauso|ebenso|too|auch|instead|plutôt|aussi|también)\W*$"
        # A file that is named may have to be read first.
        r"|\w\.[a-z]\w{1,4}\b"
    ),
    re.IGNORECASE,
)
# Small words of the languages in which tools have no words of their own.
OTHER_LANGUAGE = re.compile(
    r"(?<!\w)(?:le|la|les|un|une|des|du|et|dans|est|que|qui|quel\w*|où|avec|pour|mon|ma|mes|moi|je|"
    r"j['’]\w+|tu|il|"
    r"c['’]est|qu['’]\w+|el|los|las|una|y|en|al|es|qué|quién|cómo|cuál\w*|cuándo|dónde|por|para|mi|mis|"
    r"yo|lo|del|"
    r"con)(?!\w)|[¿¡]",
    re.IGNORECASE,
)
LANGUAGES = ("en", "de", "fr", "es")
MOST_LINE_WORDS = 12  # of a list that has one thing a line
PATH = re.compile(r"(?:~|\.{1,2})?/[^\s\"'“”„«»]+|[A-Za-z]:\\[^\s\"'“”„«»]+")
_ENDS_WITH_ENDING = re.compile(r"[^\s/.]\.[A-Za-z]\w{0,4}\Z")
HAS_ENDING = re.compile(r"[^\s/]*[^\s/.]\.[A-Za-z]\w{0,4}")
# All blanks at once (`*+`): taken back one by one, a thousand of them cost seconds.
_QUOTED = re.compile(r"[\"“”„'‘’`«»‹›]\s*+(.+?)\s*[\"“”'‘’`«»‹›]")
_TWO_QUOTED = re.compile(r"[\"”'’`»›][\s,;:]+(?:\S.*?\s)?[\"“„'‘`«‹](?=\S)")
_BULLET = re.compile(r"[ \t]*(?:[-*•+]|\d+[.)]|\[[ x]?\])[ \t]+(?:\[[ x]?\][ \t]+)?")
# The comma of 18,000 parts no things.
LIST_BREAK = re.compile(r"\s*,(?!\d{3}(?!\d))\s*(?:(?:and|und|et|y|e)\s+)?|\s+(?:and|und|et|y|e|&)\s+")

_LIST_WORDS = """
    list liste lista einkaufsliste file datei fichier archivo txt document dokument documento
    folder ordner dossier carpeta
"""
LIST_WORDS = frozenset(_LIST_WORDS.split())  # of any list or file: they tell none from another
_USER_FOLDERS = "downloads documents desktop pictures music videos dokumente schreibtisch bilder musik"
USER_FOLDERS = frozenset(_USER_FOLDERS.split())
_PLURAL = re.compile(
    r"\b(?:them|these|those|both|all|two|three|four|five|six|\d+|files|diese|beide|alle|zwei|drei|vier|"
    r"fünf|sechs|dateien|"
    r"les|ces|deux|trois|quatre|cinq|tous|fichiers|los|las|estos|esos|estas|dos|tres|cuatro|cinco|todos|"
    r"ambos|sie)\b",
    re.IGNORECASE,
)


# "Ann with Anne and Bob with Rob": what one passage becomes, and another one with its own.
PAIRS = re.compile(
    r"(?P<new>.+?),? (?:and|und|et|y) (?P<old>.+?) "
    r"(?:with|by|to|into|durch|gegen|zu|par|en|por|con) (?P<then>.+)",
    re.IGNORECASE,
)
# Before a name that is wanted in the place of another.
RATHER = re.compile(
    r"^(?:(?:rather|instead|better|lieber|besser|doch|bitte|plutôt|mieux|mejor|más bien)\s+)+", re.IGNORECASE
)
REPEATS = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|jede[nrs]?|täglich|wöchentlich|monatlich|(?:mon|diens|donners|"
    r"frei|sams|sonn)tags|"
    r"chaque|tous les|toutes les|quotidien\w*|cada|todos los|todas las|diariamente)\b",
    re.IGNORECASE,
)
# What a part that is not understood may be for the model alone: something to tell or to write.
TELLS = re.compile(
    r"\b(?:what|which|who|why|how|when|tell|say|explain|summar\w+|translat\w+|describe|compare|rewrite|"
    r"shorten|"
    r"draft|poem|story|was|welche\w*|wer|warum|wie|sag\w*|erklär\w*|fass\w*|übersetz\w*|"
    r"beschreib\w*|vergleich\w*|kürz\w*|gedicht|quel\w*|pourquoi|comment|dis|explique|résum\w*|tradu\w*|"
    r"décri\w*|"
    r"qué|cuál\w*|quién|por qué|cómo|di|dime|explica|resum\w*|describe|poema|"
    r"sort\w*|sortier\w*|tri\w*|orden\w*)\b",
    re.IGNORECASE,
)


def is_plural(phrase: str) -> bool:
    return _PLURAL.search(phrase) is not None


_NAMED_AS = re.compile(
    r"^(?:(?:the|a|an|another|das|die|den|eine[nm]?|le|la|une?|el|la|una?)\s+)?"
    r"(?:words?|text|line|item|entry|sentence|phrase|wort|zeile|eintrag|satz|mots?|ligne|palabras?|línea|"
    r"texto|frase)"
    r"(?:\s+(?:saying|that says|reading|with|mit|qui dit|que diga))?:?\s+(?=[\"'“„«‘`])",
    re.IGNORECASE,
)


def is_quoted(text: str) -> bool:
    return _quotation(text) is not None


def _quotation(text: str) -> re.Match[str] | None:
    """All of `text` as one quotation: "'a' and b with 'c'" are two."""
    found = _QUOTED.fullmatch(_NAMED_AS.sub("", text.strip()).strip(" :"))
    return found if found is not None and not _TWO_QUOTED.search(found[1]) else None


def unquoted(text: str) -> str:
    """What stands in quotation marks, also behind "the word"; the text as it is where it has none."""
    found = _quotation(text)
    return found[1] if found is not None else _NAMED_AS.sub("", text.strip()).strip()


def last_part(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def joined(folder: str, name: str) -> str:
    return name if folder in ("", ".") else f"{folder.rstrip('/')}/{name}"


def ending_of(name: str) -> str:
    return name.rsplit(".", 1)[-1].casefold() if "." in name else ""


def named_like(old: str, new: str) -> str:
    """`new` beside `old`, with its ending where none is named."""
    ending = ending_of(last_part(old))
    named = new if _ENDS_WITH_ENDING.search(last_part(new)) or not ending else f"{new}.{ending}"
    return named if "/" in named or "/" not in old else f"{old.rsplit('/', 1)[0]}/{named}"


def stems(text: str) -> frozenset[str]:
    """Words without their plural, so that "the invoices" finds invoice.txt."""
    words = re.findall(r"[^\W_]+", plain_letters(text.casefold()))
    return frozenset(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words)


def plain_letters(text: str) -> str:
    """Without accents, as names of files often are."""
    return without_accents(text)


def shape_of(name: str) -> str:
    """What the names of a series have in common: scan1.txt and scan2.txt, a_x.txt and a_y.txt."""
    return re.sub(r"\d+|(?<=[_ -])[^\W\d_]+(?=\.)", "0", name)


# ".log files", "*.tmp", "les fichiers .log"; without its full stop an ending is a word like any other.
_DOTTED_ENDING = re.compile(
    r"(?:(?:fichiers?|archivos?|ficheros?) )?\*?\.([a-z]\w{0,4})(?:[- ]?(?:files?|dateien))?", re.IGNORECASE
)
_BARE_ENDING = re.compile(
    r"([a-z]\w{0,4})[- ]?(?:files|dateien)|(?:fichiers|archivos|ficheros) ([a-z]\w{0,4})", re.IGNORECASE
)


def endings_of(what: str, there: Collection[str] = ()) -> tuple[str, ...]:
    """Those of the kind of files that `what` names, "photos"; `there` are endings that files have."""
    for kind in sentences()["kinds"].values():
        if re.fullmatch(kind["words"], what, re.IGNORECASE):
            return tuple(kind["endings"])
    if (dotted := _DOTTED_ENDING.fullmatch(what)) is not None:
        return (dotted[1].casefold(),)
    bare = _BARE_ENDING.fullmatch(what)
    ending = (bare[1] or bare[2]).casefold() if bare is not None else ""
    return (ending,) if ending and ending in there else ()


def as_written(wanted: str, text: str) -> str:
    """`wanted` as it stands in `text`, upper and lower case aside; "" where it does not."""
    found = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text, re.IGNORECASE) if wanted else None
    return found[0] if found is not None else ""


def thing_of(line: str) -> str:
    """What a line of a list says, without its sign."""
    return _BULLET.sub("", line, count=1).strip()


def line_of(wanted: str, text: str) -> str:
    """The one line of a list that says `wanted`."""
    lines = [
        line
        for line in text.splitlines()
        if _BULLET.sub("", line, count=1).strip().casefold() == wanted.casefold()
    ]
    return lines[0] if len(lines) == 1 else ""


_COMMA = re.compile(r"\s*,\s*")
_LAST_AND = re.compile(r"(?:\s*,)?\s+(?:and|und|et|y|&)\s+(?!.*(?:,|\s(?:and|und|et|y|&)\s))", re.IGNORECASE)
_COMMA_OR_LAST_AND = re.compile(rf"{_LAST_AND.pattern}|{_COMMA.pattern}", re.IGNORECASE)


def without_thing(wanted: str, line: str, text: str) -> str:
    """What stays of `line`, of `text`, once `wanted` is gone: the other things of a list on one line, else
    "", since "dentist, Tuesday" is one thing.
    """
    bullet = _BULLET.match(line)
    sign = bullet[0] if bullet is not None else ""
    # "Bread and butter" is one thing where that is what goes.
    is_plain = len(line) > LONGEST_LIST or _LAST_AND.search(wanted[:LONGEST_LIST])
    between = _COMMA if is_plain else _COMMA_OR_LAST_AND
    things = between.split(line[len(sign) :].strip())
    joins = between.findall(line[len(sign) :].strip())
    others = [each for each in things if not as_written(wanted, each)]
    is_list = len(things) >= FEWEST_ON_A_LINE or not text.replace(line, "", 1).strip()
    if not is_list or not 0 < len(others) == len(things) - 1:
        return ""
    # The last join stays, which is the "and".
    return sign + "".join(each + join for each, join in zip(others, (*joins[1:], ""), strict=True))


def whole_line(removed: str, text: str) -> str:
    """The line of `text` of which only a remark in brackets would be left without `removed`: "towels" of
    "- towels (cheap ones)"; "" where more is left, or nothing."""
    lines = [each for each in text.splitlines() if removed.strip() and removed.strip() in each]
    if len(lines) != 1 or "\n" in removed.strip():
        return ""
    left = lines[0].replace(removed.strip(), "", 1)
    return lines[0] if re.fullmatch(r"\W*\([^()]*\)\W*", left) else ""


def line_with(wanted: str, text: str) -> str:
    """The one line with `wanted` as whole words; "" where none has it, or several."""
    lines = [each for each in text.splitlines() if as_written(wanted, each)]
    return lines[0] if len(lines) == 1 else ""


def row_of(wanted: str, text: str) -> str:
    """The one row below the head of a table with `wanted` as whole words; "" as `line_with`."""
    return line_with(wanted, "\n".join(text.splitlines()[1:]))


_FIRST = re.compile(
    r"(?:the |die |la |el )?(?:first|erste|première|primera) (?:line|zeile|ligne|línea)", re.IGNORECASE
)
_LATEST = re.compile(
    r"(?:the |die |la |el )?(?:(?:last|letzte|dernière|última) (?:line|zeile|ligne|línea)|línea última)",
    re.IGNORECASE,
)
_NTH = re.compile(
    r"(?:the )?(?:line|zeile|ligne|línea) (?:number |nummer |numéro |número )?(\d+)", re.IGNORECASE
)


def line_number(wanted: str, text: str) -> int | None:
    """Which line "the last line" is, from 0; None where no line is named so."""
    count = len(text.splitlines())
    found = _NTH.fullmatch(wanted)
    at = int(found[1]) - 1 if found is not None else None
    if _FIRST.fullmatch(wanted):
        at = 0
    elif _LATEST.fullmatch(wanted):
        at = count - 1
    return at if at is not None and 0 <= at < count else None


def line_at(wanted: str, text: str) -> str:
    """The line that "the last line" is; "" where no line is named so."""
    at = line_number(wanted, text)
    return text.splitlines()[at] if at is not None else ""


def is_name(text: str) -> bool:
    """Whether a file may be called so: one name, and no sentence with a name in it."""
    words = text.split()
    if not words or any(HAS_ENDING.fullmatch(each.strip(",;:")) for each in words[:-1]):
        return False
    return HAS_ENDING.fullmatch(words[-1]) is not None or (len(words) <= 3 and "," not in text)


def as_list(text: str, before: str, is_quoted: bool) -> str:
    """`text` as the file that ends with `before` writes its lines: one thing a line, with its sign."""
    lines = [line for line in before.splitlines() if line.strip()]
    if not lines:
        return text
    is_list = len(lines) > 1 and all(len(line.split()) <= MOST_LINE_WORDS for line in lines)
    # "Put that into my notes" of an answer: sentences are one thing, whatever they list.
    is_prose = len(text.split()) > MOST_LINE_WORDS and re.search(r"[.!?](?:\s|$)", text) is not None
    is_whole = is_quoted or is_prose or not is_list
    things = [text] if is_whole else [each for each in LIST_BREAK.split(text) if each.strip()]
    bullet = _BULLET.match(lines[-1])
    mark = bullet[0] if bullet is not None and not bullet[0].strip()[0].isdigit() else ""
    mark = re.sub(r"\[[xX]\]", "[ ]", mark)  # what is new is not done yet
    numbered = re.match(r"\s*(\d+)([.)])\s", lines[-1])
    if numbered is not None:
        first = int(numbered[1]) + 1
        return "\n".join(f"{first + at}{numbered[2]} {each.strip()}" for at, each in enumerate(things))
    return "\n".join(f"{mark}{each.strip()}" for each in things)


_HUNG_FR = re.compile(r"^(?P<verb>[^\W\d_]+)-(?P<it>les?|la|l)\b", re.IGNORECASE)
_HUNG_ES = re.compile(r"^(?P<verb>[^\W\d_]{3,}?)(?P<it>l[oa]s?)(?=\s|$)", re.IGNORECASE)


def unhung(clause: str, language: str) -> str:
    """`clause` with the pronoun behind its verb as a word of its own: "supprime le", "borra lo". The accent
    that only the pronoun brings goes with it."""
    if language == "fr":
        return _HUNG_FR.sub(r"\g<verb> \g<it>", clause)
    found = _HUNG_ES.match(clause) if language == "es" else None
    if found is None:
        return clause
    verb = "".join(each for each in unicodedata.normalize("NFD", found["verb"]) if each.isascii())
    return f"{verb} {found['it']}{clause[found.end() :]}"


_MONTH = (
    r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|se[pt]|o[ck]t|nov|de[cz]|januar|februar|märz|janv|févr|mars|"
    r"avr|"
    r"juin|juil|août|ene|abr|ago|dic)[^\W\d_]*"
)
_PASSAGES = {
    "date": re.compile(
        rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{2,4}})?|"
        rf"\b\d{{1,2}}(?:\.|st|nd|rd|th|er)? (?:de )?{_MONTH}(?: (?:de )?\d{{4}})?\b|"
        rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b",
        re.IGNORECASE,
    ),
    "time": re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]m| Uhr| ?h(?:\d\d)?)\b", re.IGNORECASE),
    "amount": re.compile(
        r"[$€£] ?\d[\d.,]*(?<![.,])|\b\d[\d.,]*(?<![.,]) ?(?:[$€£]|EUR|USD|GBP|euros?|dollars?|"
        r"pounds?)(?!\w)",
        re.IGNORECASE,
    ),
    "title": re.compile(r"(?<=^# ).+|\A[^#\n].*(?=\n\n)", re.MULTILINE),
}


def is_passage_kind(word: str, language: str) -> bool:
    """Whether `word` is one for a kind of passage: "date", "price"."""
    return any(words(f"passage_{name}", language).fullmatch(word) for name in _PASSAGES)


def passage_of(kind: str, text: str, language: str) -> str:
    """The one date, time, amount or title of `text`, by the word for it; "" where there are more, or none."""
    for name, pattern in _PASSAGES.items():
        if words(f"passage_{name}", language).fullmatch(kind):
            found = [each[0] for each in pattern.finditer(text)]
            return found[0] if len(found) == 1 else ""
    return ""


MOST_THING_WORDS = 2
LONGEST_LIST = (
    1000  # characters of a line whose last "and" is looked for, each of which looks at all behind it
)
FEWEST_ON_A_LINE = 3  # things with commas between that are a list, and not one thing and what belongs to it
_DESCRIBES = re.compile(
    r"(?:of|from|about|with|von|aus|über|mit|de|du|des|sur|avec|del|sobre|con|a|an|the|my|your|his|her|some|"
    r"any|all|ein\w*|der|die|das|mein\w*|alle\w*|un|une|des|le|la|les|mon|ma|mes|"
    r"una|unos|el|los|las|mi|mis|todo\w*)$",
    re.IGNORECASE,
)


_PARTITIVE = re.compile(r"^(?:du|de la|des|de l['’])\s*(?=\S)", re.IGNORECASE)  # "du lait" is milk


def bare_thing(text: str) -> str:
    """ "Du lait" as a list has it."""
    return _PARTITIVE.sub("", text)


_ANY_THING = (
    r"(?:things?|ones?|items?|stuff|bit|entry|line|task|bullet|sachen?|ding|zeug|punkt|eintrag|zeile|aufgabe|"
    r"trucs?|choses?|machin|tâche|ligne|cosas?|tema|tarea|línea)"
)
_THING_BEHIND = re.compile(rf"(?P<what>\S.*?)[\s-]+{_ANY_THING}", re.IGNORECASE)
_THING_BEFORE = re.compile(
    rf"(?:{_ANY_THING}|lo) (?:with|about|mit|wegen|zu|avec|sur|pour|con|sobre|del?|d['’]|du|des)\s*"
    r"(?:the |der |dem |den |die |das |la |le |les |l['’]|el |los |las )*(?P<what>\S.*)",
    re.IGNORECASE,
)


def bare_thing_of(text: str) -> str:
    """ "Library" of "library thing", "biblioteca" of "lo de la biblioteca": what tells it from others; "" for
    words that name a thing by themselves."""
    found = _THING_BEHIND.fullmatch(text) or _THING_BEFORE.fullmatch(text)
    return found["what"] if found is not None else ""


def things_of(text: str, language: str) -> str:
    """A list that the request says in plain words, one thing a line: "apples, pears and plums"; "" for what
    only describes what is to be written: "a summary and a table"."""
    things = [each.strip() for each in LIST_BREAK.split(text) if each.strip()]
    if language == "fr":
        things = [_PARTITIVE.sub("", each) for each in things]
    is_plain = all(
        len(each.split()) <= MOST_THING_WORDS
        and not _DESCRIBES.match(each.split()[0])
        and not HAS_ENDING.search(each)
        for each in things
    )
    if len(things) < 2 or not is_plain or TELLS.search(text) or words("last_text", language).search(text):
        return ""
    return "\n".join(things)


MOST_ENTRY_WORDS = 5
_LIST_NOUN = re.compile(
    r"\b(?:[\w-]+-)?(?:lists?|checklist|todos?|to-dos?)\b|\b\w*listen?\b|\blistes?\b|\blistas?\b",
    re.IGNORECASE,
)


def says_list(request: str) -> bool:
    """Whether a list is spoken of, which has one entry a line."""
    return _LIST_NOUN.search(request) is not None


def is_listed(text: str) -> bool:
    """Whether a text is short lines, to which a word may be added."""
    lines = [each for each in text.splitlines() if each.strip()]
    return bool(lines) and all(len(each.split()) <= MOST_ENTRY_WORDS for each in lines)


def entries_of(text: str) -> str:
    """The entries that a list is said to have, one a line; "" for what only describes what is to be in it."""
    entries = [each.strip(" .!") for each in LIST_BREAK.split(text) if each.strip(" .!")]
    is_plain = all(len(each.split()) <= MOST_ENTRY_WORDS and not HAS_ENDING.search(each) for each in entries)
    if not entries or not is_plain or TELLS.search(text):
        return ""
    is_one_thing = len(entries[0].split()) <= MOST_THING_WORDS and not _DESCRIBES.match(entries[0].split()[0])
    return "\n".join(entries) if len(entries) > 1 or is_one_thing else ""


def as_entries(text: str, request: str) -> str:
    """`text` for a new file: one entry a line where the request speaks of a list, or where it is one by its
    look; as it is where it was said in quotation marks."""
    is_said_so = re.search(rf"[\"'“„«‘]\s*{re.escape(text.strip())}", request) is not None
    things = [each for each in LIST_BREAK.split(text.strip()) if each.strip()]
    is_one_by_look = len(things) >= FEWEST_ON_A_LINE and all(
        len(each.split()) <= MOST_THING_WORDS and not re.search(r"\d[.,]?\d*\Z|[.!?:]\Z", each)
        for each in things
    )
    if is_said_so or "\n" in text or len(things) < 2:
        return text
    return (entries_of(text) or text) if says_list(request) or is_one_by_look else text


# -- the tables -------------------------------------------------------------------------------


@cache
def sentences() -> Mapping[str, Any]:
    """All of `resources/requests.toml`."""
    return tomllib.loads((resources() / "requests.toml").read_text(encoding="utf-8"))


def say(key: str, language: str, **values: str) -> str:
    """The sentence of the table of what is told, with its values."""
    template: str = sentences()["told"][key][language]
    return template.format(**values)


# What is told where nothing was done or known. It is no text of anybody's that "put that in" could mean.
_NOTHING_DONE = (
    "nothing_done no_such not_understood held_back no_row which_of which_row day_of_event row_unchanged "
    "no_such_row from_which out_of_reach not_looked_at may_be_in not_in_files not_known"
).split()


@cache
def told_of_nothing() -> tuple[str, ...]:
    """The parts without values of the sentences that tell that nothing was done or known."""
    templates = (sentences()["told"][key][each] for key in _NOTHING_DONE for each in LANGUAGES)
    return tuple(part for each in templates for part in re.split(r"\{\w\}", each))


def expression(name: str, language: str) -> str:
    found: str = sentences()["words"][name][language]
    return found


@cache
def words(name: str, language: str) -> re.Pattern[str]:
    return re.compile(typed(expression(name, language)), re.IGNORECASE)


@cache
def patterns_of(language: str) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    acts = sentences()["acts"]
    return {
        name: tuple(_compiled(each, language) for each in act.get(language, ())) for name, act in acts.items()
    }


_HYPHEN = re.compile(r"(?<=[\w):|])-(?=moi\b)")  # people type a blank for it


def _compiled(pattern: str, language: str) -> re.Pattern[str]:
    for name in ("the", "folder", "file", "there"):
        # A blank may stand before the place: "put it there".
        pattern = pattern.replace("{" + name + "}", expression(name, language))
    pattern = pattern.replace("{place}", r"(?:in|on|inside|im|auf|dans|sur|en) (?P<where>.+)")
    if language == "fr":
        pattern = _HYPHEN.sub("[ -]", pattern)
    for name in ("what", "to", "old", "new", "when", "rest"):
        pattern = pattern.replace("{" + name + "}", f"(?P<{name}>.+?)")
    return re.compile(typed(pattern), re.IGNORECASE)


def likely_languages(asked: str) -> Iterator[str]:
    """The languages, those first whose small words the request has."""
    counts = _small_words_in(asked)
    yield from sorted(LANGUAGES, key=lambda each: -counts[each])


def _small_words_in(text: str) -> Mapping[str, int]:
    """How many of each language, and one more where a letter is its own. The "a" of a.txt is no word."""
    said = text.casefold()
    words = set(re.findall(r"[^\W\d_]+", re.sub(r"\S+\.\w+", " ", said)))
    signs = {each: any(letter in said for letter in of) for each, of in _OWN_SIGNS.items()}
    return {each: len(words & _SMALL_WORDS[each]) + signs.get(each, False) for each in LANGUAGES}


CLEARLY_LIKE = 1.2  # nats before the next language
_OWN_SIGNS = {"de": "äöüß", "fr": "çêèœ", "es": "ñ¿¡"}
_SMALL = {
    "en": """
        the a an to in it my and of is what with from please that this for me i do on how many what's whats
        was are till until when
    """,
    "de": """
        der die das den dem dass ein eine einen und in im zu ist was mit aus von bitte es auf für mir ich nach
        um wie viele viel welcher welches tage bis war wann wieviel noch heute wird hab mach
    """,
    "fr": """
        le la les un une des et dans à au est que avec de du ce ça pour moi mon ma mes en qu quel quelle
        combien jour était jusqu font est-ce heure sont pas il elle on nous vous sur
        avec sa son ses ici mais ou
    """,
    "es": """
        el la los las un una y en a al es qué con de del por eso para mi mis lo que cuánto cuánta cuántos
        cuántas cuanto día días fue hasta son cuándo hora está están su sus al lugar ya sí hay
        pero ese esa viene me
    """,
}
_SMALL_WORDS = {language: frozenset(words.split()) for language, words in _SMALL.items()}


def language_of(text: str) -> str:
    """The language that the small words of `text` are of; where they leave several, the one of them that it
    clearly is most like. English where that says nothing either."""
    counts = _small_words_in(text)
    most = max(counts.values())
    left = [each for each in LANGUAGES if counts[each] == most]
    # A single word is as often the name of a command: "Undo" looks Spanish.
    if len(left) > 1 and len(text.split()) > 1:
        like, by = clearest_language(text)
        if like in left and by >= CLEARLY_LIKE:
            return like
    return left[0]


FEWEST_OF_LANGUAGE = 2  # small words; one alone is as often of Italian or Dutch


def certain_language(text: str) -> str:
    """The language that `text` is surely in; "" where it may be another, also one that is not among ours."""
    language = language_of(text)
    return language if _small_words_in(text)[language] >= FEWEST_OF_LANGUAGE else ""


def name_of(call: ParsedCall, language: str) -> str:
    """What a call would do, in a few words."""
    named = sentences()["named"].get(call.name, {}).get(language)
    if named is None:
        return call.name
    values = call.arguments
    first = str(values.get("path", values.get("source", "")))
    return str(named).format(a=first, b=str(values.get("destination", "")))


_NUMBERS_SAID = (
    "two three four five six seven eight nine ten eleven twelve",
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "deux trois quatre cinq six sept huit neuf dix onze douze",
    "dos tres cuatro cinco seis siete ocho nueve diez once doce",
)
# How many of a thing, said in a word.
COUNTS = {word: 2 + at for said in _NUMBERS_SAID for at, word in enumerate(said.split())}


def quotation(lines: Iterable[str]) -> str:
    """Lines of a file as Markdown quotes them: without its two spaces they would run into one."""
    return "\n".join(f"> {line}  " for line in lines).rstrip()


def describes_file(text: str) -> bool:
    """Whether `text` speaks of a certain thing that people keep in files: "the contract", "meine Notizen"."""
    return any(_paper(each).search(text) for each in LANGUAGES)


def asks_own_affairs(text: str) -> bool:
    """Whether `text` asks what only the user's own files can tell: "how much do I spend a month?"."""
    return any(words("own_affairs", each).search(text) for each in LANGUAGES)


@cache
def _paper(language: str) -> re.Pattern[str]:
    the, papers = expression("the_one", language), expression("papers", language)
    # "The bill of rights", "la lettre de Platon": the next word says that it is the world's.
    return re.compile(rf"(?<!\w){the}\s+(?:[\w'’-]+\s+){{0,2}}?{papers}(?!\w)(?! of the )", re.IGNORECASE)


# "Stell nen Timer", "erinner mich halt morgen": as it is spoken, for words in quotation marks are the user's.
_SPOKEN_ARTICLE = re.compile(r"(?<![\w\"'“„])(?:['’]n(e[nmr]?)|n(e[nmr]))(?=\s\w)", re.IGNORECASE)
# Alone "ne" may be a no: it is the article behind a verb, or behind whom something is for.
_SPOKEN_A = re.compile(
    r"(?<!\w)((?:mach|erstell|leg|schreib|stell|setz|brauch|hab)\w*|mir|uns|noch|mal)\s+ne(?=\s\w)",
    re.IGNORECASE,
)
_PARTICLES = re.compile(
    r"(?<!\w)((?:erinner|weck)\w* (?:mich|uns)) (?:(?:mal|halt|doch|eben|einfach|dann|bitte)\s+)+",
    re.IGNORECASE,
)


def in_writing(asked: str) -> str:
    """German as it is spoken in the words that it is written in; everything else as it is."""
    if re.search(r"[\"“”„«»`]", asked):
        return asked
    written = _SPOKEN_ARTICLE.sub(lambda found: f"ein{found[1] or found[2]}", asked)
    written = _SPOKEN_A.sub(r"\1 eine", written)
    return re.sub(r"(?<!\w)dran(?=\W*$)", "daran", _PARTICLES.sub(r"\1 ", written))


# No word of another of the languages: "ya" and "im" are not here.
_SHORT = """
    gonna=going to|wanna=want to|gotta=have to|tmrw=tomorrow|tmr=tomorrow|tmw=tomorrow|tomoz=tomorrow
    tonite=tonight|u=you|r=are|pls=please|plz=please|nvm=never mind|whats=what's|hows=how's|wheres=where's
    whens=when's|whos=who's|didnt=didn't|cant=can't|wont=won't|isnt=isn't|rn=right now|atm=at the moment
    grad=gerade|nix=nichts|dus=du es|haste=hast du|kannste=kannst du|regnets=regnet es|schneits=schneit es
    gibts=gibt es|wirds=wird es|auj=aujourd'hui|aujourdhui=aujourd'hui|tas=tu as|jai=j'ai|ds=dans
    q=que|xq=porque|tmb=también
"""
_SHORT_FORMS = dict(
    each.strip().split("=", 1) for line in _SHORT.splitlines() for each in line.split("|") if "=" in each
)
SHORT_FORM = re.compile(rf"(?<![\w'’-])(?:{'|'.join(_SHORT_FORMS)})(?![\w'’-])", re.IGNORECASE)


def spelled_out(asked: str) -> str:
    """`asked` with the short forms of chats written out, to tell what kind of message it is. What is done and
    written is taken from the words as they stand."""
    return SHORT_FORM.sub(lambda found: _SHORT_FORMS[found[0].casefold()], asked)


def bare_of(clause: str, language: str) -> str:
    """`clause` without the polite words at its edges."""
    lead = re.compile(rf"(?:{expression('lead', language)}\b[,!.:]?\s+)+", re.IGNORECASE)
    # From where blanks begin, and all of them at once: a message may have thousands.
    tail = re.compile(rf"(?<![,\s])(?:[,\s]++{expression('tail', language)})+[\s.!?]*+$", re.IGNORECASE)
    bare = clause.strip(" \t,;¿¡")
    found = lead.match(bare)
    bare = bare[found.end() :] if found is not None else bare
    # What stands in quotation marks is the user's own, also where it ends in "please".
    stripped = tail.sub("", bare) if bare.rstrip(" .!?")[-1:] not in "\"'“”»`" else bare
    return stripped.strip(" \t,;").rstrip("?!").rstrip(" .").strip() or bare
