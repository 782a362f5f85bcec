"""What is known while a line is read: findings so far, and what is still to be looked at."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import IntEnum

from desktop.gate.reasons import GateReason
from desktop.gate.shell.budget import Budget
from desktop.gate.shell.parameters import changed_value, dirname
from desktop.gate.shell.parser import Unreadable
from desktop.gate.shell.places import (
    GATE,
    OWN_NAME,
    SECRET_VARIABLE,
    SENDING,
    SINKS,
    effect_of_writing,
    holds_all,
    holds_secrets,
    is_disk,
    is_outside,
    located,
    past_processes,
    reveals,
)
from desktop.gate.shell.substitutions import SUBSCRIPT
from desktop.gate.shell.tables import Tables, vocabulary
from desktop.gate.shell.words import ANY_MARK, GIVEN, MORE_MARKS, OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import ANYWHERE, Effect, Flag, Network, Step
from desktop.reasons import Reason

MAX_PIECES = 400  # commands and nested texts of one line
MAX_NESTING = 8  # shells within shells
MAX_PATHS = 256  # of a line, that are told
MAX_READ = 1_024  # of a line that are read; more letters than those of so many are not looked at
MAX_CHOICES = 64  # values of one name
MAX_FOLDERS = 16  # that parts of a line may work in
MAX_PART = 2000  # characters
MAX_PATH = 4096  # characters; what is longer names no file

PATTERN = re.compile(r"[*?\[\]{}]")
UNTOLD = re.compile(f"[{VARIABLE}{OPAQUE}]")
VARIABLES_IN = re.compile(r"\$(?:\{(\w+|[@*])([^}]*)\}|(\w+|[@*]))")
OPEN_FILE = re.compile(r"/+(?:dev/fd|proc/[^/]+/fd)/+\d+")
# A folder that another computer shares; devices, WSL and this computer are none.
SHARE = re.compile(
    r"(?i)(?:\\\\|//)(?![.?][\\/]|wsl(?:\$|\.localhost)[\\/]|localhost[\\/]|127\.)[\w.\x01-\x03-]+[\\/]"
)
SPECIAL_ELSEWHERE = re.compile(r"[$`*?\[\]{}()@%!^~#\x01-\x03]")

# Where relative paths of a command lie, beside a folder that the line has gone to with `cd`.
HERE = ""
UNSURE = "\x03"  # the line went where its text does not tell
FAR = "\x01"  # on another computer or in a container: none of its paths is a path here


@dataclass(frozen=True, slots=True)
class Stdin:
    """What a program reads from its standard input; `text` where the line spells it out."""

    text: str | None
    is_names: bool = False  # lines that begin with no dash


FROM_ELSEWHERE = Stdin(None)
# What they are told to print, list or look for, other commands of the line may read.
NAMES_PLACES = vocabulary("given").words("list_names") - {"cd"} | {"echo", "printf", "git", "tree", "du"}


@dataclass(slots=True)
class Scope:
    """Names that the line itself defines. `values` maps a variable to its fields, None for any value."""

    values: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    splits_elsewhere: bool = False  # IFS was changed
    aliases: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)  # variables whose value files or other programs give
    computed: dict[str, Word] = field(default_factory=dict)  # those in expressions, and where
    # What a name may be, of which only one counts at a time; None where the line does not tell all of it.
    # Names that another command lists stand as their mark.
    choices: dict[str, tuple[str, ...] | None] = field(default_factory=dict)

    def may_be(self, name: str, texts: Sequence[str]) -> None:
        """A name gets one of these."""
        before = self.choices.get(name, ())
        is_told = before is not None and not any(GIVEN.search(text) or UNTOLD.search(text) for text in texts)
        self.choices[name] = (*before, *texts)[:MAX_CHOICES] if is_told and before is not None else None


@dataclass(frozen=True, slots=True)
class Piece:
    """A text for a shell, still to be read."""

    text: str
    start: int
    end: int
    shell: str  # bash, powershell, cmd
    nesting: int
    scope: Scope
    offset: int | None = None  # where its bytes lie in the outermost line, if they do
    base: str = HERE
    run_by: int = -1  # the step that runs it


class Passed(IntEnum):
    """What the next stage of a pipe lets be seen of a command's output."""

    ALL = 0
    NAMED = 1  # lines or fields that are called like nothing secret
    NOTHING = 2  # how many, or the names in an archive


