"""A text's own sentences: those that matter most and those that speak of a question; how many were asked for.

What is said where the model's own words about a text cannot be shown: nothing of it is worded anew. And the
length that a request names, "in one sentence", which a text of the model is cut to at the ends of sentences.

Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.chat.faithfulness import bare, sentences_of, stems_of
from desktop.chat.quantities import QuantityKind, quantities
from desktop.memory.text import stem

USUAL = 3  # sentences of an extract, where no number was asked for
SHARE = 3  # of a text's sentences at most one in so many, where it is long
SHORT_TEXT = 700  # characters: so short a text is shown whole
LONGEST_PASSAGE = 400
_SENTENCES = (
    r"(?P<sentences>sentences?|s[aä]tze?n?|saetzen?|phrases?|frases?|oraci[oó]n(?:es)?)"
    r"|(?P<items>(?:bullet ?)?points?|bullets?|items?|stich(?:punkte?n?|worte?n?)|punkte?n?|puntos?|"
    r"tirets?|lines?|zeilen?|lignes?|l[ií]neas?)"
    r"|(?P<words>words?|worte?n?|w[oö]rtern?|mots?|palabras?)"
)
_ASKED = re.compile(
    rf"(?<![\w.])(?P<count>\d{{1,3}}|[^\W\d_]+)[\s-]+(?:(?:short|kurzen?|simple|einzigen?|einfachen?|seule?|"
    rf"courtes?|brèves?|sola|cortas?|breves?|key|main|clear|knappen?|einzelnen?)[\s-]+)?(?:{_SENTENCES})(?!\w)",
    re.IGNORECASE,
)
_INTO = re.compile(r"(?:\b(?:in|into|as|to|en|à|auf|mit|with|using)|:)\s*\Z", re.IGNORECASE)
_ARTICLES_TEXT = """
    a ein eine einen einem einer un une una
"""
_ARTICLES = frozenset(_ARTICLES_TEXT.split())
_ONE_TEXT = """
    a one single ein eine einen einem einer un une uno una
