"""The settings file of a profile and the variables above it: read, refused, changed, migrated, shared."""

from __future__ import annotations

import json
import os
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin

from filelock import FileLock, Timeout
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.paths import PRIVATE_FILE, ensure, read_own, write_atomically
from desktop.reasons import Reason
from desktop.settings.declared import Settings
from desktop.settings.reasons import SettingsReason
from desktop.settings.schema import Section

if TYPE_CHECKING:
    # Loaded with the first change: a start reads with the standard library's reader.
    import tomlkit
    from tomlkit.items import InlineTable

PREFIX, DELIMITER = "STEWARD_", "__"


def variable_of(section: str, name: str) -> str | None:
    """The environment variable that sets this for the present run, if there is one."""
    whole, single = f"{PREFIX}{section}".upper(), f"{PREFIX}{section}{DELIMITER}{name}".upper()
    for variable, value in os.environ.items():
        if variable.upper() == single or (variable.upper() == whole and name in _keys(value)):
            return variable
    return None


def _keys(value: str) -> tuple[str, ...]:
    try:
        return tuple(json.loads(value))
    except (ValueError, TypeError):
        return ()


def _with_variables(read: dict[str, Any]) -> dict[str, Any]:
    """What the file says, and above it what the environment does, in any case of letters: a section whole as
    JSON, or one setting of it. Raises UserFacing for a variable that is to be JSON and is not.

    No file `.env` counts: a folder that somebody starts Steward from must not set anything.
    """
    whole = dict(read)
    # A section's own variable comes before those of its settings, which are the narrower word.
    for variable, value in sorted(variables().items()):
        section, _, name = _named_by(variable)
        found = {name: _value(variable, section, name, value)} if name else _json(variable, value)
        if not isinstance(found, dict):
            why = SettingsReason.SECTION.of(name=section)
            raise UserFacing(SettingsReason.VARIABLE_INVALID.of(name=variable, why=why))
        below = whole.get(section, {})
        whole[section] = {**below, **found} if isinstance(below, dict) else below
    return whole


def variables() -> dict[str, str]:
    """The variables of the environment that set something for the present run, as they are spelled."""
    known = _sections()
    return {
        variable: value
        for variable, value in os.environ.items()
        if variable.lower().startswith(PREFIX.lower()) and _named_by(variable)[0] in known
    }


def _named_by(variable: str) -> tuple[str, str, str]:
    return variable.lower().removeprefix(PREFIX.lower()).partition(DELIMITER)


def _sections() -> dict[str, type[Section]]:
    fields = Settings.model_fields.items()
    return {name: type(field.default) for name, field in fields if isinstance(field.default, Section)}


def _value(variable: str, section: str, name: str, value: str) -> Any:
    field = _sections()[section].model_fields.get(name)
    # A list or a table can only be written as JSON; of all else a text is the usual way to write it.
    has_parts = field is not None and get_origin(field.annotation) in (list, dict)
    return _json(variable, value) if has_parts else value


