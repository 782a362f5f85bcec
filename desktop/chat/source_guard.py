"""An answer that is made of a text passes only as far as the text bears it; so does what a file is to hold.

Each sentence is held back until its end and looked at (`faithfulness.py`). From the first on that has no
support nothing passes: it is written anew once, told why, and where that fails too the text's own sentences
stand in its place. A denial of what does stand there is replaced by the passage. The length
that was asked for is kept: what comes behind it does not pass.

Imported only where a text was read or goes along with the question, and such an answer is wanted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from desktop.chat.faithfulness import (
    Fault,
    FaultKind,
    SourceText,
    bare,
    faults,
    faults_of,
    next_end,
    sentences_of,
    stems_of,
)
from desktop.chat.intent_words import language_of, last_part, quotation, say
from desktop.chat.quantities import QuantityKind, is_sum, quantities, told_share
from desktop.memory.text import stem

log = structlog.get_logger(__name__)
# Something of a text, and nothing that is thought up.
_OF_A_TEXT = re.compile(
    r"\b(?:summar\w+|sum up|shorten|condense|key points|main points|bullet\w*|the gist|overview|tl;?dr|"
    r"extract|"
    r"translat\w+|zusammenfass\w*|fass\w*\b.*\bzusammen|kürz\w*|stich(?:punkt|wort)\w*|überblick|übersetz\w*|"
    r"résum\w*|resum\w*|raccourci\w*|points clés|l['’]essentiel|tradui\w*|acort\w*|puntos|traduc\w*|"
    r"in (?:one|two|three|\w+) sentences?|in \w+ sätzen|en \w+ (?:phrases?|frases?))\b",
    re.IGNORECASE,
)
_SUMMARISES = re.compile(
    r"\b(?:summar\w+|sum up|shorten|condense|points|bullet\w*|gist|overview|tl;?dr|zusammenfass\w*|"
    r"fass\w*\b.*\bzusammen|kürz\w*|stich(?:punkt|wort)\w*|überblick|résum\w*|resum\w*|raccourci\w*|"
    r"l['’]essentiel|acort\w*|puntos|sentences?|sätzen?|phrases?|frases?)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:(?:what|when|where|who)(?:['’]?s)?|whom|whose|which|how (?:much|many|long|old|high|far|often|big)|"
    r"was|wann|wo|wer|wem|welche\w*|wie ?(?:viele?|lange?|hoch|alt|oft|groß|teuer)|wieviele?|quoi|quand|"
    r"combien|quel\w*|qui|où|qu['’]est-ce|que dit|qué|que dice|q dice|cuándo|cuando|cuánt\w*|cuant\w*|quién|"
    r"cuál\w*|dónde)(?!\w)",
    re.IGNORECASE,
)
# Thought up, explained or worked on: more than the text is in it.
_FREE = re.compile(
    r"\b(?:write (?:a|an|me|back)|reply|respond|answer (?:it|him|her|them|to)|draft|compose|poem|story|"
    r"explain|"
    r"why|suggest\w*|recommend\w*|ideas?|opinion|think|mean|means|meaning|compare|improve|rewrite|"
    r"rephrase|fix|"
    r"code|program|function|script|regex|bug|continue|quiz|would|should|could|pros|imagine|"
    r"antworte?|entwirf|verfass\w*|gedicht|geschichte|erklär\w*|warum|wieso|weshalb|vorschl\w*|schlag\w*|"
    r"empf\w*|"
    r"ideen?|meinung|denkst|hältst|bedeut\w*|vergleich\w*|verbesser\w*|umformulier\w*|programm\w*|"
    r"würde\w*|sollte\w*|"
    r"répond\w*|rédig\w*|poème|histoire|expliqu\w*|pourquoi|propos\w*|suggèr\w*|idées?|penses?|signifi\w*|"
    r"compar\w*|"
    r"amélior\w*|reformul\w*|devrais|pourrais|"
    r"respond\w*|redact\w*|poema|historia|explic\w*|por qué|sugier\w*|sugerencia\w*|ideas|opin\w*|piensas|"
    r"signific\w*|"
    r"mejor\w*|reformul\w*|debería\w*|podría\w*)(?!\w)",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\b(?:access|information|find|zugriff|informationen?|gefunden|finden|accès|trouvé|acceso|información|"
    r"encuentro)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\.(?:py|js|ts|c|h|cc|cpp|rs|go|java|rb|sh|php|sql|css|html?|xml|json|ya?ml|toml|ini|log)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BoundText:
    """The text that an answer to `asked` is bound to. `name` is what the reader knows it by. `names`: whether
    names are looked at too."""

    source: SourceText
    asked: str
    name: str
    names: bool = True

    @property
    def length(self) -> Length:
        return asked_length(self.asked) if is_made_of_it(self.asked) else Length()

    @property
    def counts(self) -> bool:
        """Whether nothing is to be reckoned out."""
        reckoned = (QuantityKind.MULTIPLE, QuantityKind.SHARE)
        return not is_sum(self.asked) and not any(each.kind in reckoned for each in quantities(self.asked))

    def faults(self, text: str) -> list[Fault]:
        return faults(text, self.source, self.counts, self.names)


def bound_text(asked: str, texts: dict[str, str], beside: str, was_read: bool) -> BoundText | None:
    """What the answer to `asked` is bound to; None where more is wanted than what stands in `texts`, by their
    names. `beside` is what the user has said, `was_read`: for this question."""
    if not is_bound(asked) or all(_CODE.search(name) for name in texts):
        return None
    name = last_part(next(iter(texts))) if len(texts) == 1 else ""
    said = f"{beside}\n{' '.join(texts)}"
    names = was_read or is_made_of_it(asked)
    return BoundText(SourceText(texts.values(), said), asked, name, names)


def is_bound(asked: str) -> bool:
    if _FREE.search(asked):
        return False
    return is_made_of_it(asked) or _ASKS.search(asked) is not None


def is_made_of_it(asked: str) -> bool:
    """Whether `asked` wants the text itself, shorter or in another language."""
    return _OF_A_TEXT.search(asked) is not None and not _FREE.search(asked)


def is_summary(asked: str) -> bool:
    return _SUMMARISES.search(asked) is not None


# -- while it is written ----------------------------------------------------------------------


class SourceGuard:
    """Lets by what has support, sentence by sentence. Feed in order, then `finish`. One thread."""

    def __init__(self, bound: BoundText, shown: str = "", told: str = "") -> None:
        """`shown` was let by before, of a first try; `told` is what the model was told since."""
        self.bound = bound
        self._told = told
        self.fault: Fault | None = None
        self.shown = shown
        self._held = ""
        self._in_code = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more can pass."""
        return self.fault is not None or self._is_full

    @property
    def _is_full(self) -> bool:
        length = self.bound.length
        return bool(length.sentences) and len(sentences_of(self.shown)) >= length.sentences

    def feed(self, text: str) -> str:
        """What may be shown now."""
        self._held += text
        passed = ""
        while not self.is_over and (end := next_end(self._held)):
            passed += self._passed(self._held[:end])
            self._held = self._held[end:]
        return passed

    def finish(self) -> str:
        """The rest, if it has support."""
        rest, self._held = self._held, ""
        if self.is_over or not rest:
            return ""
        return self._passed(rest)

    def _passed(self, sentence: str) -> str:
        self.fault = self._fault(sentence)
        if self.fault is not None:
            log.info("a sentence without support in its source", kind=self.fault.kind.value)
            return ""
        longer = self.shown + sentence
        length = self.bound.length
        if (
            (length.words or length.items)
            and cut_to(longer, length) != longer.rstrip()
            and self.shown.strip()
        ):
            self._held = ""
            kept = cut_to(longer, length)
            return self._keep(kept[len(self.shown) :] if kept.startswith(self.shown) else "")
        source = self.bound.source
        return self._keep(in_its_currency(sentence, f"{source.text}\n{source.beside}\n{self.bound.asked}"))

    def _keep(self, text: str) -> str:
        self.shown += text
        return text

    def _fault(self, sentence: str) -> Fault | None:
        bound, said = self.bound, bare(sentence)
        # A small model says its order again: "Answer in English from that."
        orders = self._told.replace(" ".join(passage(bound)), "") if self._told else ""
        if said.strip() and said.strip() in orders:
            return Fault(FaultKind.ECHO, said.strip(), sentence)
        if denies(said) and self._is_denied_wrongly(said):
            return Fault(FaultKind.DENIAL, said.strip(), sentence)
        language = language_of(f"{self.shown} {said}")
        found = faults_of(said, bound.source, language, bound.counts, bound.names)
        return found[0] if found else None

    def _is_denied_wrongly(self, said: str) -> bool:
        """What is asked for does stand there; or the model says that it has not got what it was given."""
        is_lost = re.match(
            r"\W*(?:\w+\W+){0,6}?(?:i|ich|je|j['’]|no|lo siento|leider)\b", said, re.IGNORECASE
        )
        if is_lost is not None and _NOT_FOUND.search(said) is not None:
            return True
        return is_there(said, self.bound.source.text, self.bound.asked)

    # -- what stands for it -------------------------------------------------------------------

    def again(self) -> SourceGuard:
        """For the second try, behind what has passed already."""
        return SourceGuard(self.bound, self.shown, self.why)

    @property
    def why(self) -> str:
        """What the model is told for its second try."""
        assert self.fault is not None
        return told_why(self.fault, self.bound)

    def instead(self) -> str:
        """The text's own words, said to be so."""
        bound = self.bound
        language = language_of(bound.asked)
        lines = passage(bound)
        key = "rest_in_the_text" if self.shown.strip() else "in_the_text"
        head = say(key, language, a=bound.name or say("the_text", language))
        before = "\n\n" if self.shown.strip() else ""
        return f"{before}{head}\n\n" + quotation(lines)


