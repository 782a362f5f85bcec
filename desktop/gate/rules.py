"""Rules of the user: what is never done, refused, asked about or let through, whatever else is allowed.

A rule looks at the commands that a line comes to, not at its text: `sudo /bin/rm x`, `env rm x` and
`bash -c 'rm x'` all run rm. Patterns are those of a shell (`*`, `?`, `[…]`); `*` takes in slashes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from desktop.gate.reasons import GateReason
from desktop.gate.request import Request
from desktop.gate.shell.places import HOME, located
from desktop.gate.shell.words import ANY_MARK
from desktop.gate.verdict import Effect, Flag, Step
from desktop.reasons import Reason

if TYPE_CHECKING:
    from desktop.settings import GateRule, GateSettings

PATTERN = re.compile(r"[*?\[]")


class RuleAction(IntEnum):
    """What a rule says; the smaller number wins, in whatever order rules are written."""

    NEVER = 0  # also while the gate is paused
    DENY = 1
    ASK = 2  # even where a grant would allow
    ALLOW = 3


@dataclass(frozen=True)
class Rule:
    """What is left empty holds for all. Nothing of a rule that is there may be left unmet.

    `program` is a program with the subcommand and the options that it must have: `git push --force`. `path`
    means the place and all below it; without a leading `/` or `~` it may lie anywhere. `agent` and `tool` are
    names as the log shows them: `claude-code`, `WebFetch`.
    """

    weight: RuleAction
    program: str = ""
    path: str = ""
    agent: str = ""
    tool: str = ""
    reason: str = ""

    def meets(self, request: Request) -> bool:
        """Whether anything of `request` is what this rule speaks of."""
        if not self._is_of(request):
            return False
        # A rule about an agent or a tool alone speaks of all that it does.
        if not self.program and not self.path:
            return True
        if not request.runs:
            return not self.program and (
                any(self._reaches(part, request) for part in request.parts)
                or any(self._lies_below(part, ()) for part in request.below)
            )
        return any(self._meets_step(step, request) for step in steps_of(request)) or (
            not self.program
            and any(self._reaches(_placed(path, request), request) for path in request.touched)
        )

    def covers(self, request: Request, step: Step) -> bool:
        """Whether this rule, which allows, lets `step` of `request` through with all that it names."""
        if not self._is_of(request) or (self.path and not self._holds(request, step)):
            return False
        if step.words:
            return bool(self.program) and runs(self.program, step.words, lenient=False)
        return bool(self.path) and not self.program

    def covers_paths(self, request: Request) -> bool:
        """The same of a tool that runs nothing."""
        if self.program or not self._is_of(request):
            return False
        if not self.path:
            # A rule that names nothing at all would allow everything; it has to name the tool at least.
            return bool(self.tool)
        return bool(request.parts) and all(is_below(part, self.path) for part in request.parts)

    @property
    def is_exact(self) -> bool:
        """It names one program and one place, or one place for tools: such a rule may allow a deletion."""
        return bool(self.path) and not PATTERN.search(self.program + self.path)

    def in_words(self) -> Reason:
        """Program, path, tool and agent, as the list shows them."""
        what = " · ".join(part for part in (self.program, self.path, self.tool) if part)
        if not self.agent:
            return GateReason.RULE_NAMES.of(what=what)
        if not what:
            return GateReason.RULE_NAMES_ONLY_AGENT.of(agent=self.agent)
        return GateReason.RULE_NAMES_AGENT.of(what=what, agent=self.agent)

    def _is_of(self, request: Request) -> bool:
        tool, _, agent = request.tool.partition(" of ")
        return (not self.agent or fnmatchcase(agent or "steward", self.agent)) and (
            not self.tool or fnmatchcase(tool, self.tool)
        )

    def _meets_step(self, step: Step, request: Request) -> bool:
        if self.program and not (step.words and runs(self.program, step.words, lenient=True)):
            return False
        if not self.path:
            return True
        places = list(_places(step, request))
        if not places and step.words:
            # A command that names no place works where it is started.
            places = [_placed(".", request, step.base)]
        return any(self._reaches(place, request) for place in places) or any(
            self._lies_below(_placed(place, request), step.words) for place in step.below
        )

    def _lies_below(self, folder: str, words: Sequence[str]) -> bool:
        """Whether a command of `words` that reads all below `folder` reads what this rule speaks of.

        `grep -r x .` reads what lies in the folder below without naming it.
        """
        wanted = spelled(self.path)
        is_named = wanted[:1] == "/" and not PATTERN.search(wanted)
        if not is_named:
            return any(not is_left_out(words, each) for each in _found_below(folder, self.path))
        places = {folder, os.path.realpath(folder)}
        kept = {wanted, os.path.realpath(wanted)}
        pairs = [(place, each) for place in places for each in kept if takes_away(place, each)]
        # What is not there cannot be read.
        if not pairs or (os.path.isdir(folder) and not os.path.lexists(wanted)):
            return False
        return any(not is_left_out(words, os.path.relpath(each, place)) for place, each in pairs)

    def _reaches(self, place: str, request: Request) -> bool:
        """Whether `place` is there, or a pattern or folder of which that is a part is taken away."""
        if is_below(place, self.path):
            return True
        # `rm -rf ~` removes what a rule on ~/secret guards, without naming it.
        takes = bool(PATTERN.search(place)) or request.effect is Effect.DELETE
        if not takes or PATTERN.search(self.path):
            return False
        kept = spelled(self.path)
        return takes_away(place, kept) or lies_in(place, kept)

    def _holds(self, request: Request, step: Step) -> bool:
        # A rule that allows has to know every place; one that is not told may be any.
        if ANY_MARK.search(step.base) or any(ANY_MARK.search(path) for path in step.changes):
            return False
        here = _placed(".", request, step.base)
        return all(is_below(place, self.path) for place in (here, *_places(step, request)))


def rules_of(settings: GateSettings) -> tuple[Rule, ...]:
    """The rules of the settings, in their order."""
    return tuple(map(rule_of, settings.rules))


def rule_of(rule: GateRule) -> Rule:
    """A rule of the settings as the policy takes it."""
    return Rule(RuleAction[rule.effect.name], rule.program, rule.path, rule.agent, rule.tool, rule.reason)


def covering(request: Request, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules that together allow all of `request`; empty where something is left over.

    No rule lets through what changes the gate itself. A deletion, a secret and another user's rights take
    rules that name program and place without a pattern.
    """
    risky = request.effect is Effect.DELETE or request.flags & {Flag.SECRET, Flag.PRIVILEGED}
    allows = [rule for rule in rules if rule.weight is RuleAction.ALLOW and (rule.is_exact or not risky)]
    if not allows or Flag.GATE in request.flags:
        return ()
    if not request.runs:
        found = next((rule for rule in allows if rule.covers_paths(request)), None)
        return (found,) if found else ()
    chosen: list[Rule] = []
    for step in request.steps:
        # What only reads passes without a rule.
        if step.effect is Effect.READ and not step.flags - {Flag.OUTSIDE}:
            continue
        fitting = next((rule for rule in allows if rule.covers(request, step)), None)
        if fitting is None:
            return ()
        chosen.append(fitting)
    return tuple(dict.fromkeys(chosen))