"""
_ONE = frozenset(_ONE_TEXT.split())


@dataclass(frozen=True)
class Length:
    """So many sentences, points or lines, or words; 0 for what was not said."""

    sentences: int = 0
    items: int = 0
    words: int = 0

    @property
    def pieces(self) -> int:
        return self.sentences or self.items


def asked_length(request: str) -> Length:
    """How long the text is to be that `request` asks for."""
    for found in _ASKED.finditer(request):
        count = _count(found["count"])
        # "Put a line below it" asks for no length.
        is_article = found["count"].casefold() in _ARTICLES
        if not count or (is_article and not _INTO.search(request[: found.start()])):
            continue
        if found["sentences"]:
            return Length(sentences=count)
        if found["items"]:
            return Length(items=count)
        return Length(words=count)
    return Length()


def _count(said: str) -> int:
    if said.casefold() in _ONE:
        return 1
    values = {int(v) for each in quantities(said) for v in each.values if v == int(v)}
    return next(iter(values)) if len(values) == 1 else 0


def cut_to(text: str, length: Length) -> str:
    """`text` up to the end of the last sentence that was asked for; the first one stays in any case."""
    if length.sentences:
        return _upto(text, length.sentences)
    if length.items:
        lines = [each for each in text.splitlines() if each.strip()]
        # Points in one paragraph are its sentences.
        if len(lines) == 1:
            return _upto(text, length.items)
        kept = _after_heading(lines)
        return "\n".join((*lines[: len(lines) - len(kept)], *kept[: length.items]))
    if length.words:
        count = len(sentences_of(text))
        while count > 1 and len(_upto(text, count).split()) > length.words:
            count -= 1
        return _upto(text, count)
    return text


def _after_heading(lines: Sequence[str]) -> Sequence[str]:
    return lines[1:] if len(lines) > 1 and lines[0].rstrip().endswith(":") else lines


def _upto(text: str, count: int) -> str:
    """The first `count` sentences, as they stand there."""
    found = sentences_of(text)
    if len(found) <= count:
        return text
    end = 0
    for each in found[:count]:
        end = text.index(each, end) + len(each)
    return text[:end].rstrip()


# -- the most important sentences -------------------------------------------------------------


def extract(text: str, length: Length, question: str = "") -> tuple[str, ...]:
    """The sentences of `text` that tell most, in their order: early ones, those with numbers and names, and
    with the words that it comes back to, or that `question` has."""
    found = [bare(each) for each in sentences_of(text)]
    found = list(dict.fromkeys(each for each in found if len(each) > 1))
    if not found:
        return ()
    wanted = length.pieces or min(USUAL, max(len(found) // SHARE, 1) if len(found) > USUAL * SHARE else USUAL)
    common = Counter(each for line in found for each in stems_of(line))
    asked = {stem(word) for word in re.findall(r"[^\W_]{4,}", question.casefold())}

    def worth(at: int) -> float:
        line = found[at]
        stems = stems_of(line)
        theme = sum(min(common[each], 4) - 1 for each in stems) / max(len(stems), 1)
        facts = min(len(quantities(line)), 4) * 0.5
        about = sum(stem(word) in asked for word in re.findall(r"[^\W_]{4,}", line.casefold()))
        # A greeting, a heading or a name alone tells little.
        is_short = len(line.split()) < 4
        return (
            theme + facts + 1.5 * about + (1.0 if at == 0 else 0.4 * (1 - at / len(found))) - 2.0 * is_short
        )

    chosen = sorted(sorted(range(len(found)), key=lambda at: -worth(at))[:wanted])
    kept = [found[at] for at in chosen]
    while length.words and len(kept) > 1 and len(" ".join(kept).split()) > length.words:
        kept.pop()
    return tuple(kept)


# -- what speaks of a question ----------------------------------------------------------------

_ASKING_TEXT = """
    that this these those diese dieses dies davon darüber cela esto eso
    sorry result results provide provides information mention mentions mentioned details contain
    contains include specify specified state stated found find access leider erwähnt erwähnung
    informationen angaben enthält nichts keine finden gefunden zugriff malheureusement mentionne trouvé
    accès aucune précise lamentablemente menciona información contiene ninguna acceso especifica data
    what when where which whose does about say says said tell there file text report document contract
    letter note notes invoice please again much many have steht stehen nochmal wegen datei wann welche
    welcher wieviel bericht notizen vertrag brief rechnung dans quoi quel quelle dire fichier rapport
    contrat combien cuanto cuando sobre dice archivo informe contrato factura carta recette facture
    lettre nothing anything
