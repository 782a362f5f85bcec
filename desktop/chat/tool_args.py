"""The arguments of a call that was decided on: written under a grammar, then held against what was said.

A small model fills in everything that a schema offers, whether anybody has named it or not, and it forgets
that 112.07 W is a negative number. Nothing here guesses: values are left out or signed, never made up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import Family, Style, arguments_grammar
from desktop.chat.formats.json_schema import SchemaRefused, schema_grammar
from desktop.chat.said_values import as_wanted, in_their_places, is_unasked
from desktop.chat.streaming import CallSplitter, ThinkingSplitter
from desktop.engine.requests import FinishReason, GenerateRequest, Message, Sampling, Stream
from desktop.gate.verdict import Effect
from desktop.tools.places import is_zone, places_in, zone_of
from desktop.tools.tool import Parameter, ParameterType, Tool

APART_TEMPERATURE = 0.2

# "Here is the summary:" before what was asked for.
_LEAD_IN = re.compile(
    r"\A(?:sure|certainly|of course|okay|here|hier|gerne|natürlich|summary|zusammenfassung)\b"
    r"[^\n]{0,100}:\s*\n+(?=\S)",
    re.IGNORECASE,
)

_FENCE = re.compile(r"\A```[\w-]*\n(.*?)\n?```\Z", re.DOTALL)
Submit = Callable[[GenerateRequest], Stream]
TextRequest = Callable[[str], tuple[Message, ...]]


@dataclass(frozen=True)
class SeparateText:
    """An argument that is a whole text. `told` asks for it, given the first of the other arguments."""

    argument: str
    told: TextRequest


@dataclass(frozen=True)
class WrittenCall:
    """The call, or None and `why`; `raw` is how the model wrote it."""

    call: ParsedCall | None
    raw: str
    why: str = ""


def write_call(
    submit: Submit, base: GenerateRequest, tool: Tool, family: Family, apart: SeparateText | None = None
) -> WrittenCall:
    """Have the model write the arguments of `tool` as the next thing in the conversation `base`."""
    if tool.gate_name:
        tool = with_said_addresses(tool, said_by_others(base.messages))
    # A whole text inside JSON is escaped by the model, and small ones get lost in it.
    inside = [each for each in tool.parameters if apart is None or each.name != apart.argument]
    start = family.opening + tool.name + family.between
    stream = submit(
        replace(
            base,
            answer_start=start,
            grammar=_grammar(tool, inside, family),
            sampling=Sampling(temperature=0, max_tokens=base.sampling.max_tokens),
            # Paths, names and texts of a call mostly stand in what was said.
            repeats_context=True,
        )
    )
    written = _read(stream, base, tool, start)
    if written.call is None or apart is None:
        return written
    return _with_text(submit, base, written, apart)


def _grammar(tool: Tool, inside: Sequence[Parameter], family: Family) -> str:
    """Of the whole schema where one was given that says more than the parameters do."""
    if tool.shown_schema is None or family.style is not Style.JSON:
        return arguments_grammar(inside, family.style, family.closing)
    try:
        return schema_grammar({"type": "object", **narrowed(tool.shown_schema)}, closing=family.closing)
    except SchemaRefused:
        # What the prose adds is a help and no demand: a thousand words in quotes make more than a grammar
        # holds, and the schema itself was accepted.
        return schema_grammar({"type": "object", **tool.shown_schema}, closing=family.closing)


# "Can be 'asc' for ascending order or 'desc' for descending order."
_ONE_OF = re.compile(
    r"\b(?:can (?:only )?be|(?:is|are)? ?(?:one of|either)|must be|should be|options? (?:is|are)|"
    r"(?:possible|allowed|valid|accepted|supported) (?:values|options|types)\w*|choose (?:from|between)"
    r"|whether to)\b",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(
    r"\betc\b|\bsuch as\b|\be\.?g\b|\bfor example\b|\blike\b|\bor any\b|\bother\b", re.IGNORECASE
)
_IN_QUOTES = re.compile(r"(?<!\w)['\"`]([\w .+-]{1,40})['\"`](?!\w)")


def narrowed(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool's schema with what its descriptions say in prose: the values a text may have, and dates."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return schema
    return {**schema, "properties": {name: _narrowed_text(each) for name, each in properties.items()}}


def values_in_prose(described: str) -> tuple[str, ...]:
    """The values that a text may have, where its description names all of them; () where it does not."""
    values = tuple(dict.fromkeys(_IN_QUOTES.findall(described)))
    is_whole = len(values) > 1 and _ONE_OF.search(described) and not _NOT_ALL.search(described)
    return values if is_whole else ()


def _narrowed_text(schema: Any) -> Any:
    if not isinstance(schema, Mapping) or schema.get("type") != "string" or {"enum", "format"} & set(schema):
        return schema
    described = str(schema.get("description", ""))
    values = values_in_prose(described)
    if values:
        default = schema.get("default")
        named = (*values, default) if isinstance(default, str) and default else values
        return {**schema, "enum": list(dict.fromkeys(named))}
    # The one form that everybody names alike.
    if described.count("YYYY-MM-DD") == 1 and "HH" not in described:
        return {**schema, "format": "date"}
    return schema


def _read(stream: Stream, base: GenerateRequest, tool: Tool, start: str) -> WrittenCall:
    written = ""
    said = said_by_others(base.messages)
    asked = next((each.content for each in reversed(base.messages) if each.role == "user"), "")
    for piece in stream:
        written += piece
        # Looked at while it is written: an invented name ends the call before its content is written.
        invented = invented_path(tool, written, said, asked)
        if invented:
            stream.cancel()
            return WrittenCall(None, start + written, f"nobody named {invented}")
    raw = start + written
    # Read by the same reader as free calls, so that both are understood alike.
    splitter = CallSplitter((tool.name,))
    splitter.feed(raw)
    splitter.finish()
    if not splitter.calls:
        return WrittenCall(None, raw, "it was cut")
    call = grounded(tool, splitter.calls[0], said)
    if tool.gate_name:
        call = ParsedCall(call.name, in_wanted_clock(tool, in_said_zones(tool, call.arguments, asked)))
    arguments = with_said_folders(tool, call.arguments, asked)
    call = ParsedCall(call.name, with_said_quotes(arguments, said))
    made_up = invented_reference(tool, call, said) or retold(tool, call, asked)
    # Of Steward's own tools every argument is read by the tool itself.
    if tool.shown_schema is not None:
        placed = in_their_places(tool, call.arguments, said)
        call = ParsedCall(call.name, as_wanted(tool, placed, said))
    return WrittenCall(None, raw, f"nobody named {made_up}") if made_up else WrittenCall(call, raw)


def _with_text(
    submit: Submit, base: GenerateRequest, written: WrittenCall, apart: SeparateText
) -> WrittenCall:
    assert written.call is not None
    text = whole_text(submit, base, apart.told(next(map(str, written.call.arguments.values()), "")))
    if text is None:
        return WrittenCall(None, written.raw, "it was cut")
    arguments = {**written.call.arguments, apart.argument: text}
    return WrittenCall(ParsedCall(written.call.name, arguments), written.raw)


def whole_text(submit: Submit, base: GenerateRequest, asked: tuple[Message, ...]) -> str | None:
    """What a file is to hold, written by the model as the answer to `asked`; None where it did not end."""
    # A file is no place for variation.
    sampling = replace(base.sampling, temperature=min(base.sampling.temperature, APART_TEMPERATURE))
    request = GenerateRequest(f"{base.conversation} text", asked, sampling, base.priority)
    stream = submit(replace(request, repeats_context=True))
    thinking = ThinkingSplitter()
    text = thinking.feed(stream.text()).text + thinking.finish().text
    # Half a text must not replace a whole file.
    return _bare(text) if stream.finish is FinishReason.STOP else None


def _bare(text: str) -> str:
    """A text without the words that a model says before it, and without the fence around code."""
    bare = _LEAD_IN.sub("", text.strip(), count=1).strip()
    # Asked for a file, models wrap it as if it were shown in a chat.
    fenced = _FENCE.match(bare)
    return fenced[1] if fenced is not None else bare


STEM = 5  # letters that tell a word, whatever its ending
SHORT = 3  # a word of so few letters may be a unit or a code for what was said at length

NUMBER_WORDS = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|dozen|few|ein\w*|zwei|drei|vier"
    r"|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|hundert|une?|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze"
    r"|vingt|cent|un[ao]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|cien)\b",
    re.IGNORECASE,
)
# Asked for a file without a name: whatever it is called, it is the model's to say.
_SOME_FILE = re.compile(
    r"\b(?:(?:in|into|to|as) (?:a|another|one|some)(?: new| separate| text)* file\b"
    r"|in eine[rn]?(?: neuen?| eigenen?| weiteren?)* (?:text)?datei\b"
    r"|dans un(?: nouveau| autre)? fichier\b|en un(?: nuevo| otro)? (?:archivo|fichero)\b)",
    re.IGNORECASE,
)
_WEB = re.compile(r"https?://\S+$", re.IGNORECASE)
_ONE_BLANK = re.compile(r"^ (?! )|(?<! ) $")
# Parameters that point at something there is: it has to be named by somebody.
_REFERENCE = re.compile(
    r"(?:paths?|files?|ur[li]s?|branch(?:_?names?)?|target|revision|ref|names?|ids?)$", re.IGNORECASE
)
_UNIVERSAL = frozenset({"utc", "gmt", "etc/utc", "etc/gmt"})
_RELATIVE = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|now|next|last|this|ago|heute|morgen|gestern|jetzt|nächste\w*|letzte\w*)\b"
)


def said_by_others(messages: Sequence[Message]) -> str:
    """What the user wrote and what tools gave: where the values of a call can come from."""
    texts = (message.content for message in messages if message.role not in ("system", "assistant"))
    return "\n".join(texts)


def invented_path(tool: Tool, written: str, said: str, request: str = "") -> str:
    """A file that must be named, and that nobody has named; "" as long as there is none.

    `written` is the beginning of the call, `request` what the user asks for now. Small models make names up
    where none was given: "Write a poem" becomes a call that writes poem.txt."""
    # A tool of Steward's own gets such a name by rule, one that is free.
    if tool.gate_name and _SOME_FILE.search(request):
        return ""
    for parameter in tool.parameters:
        if parameter.is_path and parameter.required:
            match = re.search(rf'"{parameter.name}": "((?:[^"\\]|\\.)*)"', written)
            # To write, the very name must have been said; to read, "the report" is enough.
            if match is not None and not _is_named(match[1], said, tool.effect is Effect.READ):
                return match[1]
    return ""


def invented_reference(tool: Tool, found: ParsedCall, said: str) -> str:
    """What a call of a server's tool points at although nobody has named it; "" where all was named.

    A small model fills in what must be there: "path/to/file1", the branch main, the time zone UTC, 1 and 1 to
    be added up."""
    if not tool.gate_name:
        return ""
    for parameter in tool.parameters:
        given = found.arguments.get(parameter.name)
        if not parameter.required or parameter.choices:
            continue
        for value in given if isinstance(given, list) else [given]:
            if isinstance(value, str) and not _is_pointed_at(parameter.name, value, said):
                return value
            if isinstance(value, int | float) and not isinstance(value, bool) and not _says_a_number(said):
                return str(value)
    return ""


def _says_a_number(said: str) -> bool:
    return re.search(r"\d", said) is not None or NUMBER_WORDS.search(said) is not None


def retold(tool: Tool, found: ParsedCall, request: str) -> str:
    """A text of a call of a server's tool that is the whole request, the words that meant the tool too; ""
    where there is none. "The echo in here is awful" tells something, and gives *echo* nothing to say."""
    asked = _words_of(request)
    name = {word for word in _words_of(found.name) if len(word) > SHORT}
    if not tool.gate_name or name.isdisjoint(asked):
        return ""
    texts = (value for value in found.arguments.values() if isinstance(value, str))
    return next((value for value in texts if _words_of(value) == asked), "")


def _words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _is_pointed_at(name: str, value: str, said: str) -> bool:
    """Whether what a parameter of that name holds was said; True where it points at nothing."""
    text = said.casefold()
    if TAKES_ZONE.search(name):
        return value.casefold() not in _UNIVERSAL or _any(("utc", "gmt", "greenwich"), text)
    # What Git calls the latest commit, everybody calls otherwise.
    if not _REFERENCE.search(name) or value.startswith("HEAD") or _is_named(value, said, stem_will_do=True):
        return True
    words = [word[:STEM] for word in re.findall(r"[^\W_]+", value.casefold()) if len(word) > 1]
    return not words or _any(words, text)


def with_files(tool: Tool, argument: str, names: Sequence[str]) -> Tool:
    """`tool` with only `names` to choose from as `argument`; as it is where nothing is named."""
    if not argument or not names:
        return tool
    parameters = tuple(
        replace(each, choices=tuple(names)) if each.name == argument else each for each in tool.parameters
    )
    return replace(tool, parameters=parameters)


def grounded(tool: Tool, found: ParsedCall, said: str) -> ParsedCall:
    """The call without optional values that nobody has named, and with coordinates signed."""
    by_name = {each.name: each for each in tool.parameters}
    kept = {
        key: _as_meant(by_name.get(key), value, said)
        for key, value in found.arguments.items()
        if key not in by_name
        or by_name[key].required
        or (_was_said(by_name[key], value, said) and not _is_made_up(tool, by_name[key], value, said))
    }
    return ParsedCall(found.name, kept)


def _is_made_up(tool: Tool, parameter: Parameter, value: Any, said: str) -> bool:
    """A switch or a count that a small model fills in though nobody asked for it: of a stranger's tool, which
    has a value of its own for what is left out, and of which nobody knows what another one does."""
    if not tool.gate_name:
        return tool.shown_schema is not None and is_unasked(parameter, value, said)
    if value in ("", []):
        return True
    if parameter.kind is ParameterType.BOOLEAN:
        words = [word for word in re.findall(r"[^\W_]+", parameter.name.casefold()) if len(word) > SHORT]
        return not _any((word[:STEM] for word in words or [parameter.name.casefold()]), said.casefold())
    if parameter.kind in (ParameterType.INTEGER, ParameterType.NUMBER) and not parameter.choices:
        return not _says_a_number(said)
    return False


def _as_meant(parameter: Parameter | None, value: Any, said: str) -> Any:
    if parameter is not None and parameter.is_path:
        return _as_said(_unpadded(value, said), said)
    if parameter is not None and TAKES_ZONE.search(parameter.name) and isinstance(value, str):
        return _zone_named(value)
    return _signed(_without_sentence(_unpadded(value, said)), said)


def _without_sentence(value: Any) -> Any:
    return without_sentence(value) if isinstance(value, str) and _WEB.match(value) else value


def _unpadded(value: Any, said: str) -> Any:
    """A name or a line without the one blank that a small model sets before it: " redesign" for a branch that
    is called redesign. As it is where it was said so in quotation marks, and where nobody has said it."""
    if isinstance(value, list):
        return [_unpadded(each, said) for each in value]
    # More blanks than one are how a line is set in.
    bare = _ONE_BLANK.sub("", value) if isinstance(value, str) and "\n" not in value else value
    if bare == value or not bare or bare not in said:
        return value
    quoted = re.search(rf"[\"'“”„«»`]{re.escape(value)}[\"'“”„«»`]", said)
    return value if quoted is not None else bare


def _zone_named(value: str) -> str:
    """The name of the time zone of a city, as programs know it; what names no place stays as it is."""
    if value.upper() == "UTC":
        return value
    from desktop.tools.places import is_zone, zone_of

    if is_zone(value):
        return value
    # A region with a city as it is spelled: "America/São Paulo".
    zone = zone_of(value.rpartition("/")[2].replace("_", " "))
    return zone.key if zone is not None else value


def _was_said(parameter: Parameter, value: Any, said: str) -> bool:
    if parameter.is_path:
        return _is_named(str(value), said, stem_will_do=True)
    # Numbers and choices cannot be told from what was said; the grammar has bounded them.
    if parameter.kind is not ParameterType.STRING or parameter.choices or not isinstance(value, str):
        return True
    text = said.casefold()
    # 09:00 is said as 9.
    numbers = [number.lstrip("0") for number in re.findall(r"\d+", value)]
    words = [word for word in re.findall(r"[^\W\d_]+", value.casefold()) if len(word) > 1]
    named = _any(numbers, text) or (bool(numbers) and _RELATIVE.search(text) is not None)
    if not words:
        return named or not numbers
    # Only the beginning of a word counts: the model writes "morning" for "mornings".
    told = any(len(word) <= SHORT for word in words) or _any((word[:STEM] for word in words), text)
    return told and (named or not numbers)


def _any(parts: Iterable[str], text: str) -> bool:
    return any(part in text for part in parts if part)


def _is_named(path: str, said: str, stem_will_do: bool) -> bool:
    """Whether `said` has the name at the end of `path`; to read, "the report" will do for report.md."""
    text = said.casefold()
    name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].casefold()
    stem = name.rsplit(".", 1)[0] if stem_will_do else name
    return name in ("", ".", "~") or name in text or stem in text


def _as_said(path: Any, said: str) -> Any:
    """`path` without folders before it that nobody has named: photos of /home/user/photos."""
    if not isinstance(path, str):
        return path
    parts = path.replace("\\", "/").split("/")
    # The longest end that was said: folders that nobody named are the model's own.
    for start in range(len(parts)):
        rest = "/".join(parts[start:])
        if rest and rest.casefold() in said.casefold():
            return path if start == 0 else rest
    return path


def _signed(value: Any, said: str) -> Any:
    """112.07 as -112.07 where "112.0700 W" or "33.4° S" was said."""
    if isinstance(value, list):
        return [_signed(each, said) for each in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return value
    for number in re.findall(r"(?<![\d.-])(\d+(?:\.\d+)?)\s*°?\s*[WS]\b", said):
        if float(number) == value:
            return -value
    return value


# -- values that stand in the request ----------------------------------------------------------

# What a call takes over from the request as it stands there: addresses, the zones of the places that it
# names, times on the clock, whole paths, and texts with the quotation marks that they have.
#
# A small model runs an address on into the next sentence, gives Toronto the zone of New York, makes 2026
# of backup/2026, and writes 'x' for "x", which needs no escape in JSON. What can be known by its form is
# not left to it: an address is chosen among those that were said, the zone of a place is looked up, "9am"
# is written as 09:00 where this is the form that is wanted, a path is the whole one that was said, and a
# text that stands in the request but for its quotation marks has those of the request. Where the request
# says nothing of the kind, the model's value stays. Pure functions; any thread.

MOST_ADDRESSES = 20  # more than these are a text to work on, and would make the grammar of a call long
_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"“”„«»`]+", re.IGNORECASE)
_SENTENCE_END = "?.,;:!'’…"
_BEFORE_PATH, _BEHIND_PATH = r"(?<![\w./~:-])", r"(?![\w/-]|\.\w)"
_QUOTE = re.compile("[\"'`´‘’‚“”„]")  # each one character: the places behind them stay
_TAKES_ADDRESS = re.compile(r"(?:^|[\W_])(?:ur[li]s?|href|web ?page)(?![^\W_])", re.IGNORECASE)
TAKES_ZONE = re.compile(r"(?:time_?zone|^tz$|_tz$)", re.IGNORECASE)
# Said of a parameter, whoever describes it, and what a time looks like that is written otherwise.
_WANTS_CLOCK = "HH:MM"
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-3])(?:[:.h](?P<minute>[0-5]\d))?(?::00)?\s*"
    r"(?:(?P<half>[ap])\.?m\.?|h|uhr|heures?|horas?|o['’]clock)?",
    re.IGNORECASE,
)


def addresses_in(text: str) -> tuple[str, ...]:
    """The web addresses that `text` names, each once, without the end of the sentence that they stand in."""
    return tuple(dict.fromkeys(without_sentence(each) for each in _ADDRESS.findall(text)))


def without_sentence(address: str) -> str:
    """An address without the end of the sentence that it stood at the end of."""
    bare = address.rstrip(_SENTENCE_END)
    # "(see https://example.org/a)": but https://example.org/Tree_(graph) has a bracket of its own.
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1].rstrip(_SENTENCE_END)
    return bare


def with_said_addresses(tool: Tool, said: str) -> Tool:
    """`tool` with the addresses of `said` alone to choose from where it takes one; as it is where none is
    said. A parameter that alone takes one has to be given it then: left out, it has a value of its own."""
    known = addresses_in(said)
    taking = [each for each in tool.parameters if _takes_address(each)]
    if not known or len(known) > MOST_ADDRESSES or not taking:
        return tool
    is_only = len(taking) == 1
    parameters = (
        replace(each, choices=known, required=each.required or is_only) if each in taking else each
        for each in tool.parameters
    )
    return replace(tool, parameters=tuple(parameters))


def _takes_address(parameter: Parameter) -> bool:
    if parameter.kind is not ParameterType.STRING or parameter.choices:
        return False
    return parameter.is_address or _TAKES_ADDRESS.search(parameter.name) is not None


def with_said_folders(tool: Tool, arguments: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The arguments with paths as `request` has them, where they are the end of one of its paths: "a folder
    backup/2026" is not 2026. Of the request alone: what a file says leads no call to another folder."""
    paths = {each.name for each in tool.parameters if each.is_path}
    return {
        name: _whole_path(value, request) if name in paths and isinstance(value, str) and value else value
        for name, value in arguments.items()
    }


