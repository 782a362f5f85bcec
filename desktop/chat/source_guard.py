"""An answer that is made of a text passes only as far as the text bears it; so does what a file is to hold.

Each sentence is held back until its end and looked at (`faithfulness.py`). From the first on that has no
support nothing passes: it is written anew once, told why, and where that fails too the text's own sentences
stand in its place (`extracts.py`). A denial of what does stand there is replaced by the passage. The length
that was asked for is kept: what comes behind it does not pass.

Imported only where a text was read or goes along with the question, and such an answer is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from desktop.chat.extracts import SHORT_TEXT, Length, about, asked_length, cut_to, denies, extract, is_there
from desktop.chat.faithfulness import (
    Fault,
    FaultKind,
    SourceText,
    bare,
    faults,
    faults_of,
    next_end,
    sentences_of,
)
from desktop.chat.intent_words import language_of, last_part, quotation, say
from desktop.chat.quantities import QuantityKind, is_sum, quantities, told_share

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
        return self._keep(sentence)

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
