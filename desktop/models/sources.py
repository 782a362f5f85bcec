"""Where a model file can be fetched from, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

HUB = "https://huggingface.co"


@dataclass(frozen=True)
class HttpsSource:
    """One address of the whole file. For the hub it names a pinned revision."""

    url: str

    def address(self, mirror: str) -> str:
        """The address to ask: the user's `mirror` stands in for the hub, everything else stays."""
        return mirrored(self.url, mirror)

    @property
    def label(self) -> str:
        return self.url.split("/")[2]


@dataclass(frozen=True)
class PackageSource:
    """A file carried by Python packages: the largest file of each, joined in this order."""

    packages: tuple[str, ...]
    version: str

    @property
    def requirements(self) -> tuple[str, ...]:
        return tuple(f"{name}=={self.version}" for name in self.packages)

    @property
    def label(self) -> str:
        count = len(self.packages)
        return "package mirror" if count == 1 else f"package mirror, {count} packages"


ModelSource: TypeAlias = HttpsSource | PackageSource


@dataclass(frozen=True)
class ModelFile:
    """What a download should end with. An unknown size or hash is None, never guessed."""

    id: str
    name: str
    file_name: str
    size_bytes: int | None
    sha256: str | None
    sources: tuple[ModelSource, ...]


@dataclass(frozen=True)
class RemoteFile(ModelFile):
    """A file chosen in a repository that the user named."""

    repository: str = ""
    revision: str = ""


def mirrored(url: str, mirror: str) -> str:
    """`url` with the hub's address replaced by `mirror`, when there is one."""
    if mirror and url.startswith(HUB + "/"):
        return mirror.rstrip("/") + url.removeprefix(HUB)
    return url


def hub_url(repository: str, revision: str, file_name: str) -> str:
    """The hub's address of one file at one revision."""
    return f"{HUB}/{repository}/resolve/{quote(revision, safe='')}/{quote(file_name)}"