@dataclass(frozen=True, slots=True)
class Argv:
    """A command as words, still to be judged."""

    words: Sequence[Word]
    nesting: int
    scope: Scope
    stdin: Stdin | None = None
    passed: Passed = Passed.ALL
    base: str = HERE
    run_by: int = -1


@dataclass(slots=True)
class Draft:
    """A step while it is read."""

    words: tuple[str, ...] = ()
    base: str = HERE
    run_by: int = -1
    number: int = -1
    effect: Effect = Effect.READ
    flags: set[Flag] = field(default_factory=set)
    changes: list[str] = field(default_factory=list)
    network: Network = Network.NONE
    below: list[str] = field(default_factory=list)

    def step(self) -> Step:
        flags, changes, below = frozenset(self.flags), tuple(self.changes), tuple(self.below)
        return Step(self.words, self.effect, flags, changes, self.base, self.run_by, self.network, below)


DOES = {
    Effect.READ: GateReason.ONLY_READS,
    Effect.CREATE: GateReason.MAKES_SOMETHING_NEW,
    Effect.UPDATE: GateReason.CHANGES_SOMETHING,
    Effect.UNKNOWN: GateReason.RUNS_UNSEEN_CODE,
    Effect.DELETE: GateReason.REMOVES_OR_DESTROYS,
}


