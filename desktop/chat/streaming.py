"""An answer that is being written: thinking told from words, calls held back, on disk before it is shown.

Reasoning models write `<think>…</think>` (or `<thinking>`) before they answer. A tag may be cut anywhere
between two pieces, so the end of the text is held back while it could begin a tag.

Calls may stand anywhere in what is said. From the first character that could begin one, text is held back
until it is certain: a whole call is recorded, a broken one is counted, and neither is ever shown; what turns
out to be no call is let go.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from desktop.chat.claims import (
    CLAIMING_WORDS,
    COUNTED,
    DISCLAIMER_BEGINNINGS,
    FIRST_WORDS,
    LONGEST_DISCLAIMER,
    MAY_BEGIN,
    MAY_CLAIM,
    MAY_TELL_ROWS,
    ONLY_ACKNOWLEDGES,
    OPENER,
    OPENING_WORDS,
    ROWS_TOLD,
    Claim,
    claim_in,
    disclaims,
    may_only_acknowledge,
)
from desktop.chat.events import AnswerGrew
from desktop.chat.formats.calls import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    PATTERNS,
    ParsedCall,
    fence_end,
    from_gemma,
    from_pattern,
    from_python,
    json_end,
    may_give_arguments,
    read_any,
)
from desktop.chat.store import AnswerEnding, ChatStore, Message, MessageStatus
from desktop.engine.requests import Metrics
from desktop.events import Bus

# The last of each is Gemma 4's.
_OPENING = ("<think>", "<thinking>", "<|channel>thought")
_CLOSING = ("</think>", "</thinking>", "<channel|>")


@dataclass(frozen=True)
class Split:
    """What a piece added to the answer and to the thinking."""

    text: str = ""
    thinking: str = ""


class ThinkingSplitter:
    """Feed pieces in order, then `finish`. Thinking counts only before the first word of the answer."""

    def __init__(self) -> None:
        self._inside = False
        self._held = ""
        # Tags inside the answer are text: somebody may ask how they are written.
        self._answered = False
        self._fresh = True  # at the start and just after a tag, white space is not content

    def feed(self, piece: str) -> Split:
        """Split what is certain; the rest waits for the next piece."""
        self._held += piece
        text, thinking = "", ""
        while True:
            split, again = self._step()
            text += split.text
            thinking += split.thinking
            if not again:
                return Split(text, thinking)

    def finish(self) -> Split:
        """Whatever was held back is no tag."""
        held, self._held = self._held, ""
        return self._emit(held)

    def _step(self) -> tuple[Split, bool]:
        if self._answered:
            return self._take(len(self._held)), False
        tags = _CLOSING if self._inside else _OPENING
        found = [(at, tag) for tag in tags if (at := self._held.find(tag)) >= 0]
        if found and self._may_be_tag(min(found)[0]):
            at, tag = min(found)
            split = self._take(at)
            self._held = self._held[len(tag) :]
            self._inside = not self._inside
            self._fresh = True
            return split, True
        return self._take(len(self._held) - _possible_tag(self._held, tags)), False

    def _may_be_tag(self, at: int) -> bool:
        return self._inside or not self._held[:at].strip()

    def _take(self, length: int) -> Split:
        part, self._held = self._held[:length], self._held[length:]
        return self._emit(part)

    def _emit(self, part: str) -> Split:
        if self._fresh:
            part = part.lstrip()
        if part:
            self._fresh = False
        if self._inside:
            return Split(thinking=part)
        if part.strip():
            self._answered = True
        return Split(text=part)


def _possible_tag(text: str, tags: tuple[str, ...]) -> int:
    """How many last characters of `text` could be the beginning of a tag."""
    longest = max(len(tag) for tag in tags) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(tag.startswith(text[-length:]) for tag in tags):
            return length
    return 0


# -- calls ------------------------------------------------------------------------------------

LONGEST_HELD = 100_000  # characters; a call that long is none

# A tag is a call wherever it stands; the rest only at the beginning of a line.
_TAG_ENDS = {
    "<tool_call>": "</tool_call>",
    "<function=": "</function>",
    "<|tool_call>": "<tool_call|>",
    "<|tool_call|>": "<|/tool_call|>",
    "<|tool_call_start|>": "<|tool_call_end|>",
    "<start_function_call>": "<end_function_call>",
    # A model that was trained with those of another family than its template writes them, too.
    "<|python_tag|>": "<|eom_id|>",
    "[TOOL_CALLS]": "</s>",
    "<tool_use>": "</tool_use>",
    "<function_calls>": "</function_calls>",
    "<|action_start|>": "<|action_end|>",
    "<|channel|>commentary": "<|call|>",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>": "<\uff5ctool\u2581calls\u2581end\uff5c>",
}
# Around what a tool has said; a model that writes one is about to make a result up, in words that are judged.
_RESULT_TAGS = ("<tool_response>", "</tool_response>")
_TAGS = (*_TAG_ENDS, "</tool_call>", *_RESULT_TAGS)

_FENCES = ("", "json", "tool_call", "tool", "tool_code", "python", "xml")
_KEY = re.compile(r'\s*(?:\[\s*)?\{+\s*(?:["\']?(\w*)(["\']?)\s*(:?)\s*(?:(["\'])([^"\']*)(["\']?))?)?')


class _Is(Enum):
    CALL = auto()
    BROKEN = auto()  # a call that cannot be read
    TEXT = auto()
    MARK = auto()  # of the template's: nobody's words
    OPEN = auto()  # not known yet


@dataclass(frozen=True)
class _Block:
    """What stands at the beginning of the held text; its first `length` characters."""

    kind: _Is
    length: int = 0
    calls: tuple[ParsedCall, ...] = ()


_OPEN = _Block(_Is.OPEN)


def _begins_one_of(tags: tuple[str, ...], text: str, ended: bool) -> bool:
    """Whether it begins with one of them, or may once more has come."""
    return text[0] in "<[" and any(
        text.startswith(tag) or (not ended and tag.startswith(text)) for tag in tags
    )


class CallSplitter:
    """Feed pieces in order, then `finish`. `calls` and `broken` are what was found so far."""

    def __init__(self, names: Sequence[str], json_is_text: bool = False, patterns: bool = False) -> None:
        """`json_is_text`: the user has asked for JSON, so that bare and fenced JSON is the answer itself.
        `patterns`: `[READ: path]` is a call."""
        self._names = tuple(names)
        self._json_is_text = json_is_text
        self._patterns = patterns
        self._held = ""
        self._line_start = True
        self._fenced = False
        self.calls: list[ParsedCall] = []
        self.broken = 0
        self.said_after = False  # the model went on after a call: what it says there is made up

    def feed(self, piece: str) -> str:
        """What may be shown now."""
        self._held += piece
        return self._go(ended=False)

    def finish(self) -> str:
        """The rest; what is still open is judged as it is."""
        return self._go(ended=True)

    @property
    def found_any(self) -> bool:
        return bool(self.calls or self.broken)

    def _go(self, ended: bool) -> str:
        shown = ""
        while self._held:
            shown += self._say(self._take(self._next_beginning(ended)))
            if not self._held:
                return shown
            block = self._block(ended)
            if block.kind is _Is.OPEN:
                return shown
            if block.kind is _Is.TEXT:
                shown += self._say(self._take(block.length))
                continue
            self._take(block.length)
            if block.kind is _Is.MARK:
                continue
            self.calls += block.calls
            self.broken += block.kind is _Is.BROKEN
            self._line_start, self._fenced = True, False
        return shown

    def _say(self, text: str) -> str:
        if not text:
            return ""
        # Said after a call, before its result: the model plays the tool.
        if self.found_any:
            self.said_after |= bool(text.strip())
            return ""
        return text

    def _take(self, length: int) -> str:
        text, self._held = self._held[:length], self._held[length:]
        for line in text.splitlines(keepends=True):
            if line.strip().startswith("```") and self._line_start:
                self._fenced = not self._fenced
            self._line_start = line.endswith("\n") or (self._line_start and line.isspace())
        return text

    # -- where could a call begin -------------------------------------------------------------

    def _next_beginning(self, ended: bool) -> int:
        """How much comes before what could be a call."""
        at, line_start = 0, self._line_start
        text = self._held
        while at < len(text):
            rest = text[at:]
            if self._begins_tag(rest, ended):
                return at
            if line_start and not rest[0].isspace() and self._begins_line(rest, ended):
                return at
            line_start = text[at] == "\n" or (line_start and text[at].isspace())
            at += 1
        return at

    def _begins_tag(self, rest: str, ended: bool) -> bool:
        if self._fenced:
            return False
        if rest[0] == "{":
            return not self._json_is_text and self._could_be_call(rest, ended)
        return _begins_one_of(_TAGS, rest, ended)

    def _begins_line(self, rest: str, ended: bool) -> bool:
        if rest.startswith("```") or (not ended and "```".startswith(rest)):
            return True
        if self._fenced:
            return False
        if rest[0] in "{[":
            return True
        return any(_meet(rest, start, ended) for start in ("call:", *(f"{name}(" for name in self._names)))

    # -- what is it ---------------------------------------------------------------------------

    def _block(self, ended: bool) -> _Block:
        held = self._held
        if len(held) > LONGEST_HELD:
            return _Block(_Is.BROKEN, len(held))
        if _begins_one_of(_TAGS, held, ended):
            return self._tagged(held, ended)
        if held.startswith("`"):
            return self._in_fence(held, ended)
        if held[0] == "{" or re.match(r"\[\s*\{", held):
            return self._bare_json(held, ended)
        if held[0] == "[":
            return self._bracketed(held, ended)
        return self._bare_call(held, ended)

    def _tagged(self, held: str, ended: bool) -> _Block:
        if not held.startswith(_TAGS):
            return _OPEN
        for mark in _RESULT_TAGS:
            if held.startswith(mark):
                return _Block(_Is.MARK, len(mark))
        if held.startswith("</tool_call>"):
            return _Block(_Is.BROKEN if not self.found_any else _Is.CALL, len("</tool_call>"))
        opening = next(tag for tag in _TAGS if held.startswith(tag))
        end = _TAG_ENDS[opening]
        at = held.find(end)
        again = held.find(opening, len(opening))
        if again >= 0 and (at < 0 or again < at):
            return self._never_closed(held[:again], opening)
        if at < 0 and not ended:
            return _OPEN
        length = at + len(end) if at >= 0 else len(held)
        inside = held[:length]
        if opening != "<function=":
            inside = inside.removeprefix(opening).removesuffix(end).strip()
        calls = read_any(inside)
        return _Block(_Is.CALL, length, tuple(calls)) if calls else _Block(_Is.BROKEN, length)

    def _never_closed(self, held: str, opening: str) -> _Block:
        """A second opening tag ends a call that the model forgot to close."""
        calls = read_any(held if opening == "<function=" else held.removeprefix(opening).strip())
        return _Block(_Is.CALL if calls else _Is.BROKEN, len(held), tuple(calls))

    def _in_fence(self, held: str, ended: bool) -> _Block:
        head, newline, body = held.partition("\n")
        word = head.strip("` \r").lower()
        if not head.startswith("```"):
            return _OPEN if not ended and "```".startswith(held) else _Block(_Is.TEXT, 1)
        if not newline:
            open_ended = self._fenced or any(fence.startswith(word) for fence in _FENCES)
            return _OPEN if open_ended and not ended else _Block(_Is.TEXT, len(held))
        if self._fenced or word not in _FENCES or self._json_is_text:
            return _Block(_Is.TEXT, len(head) + 1)
        return self._fenced_body(body, len(head) + 1, ended)

    def _fenced_body(self, body: str, before: int, ended: bool) -> _Block:
        text = _Block(_Is.TEXT, before)
        stripped = body.lstrip()
        if not stripped:
            return text if ended else _OPEN
        if not self._could_be_call(stripped, ended):
            return text
        end = fence_end(body)
        if end is None and not ended:
            return _OPEN
        length = before + (end if end is not None else len(body))
        inside = body[: length - before]  # what comes after it must not matter: it may not be there yet
        calls = read_any(inside.removesuffix("```"))
        if calls:
            known = all(self._knows(call.name) for call in calls)
            return _Block(_Is.CALL, length, tuple(calls)) if known else text
        return _Block(_Is.BROKEN, length) if self._names_tool(inside) else text

    def _bare_json(self, held: str, ended: bool) -> _Block:
        if self._json_is_text or not self._could_be_call(held, ended):
            return _Block(_Is.TEXT, 1)
        end = json_end(held)
        if end is None:
            if not ended:
                return _OPEN
            return _Block(_Is.BROKEN, len(held)) if self._names_tool(held) else _Block(_Is.TEXT, 1)
        calls = read_any(held[:end])
        if calls and all(self._knows(call.name) for call in calls):
            return _Block(_Is.CALL, end, tuple(calls))
        # One of a tool that there is not is still no answer.
        is_call = self._names_tool(held[:end]) or (calls and self._could_be_call(held[:end], ended=True))
        return _Block(_Is.BROKEN, end) if is_call else _Block(_Is.TEXT, 1)

    def _bracketed(self, held: str, ended: bool) -> _Block:
        """`[f(a="x")]` or `[READ: path]`; else a link, a list, a remark."""
        inside = held[1:].lstrip()
        if not inside:
            return _Block(_Is.TEXT, len(held)) if ended else _OPEN
        if self._patterns and any(_meet(inside, word, ended) for word in PATTERNS):
            close = held.find("]")
            if close < 0:
                return _Block(_Is.TEXT, 1) if ended or "\n" in held else _OPEN
            calls = from_pattern(held[: close + 1])
            return _Block(_Is.CALL, close + 1, tuple(calls)) if calls else _Block(_Is.TEXT, close + 1)
        if any(_meet(inside, f"{name}(", ended) for name in self._names):
            return self._python(held, "]", ended)
        return _Block(_Is.TEXT, 1)

    def _bare_call(self, held: str, ended: bool) -> _Block:
        if held.startswith("call:"):
            name, brace, _arguments = held.partition("{")
            if "\n" in name:  # the arguments begin on the line of the name, or it is a remark
                return _Block(_Is.TEXT, 1)
            end = json_end(held, len(name)) if brace else None
            if end is None:
                return _Block(_Is.TEXT, 1) if ended else _OPEN
            calls = from_gemma(held[:end])
            known = bool(calls) and self._knows(calls[0].name)
            return _Block(_Is.CALL, end, tuple(calls)) if known else _Block(_Is.TEXT, 1)
        if any(held.startswith(f"{name}(") for name in self._names):
            return self._python(held, ")", ended)
        return _Block(_Is.TEXT, 1) if ended else _OPEN

    def _python(self, held: str, last: str, ended: bool) -> _Block:
        """Up to the bracket that closes; a call that cannot be read is broken, and not shown."""
        for at, character in enumerate(held):
            if character == last and (calls := from_python(held[: at + 1])):
                return _Block(_Is.CALL, at + 1, tuple(calls))
        if ended or held.count("\n") > 40:
            return _Block(_Is.BROKEN, len(held))
        return _OPEN

    # -- which names --------------------------------------------------------------------------

    def _could_be_call(self, text: str, ended: bool) -> bool:
        """Whether JSON that begins like this, or a function call, may still name one of the tools."""
        if text[0] not in "{[":
            starts = ("<function=", "<tool_call>", "call:", *(f"{name}(" for name in self._names))
            return any(_meet(text, start, ended) for start in starts)
        if text[0] == "[" and not re.match(r"\[\s*(\{|$)", text):
            inside = text[1:].lstrip()
            return any(_meet(inside, f"{name}(", ended) for name in self._names)
        match = _KEY.match(text)
        if match is None or not match[1]:
            return not ended
        key, key_closed, colon, quote, value, value_closed = match.groups()
        keys = NAME_KEYS + ARGUMENT_KEYS
        if not (key_closed or colon):
            return not ended and any(each.startswith(key) for each in keys)
        if key not in keys:
            return False
        if key in ARGUMENT_KEYS or not quote:
            return True
        if value_closed and not self._knows(value):
            return may_give_arguments(text[match.end() :], ended)
        return value_closed is not None or not ended

    def _names_tool(self, text: str) -> bool:
        """Whether a text that cannot be read as a call was plainly meant as one."""
        named = re.search(r'["\'](?:' + "|".join(NAME_KEYS) + r')["\']\s*:\s*["\']([^"\']*)', text)
        if named is not None and self._knows(named[1]):
            return True
        return any(f"{name}(" in text for name in self._names)

    def _knows(self, name: str) -> bool:
        return name in self._names


def _meet(text: str, start: str, ended: bool) -> bool:
    """`text` begins with `start`, or is so far a beginning of it."""
    return text.startswith(start) or (not ended and start.startswith(text))


# -- claims -----------------------------------------------------------------------------------

_SENTENCE_END = re.compile(r"[.!?:][\"'”)*]*\s|\n")
_PART_OF_WORD = re.compile(r"\w[\w'’.-]*\Z")


def _may_be_opener(text: str) -> bool:
    """Whether nothing else has come yet, though the last word may be half of one."""
    found = OPENER.match(text)
    rest = (text[found.end() :] if found is not None else text).lstrip().casefold()
    return any(each.startswith(rest) for each in OPENING_WORDS)


def _may_disclaim(beginning: str) -> bool:
    """Whether a first sentence that begins so may still become a disclaimer, so that it waits for its end."""
    said = beginning.lstrip().casefold()
    if len(said) > LONGEST_DISCLAIMER:
        return False
    return any(said.startswith(each) or each.startswith(said) for each in DISCLAIMER_BEGINNINGS)


class ClaimGuard:
    """Holds back a sentence that may claim an act or a look, until its end; from one that does on, nothing is
    let by. Code in a fence that names its language claims nothing.

    Feed in order, then `finish`. What begins otherwise passes at once, so that no first word waits.
    """

    def __init__(
        self,
        is_draft: bool = False,
        may_look: bool = False,
        is_general: bool = False,
        is_order: bool = False,
        counts: bool = False,
        may_lack: bool = True,
    ) -> None:
        """`is_draft`: a text for somebody else is in it. `may_look`: something was looked at in this chat.
        `counts`: it is asked what reminders there are, and nothing has looked in this turn.
        `is_order`: something is to be done and nothing was, so that "Got it." alone says that it was, and
        each sentence waits for its end.
        `is_general`: nothing of the user's was asked for, so that "The" and "Das" wait for no noun; from the
        first word that a claim is made of everything waits all the same.
        `may_lack`: the answer may begin with a disclaimer; else that is held back as a claim is."""
        self.claimed: Claim | None = None
        self.held = ""  # the sentence that claims
        self._first = "" if not may_lack else None  # the first sentence, as long as it may be a disclaimer
        self._is_draft, self._may_look, self._is_general = is_draft, may_look, is_general
        self._opening: str | None = (
            None if is_draft or is_general else ""
        )  # "Sure, ", as long as no more came
        self._counts = counts
        self._is_order = is_order
        self._nod: str | None = "" if is_order else None  # "Got it.", as long as no more came
        self._opener = ""  # the same, until something is shown behind it
        self._sentence = ""  # since the last end of one
        self._shown = 0  # characters of it that were let go
        self._in_code = False

    def feed(self, text: str) -> str:
        """What may be shown now."""
        if self.claimed:
            return ""
        if self._first is not None:
            self._first += text
            if self._may_lack():
                return ""
            text, self._first = self._first, None
        if self._nod is not None:
            self._nod += text
            if may_only_acknowledge(self._nod):
                return ""
            text, self._nod = self._nod, None
        if self._opening is not None:
            self._opening += text
            if _may_be_opener(self._opening):
                return ""
            text = self._opened()
        shown = self._passed(text)
        if shown:
            shown, self._opener = self._opener + shown, ""
        return shown

    def _may_lack(self) -> bool:
        """Whether the first sentence is one of what its speaker lacks, or may become one."""
        said = self._first or ""
        end = _SENTENCE_END.search(said)
        if end is None:
            return _may_disclaim(said)
        if disclaims(said[: end.end()]):
            self.claimed, self.held = Claim.LACK, said
        return self.claimed is not None

    def _opened(self) -> str:
        """What comes behind the words that only begin an answer: where that claims, they go with it."""
        said, self._opening = self._opening or "", None
        opener = OPENER.match(said)
        self._opener = opener[0] if opener is not None else ""
        return said[len(self._opener) :]

    def _passed(self, text: str) -> str:
        self._sentence += text
        shown = ""
        while (end := _SENTENCE_END.search(self._sentence)) is not None:
            whole = self._sentence[: end.end()]
            if self._is_claim(whole):
                return shown
            shown += whole[self._shown :]
            self._sentence, self._shown = self._sentence[end.end() :], 0
        return shown + self._certain()

    def finish(self) -> str:
        """The rest, unless it is a claim."""
        if self._first is not None and not self.claimed:
            said, self._first = self._first, None
            if disclaims(said):
                self.claimed, self.held = Claim.LACK, said
                return ""
            return self.feed(said) + self.finish()
        if self._nod is not None:
            nod, self._nod = self._nod, None
            if ONLY_ACKNOWLEDGES.fullmatch(nod):
                self.claimed = Claim.ACT
                return ""
            return self.feed(nod) + self.finish()
        if self._opening is not None:
            # Nothing but an opener, which says nothing false.
            self._opener, self._opening = self._opening, None
        rest = "" if self.claimed or self._is_claim(self._sentence) else self._sentence[self._shown :]
        self._sentence, self._shown = "", 0
        if not self.claimed:
            rest, self._opener = self._opener + rest, ""
        return rest

    def _is_claim(self, sentence: str) -> bool:
        fence = sentence.lstrip()
        if fence.startswith("```"):
            self._in_code = not self._in_code and fence.strip("` \n") != ""
        elif not self._in_code and (ROWS_TOLD.match(sentence) or (self._counts and COUNTED.search(sentence))):
            self.claimed = Claim.LOOK
        elif not self._in_code and (self._is_order or MAY_CLAIM.search(sentence) is not None):
            found = claim_in(sentence, self._is_draft, self._is_order)
            self.claimed = None if found is Claim.LOOK and self._may_look else found
        return self.claimed is not None

    def _certain(self) -> str:
        if self._in_code:
            upto = len(self._sentence)
        elif self._counts or self._is_order:
            upto = 0
        elif (begins := MAY_CLAIM.search(self._sentence)) is not None:
            # What stands before it in the sentence waits as well, where it is not shown yet.
            upto = begins.start() if self._shown or self._is_general else 0
        elif MAY_TELL_ROWS.match(self._sentence) or (
            not self._is_general and MAY_BEGIN.match(self._sentence)
        ):
            upto = 0
        else:
            word = _PART_OF_WORD.search(self._sentence)
            is_first = word is not None and not self._sentence[: word.start()].strip()
            waits = word is not None and (not is_first or self._may_become(word[0]))
            upto = word.start() if word is not None and waits else len(self._sentence)
        certain = self._sentence[self._shown : max(upto, self._shown)]
        self._shown += len(certain)
        return certain

    def _may_become(self, part: str) -> bool:
        """Whether `part` is the beginning of a word that a claim begins with."""
        words = CLAIMING_WORDS if self._is_general else FIRST_WORDS
        return any(word.startswith(part.casefold()) for word in words)


# -- on disk ----------------------------------------------------------------------------------

# Text is committed, and then shown, at most this often. The view repaints no faster.
COMMIT_INTERVAL_S = 0.04


class TextCheck(Protocol):
    """Lets by what a text bears (`chat/source_guard.py`)."""

    @property
    def is_over(self) -> bool: ...

    def feed(self, text: str) -> str: ...

    def finish(self) -> str: ...


@dataclass
class AnswerStream:
    """Splits thinking from answer and holds calls back, commits in batches, then announces. One thread."""

    store: ChatStore
    bus: Bus
    answer: Message
    calls: CallSplitter | None = None  # None: whatever looks like a call is text
    guard: ClaimGuard | None = None  # None: what is said of acts has receipts, or is a draft
    check: TextCheck | None = None  # of what is made of a text; None: nothing is, or the host's words come
    started_s: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._splitter = ThinkingSplitter()
        self.said = False
        self._text = self._thinking = ""
        self._text_at = len(self.answer.text)
        self._thinking_at = len(self.answer.thinking)
        self._committed_s = 0.0
        self._thinking_until_s: float | None = None

    def feed(self, piece: str) -> None:
        self._add(self._splitter.feed(piece))
        # Each commit is a write to disk; a fast model gives a hundred pieces a second.
        if time.monotonic() - self._committed_s >= COMMIT_INTERVAL_S:
            self._commit()

    def finish(self) -> None:
        """Nothing more comes: what was held back is judged, and what is text is committed."""
        self._end()
        self._commit()

    def close(self, status: MessageStatus, metrics: Metrics, model: str) -> Message:
        """The last words and the end go to disk in one transaction; then the words are announced."""
        self._end()
        # A continued answer that thinks no more keeps the time of its first part.
        thought_s = self._thinking_until_s and self._thinking_until_s - self.started_s
        closed = self.store.close_answer(
            self.answer.id,
            AnswerEnding(
                status=status,
                model=model,
                thinking_s=thought_s or self.answer.thinking_s,
                answer_tokens=metrics.answer_tokens,
                tokens_per_s=metrics.tokens_per_s,
                total_s=time.monotonic() - self.started_s,
            ),
            self._text,
            self._thinking,
        )
        self._announce()
        return closed

    def _end(self) -> None:
        self._add(self._splitter.finish())
        if self.calls is not None:
            self._take(self.calls.finish())
        if self.guard is not None:
            self._let_by(self.guard.finish())
        if self.check is not None:
            self._text += self.check.finish()

    @property
    def has_text(self) -> bool:
        """Whether something waits to be committed."""
        return bool(self._text)

    @property
    def lacks(self) -> bool:
        """Whether the answer began with a disclaimer, of which nothing is shown."""
        return self.guard is not None and self.guard.claimed is Claim.LACK

    @property
    def has_claimed(self) -> bool:
        """Whether a sentence was dropped that claimed an act; what follows it is not shown either."""
        return self.guard is not None and self.guard.claimed is not None

    def _take(self, text: str) -> None:
        self._let_by(self.guard.feed(text) if self.guard is not None else text)

    def _let_by(self, text: str) -> None:
        self._text += self.check.feed(text) if self.check is not None else text

    def _add(self, split: Split) -> None:
        self._take(self.calls.feed(split.text) if self.calls is not None else split.text)
        self._thinking += split.thinking
        if split.thinking:
            self._thinking_until_s = time.monotonic()

    def _commit(self) -> None:
        if not self._text and not self._thinking:
            return
        self.store.grow(self.answer.id, self._text, self._thinking)
        self._announce()

    def _announce(self) -> None:
        if not self._text and not self._thinking:
            return
        # A view counts by these lengths what it has already, however late it hears of it.
        self.said = True
        self.bus.publish(
            AnswerGrew(
                self.answer.conversation_id,
                self.answer.id,
                self._text,
                self._thinking,
                self._text_at,
                self._thinking_at,
            )
        )
        self._text_at += len(self._text)
        self._thinking_at += len(self._thinking)
        self._text = self._thinking = ""
        self._committed_s = time.monotonic()