def _whole_path(end: str, request: str) -> str:
    """`end` itself where it stands there alone, or ends several paths."""
    name = re.escape(end)
    if re.search(_BEFORE_PATH + name + _BEHIND_PATH, request, re.IGNORECASE):
        return end
    found = re.findall(rf"{_BEFORE_PATH}(?:[\w.~-]*/)+{name}{_BEHIND_PATH}", request, re.IGNORECASE)
    return found[0] if len(set(found)) == 1 else end


def with_said_quotes(value: Any, said: str) -> Any:
    """`value`, which may hold others, with its texts as they stand in `said` where only the kind of their
    quotation marks differs."""
    if isinstance(value, list):
        return [with_said_quotes(each, said) for each in value]
    if isinstance(value, dict):
        return {key: with_said_quotes(each, said) for key, each in value.items()}
    if not isinstance(value, str) or value in said or not _QUOTE.search(value):
        return value
    at = _QUOTE.sub("'", said).find(_QUOTE.sub("'", value))
    return value if at < 0 else said[at : at + len(value)]


def in_said_zones(tool: Tool, arguments: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The arguments with the zones of the places that `request` names, where there are as many as there are
    zones to give. Which of two is which stays as the model has it, as long as it has one of them right."""
    given = [
        each.name
        for each in tool.parameters
        if TAKES_ZONE.search(each.name) and not each.choices and isinstance(arguments.get(each.name), str)
    ]
    zones = [zone.key for place in places_in(request) if (zone := zone_of(place)) is not None]
    said = list(dict.fromkeys(zones))
    if (
        not given
        or len(given) != len(said)
        or any(_is_zone_named(arguments[name], request) for name in given)
    ):
        return dict(arguments)
    wrong = [name for name in given if arguments[name] not in said]
    left = [zone for zone in said if zone not in {arguments[name] for name in given}]
    return {**arguments, wrong[0]: left[0]} if len(wrong) == len(left) == 1 else dict(arguments)


def in_wanted_clock(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with times as 09:00 where the description of a parameter asks for HH:MM and no more."""
    wanting = {
        each.name
        for each in tool.parameters
        if _WANTS_CLOCK in each.description
        and f"{_WANTS_CLOCK}:SS" not in each.description
        and not each.choices
    }
    return {
        name: _clock(value) if name in wanting and isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _clock(written: str) -> str:
    """A time on the clock of 24 hours; what is none stays as it is."""
    found = _CLOCK.fullmatch(written.strip())
    if found is None:
        return written
    hour, half = int(found["hour"]), (found["half"] or "").casefold()
    if half and not 1 <= hour <= 12:
        return written
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return f"{hour:02}:{found['minute'] or '00'}"


def _is_zone_named(zone: str, request: str) -> bool:
    """Whether the request writes the zone itself: "Europe/Berlin", or UTC."""
    return zone.casefold() in request.casefold() and (is_zone(zone) or zone.isupper())
