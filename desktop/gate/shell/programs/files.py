"""cp, dd, tee, truncate, tar: what they do hangs on where they write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.places import SINKS
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import ANY_MARK, Word
from desktop.gate.verdict import Effect


def judge_cp(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    targets = found.values("-t", "--target-directory") or found.words[-1:]
    sources = found.words if found.has("-t", "--target-directory") else found.words[:-1]
    if any(source.text == "/dev/null" for source in sources) and targets:
        call.found(
            Effect.DELETE, GateReason.EMPTIES.of(name=call.name, text=shown(targets[0].text)), targets[0]
        )
    for target in targets:
        call.writes(target)
    call.found(Effect.CREATE, GateReason.MAKES_COPIES.of(name=call.name))
    if found.has("--remove-destination"):
        call.found(Effect.DELETE, GateReason.REMOVES_WHAT_IS_IN_THE_WAY.of(name=call.name))


def judge_dd(call: Call, _spec: Spec) -> None:
    source = ""
    for word in call.arguments:
        name, _, value = word.text.partition("=")
        if ANY_MARK.search(name):
            call.found(Effect.UNKNOWN, GateReason.DD_TARGET_FROM_ELSEWHERE.of(), word)
        if name == "if":
            source = value
            call.reading.reads(word.but(value))
        elif name == "of":
            effect = call.writes(word.but(value))
            if effect > Effect.READ and source == "/dev/null":
                call.found(Effect.DELETE, GateReason.EMPTIES.of(name="dd", text=shown(value)), word)
    call.found(Effect.READ, GateReason.DD_WRITES_TO_ITS_STANDARD_OUTPUT.of())


def judge_tee(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    for word in found.words:
        call.writes(word, append=found.has("-a", "--append"))
    call.found(Effect.READ, GateReason.TEE_COPIES_ITS_INPUT_TO_ITS_OUTPUT.of())


def judge_truncate(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    size = "".join(word.text for word in found.values("-s", "--size"))
    grows = size.startswith(("+", ">", "%", "/")) or found.has("-r", "--reference")
    effect = Effect.UPDATE if grows else Effect.DELETE
    for word in found.words:
        if word.text not in SINKS:
            call.reading.touches(word)
    call.found(
        effect,
        (GateReason.TRUNCATES if grows else GateReason.TRUNCATE_MAY_CUT).of(),
    )


TAR_MODES = {
    "c": Effect.CREATE,
    "x": Effect.CREATE,
    "t": Effect.READ,
    "d": Effect.READ,
    "r": Effect.UPDATE,
    "u": Effect.UPDATE,
    "A": Effect.UPDATE,
}
TAR_LONG = {
    "--create": "c",
    "--extract": "x",
    "--get": "x",
    "--list": "t",
    "--diff": "d",
    "--compare": "d",
    "--append": "r",
    "--update": "u",
    "--concatenate": "A",
    "--catenate": "A",
    "--delete": "D",
}
TAR_RUNS = (
    "--use-compress-program",
    "--to-command",
    "--checkpoint-action",
    "--rsh-command",
    "--info-script",
    "--new-volume-script",
    "--rmt-command",
)
TAR_VALUES = "fCTXbIKNLVHgF"


def judge_tar(call: Call, _spec: Spec) -> None:
    letters, archive, stdout, waiting = "", None, False, ""
    listed: list[Word] = []
    words = list(call.arguments)
    if words and not words[0].text.startswith("-"):
        words[0] = words[0].but("-" + words[0].text)
        waiting = "old"
    taken = iter(words)
    for word in taken:
        text = word.text
        if text.startswith("--"):
            name, _, value = text.partition("=")
            letters += next((letter for long, letter in TAR_LONG.items() if _means(name, long)), "")
            stdout = stdout or name == "--to-stdout"
            _long_that_runs(call, name, value, word)
            if name.startswith("--listed") or (name in ("--volno-file", "--index-file") and not value):
                call.writes(word.but(value) if value else next(taken, word))
            if _means(name, "--file"):
                archive = word.but(value) if value else next(taken, None)
            elif _means(name, "--files-from"):
                listed.append(word.but(value) if value else next(taken, word))
        elif text.startswith("-") and len(text) > 1:
            cluster, joined = _cluster(text[1:], old=waiting == "old")
            waiting = ""
            letters += cluster
            stdout = stdout or "O" in cluster
            archive = _short_values(call, word.but(joined), cluster, taken, listed) or archive
    _lists(call, listed)
    _tar_class(call, letters, archive, stdout=stdout)


def _short_values(
    call: Call, joined: Word, cluster: str, taken: Iterator[Word], listed: list[Word]
) -> Word | None:
    """What the letters of a cluster take, in their order; the archive where it is among them."""
    archive = None
    for letter in cluster:
        if letter not in TAR_VALUES:
            continue
        value = joined if joined.text else next(taken, None)
        joined = joined.but("")
        archive = value if letter == "f" else archive
        if value is not None and letter == "T":
            listed.append(value)
        elif value is not None:
            _value_of(call, letter, value)
    return archive


PLAIN_LINES = frozenset({"--verbatim-files-from", "--null"})


def _lists(call: Call, listed: list[Word]) -> None:
    """A line of a list of files that begins with a dash is an option of tar, and one runs programs."""
    if not PLAIN_LINES.isdisjoint(word.text for word in call.arguments):
        return
    for word in listed:
        fed = call.stdin if word.text == "-" else None
        if fed is None or not (fed.is_names or (fed.text is not None and "-" not in fed.text)):
            reason = GateReason.TAKES_ITS_OPTIONS_FROM.of(name="tar", text=shown(word.text))
            call.found(Effect.UNKNOWN, reason, word)


def _value_of(call: Call, letter: str, value: Word) -> None:
    """What the value of a short option does."""
    if letter == "g":
        call.writes(value)
    elif letter in "IF":
        call.shell(value.text, value)


def _means(name: str, long: str) -> bool:
    """Whether an option is this one, maybe cut short."""
    return name == long or (len(name) > 3 and long.startswith(name))


def _cluster(text: str, *, old: bool) -> tuple[str, str]:
    """Letters of a cluster, and the value joined to the last of them."""
    if old:
        return text, ""
    for number, letter in enumerate(text):
        if letter in TAR_VALUES:
            return text[: number + 1], text[number + 1 :]
    return text, ""


def _long_that_runs(call: Call, name: str, value: str, word: Word) -> None:
    if name in ("--remove-files", "--recursive-unlink", "--unlink-first"):
        call.found(Effect.UPDATE, GateReason.TAR_REMOVES_THE_ORIGINALS.of(name=name), word)
    if len(name) < 4:
        return
    if any(long.startswith(name) for long in ("--index-file", "--volno-file")) and value:
        call.writes(word.but(value))
    if "--one-top-level".startswith(name):
        call.found(Effect.CREATE, GateReason.TAR_MAKES_A_FOLDER.of(), word)
    if not any(long.startswith(name) for long in TAR_RUNS):
        return
    command = re.sub(r"^exec=", "", value)
    if name.startswith("--ch") and not value.startswith("exec"):
        return
    if command:
        call.shell(command, word)
    else:
        call.found(Effect.UNKNOWN, GateReason.TAR_RUNS_A_PROGRAM.of(name=name), word)


def _tar_class(call: Call, letters: str, archive: Word | None, *, stdout: bool) -> None:
    if "D" in letters:
        call.found(Effect.DELETE, GateReason.TAR_DELETE_REMOVES_FROM_THE_ARCHIVE.of())
    mode = next((letter for letter in letters if letter in TAR_MODES), None)
    if mode is None:
        call.found(Effect.UNKNOWN if letters else Effect.READ, GateReason.TAR_IS_NOT_TOLD_WHAT_TO_DO.of())
        return
    effect = TAR_MODES[mode]
    if mode == "x" and stdout:
        effect = Effect.READ
    if mode == "c":
        is_piped = archive is None or archive.text in SINKS
        effect = Effect.READ if archive is None or is_piped else call.writes(archive)
    elif archive is not None:
        call.reading.reads(archive)
    call.found(effect, TAR_DOES[effect].of(name=f"tar -{mode}"))


TAR_DOES = {
    Effect.READ: GateReason.ONLY_READS,
    Effect.CREATE: GateReason.MAKES_NEW_FILES,
    Effect.UPDATE: GateReason.CHANGES_THE_ARCHIVE,
    Effect.DELETE: GateReason.OVERWRITES_A_DEVICE,
}
