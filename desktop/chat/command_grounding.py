"""Whether the request says what the model's commands for it would do.

A small model goes on with what it has just seen, stops after the first of two parts, or takes away what
nobody spoke of. Commands are held against the words of the request and against what was done before: one that
nothing speaks for is dropped, or the whole request left alone, and what "both" asks for is done twice. Any
thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import repeat

from desktop.chat.content_search import forms_of
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import (
    HAS_ENDING,
    MAY_ACT,
    bare_of,
    language_of,
    last_part,
    plain_letters,
    stems,
    words,
)
from desktop.chat.references import Past
from desktop.chat.request_commands import Command
from desktop.chat.tool_choice import files_in
from desktop.chat.undo_requests import named, says_several, spoken_of, thing_done

LONG_WORD = 5  # letters; shorter ones are seldom what a part is about
SHORT_WORD = 4  # letters of a name that may stand in a command
_OF_SERIES = re.compile(r"(?<![\w.])([a-z_-]{2,})(\d{1,4})(?![\w.])", re.IGNORECASE)


def of_series(request: str, files: Sequence[str]) -> Iterator[str]:
    """What the request calls like files that are there, "scan5" beside scan1.txt, and is not."""
    known = {last_part(each).rsplit(".", 1)[0].casefold() for each in files}
    heads = {found[1] for each in known if (found := re.fullmatch(r"([a-z_-]{2,})\d+", each))}
    for found in _OF_SERIES.finditer(request):
        if found[1].casefold() in heads and found[0].casefold() not in known:
            yield found[0]


def names_what_goes(plan: IntentPlan, request: str) -> bool:
    """Whether the request itself says what would go, be another, or be elsewhere: a second reading has only
    its words to stand on."""
    said = beginnings(request)
    if any(call.name in ("undo_change", "cancel_reminder") for call in plan.calls) and not _BACK.search(
        request
    ):
        return False
    values = [
        str(call.arguments.get("old", call.arguments.get("source", call.arguments.get("path", ""))))
        for call in plan.calls
        if call.name in ("replace_text", "move_file", "delete_file")
    ]
    return all(beginnings(last_part(each).replace("_", " ")) & said for each in values)


_ON_FILES = frozenset(
    ("add", "add_first", "add_file", "remove", "replace", "move", "copy", "rename", "delete", "show")
)


def grounded(commands: Sequence[Command], request: str) -> tuple[Command, ...]:
    """Those of several commands for which a word of the request speaks: a small model goes on with what it
    has just seen. One alone may be meant by "it". Of two on one file the one that loses less is meant."""
    said = request.casefold()
    named = [each for each in commands if each.name not in _ON_FILES or _speaks_for(each, said)]
    kept = named if named and len(commands) > 1 else list(commands)
    changed = {each.values[-1] for each in kept if each.name in ("remove", "replace", "add")}
    return tuple(each for each in kept if not (each.name == "delete" and each.values[0] in changed))


_KEEPS = re.compile(
    r"\b(?:keep|stays?|behalt\w*|bleib\w*|gard[eo]\w*|conserv\w*|reste\w*|qued\w*|mant[eé]n\w*)\b",
    re.IGNORECASE,
)
_DELETES = re.compile(
    r"\b(?:delet|remov|bin\b|trash|throw|rid\b|erase|drop|scrap|ditch|toss|discard|wipe|go(?:es)?\b|gone\b|"
    r"junk|"
    r"lösch|weg|schmeiß|schmeiss|wirf|werf|entfern|tonne|papierkorb|hau|supprim|effac|jet|vire|enl[eè]v|"
    r"poubelle|"
    r"corbeille|borr|bórr|elimin|quit|quít|tir[ae]|tíra|bot[ae]|papelera|suprim)",
    re.IGNORECASE,
)
_AND_THIS = re.compile(r"\W*(?:and|und|et|y)(?: [^\s]+){1,2}\W*$", re.IGNORECASE)
_HALF_QUOTED = re.compile(r"\S['’\"”»](?=\s\S)|\s['\"“«„]\S")
_ONE_MORE = re.compile(
    r"\b(?:another (?:one|reminder|alarm)|one more|a second one|noch eine?n?|eine? weitere\w*|une? autre|"
    r"encore une?|otr[oa] (?:más|recordatorio|para|el|la)|un[oa] más)\b",
    re.IGNORECASE,
)
# All blanks at once (`*+`): taken back one by one, a thousand of them cost seconds.
_QUOTATION = re.compile(r"(?<!\w)['\"“„«‘]\s*+(.+?)\s*['\"”“»’](?!\w)")
# Where a text goes that is not the end; such a command is another one.
_IN_FRONT = re.compile(
    r"\b(?:before|in front|above|davor|voran|darüber|vorne|oben|zuerst|first|top|début|"
    r"principio|arriba|devant|avant|au-dessus|delante|antes|encima)\b",
    re.IGNORECASE,
)


def as_quoted(commands: Sequence[Command], request: str) -> tuple[Command, ...]:
    """With the texts that the request has in quotation marks, where a small model went past their end."""
    quoted = [each[1] for each in _QUOTATION.finditer(request)]
    if _IN_FRONT.search(request):
        return tuple(commands)
    found = []
    for each in commands:
        text = each.values[0] if each.name in ("add", "add_first", "write") else ""
        whole = [one for one in quoted if one in text and one != text and _HALF_QUOTED.search(text)]
        found.append(Command(each.name, (whole[0], *each.values[1:])) if len(whole) == 1 else each)
    return tuple(found)


# "A folder called Old" is no line of a file, and "the total" is not the word.
_FOLDER = r"(?:folders?|director(?:y|ies)|ordner|verzeichnis|dossiers?|répertoires?|carpetas?|directorios?)"
_CALLED = r"(?:called|named|namens|genannt|nommée?|appelée?|llamad[oa])"
_RESULT = (
    r"(?:total|sum|result|answer|summe|gesamtsumme|ergebnis|antwort|somme|résultat|réponse|suma|resultado|"
    r"respuesta)"
)


def _is_no_text(text: str, request: str) -> bool:
    """Whether `request` says these words as a name of a folder, or for a result that is to be worked out."""
    said = re.escape(text.strip())
    as_folder = rf"\b{_FOLDER}\s+(?:{_CALLED}\s+)?{said}(?!\w)"
    as_result = rf"(?<![\"'“„«‘])\b(?:the|die|das|den|le|la|el|l['’])\s*(?={_RESULT}){said}(?!\w)"
    return any(re.search(each, request, re.IGNORECASE) for each in (as_folder, as_result))


def is_meant(commands: Sequence[Command], request: str, past: Past, files: Sequence[str] = ()) -> bool:
    """Whether the request speaks of what its commands would lose: a file goes only where something says so,
    or another has just gone. A text ends where its quotation marks do, and is said to be one."""
    deleted = any(each.name == "delete" for each in commands)
    may_delete = _DELETES.search(request) or any(call.name == "delete_file" for call in past.calls)
    if deleted and (not may_delete or _KEEPS.search(request)):
        return False
    # What goes is not done.
    ticked = any(each.name in ("tick", "untick") for each in commands)
    if ticked and _DELETES.search(request):
        return False
    # "And beech", behind a look: that is looked for, and not thrown away.
    only_looked = bool(past.calls) and all(call.name == "read_file" for call in past.calls)
    loses = deleted or any(each.name == "remove" for each in commands)
    if loses and only_looked and _AND_THIS.match(request) and not _DELETES.search(request):
        return False
    # "Put yoghurt with the stuff to buy" takes nothing out.
    only_removes = any(each.name == "remove" for each in commands) and all(
        each.name not in ("add", "add_first") for each in commands
    )
    if only_removes and _PUTS_IN.match(request) and not _DELETES.search(request):
        return False
    # What nobody speaks of throwing away, of a file that nobody has touched, stays.
    lately = {str(each) for call in (*past.calls, *past.lately) for each in call.arguments.values()}
    removals = [each for each in commands if each.name == "remove"]
    unsaid = [each for each in removals if each.values[0].casefold() not in request.casefold()]
    is_untouched = any(each.values[-1] not in lately | {past.file} for each in unsaid)
    # What is to be ticked stays in its list, and so does what no word of it speaks of.
    said = forms_of(request).values()
    is_other = any(
        not any(form.search(plain_letters(each.values[0].casefold())) for form in said) for each in unsaid
    )
    if (is_untouched or is_other or _TICKS.search(request)) and removals and not SAYS_GONE.search(request):
        return False
    # "… in the original 850 is to stay" takes no line out.
    if any(each.name == "remove" for each in commands) and _KEEPS.search(request) and not may_delete:
        return False
    # One more is no other time of the same.
    if _ONE_MORE.search(request) and any(each.name in ("change", "later", "earlier") for each in commands):
        return False
    texts = [each.values[0] for each in commands if each.name in ("add", "add_first", "write")]
    if any(_is_name(each, files, request) or _is_order_itself(each, request) for each in texts):
        return False
    is_scrap = not removals and any(map(_is_scrap, texts, repeat(request)))
    if is_scrap or any(map(_is_of_another_row, commands, repeat(request), repeat(past))):
        return False
    return not any(_HALF_QUOTED.search(each) or _is_no_text(each, request) for each in texts)


SHORT_REQUEST = 8  # words, in which "he" may be whoever was told before


def _is_of_another_row(command: Command, request: str, past: Past) -> bool:
    """Whether a cell would be set of a row that nobody speaks of: "add Lucia to the bookings" changes no line
    of Jürgen's."""
    if command.name not in ("set", "lower", "raise"):
        return False
    spoken = f"{request} {past.asked} {past.text if len(request.split()) <= SHORT_REQUEST else ''}".casefold()
    words = re.findall(r"[^\W_]{2,}", command.values[1].casefold())
    return bool(words) and not any(each[:4] in spoken for each in words)