def runs(program: str, words: Sequence[str], *, lenient: bool) -> bool:
    """Whether a command of `words` runs `program`, its first words and options.

    `lenient`: a word behind an option may be that option's value, and is passed over: `git -C x push`.
    """
    wanted = program.split()
    # With its folder and with .exe it is the same program, and a rule must not be got round by writing it
    # out.
    name = words[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if not wanted or not fnmatchcase(name, wanted[0].lower()):
        return False
    options = [word for word in words[1:] if word[:1] == "-"]
    if not all(_has_option(each, options) for each in wanted[1:] if each[:1] == "-"):
        return False
    plain = [each for each in wanted[1:] if each[:1] != "-"]
    return _begin_with(plain, words, lenient=lenient)


def _has_option(wanted: str, options: Sequence[str]) -> bool:
    """`-f` is also in `-rf`, and `--force` in `--force=yes`."""
    for option in options:
        if fnmatchcase(option.partition("=")[0], wanted):
            return True
        # Short options may be written together.
        is_letter = len(wanted) == 2 and wanted[1] != "-" and option[:2] != "--"
        if is_letter and wanted[1] in option[1:]:
            return True
    return False


def _begin_with(wanted: Sequence[str], words: Sequence[str], *, lenient: bool) -> bool:
    """Whether the words behind the name, less options and their values, begin with the wanted ones."""
    left = list(wanted)
    for before, word in pairwise(words):
        if not left:
            break
        if word[:1] == "-":
            if not lenient:
                return False
        elif fnmatchcase(word, left[0]):
            left.pop(0)
        elif not lenient or before[:1] != "-":
            return False
    return not left


def steps_of(request: Request) -> tuple[Step, ...]:
    """The commands of a line; where it was not taken apart, as the reading tells them."""
    if request.steps:
        return request.steps
    words = [tuple(text.split()) for text in request.commands or request.parts]
    return tuple(Step(each, request.effect) for each in words if each)


def _places(step: Step, request: Request) -> Iterator[str]:
    for word in step.words[1:]:
        text = _value(word)
        if text and not ANY_MARK.search(text) and not ANY_MARK.search(step.base):
            place = _placed(text, request, step.base)
            yield place
            # Behind a link `..` is the folder above where it leads.
            if ".." in text.split("/") and "\0" not in text:
                folder = _placed(".", request, step.base)
                yield os.path.realpath(os.path.join(folder, os.path.expanduser(text)))
    for path in step.changes:
        if not ANY_MARK.search(path):
            yield _placed(path, request)


LEAVE_OUT = frozenset({"--exclude", "--exclude-dir"})


def _value(word: str) -> str:
    """The part of a word that may be a path: `x` of `--file=x`, `of=x`, and `-o/x`."""
    name, equals, value = word.partition("=")
    if name in LEAVE_OUT:  # what it says is not read
        return ""
    if equals and "/" not in name:
        return value
    if word[:1] != "-":
        return word
    return word[2:] if word[2:3] in ("/", "~") else ""


def _placed(path: str, request: Request, base: str = "") -> str:
    folder = located(base, str(request.folder)) if base else str(request.folder)
    return spelled(located(path, folder))


def spelled(path: str) -> str:
    """An absolute path with the user's home folder by its name."""
    whole = located(path, None) if path[:1] in ("~", "/") else path
    return os.path.expanduser("~") + whole[len(HOME) :] if (whole + "/").startswith(HOME + "/") else whole


def is_below(place: str, pattern: str) -> bool:
    """Whether `place`, absolute, is what `pattern` names or lies below it; by name, or where links lead."""
    # A folder's rule holds for the folder itself, too, however its pattern ends.
    wanted = spelled(pattern.removesuffix("/**").removesuffix("/*") if len(pattern) > 3 else pattern)
    if wanted[:1] != "/" and wanted[1:2] != ":":
        wanted = f"*/{wanted}"
    # Both ways: neither a link nor the place behind it is a way round the rule.
    patterns = {wanted} if PATTERN.search(wanted) else {wanted, os.path.realpath(wanted)}
    names = {place} if PATTERN.search(place) or "\0" in place else {place, os.path.realpath(place)}
    return any(
        fnmatchcase(name, each) or fnmatchcase(name, f"{each.rstrip('/')}/*")
        for name in names
        for each in patterns
    )


def takes_away(path: str, kept: str) -> bool:
    """Whether removing `path`, which may hold patterns, removes `kept`: it is that, or a folder around it."""
    parts, wanted = path.rstrip("/").split("/"), kept.split("/")
    return len(parts) <= len(wanted) and all(map(fnmatchcase, wanted, parts))


def lies_in(pattern: str, kept: str) -> bool:
    """Whether something that `pattern` matches lies in the folder `kept`: `/srv/d*/x` in /srv/data."""
    parts, wanted = pattern.rstrip("/").split("/"), kept.split("/")
    # `**` stands for as many folders as it takes.
    before = list(takewhile(lambda part: part != "**", parts))
    is_deep = len(before) < len(parts)
    return (is_deep or len(parts) > len(wanted)) and all(map(fnmatchcase, wanted, before))


# -- what a command that reads a whole folder leaves out ------------------------------------------------

MOST_NAMES = 10_000  # of which a rule without a whole path is looked for; that takes some 15 ms
PASS_HIDDEN = frozenset({"rg", "ag", "fd", "fdfind"})
SHOWS_HIDDEN = re.compile(r"-[a-zA-Z]*[uH.][a-zA-Z]*|--(?:hidden|unrestricted|no-ignore)|-[uU]+")
EXCLUDES = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "ggrep"), re.compile(r"--exclude-dir=([^*?\[{]+?)/*")),
    "rg": re.compile(r"(?:-g|--glob=)!/?([^*?\[{]+?)/*"),
}


