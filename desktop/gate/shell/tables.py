"""The command tables of `resources/commands`: what programs, subcommands and options do.

A file is cut at its top-level headings and a program's part is parsed when it is first met: reading one line
then costs one small table, not all of them. `docs/gate.md` explains the keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from desktop.gate.shell.budget import loading
from desktop.gate.shell.words import expand_braces
from desktop.gate.verdict import Effect, Flag, Network
from desktop.paths import resources

MAX_PATHS = 2000
ALONE = re.compile(r"\{([^,{}]*)\}")  # braces around a single name
HEADING = re.compile(r'^\[(?:"([^"]+)"|([\w+-]+))', re.MULTILINE)
CLASSES = {effect.name: effect for effect in Effect}


@dataclass(frozen=True, slots=True)
class OptionAction:
    """What an option does. `value` is "yes" when it takes the next word, "joined" when only a joined one."""

    value: str = ""
    raises: Effect | None = None
    sets: Effect | None = None  # instead of the program's own class: dry runs, listings
    kind: str = ""  # what the value is: one of KINDS
    flags: tuple[Flag, ...] = ()
    only: frozenset[str] = frozenset()  # the values with which `sets` holds, none: all; hosts of a server

    @property
    def is_harmless(self) -> bool:
        """Whether it is only known that a value follows, or nothing."""
        return self.raises is None and not self.kind and not self.flags


@dataclass(slots=True)
class Spec:
    """A program or one of its subcommands."""

    path: str
    effect: Effect | None = None
    bare: Effect | None = None
    by_count: tuple[Effect, ...] = ()
    options: Mapping[str, OptionAction] = field(default_factory=dict)
    writes: str = ""  # which operands are files that get written: last, first, all, second
    paths: str = ""  # which operands are paths that are changed: all, first, last, rest
    run: str = ""  # argv, shell: operands are a command; with :N the first N are not
    patterns: tuple[tuple[str, Effect], ...] = ()  # operands that raise the class
    flags: tuple[Flag, ...] = ()
    handler: str = ""
    single: bool = False  # options are words after one dash
    caseless: bool = False  # and a word of several letters is the same in any case
    slash: bool = False  # options start with a slash
    names_only: bool = False  # looks at names, not at contents
    network: Network = Network.NONE
    names_hosts: bool = False  # operands that look like one are the name of a computer
    opened: bool = False  # a group of subcommands that takes other words too
    abbreviates: bool = False  # subcommands may be cut short
    words: tuple[tuple[str, Effect], ...] = ()  # words of any kind that raise the class
    passes: bool = False  # options behind -- are read like others
    unnamed: str = ""  # which options are harmless that it does not name: one of UNNAMED
    rehearses: tuple[str, ...] = ()  # the subcommands that honour the program's own =READ options
    ends: bool = False  # behind the first operand stand no more options, but words for what it names
    fetches: bool = False  # what it runs comes from a package index where it is not there
    plain: bool = False  # nothing is known of its options
    dumps: bool = False  # without operands it shows all variables of the environment
    dumps_always: bool = False  # with operands too: those of a service, a container, a process
    secret: tuple[str, ...] = ()  # operands that name secrets
    secret_with: tuple[str, ...] = ()  # options without which it only lists their names
    secret_without: tuple[str, ...] = ()  # options with which it shows none
    secret_values: tuple[str, ...] = ()  # values of options that ask for them
    secret_subs: tuple[str, ...] = ()  # which subcommands show them, by their words; those with ! do not
    subs: dict[tuple[str, ...], Spec] = field(default_factory=dict)
    globs: list[tuple[tuple[str, ...], Spec]] = field(default_factory=list)
    prefixes: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def takes_words(self) -> bool:
        """Whether operands of a group have a meaning of their own."""
        return bool(self.handler or self.by_count or self.run or self.opened)

    @property
    def has_subs(self) -> bool:
        return bool(self.subs or self.globs)

    def find(self, path: tuple[str, ...]) -> Spec | None:
        """The subcommand with this path."""
        found = self.subs.get(path)
        if found is not None:
            return found
        for pattern, spec in self.globs:
            if len(pattern) == len(path) and all(map(fnmatchcase, path, pattern)):
                return spec
        return None

    def spelled_out(self, path: tuple[str, ...], word: str) -> str:
        """A subcommand that is cut short, in full; of several that it may mean, the worst."""
        size = len(path)
        longer = [each for each in (*self.subs, *self.prefixes) if len(each) > size and each[:size] == path]
        names = {each[size] for each in longer}
        if word in names:
            return word
        # The worst, because the program may resolve what is ambiguous in another way than we.
        meant = [name for name in sorted(names) if name.startswith(word)]
        return max(meant, key=lambda name: self._worst(longer, size, name), default=word)

    def _worst(self, paths: list[tuple[str, ...]], size: int, name: str) -> Effect:
        found = [self.subs[each].effect for each in paths if each[size] == name and each in self.subs]
        return max((effect for effect in found if effect is not None), default=Effect.READ)

    def leads_on(self, path: tuple[str, ...]) -> bool:
        """Whether longer paths may begin like this."""
        if path in self.prefixes:
            return True
        size = len(path)
        return any(len(glob) > size and all(map(fnmatchcase, path, glob[:size])) for glob, _ in self.globs)


class Tables:
    """All tables of a folder. Parts are parsed when asked for; later calls are lookups.

    Threads may share it: two that ask at once do the same work twice, and that is all.
    """

    def __init__(self, folder: Path) -> None:
        self.plain: dict[str, Effect] = {}
        self.same: dict[str, str] = {}
        self._texts: dict[str, list[str]] = {}
        self._specs: dict[str, Spec | None] = {}
        self._networks: dict[str, list[tuple[tuple[str, ...], Network]]] = {}
        self._hosts: set[str] = set()
        # Only cut here; a program's own text is parsed when a line first names it.
        for file in sorted(folder.glob("*.toml")):
            self._cut(file.read_text(encoding="utf-8"))

    def _cut(self, text: str) -> None:
        headings = list(HEADING.finditer(text))
        start = headings[0].start() if headings else len(text)
        self._preamble(text[:start])
        for number, heading in enumerate(headings):
            end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
            self._texts.setdefault(heading[1] or heading[2], []).append(text[heading.start() : end])

    def _preamble(self, text: str) -> None:
        values = tomllib.loads(text)
        for name, effect in CLASSES.items():
            for program in values.get(name, "").split():
                self.plain[program] = effect
        for pair in values.get("same", "").split():
            name, _, other = pair.partition("=")
            self.same[name] = other
        for key, network in NETWORKS.items():
            for path in [each for word in values.get(key, "").split() for each in expanded(key, word)]:
                program, *rest = path.split("/")
                self._networks.setdefault(program, []).append((tuple(rest), network))
        for word in values.get("NAMES_HOSTS", "").split():
            self._hosts.update(expanded("NAMES_HOSTS", word))

    def spec(self, program: str) -> Spec | None:
        """What is known about a program; None when nothing is."""
        if program not in self._specs:
            with loading():
                self._specs[program] = self._read(program)
        return self._specs[program]

    def _read(self, program: str) -> Spec | None:
        if program in self._texts:
            name = program
            table = tomllib.loads("\n".join(self._texts[program]))[program]
            return self._connected(name, build(name, table, {}))
        if program in self.same:
            return self.spec(self.same[program])
        if program in self.plain:
            return self._connected(program, plain_spec(program, self.plain[program]))
        return None

    def _connected(self, program: str, spec: Spec) -> Spec:
        """The program's table with what is known about the network."""
        for path, network in self._networks.get(program, ()):
            for each in (spec, *spec.subs.values(), *(sub for _, sub in spec.globs)) if not path else ():
                each.network = network
            for known, sub in spec.subs.items():
                if path and known[: len(path)] == path:
                    sub.network = network
        spec.names_hosts = program in self._hosts
        for known, sub in spec.subs.items():
            sub.names_hosts = "/".join((program, *known)) in self._hosts
        return spec

    def names(self) -> Iterator[str]:
        """Every program that is known."""
        yield from {*self._texts, *self.same, *self.plain}

    def load_all(self) -> None:
        """Parse everything now, so that no later call pays for it."""
        for name in list(self.names()):
            self.spec(name)


