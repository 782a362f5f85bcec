"""The parts of a request: "summarise report.txt and save it" are two things to do."""

from __future__ import annotations

import re

FILE_NAME = re.compile(r"[\w-]+\.[A-Za-z]\w{0,4}\b")
# A path with a name that has an ending, or whatever else with an ending stands in quotation marks.
_PATH = re.compile(r"(?<![\w/:.])((?:~?/|\.{1,2}/)?(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z]\w{0,4})(?![\w/])")
_NO_FILES = frozenset({"e.g", "i.e", "z.b", "d.h", "u.a"})
_QUOTED = re.compile(r"[\"“”„'`]([^\"“”„'`\n]{1,100}\.[A-Za-z]\w{0,4})[\"“”'`]")
_BETWEEN = re.compile(
    r",?\s+(?:and then|and|then|und dann|und|dann|danach|anschließend)\s+|(?<=[.;!?])\s+", re.IGNORECASE
)
_KEEPS = re.compile(
    r"^\W*(?:then |please |bitte )*(?:save|write|put|store|speicher\w*|schreib\w*|leg\w*)\s+"
    r"(?:it|that|them|this|(?:the|your) (?:summary|result|answer|list|text|translation)|"
    r"es|sie|das|dies\w*|die (?:zusammenfassung|antwort|liste|übersetzung)|das ergebnis|den text)\b",
    re.IGNORECASE,
)
_MAKES = re.compile(
    r"^\W*(?:please |bitte )*(?:summar\w+|shorten|make|rewrite|translate|refine|improve|correct|sort|"
    r"fasse?|kürze?|übersetz\w*|verbesser\w*|korrigier\w*|mach\w*|sortier\w*|schreib\w* .*\bum)\b",
    re.IGNORECASE,
)


def parts_of(request: str) -> list[str]:
    """The request, taken apart where one thing to do ends and the next begins; never empty."""
    return [part for part in _BETWEEN.split(request) if part.strip()] or [request]


def files_in(request: str) -> list[str]:
    """The files that a request names, each as it is written there, in order."""
    found = [*_QUOTED.findall(request), *_PATH.findall(_QUOTED.sub(" ", request))]
    return [name for name in dict.fromkeys(found) if name.casefold() not in _NO_FILES]


def without_keeping(request: str) -> str:
    """What is to be made of a text, where a request says this and, apart from it, to keep the result; else
    ""."""
    parts = parts_of(request)
    making = [part for part in parts if not _KEEPS.search(part)]
    if len(making) == len(parts) or not making or not _MAKES.search(making[0]):
        return ""
    text = ". ".join(part.strip(" ,.;") for part in making)
    return f"{text[:1].upper()}{text[1:]}."
