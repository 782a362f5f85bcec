"""Whether a message wants something forgotten, and what: in English, German, French and Spanish.

People say it straight ("forget my PIN"), from behind ("the wifi password, strike that from your notes") and
around it ("you don't have to know what I earn"). So no whole sentence is known here. A wish is known by its
verb and by who is to do it, a deletion also by what it names: your memory, what I told you, that it is
nobody's business. What the sentence has beside that is what is meant.

Pure; any thread.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from desktop.memory.text import sentences
from desktop.paths import resources

LONGEST = 300  # characters; more is a text with such words in it
LONGEST_FRONT = 9  # words before "…, forget it" that name a thing and are no sentence of their own
_I = re.IGNORECASE


@dataclass(frozen=True)
class ForgetRequest:
    """`is_straight`: said in so many words; else it may be talk, and is asked about before it is done.
    `if_remembered`: it names something of the user's own and no place, so that it may be a file's as well."""

    what: str
    language: str
    is_straight: bool
    if_remembered: bool = False


@dataclass(frozen=True)
class _Wording:
    """How one language says it. `forget` and `delete` begin a clause, the others stand anywhere; of `unkept`
    ("you need not know") what is meant stands before or behind it. Behind `object_of` comes what is meant
    ("what I told you about"), and `fillers` say nothing of it."""

    language: str
    polite: str
    asked: str
    forget: str
    delete: str
    it: str
    place: str
    told: str
    unkept: str
    pretend: str
    private: str
    reason: str
    fillers: str
    thing: str  # a front that names something: "La surprise d'Inès, tu peux l'oublier"
    mine: str  # before what is the user's own
    clause: str = "(?!)"  # behind a comma, what is still the object of the verb

    def read(self, text: str) -> ForgetRequest | None:
        lead = rf"(?:^|[.,;:!–—]\s*)(?:{self.polite})*(?:{self.asked})?(?:{self.polite})*"
        forget = re.search(rf"{lead}(?P<verb>{self.forget})(?:(?!\w)|(?=l[oa]s?\b))", text, _I)
        delete = re.search(rf"{lead}(?P<verb>{self.delete})(?:(?!\w)|(?=l[oa]s?\b))", text, _I)
        around = [re.search(each, text, _I) for each in (self.unkept, self.pretend)]
        # "Delete all of the drafts" speaks of nothing that was told or known.
        is_told = any(_SAID_OR_KNOWN.search(each[0]) for each in re.finditer(self.told, text, _I))
        is_theirs = is_told or re.search(rf"{self.place}|{self.private}", text, _I) is not None
        is_around = any(each is not None for each in around)
        if delete is not None and not (is_theirs or is_around):
            if forget is None and (own := self._own(text, delete)):
                return ForgetRequest(own, self.language, is_straight=False, if_remembered=True)
            delete = None
        verb = forget or delete
        if verb is None and not is_around:
            return None
        what = self._object(text, verb, is_theirs or is_around)
        is_straight = verb is not None and not is_around and verb.start() == 0
        # "Forget the bank one" may be of a reminder.
        is_straight = is_straight and not what.endswith(" one")
        return ForgetRequest(what, self.language, is_straight) if what else None

    def _own(self, text: str, verb: re.Match[str]) -> str:
        """The user's own thing, where the verb and it are all that is said: "entferne mein Kennzeichen"."""
        rest = (
            rf"\s+(?P<what>(?:{self.mine})(?:\s+(?!{_PLACED})[^\s,.;]+){{1,3}})(?:\s+(?:{self.polite}))*\W*"
        )
        found = re.fullmatch(rest, text[verb.end() :], _I)
        is_whole = _ERASES.match(verb["verb"]) is not None and not text[: verb.start()].strip(" ¿¡")
        return self._bare(found["what"]) if found is not None and is_whole else ""

    def _object(self, text: str, verb: re.Match[str] | None, has_reason: bool) -> str:
        """What is meant: behind the verb, or before it where only a pronoun or nothing follows."""
        if verb is None:
            return self._bare(text)
        before, behind = text[: verb.start()], text[verb.end() :]
        pronoun = re.match(rf"[\s-]*(?:{self.it})(?![\w'’])", behind, _I)
        behind_it = behind[pronoun.end() :] if pronoun is not None else behind
        small = rf"(?:\s*(?:{self.place}|{self.polite}|{self.fillers}))*"
        # "Vergiss, wer …" goes on behind the comma, "vergiss es, was gibt es" does not.
        goes_on = f"(?!\\s*(?:{self.clause}))" if pronoun is None else ""
        nothing = rf"{small}\s*(?:[.;!–—]|$|,{goes_on})"
        is_hung = re.search(r"(?:l['’]|l[oae]s? )$", text[: verb.start("verb")], _I) is not None
        if re.match(rf"\s*(?:{self.told})", behind, _I) or re.match(nothing, behind_it, _I) is None:
            first = next(iter(sentences(behind.lstrip(" ,:"))), "")
            rest = re.split(rf"[;!–—]\s|,\s*(?:{self.reason})\b", first, flags=_I)[0]
            is_talk = re.match(rf"\s*(?:{_OF_TALK})", rest, _I) and not re.search(self.told, rest, _I)
            return "" if is_talk else self._bare(rest)
        # "I lost my keys. Forget it": of the keys nothing is to be forgotten.
        names_a_thing = re.match(rf"\W*(?:{self.polite})*(?:{self.thing})", before, _I) is not None
        is_short = len(before.split()) <= LONGEST_FRONT and re.search(r"[.!?]\s*$", before) is None
        is_meant = (pronoun is not None or is_hung) and names_a_thing and is_short
        return self._bare(before) if has_reason or is_meant else ""

    def _bare(self, text: str) -> str:
        """The text without what only says that something is to be forgotten."""
        left = f" {text} "
        for each in (self.place, self.told, self.pretend, self.unkept, self.private):
            left = re.sub(each, " ", left, flags=_I)
        for _ in range(3):
            left = re.sub(rf"(?<![\w'’])(?:{self.fillers}|{self.polite})(?![\w'’])", " ", left, flags=_I)
        left = re.sub(
            rf"[,.;–—]\s*(?:{self.delete})(?:[\s-]*(?:{self.it}))?\s*[.!]*\s*$", " ", left, flags=_I
        )
        left = re.sub(rf"^[\s,.;:–—]*(?:{self.it})(?![\w'’])", " ", left, flags=_I)
        return " ".join(left.split()).strip(" .,;:!?–—-")