def plain_spec(program: str, effect: Effect) -> Spec:
    """A program that stands in a list of its class and has no table.

    One that reads has been looked at as it is usually called. The manuals of such programs are full of
    options that write, run or send, so whatever is not listed as harmless is asked about.
    """
    known = vocabulary("plain")
    if effect is not Effect.READ or program in known.words("any_option"):
        return Spec(program, effect, plain=True, unnamed=ANY)
    options, unnamed = harmless_options(known.section("harmless").words(program))
    return Spec(program, effect, plain=True, unnamed=unnamed, options=options)


# Marks in a list of harmless options: each option is, or each long one.
ANY, ANY_LONG = "-*", "--*"
UNNAMED = ("", ANY, ANY_LONG)


def harmless_options(words: Iterable[str]) -> tuple[dict[str, OptionAction], str]:
    """Options from a list as manuals write them: `-a -n= --color[=]`; and which others are harmless, too."""
    options: dict[str, OptionAction] = {}
    unnamed = ""
    for word in words:
        if word in UNNAMED:
            unnamed = word
        elif word.endswith("[=]"):
            options[word[:-3]] = JOINED
        elif word.endswith("=") and len(word) > 2:
            options[word[:-1]] = VALUE
        else:
            options[word] = SWITCH
    return options, unnamed