@dataclass(slots=True)
class Reading:
    """One command line on its way to a verdict. Used by one thread."""

    tables: Tables
    folder: str | None = None
    root: str | None = None  # of the project that `folder` is in: what lies beyond it is outside
    wrappers: frozenset[str] = frozenset()  # programs that the user says only run what follows
    budget: Budget = field(default_factory=Budget)
    effect: Effect = Effect.READ
    reason: Reason | None = None
    span: tuple[int, int] = (0, 0)
    flags: dict[Flag, tuple[Reason, tuple[int, int]]] = field(default_factory=dict)
    waiting: list[Piece | Argv] = field(default_factory=list)
    taken: int = 0
    lenient: bool = False  # cmdlets are another shell's; leave them to its reader
    seen: set[str] = field(default_factory=set)  # paths that exist by the time they are written
    inline_input: bool = False  # `read` may get a text that the line spells out
    source: str = ""
    armed: tuple[Reason, Word] | None = None  # a variable that changes what later commands run
    evaluated: Word | None = None  # where the shell evaluates what a name holds
    is_dormant: bool = False  # some text of the line would run a command when it is evaluated
    base: str = HERE  # where relative paths lie now
    is_static: bool = True  # so far all could be read off the text
    is_bash: bool = True
    is_plain: bool = True  # so far only words and quotes
    unknowns: int = 0
    worst: Effect = Effect.READ  # of the command that is being judged
    unknown_program: str = ""
    parts: dict[str, None] = field(default_factory=dict)  # commands of the line as written, with redirections
    commands: dict[str, None] = field(default_factory=dict)  # also those that others run, without quotes
    never: tuple[Reason, tuple[int, int]] | None = None  # why it is never done, and where it says so
    removed: dict[str, None] = field(default_factory=dict)  # places that are taken away as a whole
    touched: dict[str, None] = field(default_factory=dict)  # paths that are made, changed or removed
    looked_at: dict[str, None] = field(default_factory=dict)  # words that may be paths that are read
    assigned: dict[str, str] = field(default_factory=dict)  # variables that commands may inherit
    drafts: list[Draft] = field(default_factory=list)
    draft: Draft | None = None  # of the command or redirection that is being judged
    run_by: int = -1  # the step whose text or words are being read
    before: str = ""  # the folder that the shell was in before this one, as `here` has it
    stack: list[str] | None = field(default_factory=list)  # of pushd; None where the line does not tell
    elsewhere: dict[str, None] = field(default_factory=dict)  # folders in which a part of the line may work
    listed: dict[str, None] = field(default_factory=dict)
    listed_secret: Word | None = None
    found_below: list[tuple[Draft, str]] = field(default_factory=list)  # below which a step only lists
    is_lost: bool = False  # a part of it works in a folder that the text does not tell
    unnamed_below: Word | None = None  # a program that reads all below folders which another command names
    unnamed: Word | None = None  # a program that reads files which an expansion or its input names
    network: Network = Network.NONE
    hosts: dict[str, None] | None = field(default_factory=dict)  # None: not all can be told

    def check_budget(self) -> None:
        """Raises Unreadable for a line that has had its time."""
        if self.budget.is_spent():
            raise Unreadable(
                GateReason.TAKES_TOO_LONG_TO_READ.of(), (0, len(self.source.encode("utf-8", "replace")))
            )

    def found(self, effect: Effect, reason: Reason, place: Word) -> None:
        """Something that the line does; the worst is kept, of equals the first."""
        if effect is Effect.UNKNOWN:
            self.unknowns += 1
            # Code that is not seen may talk to anybody.
            self.connects(Network.MAY)
        if effect > self.worst:
            self.worst = effect
        if effect > Effect.READ:
            draft = self.drafted()
            draft.effect = max(draft.effect, effect)
        # Of equals the first: a person reads the line from the left.
        if effect > self.effect or self.reason is None:
            self.effect = max(effect, self.effect)
            self.reason = reason
            self.span = (place.start, place.end)

    def drafted(self) -> Draft:
        """The step that is being judged; what belongs to no command is a step by itself."""
        if self.draft is not None:
            return self.draft
        self.drafts.append(Draft(base=self.base, run_by=self.run_by))
        return self.drafts[-1]

    def begin_step(self, words: tuple[str, ...] = ()) -> Draft | None:
        """All that is found from now on belongs to one step; returns the one to go back to."""
        outer, self.draft = self.draft, Draft(words, self.base, self.run_by, len(self.drafts))
        self.drafts.append(self.draft)
        return outer

    @contextmanager
    def step(self, words: tuple[str, ...] = ()) -> Iterator[None]:
        """What is found meanwhile belongs to one step."""
        outer = self.begin_step(words)
        try:
            yield
        finally:
            self.draft = outer

    def connects(self, network: Network, hosts: Sequence[str] | None = None) -> None:
        """A part of the line talks, or may talk, to other computers; `hosts` are all, if the text tells."""
        self.network = max(self.network, network)
        if network > Network.NONE and self.draft is not None:
            self.draft.network = max(self.draft.network, network)
        if hosts is None:
            self.hosts = None
        elif self.hosts is not None:
            self.hosts.update(dict.fromkeys(hosts))

    def evaluates(self, place: Word) -> None:
        """Here the shell computes with what a name holds: arithmetic, subscripts, references."""
        self.evaluated = self.evaluated or place
        # The text that would run and the place where it is evaluated may stand anywhere in the line, in
        # either order.
        if self.is_dormant:
            self.found(Effect.UNKNOWN, GateReason.EVALUATES_DORMANT_COMMAND.of(), place)

    def may_wake(self) -> None:
        """Some text of the line, wherever it goes, runs a command if the shell evaluates it."""
        self.is_dormant = True
        if self.evaluated is not None:
            self.evaluates(self.evaluated)

    def inherits(self, name: str, value: str) -> None:
        """Commands may inherit this variable; "" where it is the shell's own, unless exported before."""
        # All values together: which of them counts depends on what runs.
        self.assigned[name] = self.assigned.get(name, "") + value

    def is_steered(self) -> None:
        """A variable makes the command run other code than its words say: a step that has no words."""
        self.drafts.append(Draft(base=self.base, run_by=self.run_by, effect=Effect.UNKNOWN))

    def takes_part(self, words: Sequence[Word]) -> None:
        """A command is about to be judged, one of the line or one that another runs."""
        texts = [word.text for word in words]
        line = " ".join(texts)
        if ANY_MARK.search(line):
            self.is_static = False
        # `a[$(rm x)]` is harmless text until some shell computes with it.
        if "[" in line and any(map(SUBSCRIPT.search, texts)):
            self.may_wake()
        self.commands[shown(line, MAX_PART)] = None

    def is_of_another_shell(self, text: str) -> None:
        """PowerShell or cmd: static only without any character that might mean something else there."""
        self.is_plain = False
        if text == self.source:
            self.is_bash = False
        if SPECIAL_ELSEWHERE.search(text):
            self.is_static = False

    def is_written(self, text: str) -> None:
        """A piece of the line that does something by itself."""
        self.parts[text.strip()] = None

    def located(self, path: str) -> str:
        """Where a path leads from the folder that the line is in; "" where the text does not tell."""
        whole = self.whole(path)
        return located(whole, self.folder) if whole else ""

    def ruins(self, reason: Reason, place: Word) -> None:
        """What is never done, whatever was allowed."""
        if self.never is None:
            self.never = (reason, (place.start, place.end))

    def takes_in_secrets(self, path: str) -> bool:
        """Whether a folder is so high up, from wherever the line may be, that secrets lie below it."""
        if path[:1] == "-" or len(path) > MAX_PATH:
            return False
        if path[:1] in ("~", "/") and holds_all(path):
            return True
        found = [self.located(path)]
        # `(cd ~; grep -r x .)`: a part of the line may be there.
        if self.base == UNSURE and not ANY_MARK.search(path):
            found = [located(posixpath.join(each, path), self.folder) for each in self.elsewhere]
        return any(each != "" and holds_all(each) for each in found)

    def choices_of(self, word: Word, scope: Scope) -> tuple[str, ...] | None:
        """All that the one variable in a word may be; None where the line does not tell."""
        if len(ANY_MARK.findall(word.text)) != 1:
            return None
        part = self.source.encode()[word.start : word.end].decode("utf-8", "ignore")
        used = {(name or plain, operator) for name, operator, plain in VARIABLES_IN.findall(part)}
        if len(used) != 1:
            return None
        [(name, operator)] = used
        found = scope.choices.get(name)
        if found is None or not operator:
            return found
        made = [changed_value(each, operator) for each in found]
        told = [each for each in made if each is not None]
        return tuple(told) if len(told) == len(made) else None

    def reaches_secrets(self, word: Word, scope: Scope) -> bool:
        """Whether a program that reads all below `word`, of which the line tells a part, may find secrets."""
        text = past_processes(word.text, self.here() or self.folder)
        part = self.source.encode()[word.start : word.end].decode("utf-8", "ignore")
        if OPEN_FILE.match(text) and "<(" not in part:  # of which only the disk knows whether it is a folder
            return True
        if not ANY_MARK.search(text):
            # Relative to a folder that the line does not tell either.
            return self.is_lost and self.base == UNSURE and text[:1] not in ("/", "~")
        choices = self.choices_of(word, scope)
        if choices is not None:
            if any(map(ANY_MARK.search, choices)):
                self.unnamed_below = self.unnamed_below or word
            head, tail = ANY_MARK.split(text, maxsplit=1)
            return any(self.takes_in_secrets(f"{head}{each}{tail}") for each in choices)
        # Names, which what lists them was asked about; of an -exec those that were found.
        is_listed = OUTPUT in text and not GIVEN.search(text)
        if (is_listed and self._is_told(part, scope)) or (part == "{}" and text.strip("/") == VARIABLE):
            self.unnamed_below = self.unnamed_below or word
            return False
        # Wherever it may begin: a home folder, the one of all home folders, the root.
        rest = ANY_MARK.split(text)[-1].strip("/")
        return any(
            holds_all(posixpath.normpath(posixpath.join(start, rest))) for start in ("~", "/home", "/")
        )

    def _is_told(self, part: str, scope: Scope) -> bool:
        """Whether of every variable in a part of the line all is told that it may be."""
        return all(
            scope.choices.get(name or plain) is not None or (name or plain) in ("HOME", "PWD", "OLDPWD")
            for name, _, plain in VARIABLES_IN.findall(part)
        )

    def removes(self, path: str) -> None:
        """A place, as `located` gives it, is taken away with all that is in it."""
        if len(self.removed) < MAX_PATHS:
            self.removed[path] = None

    def flag(self, flag: Flag, reason: Reason, place: Word) -> None:
        self.flags.setdefault(flag, (reason, (place.start, place.end)))
        self.drafted().flags.add(flag)

    def shell(self, text: str, place: Word, nesting: int, scope: Scope, shell: str = "bash") -> None:
        """Read `text` as a shell would; what a command prints or what cannot be followed is not readable."""
        if OPAQUE in text or OUTPUT in text:
            self.found(Effect.UNKNOWN, GateReason.RUNS_CODE_THAT_ANOTHER_COMMAND_PRINTS.of(), place)
            # Read all the same: what can be seen of it may be worse than unknown.
            text = MORE_MARKS.sub("", text).replace(OPAQUE, " ").replace(OUTPUT, " ")
        piece = Piece(
            text, place.start, place.end, shell, nesting + 1, scope, base=self.base, run_by=self.runner
        )
        self.take(piece, place)

    def argv(self, words: Sequence[Word], nesting: int, scope: Scope, stdin: Stdin | None = None) -> None:
        if words:
            self.take(Argv(words, nesting, scope, stdin, base=self.base, run_by=self.runner), words[0])

    @property
    def runner(self) -> int:
        """The number of the step that is being judged, for what it runs."""
        return self.run_by if self.draft is None else self.draft.number

    def take(self, piece: Piece | Argv, place: Word) -> None:
        """Queue a piece. Commands within commands are bounded: the rest of such a line is unknown."""
        # Counted and not only nested: a short line can ask for thousands of pieces side by side.
        self.taken += 1
        if self.taken > MAX_PIECES or piece.nesting > MAX_NESTING:
            self.found(Effect.UNKNOWN, GateReason.COMMANDS_ARE_NESTED_TOO_DEEPLY.of(), place)
        else:
            self.waiting.append(piece)

    def writes(self, place: Word, what: str | Reason, *, append: bool = False) -> Effect:
        """A file gets new content. Returns the effect that was found."""
        path = place.text
        # Bash opens a connection for /dev/tcp/host/port.
        if SENDING.match(path):
            self.flag(Flag.SENDS, GateReason.SENDS_TO.of(name=what, text=path), place)
            self.connects(Network.USES, path.split("/")[3:4])
        effect = effect_of_writing(path, append=append)
        if effect is not Effect.READ:
            with self.step() if self.draft is None else nullcontext():
                self.found(effect, GateReason.WRITES.of(name=what, text=shown(path)), place)
                self.touches(place)
            if is_disk(path):
                self.ruins(GateReason.OVERWRITES_WHAT_IS_ON.of(name=what, text=shown(path)), place)
        return effect

    def touches(self, place: Word) -> None:
        """A path that is made, changed or removed."""
        self.guards(place)
        if not place.text or place.text in SINKS:
            return
        path = self.whole(place.text)
        is_told = path is not None and len(self.touched) < MAX_PATHS
        self.drafted().changes.append(path if path is not None and is_told else ANYWHERE)
        if path is not None and is_told and not PATTERN.search(path):
            self.touched[path] = None

    def guards(self, place: Word) -> None:
        """Is what is changed outside, is it the gate's own?"""
        if len(place.text) > MAX_PATH:
            return
        path = self.whole(place.text) or place.text
        self.guards_itself(place)
        if is_outside(path, self.folder, self.root):
            self.flag(Flag.OUTSIDE, GateReason.OUTSIDE_THE_WORKING_FOLDER.of(name=shown(place.text)), place)

    def guards_itself(self, place: Word) -> None:
        """Does a command that changes something name what guards this computer?"""
        if len(place.text) > MAX_PATH:
            return
        path = self.whole(place.text) or place.text
        if GATE.search(self.below_folder(path)):
            self.flag(Flag.GATE, GateReason.HOLDS_HOOKS_OR_PERMISSIONS.of(name=shown(place.text)), place)
        # Reading about Steward is anybody's business; stopping or removing it is not.
        elif self.worst >= Effect.UPDATE and OWN_NAME.fullmatch(place.text):
            self.flag(Flag.GATE, GateReason.GUARDS_THIS_COMPUTER.of(name=shown(place.text)), place)

    def reads(self, place: Word) -> None:
        """A path that is read: is it secret, is it the gate's own?"""
        text = place.text
        if len(text) > MAX_PATH:
            return
        path = self.whole(text)
        if holds_secrets(self.below_folder(path or text)):
            self.flag(Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(text)), place)
        if path and text[:1] not in ("", "-") and len(self.looked_at) < MAX_READ:
            self.looked_at[path] = None
        # `(cd ~/.ssh && cat work)`: the rest of the line may be elsewhere, this part of it is there.
        for folder in self.elsewhere if self.base == UNSURE and not ANY_MARK.search(text) else ():
            self._reads_in(folder, place)

    def reads_device(self, place: Word) -> None:
        """A device whose content is read, and not only what is told about it."""
        path = self.whole(place.text)
        if path and reveals(path):
            self.flag(Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(place.text)), place)

    def _reads_in(self, folder: str, place: Word) -> None:
        path = posixpath.join(folder, place.text)
        if holds_secrets(path):
            self.flag(Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(place.text)), place)
        if len(self.looked_at) < MAX_READ:
            self.looked_at[path] = None

    def lists(self, place: Word) -> None:
        """A name that is listed, not read; another part of the line may read what is listed."""
        text = self.whole(place.text) or place.text
        if self.listed_secret is None and holds_secrets(self.below_folder(text)):
            self.listed_secret = place
        if text[:1] != "-" and len(self.listed) < MAX_PATHS:
            self.listed[text] = None

    def reads_listed(self) -> None:
        """At the end of the line: it lists secrets in one part, and in another reads what is not named."""
        if self.unnamed is not None:
            for draft, place in self.found_below[:MAX_FOLDERS]:
                draft.below.append(place)
            # Only the disk tells whether one of them is a link to where secrets are.
            self.looked_at |= dict(list(self.listed.items())[: MAX_READ - len(self.looked_at)])
        self._goes_below_listed()
        if self.listed_secret is not None and self.unnamed is not None:
            listed, reader = shown(self.listed_secret.text), shown(self.unnamed.text)
            self.flag(
                Flag.SECRET,
                GateReason.MAY_SHOW_LISTED_SECRETS.of(name=listed, text=reader),
                self.listed_secret,
            )

    def reads_below(self, path: str, *, lists: bool = False) -> None:
        """A command reads all that is in a folder; `lists`: it gives the names to others that may."""
        whole = self.whole(path)
        if whole is None or len(path) > MAX_PATH:
            return
        draft = self.drafted()
        if lists:
            self.found_below.append((draft, whole))
        elif len(draft.below) < MAX_FOLDERS:
            draft.below.append(whole)

    def _goes_below_listed(self) -> None:
        """`ls -d .. | xargs grep -r x`: one part names a home folder, and another reads all below it."""
        if self.unnamed_below is None:
            return
        names = [draft.words[0].rpartition("/")[2] if draft.words else "" for draft in self.drafts]
        for draft, name in zip(self.drafts, names, strict=True):
            if name not in NAMES_PLACES:
                continue
            self.base = draft.base
            for text in draft.words[1:]:
                if self.takes_in_secrets(text) or (
                    "dirname" in names and self.takes_in_secrets(dirname(text))
                ):
                    reason = GateReason.MAY_SHOW_LISTED_SECRETS.of(
                        name=shown(text), text=shown(self.unnamed_below.text)
                    )
                    self.flag(Flag.SECRET, reason, self.unnamed_below)
                    return

    def whole(self, path: str) -> str | None:
        """`path` as seen from the working folder; None where the line does not tell which it is."""
        if self.base == FAR:
            return None
        if path[:1] not in ("/", "~") and self.base != HERE:
            path = "" if self.base == UNSURE else posixpath.join(self.base, path)
        if path[:1] == "/" and ("proc" in path or "dev/" in path):
            path = past_processes(path, self.here() or self.folder)
        return None if path == "" or ANY_MARK.search(path) else path

    def below_folder(self, path: str) -> str:
        """With the working folder in front, so that `settings.json` in an agent's folder is known."""
        if self.folder is None or path[:1] in ("/", "~") or self.base == FAR:
            return path
        return f"{self.folder}/{path}"

    def here(self) -> str:
        """The folder that the line is in, from the root or from home on; "" where the text does not tell."""
        if self.base in (UNSURE, FAR):
            return ""
        if self.base[:1] in ("/", "~"):
            return self.base
        return posixpath.normpath(posixpath.join(self.folder, self.base)) if self.folder else ""

    def project(self) -> str:
        """The root of the repository that the line is in; "" where it may have gone to another one."""
        return (self.root or self.folder or "") if self.base == HERE else ""

    def goes_to(self, folder: str | None) -> None:
        """`cd`; None where the text does not tell where to."""
        if self.base == FAR:
            return
        if folder == "-" and self.before:
            folder = self.before
        self.before = self.here()
        if folder is not None and folder[:1] == "/":
            folder = past_processes(folder, self.before or self.folder)
        if folder is None or ANY_MARK.search(folder) or folder in ("", "-"):
            self.is_lost = self.is_lost or folder is not None
            self.base = UNSURE
        elif folder[:1] in ("/", "~"):
            self.base = folder
        elif self.base != UNSURE:
            self.base = posixpath.normpath(posixpath.join(self.base, folder))

    def stacked(self, program: str, targets: Sequence[str], *, is_certain: bool) -> str:
        """Where `pushd x` and `popd` go; a mark where the line does not tell."""
        here = self.here()
        if not is_certain or self.stack is None or len(targets) > 1 or not here:
            self.stack = None
        elif program == "pushd" and targets and not re.match(r"[+-]", targets[0]):
            self.stack.append(here)
            return targets[0]
        elif program == "popd" and not targets and self.stack:
            return self.stack.pop()
        elif program == "pushd" and not targets and self.stack:  # the two at the top change places
            above = self.stack.pop()
            self.stack.append(here)
            return above
        else:
            self.stack = None
        return targets[0] if program == "pushd" and targets and targets[0][:1] not in "+-" else OPAQUE

    def may_go_to(self, folder: str) -> None:
        """`cd` in a branch, a pipe or a subshell: what follows there works in `folder`, the rest may not."""
        if ANY_MARK.search(folder) or (folder in ("", "-") and not self.before):
            self.is_lost = True
        start = "" if self.base in (UNSURE, FAR) else self.base
        if not ANY_MARK.search(folder) and folder not in ("", "-") and len(self.elsewhere) < MAX_FOLDERS:
            self.elsewhere[posixpath.join(start, folder)] = None

    def visits(self, place: Word) -> None:
        """Windows signs in to the computer that a path names, which can find the password from that."""
        if SHARE.match(place.text):
            self.flag(
                Flag.SENDS, GateReason.SENDS_TO.of(name=shown(place.text), text=shown(place.text)), place
            )
            self.connects(Network.USES)

    def shows_secret(self, place: Word) -> bool:
        """Whether a variable with a telling name stands in this word."""
        part = self.source.encode()[place.start : place.end].decode("utf-8", "ignore")
        names = re.findall(r"(?i)(?:\$\{?(?:env:)?|[%!])(\w+)", part)
        return any(SECRET_VARIABLE.search(name) for name in names)