def _is_scrap(text: str, request: str) -> bool:
    """Whether a text is one word of a long request that asks for nothing to be added: "mercredi" of "il vient
    aussi le mercredi en fait", "31" of a reminder."""
    is_long = len(re.findall(r"[^\W\d_]{4,}", request)) >= LONG_REQUEST
    return is_long and len(text.split()) == 1 and _ADDS.search(request) is None


LONG_REQUEST = 4  # words of some length
SAYS_GONE = re.compile(
    rf"{_DELETES.pattern}|\b(?:off|out|no longer|not any ?more|cancel\w*|quit|left|leaves|cross|strike|"
    r"without|sold|instead|rather|raus|gestrichen|streich\w*|abgesagt|fällt|ohne|nicht mehr|statt|verkauft|"
    r"gegessen|alle|plus|annul\w*|parti\w*|sans|au lieu|barre\w*|ya no|sin|cancel\w*|tacha\w*|en vez)\b",
    re.IGNORECASE,
)
_TICKS = re.compile(r"\b(?:tick|abhak|coche|marca)\w*\b(?!(?: \w+){0,4}? off\b)", re.IGNORECASE)
_ADDS = re.compile(
    r"\b(?:add|put|write|note|append|jot|include|pop|stick|auch|noch|dazu|rein|drauf|schreib\w*|trag\w*|füg\w*|"
    r"setz\w*|pack\w*|need|needs|brauch\w*|fehl\w*|too|also|plus|aussi|encore|ajout\w*|rajout\w*|notez?|mets|mettez|mettre|faut|manque\w*|"
    r"también|añad\w*|pon\w*|agreg\w*|apunt\w*|falta\w*|instead|place)\b",
    re.IGNORECASE,
)
_PUTS_IN = re.compile(
    r"\W*(?:(?:but|and|also|now|please|ok(?:ay)?|bitte|und|aber|et|mais|y|pero)\W+)*"
    r"(?:put|add|write|note|append|schreib\w*|trag\w*|füg\w*|ajoute\w*|rajoute\w*|note\w*|mets|mettez|añade\w*|"
    r"pon\w*|agrega\w*|apunta\w*)\b",
    re.IGNORECASE,
)


