"""Skills: folders that describe how something is done, as `SKILL.md` files of other assistants do.

The head of such a file has a name and a sentence on what it is for; the rest is text for a model. Steward
reads those in its own folder and, only reading, those that coding agents have. Which one fits a question is
decided by words, not by the model, and needs a clear case: a skill in the prompt costs time and leads a small
model astray. What fits is told as data, as an attachment that the user sees; a text from outside gives no
orders, and scripts beside it run only where the gate lets a command run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from desktop.chat.attachments import Attached, Attachment, AttachmentKind, estimated_tokens
from desktop.chat.reasons import ChatReason
from desktop.memory.text import Vocabulary, stem
from desktop.paths import read_regular
from desktop.reasons import Reason

FILE = "SKILL.md"
MOST_SKILLS = 200  # of one folder; a folder of thousands is something else
LONGEST_FILE_BYTES = 200_000
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1024  # characters, as the format has them
TOLD_TOKENS = 700  # of a skill's text at most: a third of what a small context has for a question
MOST_LEFT_OUT, LONGEST_HEADING = 20, 60  # headings that are named as left out, and characters of each

# A question fits by a word of the name and one more, or by this much of what the description says.
LEAST_WORDS = 3
LEAST_SHARE = 0.5  # of the question's telling words

_WORD = re.compile(r"\w+")
# What can be skipped in two ways is skipped in no time that anybody waits for: a line of blanks is enough.
_HEADING = re.compile(r"^#{1,3}[ \t]+(?=\S)(.+)$", re.M)
_KEY = re.compile(r"^([A-Za-z][\w-]*):\s*(.*)$")
_ASKED_FOR = re.compile(
    r"^/([\w-]{1,64})\b|\bskill\s+[\"“']?([\w-]{1,64})|(?<![\w-])([\w-]{1,64})[\"”']?\s{1,9}skill\b", re.I
)


@dataclass(frozen=True)
class Skill:
    """One folder with a `SKILL.md`. `text` is the file without its head."""

    name: str
    description: str
    text: str
    file: Path


class SkillLibrary:
    """The skills in some folders. Any thread; reads what has changed since it was read last."""

    def __init__(self, folders: Sequence[Path], vocabulary: Vocabulary) -> None:
        """`folders` in the order in which a name counts; `vocabulary` knows the words that tell nothing."""
        self._folders = folders
        self._vocabulary = vocabulary

    def all(self) -> tuple[Skill, ...]:
        """Every skill that can be read, by name; of two with one name that of the earlier folder."""
        found: dict[str, Skill] = {}
        for folder in self._folders:
            for file in _files(folder):
                skill = _skill(file)
                if isinstance(skill, Skill):
                    found.setdefault(skill.name.casefold(), skill)
        return tuple(sorted(found.values(), key=lambda skill: skill.name.casefold()))

    def unusable(self) -> tuple[tuple[Path, Reason], ...]:
        """The files that are there and no skills, with what keeps them from it."""
        files = (file for folder in self._folders for file in _files(folder))
        return tuple((file, why) for file in files if isinstance(why := _skill(file), Reason))

    def fitting(self, question: str, is_named: bool = False) -> Skill | None:
        """The one that the user names or, unless it has to be (`is_named`), that the words of the question
        clearly ask for."""
        skills = self.all()
        if not skills:
            return None
        named = {name.casefold() for groups in _ASKED_FOR.findall(question) for name in groups if name}
        for skill in skills:
            if skill.name.casefold() in named:
                return skill
        if is_named:
            return None
        asked = self._telling(question)
        scored = [(self._score(skill, asked), skill) for skill in skills]
        best = max(score for score, _ in scored)
        fitting = [skill for score, skill in scored if score == best]
        # Two that fit alike: no words say which, and a guess would be told as knowledge.
        return fitting[0] if best and len(fitting) == 1 else None

    def attachment(self, skill: Skill, question: str) -> Attachment:
        """What of it is told with the question: its opening and the sections that fit best, in order."""
        text = _shortened(skill, self._telling(question))
        tokens = estimated_tokens(text)
        whole = estimated_tokens(skill.text)
        about = Attached(
            skill.name,
            AttachmentKind.SKILL,
            str(skill.file),
            tainted_by=f"the skill {skill.name}",
            tokens=tokens,
            whole_tokens=whole if tokens < whole else 0,
        )
        return Attachment(about, text)

    def _score(self, skill: Skill, asked: frozenset[str]) -> int:
        """How many telling words of the question it has; 0 where that is no clear case."""
        name, says = self._telling(skill.name.replace("-", " ")), self._telling(skill.description)
        common = asked & (name | says)
        is_clear = bool(asked & name) and len(common) > 1
        is_clear = is_clear or (len(common) >= LEAST_WORDS and len(common) >= LEAST_SHARE * len(asked))
        return len(common) if is_clear else 0

    def _telling(self, text: str) -> frozenset[str]:
        words = _WORD.findall(text.casefold())
        known = self._vocabulary
        # Also those that stand in nearly every description: “use”, “create”, “file”.
        silent = known.stop | known.weak | known.requests | {"skill", "skills", "user", "users"}
        return frozenset(stem(word) for word in words if word not in silent and len(word) > 2)


def _files(folder: Path) -> Iterator[Path]:
    """Of a folder of skills, in a fixed order. What is not there or not readable has none."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
    except OSError:
        return  # most people have no skills of most agents
    for name in names[:MOST_SKILLS]:
        yield folder / name / FILE