def shown(text: str, limit: int = 60) -> str:
    """A word for a sentence: marks become …, long ones are cut."""
    text = MORE_MARKS.sub("", text)
    for mark in "\x01\x02\x03":
        text = text.replace(mark, "…")
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


# -- one command -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Call:
    """One command while it is judged."""

    name: str  # without its folder
    word: Word
    arguments: list[Word]
    reading: Reading
    scope: Scope
    nesting: int
    stdin: Stdin | None
    passed: Passed = Passed.ALL

    def found(self, effect: Effect, reason: Reason, place: Word | None = None) -> None:
        self.reading.found(effect, reason, place or self.word)

    def flag(self, flag: Flag, reason: Reason, place: Word | None = None) -> None:
        self.reading.flag(flag, reason, place or self.word)

    def shell(self, text: str, place: Word, shell: str = "bash") -> None:
        """A text that a shell will run."""
        self.reading.shell(text, place, self.nesting, self.scope, shell)

    def argv(self, words: Sequence[Word], stdin: Stdin | None = None) -> None:
        """Words that will be run as a command."""
        self.reading.argv(words, self.nesting + 1, self.scope, stdin or self.stdin)

    def writes(self, place: Word, *, append: bool = False) -> Effect:
        again = place.text in self.reading.seen and not ANY_MARK.search(place.text)
        effect = self.reading.writes(place, self.name, append=append or again)
        if effect is not Effect.READ:
            self.reading.seen.add(place.text)
        return effect
