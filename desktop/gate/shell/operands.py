"""A command's words sorted into options with their values, subcommand and operands, as its table says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from desktop.gate.shell.tables import OptionAction, Spec
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect

# What takes back an option that has no value of its own: `--dry-run=none`.
DENIALS = frozenset({"none", "false", "no", "off", "0"})
MAX_CLUSTER = 1000  # letters behind one dash, with the value of the last


@dataclass(slots=True)
class Operands:
    """The sorted words. `options` keeps what the table knows, in order, as (name, action, value)."""

    spec: Spec
    root: Spec
    path: tuple[str, ...] = ()
    options: list[tuple[str, OptionAction, Word]] = field(default_factory=list)
    unknown: list[Word] = field(default_factory=list)  # options that the table does not name
    words: list[Word] = field(default_factory=list)  # operands
    lost: Word | None = None  # an operand where a subcommand should be
    unsure: Word | None = (
        None  # the first long option of which the table does not tell whether a value follows
    )
    negated: list[tuple[int, str]] = field(
        default_factory=list
    )  # of `--no-x`: the options before it, and --x
    brought: bool = False  # a runner may put another program in its place

    def has(self, *names: str) -> bool:
        """Whether an option of these is given, and not taken back later."""
        known = any(name in names and not self.is_undone(n) for n, (name, _, _) in enumerate(self.options))
        taken_back = {name for _, name in self.negated}
        return known or any(word.text in names and word.text not in taken_back for word in self.unknown)

    def is_undone(self, number: int) -> bool:
        """Whether a later `--no-x`, or a value that means no, takes an option back."""
        name, action, value = self.options[number]
        if value.text.lower() in DENIALS and action.value != "yes":
            return True
        # Of two that say whether, the last counts: `--dry-run=client --dry-run=none`.
        later = self.options[number + 1 :]
        if action.value != "yes" and any(
            same is action and text.text.lower() in DENIALS for _, same, text in later
        ):
            return True
        names = {name, *(other for other, same in self.spec.options.items() if same is action)}
        return any(before > number and name_of in names for before, name_of in self.negated)

    def values(self, *names: str) -> list[Word]:
        return [value for name, _, value in self.options if name in names]


def sort_words(spec: Spec, words: Sequence[Word]) -> Operands:
    """Read the words after the program's name."""
    found = Operands(spec, spec)
    stops = ends_at_words(spec)
    place, only_operands = 0, False
    while place < len(words):
        word = words[place]
        place += 1
        text = word.text
        if only_operands or not _is_option(text, found.spec):
            if _descend(found, spec, word):
                stops = ends_at_words(found.spec)
                continue
            found.words.append(word)
            if stops and len(found.words) > skipped_words(found.spec, found.words):
                found.words += words[place:]
                break
        elif text == "--":
            only_operands = not found.spec.passes
            if found.spec.run.endswith(":--"):  # what stood before it named tools, as many as there were
                found.words = list(words[place:])
                break
            if found.spec.run and not found.words:
                continue
        else:
            place = _option(found, words, word, place)
            if found.options and found.options[-1][1].kind in ("argv", "rest"):
                found.words += words[place:]
                break
    return found


# The version of a tool that a runner may be told before the command.
VERSION = re.compile(
    r"v?\d[\w.+-]*|lts(?:/[\w*.-]+)?|(?:iojs|stable|system|default|current|latest|nightly|node)(?:-[\w.]+)?"
)


def ends_at_words(spec: Spec) -> bool:
    """Whether behind the first operands no word is an option of this program any more."""
    return (spec.run != "" and not spec.run.endswith(":--")) or spec.ends


def skipped_words(spec: Spec, words: Sequence[Word]) -> int:
    """How many operands stand before the command that is run."""
    skipped = spec.run.partition(":")[2]
    if skipped == "?":
        return 1 if words and VERSION.fullmatch(words[0].text) else 0
    return int(skipped) if skipped.isdecimal() else 0


def _is_option(text: str, spec: Spec) -> bool:
    if spec.slash and text[:1] == "/" and len(text) > 1 and "/" not in text[1:]:
        return True
    return len(text) > 1 and text[0] == "-"


def _descend(found: Operands, root: Spec, word: Word) -> bool:
    """Whether the word names a subcommand, or leads to one."""
    if not root.has_subs or found.words or found.lost is not None:
        return False
    name = root.spelled_out(found.path, word.text) if root.abbreviates else word.text
    path = (*found.path, name)
    sub = root.find(path)
    is_group = path in root.prefixes
    if found.spec is not root and path not in root.subs and (found.spec.effect or Effect.READ) > Effect.READ:
        sub = None  # `delete list`: the second is a name
    if sub is None and not is_group and (found.spec is not root or not root.leads_on(path)):
        if found.spec is root:
            found.lost = word
        return False
    found.path = path
    if sub is not None:
        found.spec = sub
    return True