def _json(variable: str, value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError as error:
        raise UserFacing(SettingsReason.VARIABLES_UNREADABLE.of(name=variable, why=str(error))) from error


def refusal(section: str, name: str, value: Any) -> Reason | None:
    """Why `value` cannot be had, as a sentence; None when it can."""
    # The section alone: what is wrong elsewhere in the file is no reason against this value.
    kind = type(Settings.model_fields[section].default)
    try:
        kind.model_validate({name: value})
    except ValidationError as error:
        return SettingsReason.VALUE_REFUSED.of(why=_problem(error.errors()[0]))
    return None


def parse(text: str, path: Path) -> Settings:
    """Validate the TOML `text` of `path`. Raises UserFacing."""
    try:
        # By the reader of the standard library; tomlkit, which keeps comments, is for writing and far slower.
        return Settings.model_validate(_with_variables(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        raise refused(path, str(error)) from error
    except ValidationError as error:
        raise _invalid(error.errors()[0], text, path) from error


def _invalid(first: ErrorDetails, text: str, path: Path) -> UserFacing:
    section, name = (*(str(part) for part in first["loc"][:2]), "", "")[:2]
    # First: a variable wins over the file, so that correcting the file would change nothing.
    variable = variable_of(section, name)
    if variable is not None:
        return UserFacing(SettingsReason.VARIABLE_INVALID.of(name=variable, why=_problem(first)))
    key = ".".join(part for part in (section, name) if part)
    line = _line_of(text, section, name)
    if line is None:
        return refused(path, SettingsReason.SETTING_WRONG.of(key=key, why=_problem(first)))
    return refused(path, SettingsReason.SETTING_WRONG_IN_LINE.of(key=key, line=line, why=_problem(first)))


# By pydantic's type of the error, or by what stands before its first underscore.
_PROBLEMS = {
    "less_than_equal": (SettingsReason.AT_MOST, "le"),
    "greater_than_equal": (SettingsReason.AT_LEAST, "ge"),
    "greater_than": (SettingsReason.MORE_THAN, "gt"),
    "enum": (SettingsReason.ONE_OF, "expected"),
    "extra_forbidden": (SettingsReason.UNKNOWN_SETTING, ""),
    "finite_number": (SettingsReason.NUMBER, ""),
    "int": (SettingsReason.WHOLE_NUMBER, ""),
    "float": (SettingsReason.NUMBER, ""),
    "bool": (SettingsReason.TRUE_OR_FALSE, ""),
    "string": (SettingsReason.TEXT, ""),
    "list": (SettingsReason.LIST, ""),
}


def _problem(error: ErrorDetails) -> Reason:
    """What is wrong, after the setting's name."""
    kind = error["type"]
    if kind.partition("_")[0] == "model":
        return SettingsReason.SECTION.of(name=str(error["loc"][0]))
    code, value = _PROBLEMS.get(kind) or _PROBLEMS.get(kind.partition("_")[0]) or (None, "")
    if code is None:
        return SettingsReason.UNUSABLE.of(message=error["msg"])
    if not value:
        return code.of()
    return Reason(code, (("expected" if value == "expected" else "limit", error["ctx"][value]),))


def _line_of(text: str, section: str, name: str) -> int | None:
    """The line that sets it, as it is usually written: below the heading of its section."""
    heading, of_section = "", None
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.split("=")[0].strip().strip('"')
        if word.startswith("["):
            heading = word.split("]")[0].strip("[ ")
        elif word in (name, f"{section}.{name}") and heading in (section, ""):
            return number
        if section in (word, heading) and of_section is None:
            of_section = number
    return of_section


def refused(path: Path, reason: Reason | str) -> UserFacing:
    return UserFacing(SettingsReason.SETTINGS_INVALID.of(path=path, reason=reason))


LOCK_TIMEOUT_S = 5.0
FIRST_LINE = "# What is not set here has its default. The user guide explains every setting.\n"


@dataclass(frozen=True)
class SettingsChanged(Event):
    """The new value; published after it is on disk."""

    settings: Settings


Migration = Callable[["tomlkit.TOMLDocument"], None]

# The first one brings a file of version 1 to version 2, and so on. A file that names none is of version 1.
MIGRATIONS: tuple[Migration, ...] = ()


class SettingsFile:
    """The settings of a profile on disk. `current` may be read on any thread.

    Several processes may change the same file: each change is made on what the file says at that moment.
    """

    def __init__(self, path: Path, bus: Bus, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
        """Read `path`, which need not exist. Raises UserFacing that names the line or the key."""
        self.path = path
        self._bus = bus
        self._migrations = migrations
        self._lock = threading.Lock()
        self.current = parse(self._migrated(self._text()), path)
        self.at_start = self.current  # what still holds for a setting that counts from the next start

    def change(self, section: str, name: str, value: Any) -> Settings:
        """Set one setting, on disk and in `current`, and publish SettingsChanged."""
        import tomlkit

        # tomlkit writes plain values and knows no enums.
        plain = value.value if isinstance(value, Enum) else value

        def edit(document: tomlkit.TOMLDocument) -> None:
            document.setdefault(section, tomlkit.table())[name] = plain

        return self._rewrite(edit)

    def reset(self, section: str, name: str) -> Settings:
        """Give one setting its default back; what is written beside it stays as a comment."""
        return self._rewrite(lambda document: _take_out(document, section, name))

    def insert(self, section: str, name: str, place: int, entry: Mapping[str, str]) -> Settings:
        """Put a table into a list of tables, before the one at `place`; the others stay as written."""
        return self._rewrite(lambda document: _put_in(document, (section, name), place, entry))

    def remove(self, section: str, name: str, place: int) -> Settings:
        """Take the table at `place` out of a list of tables. Raises IndexError where there is none."""
        return self._rewrite(lambda document: _pop(document, (section, name), place))

    def replace(self, section: str, name: str, place: int, entry: Mapping[str, str]) -> Settings:
        """Write a table of a list of tables anew, in its place. Raises IndexError where there is none."""

        # Taken out and put in, because a list knows only whole tables; one write, or a full disk would
        # leave neither the old one nor the new one.
        def edit(document: tomlkit.TOMLDocument) -> None:
            _pop(document, (section, name), place)
            _put_in(document, (section, name), place, entry)

        return self._rewrite(edit)

    def put(self, section: str, name: str, key: str, entry: Mapping[str, Any]) -> Settings:
        """Write the table `key` of a table of tables, in place of what was there."""
        return self._rewrite(lambda document: _put_table(document, (section, name, key), entry))

    def drop(self, section: str, name: str, key: str) -> Settings:
        """Take the table `key` out of a table of tables. Raises KeyError where there is none."""
        return self._rewrite(lambda document: _drop_table(document, (section, name, key)))

    def reload(self) -> Settings:
        """Read again what somebody else may have written; SettingsChanged only where something is another.

        Raises UserFacing that names the line or the key; `current` stays as it was then.
        """
        with self._lock:
            before = self.current
            self.current = parse(self._migrated(self._text()), self.path)
            changed = self.current
        # An editor that saves without a change must not wake everybody who listens.
        if changed != before:
            self._bus.publish(SettingsChanged(changed))
        return changed

    def create(self) -> Path:
        """Make the file, with one line that explains it, unless it is there; returns its path."""
        with self._lock, self._alone():
            if not self.path.exists():
                self._save(FIRST_LINE)
        return self.path

    def _rewrite(self, edit: Migration) -> Settings:
        with self._lock, self._alone():
            before = self._migrated(self._text())
            parse(before, self.path)  # somebody may have broken the file by hand meanwhile
            import tomlkit

            document = tomlkit.parse(before)
            edit(document)
            # A file that names no version is of the first, so that none is written until there is a second.
            if self._migrations:
                document["version"] = self._version
            text = tomlkit.dumps(document)
            # Before it is written: a value beyond its limits must not reach the disk.
            changed = parse(text, self.path)
            self._save(text)
            self.current = changed
        # Outside the lock: a listener that changes a setting in turn would wait for itself.
        self._bus.publish(SettingsChanged(changed))
        return changed

    @property
    def _version(self) -> int:
        return 1 + len(self._migrations)

    def _migrated(self, text: str) -> str:
        """The same settings as this version of the program writes them; on disk with the next change."""
        try:
            found = tomllib.loads(text).get("version", 1)
        except tomllib.TOMLDecodeError:
            return text  # which `parse` explains
        # What is no number is refused by `parse`, with the line.
        if not isinstance(found, int) or found == self._version:
            return text
        if not 1 <= found < self._version:
            raise refused(self.path, SettingsReason.VERSION_UNKNOWN.of(found=found, known=self._version))
        import tomlkit

        document = tomlkit.parse(text)
        for migration in self._migrations[found - 1 :]:
            migration(document)
        document["version"] = self._version
        return tomlkit.dumps(document)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock: no other process changes the file meanwhile."""
        # Beside the file and not on it: saving replaces the file, and with it any lock that lies on it.
        lock = FileLock(
            self.path.with_name(f".{self.path.name}.lock"), timeout=LOCK_TIMEOUT_S, mode=PRIVATE_FILE
        )
        try:
            ensure(self.path.parent)
            lock.acquire()
        except (OSError, Timeout) as error:
            raise _not_saved(self.path, error) from error
        try:
            yield
        finally:
            lock.release()

    def _save(self, text: str) -> None:
        try:
            write_atomically(self.path, text.encode())
        except OSError as error:
            raise _not_saved(self.path, error) from error

    def _text(self) -> str:
        """With the line ends that it has; without the mark that some editors begin a file with."""
        try:
            return read_own(self.path).decode("utf-8-sig")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            raise refused(self.path, SettingsReason.NOT_UTF8.of(place=error.start)) from error
        except OSError as error:
            raise refused(self.path, str(error.strerror or error)) from error


def _put_in(
    document: tomlkit.TOMLDocument, where: tuple[str, str], place: int, entry: Mapping[str, str]
) -> None:
    import tomlkit
    from tomlkit.items import AoT

    section, name = where
    table = document.setdefault(section, tomlkit.table(is_super_table=True))
    if not table.get(name):
        table[name] = tomlkit.aot()
    entries = table[name]
    # As the list is written already: TOML cannot mix `[[section.list]]` with an inline list.
    made = tomlkit.table() if isinstance(entries, AoT) else tomlkit.inline_table()
    made.update(entry)
    entries.insert(place, made)


def _pop(document: tomlkit.TOMLDocument, where: tuple[str, str], place: int) -> None:
    section, name = where
    entries = document.get(section, {}).get(name, [])
    del entries[place]


def _put_table(document: tomlkit.TOMLDocument, where: tuple[str, str, str], entry: Mapping[str, Any]) -> None:
    import tomlkit

    section, name, key = where
    outer = document.setdefault(section, tomlkit.table(is_super_table=True))
    inner = outer.setdefault(name, tomlkit.table(is_super_table=True))
    made = tomlkit.table()
    for field, value in entry.items():
        made[field] = _inline(value) if isinstance(value, Mapping) else value
    inner[key] = made


def _inline(entry: Mapping[str, Any]) -> InlineTable:
    """The value on one line, so that what belongs to one thing stands below one heading."""
    import tomlkit

    table = tomlkit.inline_table()
    table.update(entry)
    return table


def _drop_table(document: tomlkit.TOMLDocument, where: tuple[str, str, str]) -> None:
    section, name, key = where
    entries = document.get(section, {}).get(name, {})
    del entries[key]


def _take_out(document: tomlkit.TOMLDocument, section: str, name: str) -> None:
    import tomlkit
    from tomlkit.items import Table

    table = document.get(section)
    if table is None or name not in table:
        return
    note = table[name].trivia.comment if hasattr(table[name], "trivia") else ""
    if not note or not isinstance(table, Table):
        del table[name]
        return
    # A comment on the line is the user's and stays, on a line of its own.
    body = table.value.body
    place = next(number for number, (key, _) in enumerate(body) if key is not None and key.key == name)
    body[place] = (None, tomlkit.comment(note.lstrip("# ")))


def _not_saved(path: Path, error: Exception) -> UserFacing:
    reason = SettingsReason.HELD_BY_ANOTHER.of() if isinstance(error, Timeout) else str(error)
    return UserFacing(SettingsReason.SETTINGS_NOT_SAVED.of(path=path, reason=reason))
