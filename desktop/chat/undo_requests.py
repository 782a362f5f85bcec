"""What of the last acts is taken back: all of them, one by its name, or only what a request speaks of.

"Take the eggs and milk off" is two acts, and "the eggs were for the cake, bring them back" means one of them.
The journal takes a change back as long as no later one stands on it; where one does, the act that does the
contrary is planned instead, from the values of the act itself, so that nothing is made up.

Pure functions over what a conversation has; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_words import LANGUAGES, bare_of, last_part, line_of, patterns_of, thing_of
from desktop.chat.orders import is_order
from desktop.chat.references import Past
from desktop.chat.request_kinds import is_act
from desktop.chat.tool_choice import files_in

SHORT_WORD, LONG_WORD = 3, 5  # letters; a shorter one names nothing, or not the end of a longer one
# Of a request that says how much it means; then no single word of it narrows that.
_HOW_MUCH = re.compile(
    r"\b(?:both|(?<!after )(?<!at )all|everything|each|"
    r"only|just|whole|beide[ns]?|alle[ns]?|nur|bloß|ganze[ns]?|tout|toute?s?|"
    r"les deux|seulement|que|rien|tod[oa]s?|ambos|ambas|los dos|las dos|sol[oa]|sólo|solamente)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\b(?:both|two|beides?|zwei|les deux|deux|ambos|ambas|los dos|las dos|dos)\b", re.IGNORECASE
)
_SEVERAL = re.compile(
    rf"{_BOTH.pattern}|\b(?:all|everything|them|those|these|alle[ns]?|tout|tous|todos?|todas)\b",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,.;:!?…–—]+(?=\s|$)")
_ON_TEXT = frozenset(("append_text", "replace_text", "write_file"))


def wish_to_undo(request: str) -> str:
    """The last clause of a request where it only says that what was done is taken back, and what stands
    before it asks for nothing: "oh no, that was the wrong one, undo that". Else ""."""
    clauses = [each.strip() for each in _CLAUSE_ENDS.split(request) if each.strip()]
    if not clauses or any(files_in(each) or is_act(each) or is_order(each) for each in clauses[:-1]):
        return ""
    says_so = any(
        pattern.fullmatch(bare_of(clauses[-1], language))
        for language in LANGUAGES
        for pattern in patterns_of(language)["undo"]
    )
    return clauses[-1] if says_so else ""


def says_several(request: str) -> bool:
    """Whether it speaks of more than one thing without naming them."""
    return _SEVERAL.search(request) is not None


def thing_done(call: ParsedCall) -> str:
    """What an act was about, in the user's own words: the line, the text of the reminder, the file."""
    given = {key: str(value).strip() for key, value in call.arguments.items()}
    if call.name == "append_text":
        return thing_of(given.get("text", ""))
    if call.name == "replace_text":
        return thing_of(given.get("old", ""))
    if call.name == "set_reminder":
        return given.get("text", "")
    return last_part(given.get("path", given.get("source", "")))


def things_done(past: Past) -> tuple[str, ...]:
    """Of each act that can be taken back, newest first; "" for what has no short name."""
    # A reminder that is gone is named by the call that sets it again.
    of = zip(past.undo_acts, past.undo, strict=False)
    things = [thing_done(back if act.name == "cancel_reminder" else act) for act, back in of]
    return tuple(each if "\n" not in each else "" for each in things)


def spoken_of(request: str, past: Past) -> tuple[int, ...]:
    """Which of the last acts a request names, where it names some and not all; else ()."""
    if _HOW_MUCH.search(request) or len(past.undo_acts) < 2:
        return ()
    tokens = [frozenset(re.findall(r"[^\W\d_]+|\d+", each.casefold())) for each in things_done(past)]
    # "clip" of clip1, clip2 and clip3 tells none of them from another.
    shared = frozenset.intersection(*tokens)
    said = request.casefold()
    found = tuple(at for at, each in enumerate(tokens) if any(_is_said(word, said) for word in each - shared))
    return found if len(found) < len(tokens) else ()


def _is_said(word: str, said: str) -> bool:
    """Whether it begins a word of what was said, or ends with one: "tue" Tuesday, and "Filter" Kaffeefilter;
    2 is what has that number."""
    if word.isdecimal():
        return re.search(rf"(?<![\d:.,]){word}(?![\d:.,]|\w*(?:am|pm)\b)", said) is not None
    if len(word) < SHORT_WORD:
        return False
    ends = (each for each in re.findall(r"[^\W\d_]+", said) if len(each) >= LONG_WORD)
    return re.search(rf"(?<![^\W_]){re.escape(word)}", said) is not None or any(map(word.endswith, ends))