def _is_order_itself(text: str, request: str) -> bool:
    """Whether a text begins with the verb of the request and says nothing that is not in it: "häng das an
    brief.txt an" adds no line that begins with "häng"."""
    first, said = text.casefold().split()[:1], request.casefold().split()
    written = re.findall(r"[^\W_]+", text.casefold())
    is_verb = bool(first) and said[:1] == first and MAY_ACT.match(text) is not None
    return is_verb and len(written) > 1 and set(written) <= set(re.findall(r"[^\W_]+", request.casefold()))


def _is_name(text: str, files: Sequence[str], request: str) -> bool:
    """Whether a text that is to be written is only what a file is called: "put the sum into notes"."""
    names = {last_part(each).rsplit(".", 1)[0].casefold() for each in files}
    quoted = {each[1].strip().casefold() for each in _QUOTATION.finditer(request)}
    said = text.strip(" .").casefold()
    # A new file has a name, too: "… speicher sie als Mahnung.txt".
    is_new = said.endswith(tuple(each.casefold() for each in files_in(request)))
    return said in names - quoted or (is_new and said not in quoted)


POINTS_AT = re.compile(
    r"\b(?:first|last|latest|top|bottom|second|third|line|other|others|rest|it|that|this|one|ones|everything|"
    r"erste\w*|letzte\w*|oberste\w*|unterste\w*|zweite\w*|dritte\w*|zeile|andere\w*|rest|es|das|die|den|sie|"
    r"ihn|"
    r"premi\w+|derni\w+|deuxième|second\w*|ligne|autres?|le|la|les|ça|celui|celle|primer\w*|últim\w+|"
    r"segund\w+|"
    r"línea|otr[oa]s?|lo|los|las|es[eoa]|est[eoa])\b",
    re.IGNORECASE,
)


