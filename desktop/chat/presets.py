"""Presets: what the model is told first in a conversation, and how it writes, under a name.

Some come with the program (`resources/presets.toml`), others are the user's own. A conversation keeps a copy
of the preset that was chosen for it: changing or deleting a preset never changes what an old conversation
is told behind the user's back.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from desktop import paths
from desktop.database import Connection, Database
from desktop.settings import Settings

OWN = "own-"  # what the keys of the user's presets begin with
# Most conversations have none.
CHOSEN = "SELECT preset FROM conversation_presets WHERE conversation_id = ?"


@dataclass(frozen=True)
class Preset:
    """`temperature`, `top_p` and `max_answer_tokens` None: as the settings say. `key` "": not stored yet."""

    name: str
    instructions: str
    temperature: float | None = None
    top_p: float | None = None
    max_answer_tokens: int | None = None
    key: str = ""

    @property
    def is_own(self) -> bool:
        """Whether the user made it and may change it."""
        return self.key.startswith(OWN)

    def applied(self, settings: Settings) -> Settings:
        """The settings of a conversation with this preset."""
        values = {name: getattr(self, name) for name in ("temperature", "top_p", "max_answer_tokens")}
        given = {name: value for name, value in values.items() if value is not None}
        chat = settings.chat.model_copy(
            update={"system_prompt": self.instructions} if self.instructions else {}
        )
        return settings.model_copy(update={"chat": chat, "model": settings.model.model_copy(update=given)})


class Presets:
    """All of them, and which conversation has which. Any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[Preset, ...]:
        """Those that come with the program, then the user's own by name."""
        rows = self._database.read(
            lambda c: c.execute("SELECT id, preset FROM presets ORDER BY name COLLATE NOCASE, id").fetchall()
        )
        own = (replace(preset_from(row["preset"]), key=f"{OWN}{row['id']}") for row in rows)
        return (*built_in(), *own)

    def save(self, preset: Preset) -> Preset:
        """Store a new preset or a changed one; of a built-in one a copy is made."""
        text = _written(replace(preset, key=""))

        def write(connection: Connection) -> int:
            # An upsert: a preset that was deleted in another window comes back as it is saved.
            if preset.is_own:
                number = int(preset.key.removeprefix(OWN))
                connection.execute(
                    "INSERT OR REPLACE INTO presets (id, name, preset) VALUES (?, ?, ?)",
                    (number, preset.name, text),
                )
                return number
            cursor = connection.execute(
                "INSERT INTO presets (name, preset) VALUES (?, ?)", (preset.name, text)
            )
            assert cursor.lastrowid is not None
            return cursor.lastrowid

        return replace(preset, key=f"{OWN}{self._database.write(write)}")

    def delete(self, key: str) -> None:
        """One of the user's own; conversations that have it keep their copy."""
        number = int(key.removeprefix(OWN))
        self._database.write(lambda c: c.execute("DELETE FROM presets WHERE id = ?", (number,)))

    def of(self, conversation_id: int) -> Preset | None:
        """As it was when it was chosen; None: the settings alone count."""
        row = self._database.read(lambda c: c.execute(CHOSEN, (conversation_id,)).fetchone())
        return preset_from(row["preset"]) if row is not None else None

    def choose(self, conversation_id: int, preset: Preset | None) -> None:
        """For a conversation, from its next answer on."""

        def write(connection: Connection) -> None:
            if preset is None:
                connection.execute(
                    "DELETE FROM conversation_presets WHERE conversation_id = ?", (conversation_id,)
                )
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO conversation_presets VALUES (?, ?)",
                    (conversation_id, _written(preset)),
                )

        self._database.write(write)


@cache
def built_in() -> tuple[Preset, ...]:
    """Those that come with the program."""
    with (paths.resources() / "presets.toml").open("rb") as file:
        found: list[Mapping[str, Any]] = tomllib.load(file)["preset"]
    return tuple(Preset(**{**each, "instructions": each["instructions"].strip()}) for each in found)


def preset_from(text: str) -> Preset:
    """The inverse of how one is kept in the database."""
    return Preset(**json.loads(text))


def _written(preset: Preset) -> str:
    return json.dumps(asdict(preset), ensure_ascii=False)