def build(path: str, table: dict[str, Any], inherited: Mapping[str, OptionAction]) -> Spec:
    """A table as a Spec. Raises ValueError for a key or class that is not known."""
    # A misspelt key would silently make a program harmless.
    unknown = set(table) - KEYS - set(CLASSES)
    if unknown:
        raise ValueError(f"{path}: unknown keys {sorted(unknown)}")
    options = {**inherited, **read_options(path, table)}
    spec = Spec(
        path,
        effect=effect_named(path, table.get("class")),
        bare=effect_named(path, table.get("bare")),
        by_count=tuple(Effect[name] for name in table.get("by_count", "").split()),
        options=options,
        writes=table.get("writes", ""),
        paths=one_of(path, table.get("paths", ""), ("", "all", "first", "last", "rest")),
        run=table.get("run", ""),
        patterns=tuple((pattern, Effect[name]) for pattern, name in table.get("operands", {}).items()),
        words=tuple((pattern, Effect[name]) for pattern, name in table.get("words", {}).items()),
        flags=tuple(Flag[name] for name in table.get("flags", "").split()),
        handler=table.get("handler", ""),
        **{name: table[name] for name in SWITCHES if name in table},
        secret=tuple(table.get("secret_operands", "").split()),
        secret_with=tuple(table.get("secret_with", "").split()),
        secret_without=tuple(table.get("secret_without", "").split()),
        secret_values=tuple(table.get("secret_values", "").split()),
        secret_subs=tuple(table.get("secret_subs", "").split()),
        rehearses=tuple(table.get("rehearses", "").split()),
    )
    add_subs(spec, table)
    harmless = table.get("harmless", {})
    # What is said of one subcommand goes before what is said of many, or of all.
    for names in sorted(harmless, key=lambda each: (each == "*", "*" in each)):
        add_harmless(spec, names, harmless[names])
    return spec


def covers(pattern: str, path: tuple[str, ...]) -> bool:
    """Whether a subcommand is one of those that a pattern stands for; `*` is any, at any depth."""
    return pattern == "*" or fnmatchcase("/".join(path), pattern)