# "Take my coat" and "drop my sister a line" take nothing out of a memory.
_ERASES = re.compile(
    r"delet|eras|remov|wipe|lösch|streich|entfern|tilg|effac|supprim|élimin|borr|bórr|elimin", _I
)
_PLACED = r"(?:from|off|out|in|on|aus|auf|von|vom|im|dans|sur|du|des|en)\b"
_SAID_OR_KNOWN = re.compile(
    r"\b(?:i|you|we|ich|du|wir|je|tu|te|sabes|dicho|memor(?:y|ies)|erinnerung(?:en)?)\b|t['’]", _I
)
# "Forget what I just asked": what was said, and nothing that it was about.
_OF_TALK = (
    r"(?:what|das,? was|was|ce que|lo que) (?:i|ich|je|te|j['’]|yo|acabo)\b.{0,25}?\b(?:ask|sa[iy]|type"
    r"|wrote|meant?|frag|gefragt|gesagt"
    r"|geschrieben|demand|dit|écrit|pregunt|dich|dij|escri)\w*|(?:that )?i (?:said|asked|mentioned|wrote)\b"
)

# "Remove milk from shopping.txt" is for the file.
_FILE = re.compile(r"\b[\w-]+\.[A-Za-z]\w{1,4}\b(?!\.)")


@cache
def _wordings() -> tuple[_Wording, ...]:
    """Those of `resources/memory/forget_requests.toml`."""
    tables = tomllib.loads((resources() / "memory" / "forget_requests.toml").read_text(encoding="utf-8"))

    def whole(said: str | list[str]) -> str:
        return said if isinstance(said, str) else "|".join(said)

    return tuple(
        _Wording(language, **{name: whole(said) for name, said in table.items()})
        for language, table in tables.items()
    )


@cache
def request_beginnings() -> re.Pattern[str]:
    """Without any of these a message wants nothing forgotten, as most do. For one space between words."""
    verbs = (rf"(?<!\w)(?:{verb})" for each in _wordings() for verb in (each.forget, each.delete))
    around = (rf"(?:{around})" for each in _wordings() for around in (each.unkept, each.pretend))
    return re.compile("|".join((*verbs, *around)), _I)


def forget_request(text: str) -> ForgetRequest | None:
    """What the message wants forgotten; None where it wants nothing or not that."""
    asked = " ".join(text.split())
    if len(asked) > LONGEST or _FILE.search(asked):
        return None
    return next(_readings(asked), None)


def _readings(asked: str) -> Iterator[ForgetRequest]:
    for wording in _wordings():
        found = wording.read(asked)
        if found is not None:
            yield found