def is_pointed_at(steps: Sequence[Step], request: str, past: Past, around: Surroundings) -> bool:
    """Whether something in the request, or what was done just before, speaks of each line and file that
    would go: whatever a small model takes besides is lost, and nobody asked for it."""
    said = beginnings(request)
    lately = (*past.calls, *past.lately, *past.undo_acts, *past.acts_before)
    done = beginnings(" ".join(str(each) for call in lately for each in call.arguments.values()))
    near = {past.file, *past.files} - {""}
    for call in (step.call for step in steps if step.call is not None):
        given = {key: str(value) for key, value in call.arguments.items()}
        if call.name == "delete_file":
            name = given.get("path", "")
            own = beginnings(last_part(name).rsplit(".", 1)[0].replace("_", " ")) | beginnings(
                around.text(name)[:400]
            )
            if not own & said and not (name in near and POINTS_AT.search(request)) and len(near) > 0:
                return False
        elif call.name == "replace_text" and not given.get("new", "").strip():
            gone = beginnings(given.get("old", ""))
            points = POINTS_AT.search(request) or says_several(request)
            if gone and not gone & said and not (points and gone & done):
                return False
    return True


def beginnings(text: str) -> frozenset[str]:
    """The beginnings of its words, by which two forms of one are known: mow and mowing."""
    found = re.findall(r"[^\W\d_]+|\d+", text.casefold())
    return frozenset(
        each[:SHORT_WORD] if not each.isdigit() else each for each in found if len(each) > 2 or each.isdigit()
    )


def as_one_file(commands: Sequence[Command], files: Sequence[str]) -> tuple[Command, ...]:
    """What is written into one new file in several commands is one text, and one question."""
    kept: list[Command] = []
    targets = {each.values[-1] for each in commands if each.name in ("copy", "rename")}
    for each in commands:
        command = each
        # What is not there yet is written.
        if command.name == "add" and command.values[1] not in (*files, *targets):
            command = Command("write", command.values)
        last = kept[-1] if kept else None
        of_new = last is not None and last.name == "write" and command.name in ("write", "add")
        if last is not None and of_new and last.values[1] == command.values[1]:
            text = f"{last.values[0]}\n{command.values[0]}"
            kept[-1] = Command("write", (text, last.values[1]))
        else:
            kept.append(command)
    return tuple(kept)


def spoken(commands: Sequence[Command], request: str, past: Past) -> tuple[Command, ...]:
    """Without those that take back what the request does not speak of, where it speaks of something else: of
    two files that went one is needed again."""
    meant_ = spoken_of(request, past)
    return tuple(
        each
        for each in commands
        if not meant_ or each.name != "undo_one" or set(named(each.values[0], past)) & set(meant_)
    )


def is_of_late(commands: Sequence[Command], request: str, past: Past) -> bool:
    """Whether each of several lines that go was said or put there lately: a small model that does not know
    what "both" are takes the first two."""
    gone = [each.values[0] for each in commands if each.name == "remove"]
    said = request.casefold()
    lately = {thing_done(call).casefold() for call in (*past.undo_acts, *past.acts_before)}
    return len(gone) < 2 or all(_is_said(each, said) or each.casefold() in lately for each in gone)