_CURRENCIES = {
    "$": r"\$|\b(?:dollars?|usd|aud|cad|nzd|dólar(?:es)?|pesos?)\b",
    "€": r"€|\b(?:euros?|eur)\b",
    "£": r"£|\b(?:pounds?|gbp|sterling|quid|pence|pfund|livres?|libras?)\b|\d ?p\b",
}


def in_its_currency(sentence: str, source: str) -> str:
    """`sentence` without the sign of a currency that nothing in the source names: 388.50 is in no dollars
    because a small model thinks in them."""
    for sign, named in _CURRENCIES.items():
        if sign in sentence and not re.search(named, source, re.IGNORECASE):
            sentence = re.sub(rf"{re.escape(sign)}\s?(?=\d)|(?<=\d)\s?{re.escape(sign)}", "", sentence)
    return sentence


def passage(bound: BoundText) -> tuple[str, ...]:
    """What of the text answers what was asked: the lines that speak of it, all of a short one, else the most
    important."""
    text = bound.source.text.strip()
    if is_made_of_it(bound.asked):
        return extract(text, bound.length, bound.asked)
    found = about(text, bound.asked)
    if found:
        return found
    if len(text) <= SHORT_TEXT:
        return tuple(each for each in text.splitlines() if each.strip())
    return extract(text, bound.length, bound.asked)