def add_harmless(spec: Spec, names: str, words: str) -> None:
    """The options of some subcommands, `-` for the program itself. What their tables say goes before.

    One that runs another program must be named: a word that is taken for a value would hide what is run.
    Raises ValueError where there is no such subcommand.
    """
    options, unnamed = harmless_options(words.split())
    found: list[Spec] = []
    for name in [each for word in names.split() for each in expanded(spec.path, word)]:
        named = [spec] if name in ("-", "*") else []
        if "*" in name:
            named += [
                sub for path, sub in (*spec.subs.items(), *spec.globs) if not sub.run and covers(name, path)
            ]
        elif name != "-" and (sub := spec.find(tuple(name.split("/")))) is not None:
            named.append(sub)
        if not named:
            raise ValueError(f"{spec.path}: harmless options of {name}, which is no subcommand")
        found += named
    both: dict[int, tuple[Mapping[str, OptionAction], ...]] = {}  # most have the same before
    for each in found:
        each.unnamed = unnamed or each.unnamed
        before = each.options
        if id(before) not in both:
            both[id(before)] = before, {**options, **before} if options else before
        each.options = both[id(before)][1]


NETWORKS = {"USES_NETWORK": Network.USES, "MAY_USE_NETWORK": Network.MAY}
SWITCHES = (
    *("single", "slash", "names_only", "passes", "dumps", "dumps_always"),
    *("abbreviates", "opened", "fetches", "caseless", "ends"),
)
KEYS = frozenset(
    {
        *(
            "class",
            "bare",
            "by_count",
            "values",
            "switches",
            "optional",
            "options",
            "writes",
            "paths",
            "run",
            "operands",
            "flags",
        ),
        *("handler", "sub", "words", "rehearses", "harmless", *SWITCHES),
        *("secret_operands", "secret_with", "secret_without", "secret_values", "secret_subs"),
    }
)


def effect_named(path: str, name: str | None) -> Effect | None:
    if name is None:
        return None
    if name not in CLASSES:
        raise ValueError(f"{path}: {name} is no class")
    return CLASSES[name]


