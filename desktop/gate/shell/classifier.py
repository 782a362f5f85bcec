"""`classify`: one command line to one verdict. Pure: it looks at nothing but the text and the tables."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from desktop.gate.reasons import GateReason
from desktop.gate.shell.bash import read_bash
from desktop.gate.shell.budget import loading
from desktop.gate.shell.parser import MAX_TEXT, Unparsable, Unreadable
from desktop.gate.shell.reading import HERE, Argv, Piece, Reading, Scope, shown
from desktop.gate.shell.simple_command import judge
from desktop.gate.shell.tables import Tables
from desktop.gate.shell.words import RESERVED, Word, mixed_letters
from desktop.gate.verdict import Effect, Flag, Gate, Network, Step, Verdict, gate_for
from desktop.reasons import Reason

REMEMBERED = 512
SHELLS = ("bash", "powershell", "cmd")


class Classifier:
    """Reads command lines with one set of tables. Used by one thread at a time per instance.

    `remember` keeps the last verdicts by shell, folder and text.
    """

    def __init__(
        self, tables: Tables, *, remember: bool = True, wrappers: Callable[[], Sequence[str]] = tuple
    ) -> None:
        """`wrappers` are the user's: programs that no table knows and that only run what follows."""
        self._tables = tables
        self._wrappers = wrappers
        self._kept: OrderedDict[tuple[str | None, ...], Verdict] = OrderedDict()
        self._limit = REMEMBERED if remember else 0

    def load_all(self) -> None:
        """Parse all tables now, so that no later line pays for it."""
        self._tables.load_all()

    def classify(
        self, command: str, shell: str | None = None, folder: str | None = None, root: str | None = None
    ) -> Verdict:
        """What would this command do? Without `shell` the syntax tells: bash, or PowerShell or cmd beside it.

        What lies beyond `folder` is outside, or beyond `root`, the project that the folder is a part of.
        Never raises for any text: what cannot be read is UNKNOWN and asks.
        """
        started = time.perf_counter()
        wrappers = tuple(self._wrappers())
        key = (shell, folder, root, command, *wrappers)
        # With the folder in the key: the same words mean something else elsewhere.
        kept = self._kept.get(key)
        if kept is not None:
            ms = (time.perf_counter() - started) * 1000
            return replace(kept, tier=0, ms=ms)
        verdict = self._judge(command, shell, (folder, root, frozenset(wrappers)), started)
        if self._limit:
            self._kept[key] = verdict
            if len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return verdict

    def _judge(
        self,
        command: str,
        shell: str | None,
        where: tuple[str | None, str | None, frozenset[str]],
        started: float,
    ) -> Verdict:
        if not command.strip():
            return Verdict(
                Effect.READ,
                frozenset(),
                Gate.ALLOW,
                GateReason.NOTHING_TO_RUN.of(),
                (0, 0),
                0,
                0.0,
                network=Network.NONE,
            )
        reading = Reading(self._tables, *where, source=command)
        tier = self._read(command, shell, reading)
        reading.reads_listed()
        effect, flags = reading.effect, frozenset(reading.flags)
        gate, reason, span = _decided(reading, flags)
        span = in_characters(command, span)
        ms = (time.perf_counter() - started) * 1000
        steps = tuple(draft.step() for draft in reading.drafts)
        is_static = reading.is_static and not reading.unknowns and tier == 2
        is_lone = (
            reading.is_static and reading.is_plain and reading.unknowns == 1 and len(reading.commands) == 1
        )
        return Verdict(
            effect,
            flags,
            gate,
            reason or GateReason.ONLY_COMMENTS.of(),
            span,
            tier,
            ms,
            is_static=is_static,
            touched=tuple(reading.touched),
            unknown_program=reading.unknown_program if is_lone and effect is Effect.UNKNOWN else "",
            parts=tuple(reading.parts) if reading.is_bash else (command.strip(),),
            commands=tuple(reading.commands),
            looked_at=tuple(reading.looked_at),
            assigned=tuple(reading.assigned.items()),
            steps=steps if tier == 2 and reading.is_bash else (),
            runs=steps if reading.is_bash else tuple(map(_with_slashes, steps)),
            network=reading.network,
            hosts=tuple(reading.hosts or ()),
            never=reason if reading.never is not None else None,
            removed=tuple(reading.removed),
        )

    def _read(self, command: str, shell: str | None, reading: Reading) -> int:
        """The tier that decided: 1 when the text cannot be read, else 2."""
        whole = Word(command, 0, len(command.encode("utf-8", "replace")))
        if len(command) > MAX_TEXT:
            reading.found(Effect.UNKNOWN, GateReason.TOO_LONG.of(count=MAX_TEXT), whole)
            return 1
        # The marks of our own reading are control characters; a line that holds some could forge them.
        if RESERVED.search(command):
            reading.found(Effect.UNKNOWN, GateReason.CONTAINS_CONTROL_CHARACTERS.of(), whole)
            return 1
        mixed = mixed_letters(command)
        if mixed is not None:
            start = len(command[: mixed.start()].encode("utf-8", "replace"))
            place = Word(mixed[0], start, start + len(mixed[0].encode("utf-8", "replace")))
            reading.found(Effect.UNKNOWN, GateReason.MIXES_ALPHABETS.of(text=shown(mixed[0])), place)
        kinds = [shell] if shell else shells_of(command)
        tier = 2
        for kind in kinds:
            # Each shell begins anew: what one of them would have written is not there for the other.
            reading.seen.clear()
            reading.base = HERE
            try:
                reading.lenient = len(kinds) > 1
                reading.take(Piece(command, 0, whole.end, kind, 0, Scope(), 0), whole)
                self._work(reading)
            except Unreadable as error:
                reading.waiting.clear()
                if kind == "bash" and len(kinds) > 1 and isinstance(error, Unparsable):
                    continue  # what bash cannot read, bash does not run
                place = Word("", *error.span)
                reading.found(Effect.UNKNOWN, error.reason, place)
                tier = 1
        return tier

    def _work(self, reading: Reading) -> None:
        while reading.waiting:
            reading.check_budget()
            piece = reading.waiting.pop()
            reading.base, reading.run_by = piece.base, piece.run_by
            if isinstance(piece, Argv):
                judge(piece, reading)
            elif piece.shell == "bash":
                read_bash(piece, reading)
            elif piece.shell == "powershell":
                reading.is_of_another_shell(piece.text)
                from desktop.gate.shell.powershell import read_powershell

                read_powershell(piece, reading)
            else:
                reading.is_of_another_shell(piece.text)
                from desktop.gate.shell.cmd import read_cmd

                read_cmd(piece, reading)