def is_left_out(words: Sequence[str], path: str) -> bool:
    """Whether a command says that it passes over a part of `path`, which lies below its folder."""
    name = words[0].rpartition("/")[2] if words else ""
    parts = path.split("/")
    is_hidden = any(part[:1] == "." and part not in (".", "..") for part in parts)
    if is_hidden and name in PASS_HIDDEN and not any(map(SHOWS_HIDDEN.fullmatch, words[1:])):
        return True
    excludes = EXCLUDES.get(name)
    if excludes is None:
        return False
    # `-g x` beside `-g !x` takes it in again.
    chosen = [each for each in words[1:] if each.startswith(("-g", "--glob", "--iglob"))]
    joined = [*words[1:], *(f"{a}{b}" for a, b in pairwise(words[1:]) if a == "-g")]
    left_out = {found[1] for each in joined if (found := excludes.fullmatch(each)) is not None}
    return bool(left_out.intersection(parts)) and (name != "rg" or len(chosen) == len(left_out))


def _found_below(folder: str, pattern: str) -> Iterator[str]:
    """Paths below `folder`, from there on, that a rule without a whole path means; the shallow ones first."""
    left, level = MOST_NAMES, [folder]
    while level:
        below: list[str] = []
        for each in level:
            try:
                with os.scandir(each) as entries:
                    for entry in entries:
                        left -= 1
                        if left < 0:
                            return
                        if is_below(entry.path, pattern):
                            yield os.path.relpath(entry.path, folder)
                        elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                            below.append(entry.path)
            except OSError:  # whom it is closed to, the command cannot read it either
                continue
        level = below


# -- what is never done, whatever a rule says: `shell/never.py` and `commands.py` see to it ---------------


@dataclass(frozen=True)
class Never:
    """One row; `code` is a line that it stops."""

    words: Reason
    code: str


NEVER = (
    Never(GateReason.NEVER_REMOVE_ROOTS.of(), code="rm -rf ~"),
    Never(GateReason.NEVER_REMOVE_BELOW.of(), code="find / -delete"),
    Never(GateReason.NEVER_MOVE_AWAY.of(), code="rsync -a --delete empty/ ~/"),
    Never(GateReason.NEVER_ERASE_DISKS.of(), code="dd if=image of=/dev/sda"),
    Never(GateReason.NEVER_LOCK_SYSTEM.of(), code="chmod -R 000 /"),
    Never(GateReason.NEVER_FORK_BOMB.of(), code=":(){ :|:& };:"),
    Never(GateReason.NEVER_REMOVE_OWN.of(), code="rm -rf ~/.config/steward"),
)
