#!/usr/bin/env python3
"""Write the completions of `steward` for bash, zsh and fish, from the verbs and options that there are.

python packaging/completions.py        into installers/linux; needs the environment of a checkout
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PARTS = ROOT / "installers" / "linux"
FILES, FOLDERS = "files", "folders"
# What stands in no type: the words that a value of these may be.
CHOICES = {
    ("", "--log-format"): "console json",
    ("ask", "--allow"): "none read workspace",
    ("audit list", "--kind"): "decision tool hook",
    ("audit export", "--kind"): "decision tool hook",
    ("memory team share", "--layer"): "team organisation company",
    ("undo", "--if-changed"): "keep overwrite beside",
}
IN_FILES = {"--model"}  # names something installed, or a file


@dataclass(frozen=True)
class Option:
    """`takes` is empty for a switch; else FILES, FOLDERS, words, or a space for what nobody can guess."""

    name: str
    told: str
    takes: str = ""


@dataclass
class Verb:
    """One way of calling: the words so far, what may follow, and what its arguments are."""

    path: str
    told: str
    options: list[Option] = field(default_factory=list)
    verbs: list[tuple[str, str]] = field(default_factory=list)
    takes: str = ""


def verbs() -> list[Verb]:
    """Of the program as it is, the outermost first; hidden ones are left out."""
    import typer

    from desktop.cli import app

    return list(_walk(typer.main.get_command(app), ""))


def _walk(command: Any, path: str) -> Iterator[Verb]:
    verb = Verb(path, _first_line(command.help))
    for each in command.params:
        if each.param_type_name == "argument":
            verb.takes = verb.takes or _argument(path, each)
        elif not each.hidden:
            verb.options += [Option(name, each.help or "", _value(path, name, each)) for name in each.opts]
    if path == "classify":
        verb.options += _options_of_classify()
    shown = {name: each for name, each in getattr(command, "commands", {}).items() if not each.hidden}
    verb.verbs = [(name, _first_line(each.help)) for name, each in shown.items()]
    verb.options.append(Option("--help", "Help."))
    yield verb
    for name, each in shown.items():
        yield from _walk(each, f"{path} {name}".strip())


def _first_line(told: str | None) -> str:
    return (told or "").strip().split("\n")[0].split(". ")[0].rstrip(".").replace("`", "")


def _value(path: str, name: str, option: Any) -> str:
    if option.is_flag:
        return ""
    is_path = option.type_descriptor.annotation is Path
    guessed = FOLDERS if option.metavar == "DIR" else FILES if is_path or name in IN_FILES else " "
    return CHOICES.get((path, name), guessed)


def _argument(path: str, argument: Any) -> str:
    if argument.type_descriptor.annotation is Path:
        return FILES
    if argument.name != "agent":
        return ""
    from desktop.agents.agent import LaunchableAgent
    from desktop.agents.agent_list import AGENTS
    from desktop.agents.install import places
    from desktop.agents.settings_file import Computer

    if path == "launch":
        return " ".join(each.programs[0] for each in AGENTS if isinstance(each, LaunchableAgent))
    return " ".join(each.agent for each in places(Computer(Path("/"))))


def _options_of_classify() -> list[Option]:
    """That verb reads its words itself."""
    from desktop.gate.shell.classify import parser

    files = {"--batch": FILES, "--cwd": FOLDERS}
    return [
        Option(name, action.help or "", files.get(name, " ".join(action.choices or ())))
        for action in parser()._actions
        for name in action.option_strings
        if name not in ("-h", "--help")
    ]


HEAD = "# Completion of steward(1) for {}. Written by packaging/completions.py.\n"

BASH = """_steward() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} at="" each
    local verbs="" options="" takes="" index
    for ((index = 1; index < COMP_CWORD; index++)); do
        each=${{COMP_WORDS[index]}}
        case "$each" in {outer}) ((index++)); continue ;; esac
        case "$at${{at:+ }}$each" in
            {paths}) at+=${{at:+ }}$each ;;
        esac
    done
    case "$at" in
{verbs}
    esac
    case "$at|$before" in
{values}
        *) [[ $word == -* ]] && takes=$options || takes=${{verbs:-$takes}} ;;
    esac
    case "$takes" in
        files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$takes" -- "$word") ;;
    esac
}}
complete -F _steward steward
"""

ZSH = """local at="" each index takes=""
local -a verbs options
for ((index = 2; index < CURRENT; index++)); do
    each=$words[index]
    case "$each" in ({outer}) ((index++)); continue ;; esac
    case "$at${{at:+ }}$each" in
        ({paths}) at+=${{at:+ }}$each ;;
    esac