def told_why(fault: Fault, bound: BoundText) -> str:
    """In the language of the request: told in another, a small model answers in that."""
    language = language_of(bound.asked)
    if fault.kind is FaultKind.DENIAL and denies(fault.said):
        return say("passage_says", language, a=" ".join(passage(bound)))
    told = say("anew", language, a=fault.said)
    shares = {v for each in bound.source.quantities if each.kind is QuantityKind.SHARE for v in each.values}
    here = [(told_share(v, bound.source.language), told_share(v, language)) for v in sorted(shares)]
    named = (say("share_is", language, a=one, b=two) for one, two in here if one and two and one != two)
    return " ".join((told, *named))


# -- what is written to a file ----------------------------------------------------------------


@dataclass(frozen=True)
class CheckedText:
    """What is written, "" for nothing, and what the user is told of it; "" where the model's words stand."""

    text: str
    told: str = ""


def checked(bound: BoundText, text: str, target: str, anew: Callable[[str], str | None]) -> CheckedText:
    """`text` where it has support, what `anew` makes of it told why not, or the text's own sentences. Blocks
    while the model writes."""
    cut = cut_to(text, bound.length)
    found = _wrong(bound, cut)
    if not found:
        return CheckedText(cut)
    first = found[0]
    log.info("a text without support in its source", kind=first.kind.value)
    second = anew(told_why(first, bound))
    if second is not None:
        second = cut_to(second, bound.length)
        if second.strip() and not _wrong(bound, second):
            return CheckedText(second)
    language = language_of(bound.asked)
    name = bound.name or say("the_text", language)
    if not is_summary(bound.asked):
        return CheckedText("", say("nothing_without_support", language, a=target, b=name, c=first.said))
    lines = extract(bound.source.text, bound.length, bound.asked)
    mark = "- " if bound.length.items else ""
    told = say("own_sentences", language, a=target, b=name, c=first.said)
    return CheckedText("\n".join(f"{mark}{each}" for each in lines), told)


def _wrong(bound: BoundText, text: str) -> list[Fault]:
    there, asked = bound.source.text, bound.asked
    denied = [each for each in sentences_of(text) if denies(each) and is_there(each, there, asked)]
    return [Fault(FaultKind.DENIAL, each, each) for each in denied] or bound.faults(text)


def only_supported(text: str, source: str, asked: str) -> str:
    """`text` without the sentences that `source` does not bear: of a part, which is read by the model alone.
    Where none is left, the part's own sentences."""
    whole = SourceText([source], asked)
    language = language_of(text)
    wrong = {each for each in sentences_of(text) if faults_of(bare(each), whole, language)}
    if not wrong:
        return text
    kept = "\n".join(line for line in (_without(each, wrong) for each in text.splitlines()) if line.strip())
    return kept or "\n".join(extract(source, Length()))


def _without(line: str, wrong: set[str]) -> str:
    return " ".join(each for each in sentences_of(line) if each not in wrong)


# -- the text's own sentences ------------------------------------------------------------------

# A text's own sentences: those that matter most and those that speak of a question; how many were asked
# for.
#
# What is said where the model's own words about a text cannot be shown: nothing of it is worded anew. And
# the length that a request names, "in one sentence", which a text of the model is cut to at the ends of
# sentences.
#
# Pure functions; any thread.

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