def one_of(path: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ValueError(f"{path}: {value} is not one of {', '.join(known[1:])}")
    return value


def add_subs(spec: Spec, table: dict[str, Any]) -> None:
    """Subcommands: short ones by class, then those with a table of their own."""
    for name, effect in CLASSES.items():
        for word in table.get(name, "").split():
            for each in expanded(spec.path, word):
                add_sub(spec, tuple(each.split("/")), inherit(spec, each, effect))
    for name, own in table.get("sub", {}).items():
        for each in [path for word in name.split() for path in expanded(spec.path, word)]:
            path = tuple(each.split("/"))
            known = spec.find(path)
            sub = build(f"{spec.path} {each.replace('/', ' ')}", own, spec.options)
            # A table that only adds options to a subcommand leaves the class that was given above.
            if sub.effect is None and known is not None:
                sub.effect = known.effect
            sub.single, sub.slash = sub.single or spec.single, sub.slash or spec.slash
            add_sub(spec, path, sub)


def expanded(path: str, word: str) -> list[str]:
    """`a/{b,c}` as a/b and a/c."""
    found = expand_braces(ALONE.sub(r"\1", word), limit=MAX_PATHS)
    if found is None:
        raise ValueError(f"{path}: {word[:40]} stands for more than {MAX_PATHS} subcommands")
    if any("{" in each or "}" in each for each in found):
        raise ValueError(f"{path}: the braces of {word[:40]} do not match")
    return found


def inherit(spec: Spec, name: str, effect: Effect) -> Spec:
    return Spec(
        f"{spec.path} {name.replace('/', ' ')}",
        effect,
        options=spec.options,
        flags=spec.flags,
        single=spec.single,
        slash=spec.slash,
        names_only=spec.names_only,
    )


def add_sub(spec: Spec, path: tuple[str, ...], sub: Spec) -> None:
    if any("*" in part or "?" in part for part in path):
        spec.globs.append((path, sub))
    else:
        spec.subs[path] = sub
    for size in range(1, len(path)):
        # What a pattern stands for is no prefix that could be looked up.
        if not any("*" in part for part in path[:size]):
            spec.prefixes.add(path[:size])


def read_options(path: str, table: dict[str, Any]) -> dict[str, OptionAction]:
    options: dict[str, OptionAction] = dict.fromkeys(table.get("switches", "").split(), SWITCH)
    options.update(dict.fromkeys(table.get("values", "").split(), VALUE))
    options.update(dict.fromkeys(table.get("optional", "").split(), JOINED))
    for names, words in table.get("options", {}).items():
        action = read_action(path, words)
        for name in names.split():
            options[name] = action
    return options


VALUE = OptionAction(value="yes")
JOINED = OptionAction(value="joined")
SWITCH = OptionAction()
KINDS = frozenset(
    [
        *["file", "append", "shell", "argv", "script", "read", "folder", "powershell", "rest"],
        *["module", "settings", "server", "root", "package", "jq", "variable", "interpreter"],
    ]
)  # fmt: skip


@cache
def read_action(path: str, words: str) -> OptionAction:
    """ "CREATE", "=READ", "file", "value DELETE", "shell", "+SENDS" …: what an option does."""
    value, raises, sets, kind, flags, only = "", None, None, "", [], ""
    for word in words.split():
        if word in CLASSES:
            raises = CLASSES[word]
        elif word.startswith("=") and word[1:] in CLASSES:
            sets = CLASSES[word[1:]]
        elif word.startswith("=") and word[1:].partition(":")[0] in CLASSES:  # "=READ:targets,query"
            name, _, only = word[1:].partition(":")
            sets, value = CLASSES[name], "yes"
        elif word.startswith("+") and word[1:] in Flag.__members__:
            flags.append(Flag[word[1:]])
        elif word.partition(":")[0] == "server" and ":" in word:  # "server:github.com": where it is at home
            kind, value, only = "server", "yes", word.partition(":")[2]
        elif word in KINDS:
            # Whatever names a file or code takes a value; behind `argv` all other words are it.
            kind, value = word, value or ("yes" if word not in ("argv", "rest") else "")
        elif word in ("value", "joined"):
            value = "yes" if word == "value" else "joined"
        else:
            raise ValueError(f"{path}: {word} is not known in an option")
    return OptionAction(value, raises, sets, kind, tuple(flags), frozenset(only.split(",")) - {""})


# -- word lists of languages and consoles ----------------------------------------------------------


class Vocabulary:
    """One file: lists of words by name, and words by class."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def words(self, name: str) -> frozenset[str]:
        return frozenset(self._values.get(name, "").split())

    def effects(self) -> dict[str, Effect]:
        """Every word that stands under a class."""
        return {word: effect for effect in Effect for word in self._values.get(effect.name, "").split()}

    def names(self) -> frozenset[str]:
        """Every word with the name of its list before it: `math.sqrt`."""
        return frozenset(f"{name}.{word}" for name, words in self._values.items() for word in words.split())

    def pairs(self, name: str) -> dict[str, str]:
        """Words of the form a=b."""
        pairs = (word.rpartition("=") for word in self._values.get(name, "").split())
        return {first: second for first, _, second in pairs}

    def section(self, *names: str) -> Vocabulary:
        values = self._values
        for name in names:
            values = values.get(name, {})
        return Vocabulary(values)

    def sections(self) -> list[str]:
        return [name for name, value in self._values.items() if isinstance(value, dict)]


@cache
def vocabulary(name: str) -> Vocabulary:
    """The word lists of one language. Cached: they are part of the program."""
    file = resources() / "commands" / "words" / f"{name}.toml"
    return Vocabulary(tomllib.loads(file.read_text(encoding="utf-8")))