"""
_ASKING = frozenset(_ASKING_TEXT.split())


def about(text: str, question: str) -> tuple[str, ...]:
    """The sentences of `text` that have a telling word of `question`, in their order; () where none has."""
    asked = set(_telling(question))
    found = [bare(each) for each in sentences_of(text)]
    counted = [len(asked & set(_telling(each))) for each in found]
    most = max(counted, default=0)
    if not most:
        return ()
    chosen = [line for line, count in zip(found, counted, strict=True) if count == most]
    kept: list[str] = []
    for line in chosen:
        if kept and sum(map(len, kept)) + len(line) > LONGEST_PASSAGE:
            break
        kept.append(line)
    return tuple(kept)


def _telling(text: str) -> list[str]:
    words = re.findall(r"[^\W\d_]{4,}", re.sub(r"\S+\.\w{1,5}\b", " ", text).casefold())
    return [stem(word) for word in words if word not in _ASKING]


# -- denials ----------------------------------------------------------------------------------

_DENIES = re.compile(
    r"\b(?:does not|doesn['’]t|do not|don['’]t|did not|didn['’]t|is not|isn['’]t|are not|aren['’]t)\b"
    r"(?: \w+){0,2}? (?:mention|sa(?:y|id)|contain|include|specif|provide|state|list|describe|refer|"
    r"address|give)"
    r"|\bthere(?:['’]s| is| are| was) (?:no|not any|nothing)(?: \w+){0,2}? "
    r"(?:mention|information|details?|reference|indication|data|about|on|regarding)"
    r"|\b(?:no|without) (?:mention|information|details?|reference)\b|\bnothing (?:is said|about|on|"
    r"regarding)\b"
    r"|\bi (?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t|do not|don['’]t) "
    r"(?:find|see|have (?:any |the |enough )?(?:access|information|details))"
    r"|\b(?:steht|stehen|findet sich|finden sich|gibt es) (?:\w+ ){0,4}?(?:nichts|kein\w*)\b"
    r"|\b(?:erwähnt|nennt|enthält|sagt|beschreibt)\b[^.!?]{0,60}?\b(?:nicht|nichts|kein\w*)\b"
    r"|\bkeine?n? (?:\w+ )?(?:angaben?|informationen?|erwähnung|hinweise?|details|notizen)\b|"
    r"\bnicht erwähnt\b"
    r"|\bich (?:habe|kann|konnte)\b[^.!?]{0,30}\b(?:keine?n?|nicht|nichts)\b[^.!?]{0,40}"
    r"\b(?:gefunden|finden|zugriff|informationen?|abruf\w*)\b"
    r"|\bne (?:mentionne|parle|dit|contient|précise|indique|fait|donne|fournit|figure)\w* (?:pas|rien|aucun)"
    r"|\b(?:n['’]y a|n['’]est fait|n['’]est) (?:pas|aucune?) (?:\w+ )?(?:mention|information|indication|"
    r"détail|"
    r"mentionné|indiqué|précisé)|\bje n['’]ai pas (?:trouvé|accès|d['’]information|de connaissance)"
    r"|\bno (?:se )?(?:menciona|dice|contiene|especifica|indica|incluye|habla|proporciona|aparece)\w*"
    r"|\bno hay (?:ningun\w* )?(?:mención|información|referencia|detalles|datos|nada)"
    r"|\bno (?:tengo|encuentro|encontré|dispongo)\b",
    re.IGNORECASE,
)


_QUOTED = re.compile(r"[\"“„«][^\"”“»]{1,200}[\"”“»]")
_OF_TIME = re.compile(
    r"\b(?:when|dates?|time|day|deadline|wann|datum|termin|frist|zeitpunkt|uhrzeit|quand|délai|heure|cuándo|"
    r"cuando|fecha|plazo|hora)\b",
    re.IGNORECASE,
)
_OF_MONEY = re.compile(
    r"\b(?:how much|costs?|price|amount|sum|rent|wie ?viel|betrag|preis|kosten|miete|combien|prix|montant|"
    r"coûte|loyer|cuánto|cuanto|precio|importe|cuesta|alquiler)\b",
    re.IGNORECASE,
)


def is_there(denial: str, text: str, question: str) -> bool:
    """Whether what `denial` says is not in `text` does stand there: by its words, or as a date or an amount
    where such is denied, in whatever language."""
    said = _QUOTED.sub(" ", denial)
    if about(text, said):
        return True
    # "No, it does not say that": what is asked for is denied.
    if said == denial and not _telling(said) and about(text, question):
        return True
    kinds = {each.kind for each in quantities(text)}
    is_dated = bool(kinds & {QuantityKind.DATE, QuantityKind.TIME, QuantityKind.WEEKDAY})
    has_sums = any(each.unit in _MONEY for each in quantities(text))
    return (is_dated and _OF_TIME.search(said) is not None) or (
        has_sums and _OF_MONEY.search(said) is not None
    )


_MONEY = frozenset(("euro", "dollar", "pound", "franc"))


def denies(sentence: str) -> bool:
    """Whether `sentence` says that something does not stand in a text, or cannot be found in it."""
    return _DENIES.search(sentence) is not None