done
case "$at" in
{verbs}
esac
case "$at|$words[CURRENT-1]" in
{values}
    (*)
        if [[ $PREFIX == -* ]]; then _describe option options; return; fi
        if (( $#verbs )); then _describe command verbs; return; fi ;;
esac
case "$takes" in
    (files) _files ;;
    (folders) _files -/ ;;
    (*) compadd -- ${{=takes}} ;;
esac
"""

FISH = """function __steward_at
    set -l at
    set -l skip 0
    for each in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $each {outer}
            set skip 1
        else if contains -- (string trim "$at $each") {paths}
            set -a at $each
        end
    end
    test "$at" = "$argv"
end
complete -c steward -f
"""


def bash(known: list[Verb]) -> str:
    """As bash(1), Programmable Completion."""
    own = []
    for verb in known:
        words = f"verbs={shlex.quote(' '.join(name for name, _ in verb.verbs))} " if verb.verbs else ""
        takes = f"takes={shlex.quote(verb.takes)} " if verb.takes else ""
        options = " ".join(option.name for option in verb.options)
        own.append(f'        "{verb.path}") {words}{takes}options={shlex.quote(options)} ;;')
    values = [
        f'        "{verb.path}|{option.name}") takes={shlex.quote(option.takes)} ;;'
        for verb, option in _with_values(known)
    ]
    parts = {"outer": _outer(known), "paths": _paths(known), "verbs": "\n".join(own)}
    return HEAD.format("bash") + BASH.format(**parts, values="\n".join(values))


def zsh(known: list[Verb]) -> str:
    """As zshcompsys(1)."""
    own = []
    for verb in known:
        names = " ".join(_described(name, told) for name, told in verb.verbs)
        options = " ".join(_described(option.name, option.told) for option in verb.options)
        takes = f"takes={shlex.quote(verb.takes)}" if verb.takes else ""
        own += [f'    ("{verb.path}")', *(f"        {line}" for line in (f"verbs=({names})", takes) if line)]
        own += [f"        options=({options}) ;;"]
    values = [
        f'    ("{verb.path}|{option.name}") takes={shlex.quote(option.takes)} ;;'
        for verb, option in _with_values(known)
    ]
    parts = {"outer": _outer(known), "paths": _paths(known), "verbs": "\n".join(own)}
    return "#compdef steward\n" + HEAD.format("zsh") + ZSH.format(**parts, values="\n".join(values))


def fish(known: list[Verb]) -> str:
    """As complete(1) of fish."""
    outer = " ".join(_outer(known).split("|"))
    paths = " ".join(shlex.quote(verb.path) for verb in known if verb.path)
    lines = [HEAD.format("fish") + FISH.format(outer=outer, paths=paths)]
    for verb in known:
        start = f"complete -c steward -n '__steward_at {verb.path}'"
        lines += [f"{start} -a {name} -d {_quoted(told)}\n" for name, told in verb.verbs]
        lines += [f"{start} -F\n"] if verb.takes == FILES else []
        lines += [f"{start} -a {_quoted(verb.takes)}\n"] if verb.takes not in ("", FILES) else []
        for option in verb.options:
            value = {"": "", FILES: " -rF", FOLDERS: " -xa '(__fish_complete_directories)'"}.get(
                option.takes, f" -xa {_quoted(option.takes.strip())}"
            )
            lines.append(f"{start} -l {option.name[2:]}{value} -d {_quoted(option.told)}\n")
    return "".join(lines)


def _with_values(known: list[Verb]) -> list[tuple[Verb, Option]]:
    return [(verb, option) for verb in known for option in verb.options if option.takes]


def _outer(known: list[Verb]) -> str:
    """Options that may stand before a verb, and take a value."""
    return "|".join(option.name for option in known[0].options if option.takes)


def _paths(known: list[Verb]) -> str:
    return "|".join(verb.path if " " not in verb.path else f'"{verb.path}"' for verb in known if verb.path)


def _described(name: str, told: str) -> str:
    return _quoted(f"{name}:{told.replace(':', chr(92) + ':')}")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "’").replace("\n", " ") + "'"


def written() -> dict[Path, str]:
    """Each file and what it has to hold."""
    known = verbs()
    return {
        PARTS / "steward.bash": bash(known),
        PARTS / "_steward": zsh(known),
        PARTS / "steward.fish": fish(known),
    }


if __name__ == "__main__":
    for file, text in written().items():
        file.write_text(text, encoding="utf-8")