def _skill(file: Path) -> Skill | Reason | None:
    """What a file says, or why it is no skill; None where there is none."""
    try:
        facts = file.stat()
        if facts.st_size > LONGEST_FILE_BYTES:
            return ChatReason.SKILL_TOO_LONG.of(limit=LONGEST_FILE_BYTES)
        return _read(file, facts.st_mtime_ns, facts.st_size)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return ChatReason.SKILL_UNREADABLE.of(why=error.strerror or str(error))


@lru_cache(maxsize=4 * MOST_SKILLS)
def _read(file: Path, _changed_ns: int, _size: int) -> Skill | Reason:
    """Read once for each time that the file was changed."""
    content = read_regular(file, LONGEST_FILE_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    head, text = _parts(content)
    # Shown in terminals and menus, where a stranger's characters must not move anything.
    name = _on_one_line(head.get("name", file.parent.name))[:LONGEST_NAME].strip()
    description = _on_one_line(head.get("description", ""))[:LONGEST_DESCRIPTION]
    if not name or not description or not text.strip():
        return ChatReason.SKILL_INCOMPLETE.of()
    return Skill(name, description, text.strip(), file)


def _on_one_line(text: str) -> str:
    """On one line, without what a terminal obeys and what turns a line around."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _parts(content: str) -> tuple[dict[str, str], str]:
    """The keys of the head that have plain words, and the rest.

    Of YAML this reads what heads of skills have: words in one line, in quotes or not, and texts folded over
    indented lines. Anything else is skipped; a parser of all of YAML would be one more package for two keys.
    """
    if not content.startswith("---\n"):
        return {}, content
    head, found, text = content[4:].partition("\n---")
    if not found:
        return {}, content
    values: dict[str, list[str]] = {}
    key = ""
    for line in head.splitlines():
        match = _KEY.match(line)
        if match is not None:
            key, value = match[1], match[2].strip()
            values[key] = [] if value in (">", "|", ">-", "|-") else [_unquoted(value)]
        elif key and line.startswith((" ", "\t")):
            values[key].append(line.strip())
    # Joined once: a text that is folded over ten thousand lines would be copied for each of them.
    joined = {key: " ".join(filter(None, parts)) for key, parts in values.items()}
    return joined, text.partition("\n")[2]


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


@dataclass(frozen=True)
class _Section:
    heading: str
    text: str  # with its heading


def _sections(text: str) -> list[_Section]:
    """The opening, which has no heading, and what each heading begins."""
    starts = [match.start() for match in _HEADING.finditer(text)]
    found = [_Section("", text[: starts[0] if starts else len(text)].strip())]
    for start, end in pairwise((*starts, len(text))):
        part = text[start:end].strip()
        heading = _HEADING.match(part)
        assert heading is not None
        found.append(_Section(heading[1].rstrip().rstrip("#").rstrip(), part))
    return found


def _listed(headings: Sequence[str]) -> str:
    """So many that the list of what is left out does not take the room that it was left out for."""
    named = [each if len(each) <= LONGEST_HEADING else f"{each[:LONGEST_HEADING]}…" for each in headings]
    more = len(named) - MOST_LEFT_OUT
    return ", ".join((*named[:MOST_LEFT_OUT], f"and {more} more")) if more > 0 else ", ".join(named)


def _shortened(skill: Skill, asked: frozenset[str]) -> str:
    """All of it where it fits, else its opening and the sections with the most of the question's words."""
    if estimated_tokens(skill.text) <= TOLD_TOKENS:
        return skill.text
    sections = _sections(skill.text)

    def worth(place: int) -> tuple[bool, int, int]:
        stems = {stem(word) for word in _WORD.findall(sections[place].text.casefold())}
        return place == 0, len(asked & stems), -place

    chosen: set[int] = set()
    left = TOLD_TOKENS
    for place in sorted(range(len(sections)), key=worth, reverse=True):
        tokens = estimated_tokens(sections[place].text) + 1  # for the empty line between two
        if sections[place].text and tokens <= left:
            chosen.add(place)
            left -= tokens
    told = [sections[place].text for place in sorted(chosen)] or [skill.text[: 4 * TOLD_TOKENS]]
    missing = [each.heading for place, each in enumerate(sections) if each.heading and place not in chosen]
    # So that the model does not take a part for the whole.
    note = f"(Left out: {_listed(missing)}. The whole text is in {skill.file}.)" if missing else ""
    return "\n\n".join((*told, note)).strip()
