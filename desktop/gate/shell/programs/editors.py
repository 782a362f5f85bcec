"""vim, ed and their kin: with commands on the line those decide, opened on a file they change it."""

from __future__ import annotations

import re

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.reading import Call
from desktop.gate.shell.table_effects import apply_options
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect

EX_READS = re.compile(
    r"(?:set?\s.*|syntax\s.*|syn\s.*|%?(?:p|print|nu|#|l|list)|q(?:a|uit)?(?:all)?!?|cq!?|echo\s.*|\d+|/[^|]*|normal!?\s+[gGhjklwbe0$^]*|"
    r"hi(?:ghlight)?\s.*|colorscheme\s.*|filetype\s.*|help?.*|h\s.*|noh.*|ver(?:sion)?|scriptnames|messages|%?y(?:ank)?)"
)
EX_SHELL = re.compile(r"(?::|silent!?|sil!?|exe(?:cute)?|[%\d,.$\s])*!(.*)", re.DOTALL)
EX_WRITES = re.compile(
    r"(?:w(?:rite)?|wq|x|xit|up(?:date)?|wa(?:ll)?|wqa(?:ll)?|xa(?:ll)?|exit)!?(?:\s+(\S+))?"
)
EX_DELETES = re.compile(r"%\s*d(?:elete)?\b.*|1,\$\s*d.*")
EX_EDITS = re.compile(
    r"(?:%|[\d,.$'<>]+)?(?:s|g|v|d|m|t|co|j|le|ri|ce|normal|norm|retab|sort)\b.*|(?:%|[\d,.$]+)?s\W.*",
    re.DOTALL,
)


def judge_editor(call: Call, spec: Spec) -> None:
    """Commands given with -c, --cmd and +; an unknown one is unknown."""
    found = sort_words(spec, call.arguments)
    apply_options(call, found, call.name)
    commands = [value for name, _, value in found.options if name in ("-c", "--cmd", "+", "-S", "--execute")]
    commands += [word.but(word.text[1:]) for word in call.arguments if word.text[:1] == "+" and word.text[1:]]
    files = [word for word in found.words if not word.text.startswith("+")]
    if any(
        name in ("-S", "-u", "-s", "-w", "-W") and value.text not in ("NONE", "NORC", "")
        for name, _, value in found.options
    ):
        call.found(Effect.UNKNOWN, GateReason.RUNS_A_SCRIPT_FROM_A_FILE.of(name=call.name))
    commands = [word for word in commands if word.text]
    edits = [ex_command(call, command) for command in commands]
    if commands and found.has("-es", "-Es", "-e", "-E", "-R", "-s") and not any(edits):
        call.found(Effect.READ, GateReason.ONLY_SHOWS.of(name=call.name))
        return
    if found.has("-R", "-M") or call.name in ("view", "rview"):
        call.found(Effect.READ, GateReason.ONLY_SHOWS.of(name=call.name))
        return
    call.found(
        Effect.UPDATE,
        GateReason.EDITS.of(
            name=call.name, text=(GateReason.EDITED_FILE if files else GateReason.EDITED_TEXT).of()
        ),
        files[0] if files else None,
    )
    for file in files:
        call.reading.touches(file)


def ex_command(call: Call, command: Word) -> bool:
    """Judge `:` commands joined with |. Returns whether any of them changes the text."""
    changed = False
    for part in re.split(r"(?<!\\)[|\n]", command.text):
        text = part.strip().lstrip(":").strip()
        shell = EX_SHELL.fullmatch(text)
        writes = EX_WRITES.fullmatch(text)
        if shell is not None:
            call.shell(shell[1].strip("'\" "), command)
        elif EX_DELETES.fullmatch(text):
            call.found(Effect.DELETE, GateReason.DELETES_ALL_LINES.of(name=call.name), command)
            changed = True
        elif writes is not None:
            if writes[1]:
                call.writes(command.but(writes[1]))
            changed = True
        elif EX_READS.fullmatch(text) or not text:
            continue
        elif EX_EDITS.fullmatch(text):
            changed = True
        else:
            call.found(Effect.UNKNOWN, GateReason.RUNS.of(name=call.name, text=text[:40]), command)
    return changed
