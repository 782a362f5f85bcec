"""Which paths hold secrets: credentials, keys, tokens, and other programs' private stores.

By place, where the folder says it, and by name, where people call files so. A path may be written in many
ways and may hold patterns: what matches a secret among others counts. The lists stand in
`resources/commands/words/secrets.toml`.
"""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase

from desktop.gate.shell.vocabulary import vocabulary

WORDS = vocabulary("secrets")
HOME = r"(?:~[\w.-]{0,32}|/root|/(?:home|users)/[^/]{1,64})"
DATA = rf"(?:\.(?:{'|'.join(sorted(WORDS.words('data_endings')))}))"
BY_PLACE = re.compile(
    rf"(?i)(?:^|[/=@:])(?:{'|'.join(sorted(WORDS.words('places')))})"
    rf"|(?:^|[=@:]){HOME}/(?:{'|'.join(sorted(WORDS.words('at_home')))})"
)
BY_NAME = re.compile(f"(?i){'|'.join(sorted(WORDS.words('names'))).replace('DATA', DATA)}")
# Names that mean a secret in a program's own folder, and little elsewhere.
IN_DOT_FOLDER = re.compile(
    r"(?i)/\.[\w-]{1,40}/(?:[\w.-]{1,60}/){0,3}"
    r"(?:credentials?|tokens?|api[_-]?keys?|password|secrets?|auth\.json|access_token)$"
)
BOUNDARY = re.compile(r"[/=@:\s]")
HIGH_UP = re.compile(
    rf"(?i)(?:{HOME}|/home|/users|/etc|~/\.config|~/\.local(?:/share)?|~/library)?/?(?:\.?\*+)?"
)
FIRST = WORDS.words("folders")
SAMPLES = tuple(tuple(each.split("/")) for each in sorted(WORDS.words("samples")))
PATTERN = re.compile(r"[*?\[]")
ENDS = re.compile(r"([^*?\[]*)[*?\[](?:.*[*?\]])?(.*)", re.DOTALL)
PROC_ROOT = re.compile(r"/proc/(?:self|thread-self|\d{1,9})(?:/task/\d{1,9})?/root(?=/)")
LONGEST = 4096  # characters; what is longer names no file


def holds_secrets(path: str) -> bool:
    """Whether the text of a path, or a pattern of paths, may name a secret."""
    if len(path) > LONGEST:
        return False
    plain = straight(path)
    folder, _, name = plain.rpartition("/")
    is_near = not folder or not FIRST.isdisjoint(BOUNDARY.split(plain.lower()))
    if is_near and BY_PLACE.search(plain):
        return True
    if "/." in folder and IN_DOT_FOLDER.search(plain):
        return True
    if BY_NAME.fullmatch(name[max(map(name.rfind, "=@:")) + 1 :]):
        return True
    return "\\" not in path and bool(PATTERN.search(plain)) and _may_match(plain)


def is_found_below(name: str) -> bool:
    """Whether a name or a pattern of names, looked for below a home folder, finds a secret."""
    return any(_matches(sample[-1], name.lower()) for sample in SAMPLES)


def holds_all(path: str) -> bool:
    """Whether a folder is so high up that secrets lie somewhere below it."""
    return bool(HIGH_UP.fullmatch(straight(path)))


def straight(path: str) -> str:
    """A path without detours: `~/.ssh/../.ssh//./id_rsa` is `~/.ssh/id_rsa`, and other roots are this one."""
    plain = path.replace("\\", "/") if "\\" in path else path
    if "/proc/" in plain:
        plain = PROC_ROOT.sub("", plain)
    if ("//" in plain or "/." in plain) and "://" not in plain:
        place = max(plain.rfind("="), plain.rfind("@")) + 1
        name = plain[place:]
        if name:
            plain = plain[:place] + posixpath.normpath(name) + ("/" if name.endswith("/") else "")
    return plain


def _may_match(pattern: str) -> bool:
    """Whether a pattern, from some folder on, matches a sample; a bare * matches no name with a dot."""
    parts = pattern.lower().split("/")
    ends = ENDS.fullmatch(parts[-1])
    head, tail = ends.groups() if ends is not None else (parts[-1], parts[-1])
    near = [each for each in SAMPLES if each[-1].startswith(head) and each[-1].endswith(tail)]
    return any(
        len(parts) >= len(sample) and all(map(_matches, sample, parts[-len(sample) :])) for sample in near
    )


def _matches(name: str, pattern: str) -> bool:
    if not PATTERN.search(pattern):
        return name == pattern
    if not pattern.strip("*?") or (name[0] == "." and pattern[0] not in ".["):
        return False
    return fnmatchcase(name, pattern)