def _option(found: Operands, words: Sequence[Word], word: Word, place: int) -> int:
    spec, text = found.spec, word.text
    if spec.slash and text[0] == "/":
        name, joined, value = text.partition(":")
        action = spec.options.get(name.lower())
        if action is not None and action.value == "yes" and not joined and place < len(words):
            _keep(found, name, action, words[place], word)
            return place + 1
        _keep(found, name, action, word.but(value), word)
        return place
    if text.startswith("--") or spec.single:
        return _long(found, words, word, place)
    return _cluster(found, words, word, place)


def _long(found: Operands, words: Sequence[Word], word: Word, place: int) -> int:
    name, equals, value = word.text.partition("=")
    written = name
    name, action = lookup(found.spec, written)
    # A table leaves out what does harm, so the beginning of a harmless name may be all of such a one.
    if action is not None and name != written and action.is_harmless and not found.root.handler:
        name, action = written, None
    if action is None and found.spec.caseless and len(name) > 2:
        action = found.spec.options.get(name.lower())
    if action is None and found.spec.single and not name.startswith("--"):
        action = found.spec.options.get("-" + name) or found.spec.options.get(word.text)
    if action is None and name.startswith("--no-"):
        positive, known = lookup(found.spec, "--" + name[5:], undoes=True)
        found.negated.append((len(found.options), positive if known is not None else "--" + name[5:]))
    if action is not None and action.value == "yes" and not equals and place < len(words):
        _keep(found, name, action, words[place], word)
        return place + 1
    _keep(found, name, action, word.but(value), word)
    return place


def lookup(spec: Spec, name: str, *, undoes: bool = False) -> tuple[str, OptionAction | None]:
    """A long option in full and its action; an abbreviation may mean any that it begins: the worst counts.

    What makes a command milder is taken for what it says only in full, unless it is to be undone.
    """
    action = spec.options.get(name)
    if action is not None or len(name) < 3 or not name.startswith("--"):
        return name, action
    meant = [
        (full, each)
        for full, each in spec.options.items()
        if full.startswith(name) and full[:2] == "--" and (undoes or each.sets is None)
    ]
    return min(meant, key=_harm, default=(name, None))


def _harm(option: tuple[str, OptionAction]) -> tuple[bool, bool, int]:
    """What does something comes first, then what takes a value, then the shorter name."""
    name, action = option
    return action.is_harmless, not action.value, len(name)


def _cluster(found: Operands, words: Sequence[Word], word: Word, place: int) -> int:
    """-abc is -a -b -c, unless one of them takes the rest as its value."""
    text = word.text
    # As the flags of Go are written, and those of others that look like them: `-checks=all`.
    name, equals, value = text.partition("=")
    if equals and len(name) > 2 and (joined := found.spec.options.get(name)) is not None:
        _keep(found, name, joined, word.but(value), word)
        return place
    whole = found.spec.options.get(text)
    if whole is not None and len(text) > 2:
        if whole.value == "yes" and place < len(words):
            _keep(found, text, whole, words[place], word)
            return place + 1
        _keep(found, text, whole, word.but(""), word)
        return place
    if len(text) > MAX_CLUSTER:
        found.unknown.append(word)
        return place
    for number in range(1, len(text)):
        name = "-" + text[number]
        action = found.spec.options.get(name)
        if action is not None and action.value:
            rest = text[number + 1 :]
            if not rest and action.value == "yes" and place < len(words):
                _keep(found, name, action, words[place], word)
                return place + 1
            _keep(found, name, action, word.but(rest), word)
            return place
        _keep(found, name, action, word.but(""), word)
    return place


def _keep(found: Operands, name: str, action: OptionAction | None, value: Word, word: Word) -> None:
    if action is None:
        found.unknown.append(word.but(name))
        if name.startswith("--") and "=" not in word.text and found.unsure is None:
            found.unsure = word
    else:
        found.options.append((name, action, value))


def operand_files(spec: Spec, words: Sequence[Word]) -> Iterator[Word]:
    """The operands that are written."""
    for which in spec.writes.split():
        if which == "all":
            yield from words
        elif which == "first":
            yield from words[:1]
        elif which == "second":
            yield from words[1:2]
        elif which == "last" and len(words) > 1:
            yield words[-1]