CMDLET_LINE = re.compile(
    r"(?:^|[|;&({=])[ \t]{0,40}([A-Z][A-Za-z]{1,40})-[A-Z]\w{0,80}(?![\w:])"
    r"|^[ \t]{0,40}(?:\$\w{1,80}[ \t]{0,40}=\s|\$PS\w|\[[A-Z][\w.]{1,80}\]::|\$env:)|\$_\b"
    r"|\b(?:dir|ls|cat|type|gc|gci|gi)[ \t]{1,9}['\"]?(?i:env|cert|hklm|hkcu):",
    re.MULTILINE,
)
CMD_LINE = re.compile(
    r"(?i)%[a-z_]{4,80}%|^\s{0,80}(?:@?echo\s{1,9}off|if\s{1,9}(?:not\s{1,9})?(?:exist|defined|errorlevel)\s"
    r"|for\s{1,9}(?:/\w\s{1,9})?%|set\s{1,9}/[ap]\s|rem\s|@\w"
    r"|(?:rd|del|erase|xcopy|robocopy|ren|attrib|reg|icacls|takeown|schtasks|tasklist|taskkill|findstr|wmic|chkdsk|assoc|ftype|mklink|cipher|forfiles)"
    r"\b[^|;&\n]{0,400}?\s/[a-z?]{1,40}\b"
    r"|(?:rmdir|dir|copy|move|cd|type|md|mkdir|tree|start|net|sc|fc|find|where|format|vol|label|subst|compact|expand|more|sort)"
    r"\b[^|;&\n]{0,400}?(?:\s/[a-z](?=[\s:]|$)|\s[a-z]:\\))"
)


def shells_of(command: str) -> list[str]:
    """The shells that a line of unknown origin may be for. Every one of them must find it harmless."""
    if any(found[1] is None or _is_verb(found[1]) for found in CMDLET_LINE.finditer(command)):
        return ["bash", "powershell"]
    if CMD_LINE.search(command):
        return ["bash", "cmd"]
    return ["bash"]


def _is_verb(word: str) -> bool:
    """Whether a cmdlet may begin like this: `Signed-off-by` and `Co-Authored-By` are none."""
    with loading():
        from desktop.gate.shell.powershell import CMDLETS, VERBS
    return word.lower() in VERBS or any(name.startswith(f"{word.lower()}-") for name in CMDLETS)


def _decided(reading: Reading, flags: frozenset[Flag]) -> tuple[Gate, Reason | None, tuple[int, int]]:
    """What becomes of it, why, and the bytes of the command that it is for."""
    if reading.never is not None:
        return Gate.DENY, *reading.never
    gate = gate_for(reading.effect, flags)
    # A read that asks does so because of a flag, so the flag's reason is shown and not that it reads.
    if reading.effect is Effect.READ and gate is Gate.ASK:
        shown = (Flag.GATE, Flag.SECRET, Flag.SENDS)
        return gate, *next(reading.flags[flag] for flag in shown if flag in reading.flags)
    return gate, reading.reason, reading.span


def _with_slashes(step: Step) -> Step:
    """PowerShell and cmd take a backslash where others take a slash."""
    words = tuple(word.replace("\\", "/") for word in step.words)
    return replace(step, words=words, base=step.base.replace("\\", "/"))


def in_characters(command: str, span: tuple[int, int]) -> tuple[int, int]:
    """Bytes to characters."""
    if command.isascii():
        return span
    source = command.encode("utf-8", "replace")
    return len(source[: span[0]].decode("utf-8", "ignore")), len(source[: span[1]].decode("utf-8", "ignore"))