_OF_REMINDERS = frozenset(("later", "earlier", "cancel", "change"))
_BOTH = re.compile(
    r"\b(?:both|all (?:two|three|of them)|beide[ns]?|alle (?:zwei|drei)|"
    r"(?:tou(?:te)?s )?les (?:deux|trois)|"
    r"amb[oa]s|l[oa]s (?:dos|tres))\b",
    re.IGNORECASE,
)


def for_both(
    commands: Sequence[Command], request: str, past: Past, reminders: Sequence[tuple[int, str]]
) -> tuple[Command, ...]:
    """The one command for one of several, made for each of them where the request says "both": a small model
    stops after the first."""
    if len(commands) != 1 or not _BOTH.search(request):
        return tuple(commands)
    (only,) = commands
    others: Sequence[str] = ()
    if only.name in _OF_REMINDERS:
        set_last = [call for call in past.calls if call.name == "set_reminder"]
        numbers = [str(number) for number, _ in reminders]
        others = numbers[-len(set_last) :] if len(set_last) > 1 else numbers if len(numbers) == 2 else ()
    elif only.name in ("move", "copy", "delete", "show"):
        others = past.files
    if not others or only.values[0] not in others:
        return tuple(commands)
    return tuple(Command(only.name, (each, *only.values[1:])) for each in others)


# "… bring them back" behind what is to come back.
_BACK = re.compile(
    r"\b(?:back|again|wieder|zurück|remet\w*|rends?|de nouveau|otra vez|de nuevo|vuelve\w*|recup[eé]ra\w*)\b|"
    r"^\W*(?:put|pon|tu|mets)(?:l[oae]s?|-l[ea]s?)?\s+(?:it|them|die|sie|es|ihn)?\b\W*$",
    re.IGNORECASE,
)


def unread_parts(request: str, commands: Sequence[Command], language: str) -> Iterator[str]:
    """The parts that ask for an act and of which no command has a word: a small model stops after the first.
    Where it wrote a command for each part, none is missing."""
    parts = [each.strip(" .!?") for each in words("joins", language).split(request) if each]
    acts = [each for each in parts if MAY_ACT.match(bare_of(each, language))]
    if len(commands) >= len(acts):
        return
    told = " ".join(value.casefold() for command in commands for value in command.values)
    restores = any(command.name in ("undo", "undo_one", "add") for command in commands)
    for part in acts:
        if restores and _BACK.search(part):
            continue
        said = stems(" ".join(part.split()[1:]))
        is_of_something = any(len(word) >= LONG_WORD for word in said)
        if is_of_something and not any(word[:LONG_WORD] in told for word in said if len(word) >= SHORT_WORD):
            yield part


def part_of(command: Command, request: str, language: str) -> str:
    """The one part of several that asks for `command`, by a word of it; "" where that cannot be told."""
    parts = [each.strip(" .!?") for each in words("joins", language).split(request) if each.strip(" .!?")]
    asking = [each for each in parts if any(_is_said(value, each.casefold()) for value in command.values)]
    return asking[0] if len(parts) > 1 and len(asking) == 1 else ""


def _speaks_for(command: Command, said: str) -> bool:
    """Whether a word of the request is its object; of two passages the new one alone may be said."""
    objects = command.values[:-1] if command.name == "replace" else command.values[:1]
    return any(_is_said(each, said) for each in objects)


def _is_said(value: str, said: str) -> bool:
    """Whether the request says it; of a file's name, one of its words."""
    if value.casefold() in said:
        return True
    words = re.findall(r"[^\W\d_]{2,}|\d+", last_part(value).rsplit(".", 1)[0].casefold())
    return HAS_ENDING.fullmatch(last_part(value)) is not None and any(word in said for word in words)


def request_language(request: str, past: Past) -> str:
    """That of the request; of the one before, where it has no word that tells."""
    return language_of(f"{request} {past.asked if len(request.split()) < 4 else ''}")


def covers(name: str, commands: Sequence[Command]) -> bool:
    """Whether a command speaks of the file `name`."""
    wanted = last_part(name).casefold()
    return any(wanted in value.casefold() for command in commands for value in command.values)