def named(name: str, past: Past) -> tuple[int, ...]:
    """The acts on the file, or of the thing, that is called so."""
    wanted = name.casefold()
    things = [each.casefold() for each in things_done(past)]
    return tuple(
        at
        for at, of in enumerate(past.undo_of)
        if wanted in (of.casefold(), last_part(of).casefold(), *things[at : at + 1])
    )


def meant(request: str, past: Past) -> tuple[ParsedCall, ...]:
    """The calls that take back all that a request means which says no more than that. "Both" of two requests
    that changed one thing each are the last two."""
    one_each = len(past.undo) == 1 and len(past.undo_before) == 1
    return (*past.undo, *past.undo_before) if one_each and _BOTH.search(request) else past.undo


def calls_back(request: str, past: Past, text_of: Callable[[str], str]) -> tuple[ParsedCall, ...] | None:
    """The calls that take back those of the last acts that `request` speaks of, or all; None where one of
    them cannot be by itself."""
    which = spoken_of(request, past)
    return taking_back(which, past, text_of) if which else past.undo


def taking_back(
    which: Sequence[int], past: Past, text_of: Callable[[str], str]
) -> tuple[ParsedCall, ...] | None:
    """The calls that take back the acts `which`; None where one of them cannot be by itself."""
    calls = []
    for at in which:
        act = past.undo_acts[at] if at < len(past.undo_acts) else None
        file = past.undo_of[at]
        stands_below = act is not None and act.name in _ON_TEXT
        later = [newer for newer in range(at) if past.undo_of[newer] == file and newer not in which]
        call = contrary(act, text_of(file)) if act and stands_below and later else past.undo[at]
        if call is None:
            return None
        calls.append(call)
    return tuple(calls)


# An amount, and no part of a day or an hour; between the commas of a row too.
_AMOUNT = re.compile(r"(?<![\w:/-])(?<!\d[.,])\d+(?:[.,]\d{1,2})?(?![\d:/-]|[.,]\d|\.\d)")


def other_amount(said: str, act: ParsedCall, text: str) -> ParsedCall | None:
    """What puts the one amount that `said` names in the place of the one that `act` wrote into `text`: "no,
    48,60". None where it names none or several, or it could stand for two."""
    line = str(act.arguments.get("new" if act.name == "replace_text" else "text", "")).strip("\n")
    if act.name not in ("append_text", "replace_text") or "\n" in line or text.count(line) != 1:
        return None
    amounts = _AMOUNT.findall(said)
    before = set(_AMOUNT.findall(str(act.arguments.get("old", ""))))
    written = [each for each in _AMOUNT.finditer(line) if each[0] not in before]
    if len(amounts) != 1:
        return None
    alike = [each for each in written if _decimals(each[0]) == _decimals(amounts[0])] or written
    if len(alike) != 1:
        return None
    wrong = alike[0]
    # As the table writes it: 48.60 beside 46,80 is 48,60.
    new = amounts[0].replace(".", ",") if "," in wrong[0] else amounts[0]
    right = line[: wrong.start()] + new + line[wrong.end() :]
    return ParsedCall("replace_text", {"path": act.arguments.get("path", ""), "old": line, "new": right})


def _decimals(number: str) -> int:
    return len(re.split(r"[.,]", number)[1]) if re.search(r"[.,]", number) else 0


def contrary(act: ParsedCall, text: str) -> ParsedCall | None:
    """What undoes a change of a text that others came after: the line stands again, or goes. None where that
    could be two things."""
    path = act.arguments.get("path", "")
    old, new = str(act.arguments.get("old", "")), str(act.arguments.get("new", ""))
    if act.name == "replace_text" and not new.strip():
        return ParsedCall("append_text", {"path": path, "text": old.strip("\n")})
    if act.name == "replace_text" and text.count(new) == 1:
        return ParsedCall("replace_text", {"path": path, "old": new, "new": old})
    added = line_of(thing_of(str(act.arguments.get("text", ""))), text) if act.name == "append_text" else ""
    return ParsedCall("replace_text", {"path": path, "old": added, "new": ""}) if added else None
