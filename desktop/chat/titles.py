"""How a conversation gets its name: by rule from the first question at once, by the model when it is idle.

A name that the user gave is never changed.
"""

from __future__ import annotations

import re

LONGEST = 48
UNTITLED = "New chat"

# Asked after the first exchange; what stood before is in the KV cache already.
ASKED = (
    "Write a title for this conversation, 2 to 6 words, in the language of my first message. "
    "Reply with the title alone: no quotation marks, no full stop, no explanation."
)
TITLE_TOKENS = 24
_MARKS = re.compile(r"^[\s#>*\-`|]+|[\s*`]+$")
_PAIRS = re.compile(r"(\*\*|`)(?=\S)(.+?)(?<=\S)\1")  # around code or words that stand out
_LEAD = re.compile(r"^(?:title|titel|topic|thema)\s*[:–-]\s*", re.IGNORECASE)
_QUOTES = "\"'“”„‘’«»"
_NOT_A_TITLE = re.compile(
    r"[<>{}\[\]|\\]|https?:|\b(?:steward|how can i|i'm sorry|i am|as an ai|here is|here's|sure)\b"
    r"|^(?:the user|user (?:greets|asks|requests|seeks|needs|is|has|says|wants)) "
    r"|^(?:der |ein )?(?:be)?nutzer ",
    re.IGNORECASE,
)
# What small models put before the matter itself.
_OPENING = re.compile(
    r"""
    (?:(?:an?|the|this|ein|eine|das|die|der|dieses|diese)\s+)?
    (?:(?:brief|short|quick|general|simple|kurzes?|kurze[rs]?|allgemeine[rs]?)\s+)?
    (?:user(?:'s|’s)?\s+)?
    (?:
        (?P<noun>conversation|chat|talk|dialog(?:ue)?|discussion|question|inquiry|enquiry|query)
        (?:\s+(?:is|was))?\s+(?:about|regarding|concerning|around)
        | discussion\s+(?:of|on) | (?:discussing|talking\s+about|asking\s+about|inquiring\s+about)
        | user\s+(?:asks?|asked|is\s+asking|inquire[sd]?|want(?:s|ed)\s+to\s+know)(?:\s+(?:about|for))?
        | (?:gespräch|unterhaltung|konversation|diskussion|chat|dialog|austausch|frage|anfrage)
        \s+(?:über|bezüglich|rund\s+um|zum\s+thema|zu|(?P<bent>zum|zur|nach))
        | (?:be)?nutzer\s+(?:fragt(?:\s+(?:nach|über))?|möchte\s+wissen|will\s+wissen)
    ),?\s+
    """,
    re.IGNORECASE | re.VERBOSE,
)
# An article before an adjective stays in German, which bends the one after the other: "das neue Auto".
_ARTICLE = re.compile(
    r"^(?:(?i:the|an|a)\s+|(?i:das|die|der|dem|den|ein|eine|einer|einem|einen)\s+(?=[A-ZÄÖÜ]))"
)
_COMMON_WORDS = """
a about an and are can chat conversation could discussion do does for from general greeting have hello help hi
how i in is it me my new of on or please question questions request tell that the this to topic topics various
was were what when where which who why will with would you your
allgemeine allgemeines am anfrage auf aus bei bitte das dem den der die du ein eine einem einen einer frage
fragen für gespräch hallo hat hilfe ich im ist kann kannst man mein meine mich mir mit nach sind thema themen
und unterhaltung von wann warum was welche welcher welches wer wie wo zu zum zur über
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def title_of(question: str, longest: int = LONGEST) -> str:
    """A title for the sidebar: the first line of the question without its marks, cut at a word."""
    lines = map(_unmarked, question.splitlines())
    line = next((line for line in lines if line), "") or next(
        (line.strip() for line in question.splitlines() if line.strip()), UNTITLED
    )
    if len(line) <= longest:
        return line
    head = line[:longest]
    return (head.rsplit(" ", 1)[0] if " " in head[longest // 2 :] else head).rstrip(" ,.;:") + "…"


def title_from(written: str, question: str) -> str | None:
    """The title in what a model wrote, or None where that is none: a sentence, a call, an apology, or less
    than `question` says, which names the chat by rule.
    """
    line = next((line for line in written.splitlines() if line.strip()), "")
    line = _LEAD.sub("", _unmarked(line)).strip().strip(_QUOTES).strip()
    line = _without_opening(_unmarked(line).rstrip(".").strip(), question)
    # A model that answers instead writes a sentence; what is long is no title.
    if not 2 <= len(line) <= LONGEST or len(line.split()) > 8 or _NOT_A_TITLE.search(line):
        return None
    return None if _says_less(line, question) else line[0].upper() + line[1:]


def _unmarked(line: str) -> str:
    """Without the marks of Markdown around parts of it and at its ends."""
    return _MARKS.sub("", _PAIRS.sub(r"\2", line))


def _without_opening(title: str, question: str) -> str:
    """ "A conversation about the capital of Norway" is "capital of Norway". Where the question itself speaks
    of a conversation, the title may.
    """
    found = _OPENING.match(title)
    if found is None or (found["noun"] and found["noun"].casefold() in question.casefold()):
        return title
    rest = title[found.end() :]
    bare = _ARTICLE.sub("", rest)
    if found["bent"] and bare[:1].islower():
        return title  # "Frage zum neuen Auto": without its opening the ending would be wrong
    return bare


def _says_less(title: str, question: str) -> bool:
    """Whether a short question holds all that the title says and at least as much again."""
    said, asked = _telling_words(title), _telling_words(question)
    if not said:
        return True
    return not question.endswith("…") and said <= asked and 2 * len(said) <= len(asked)


def _telling_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold())) - _COMMON
