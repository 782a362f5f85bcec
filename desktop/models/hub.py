"""A repository that the user names, as one file to download.

The hub lists a repository's files with size and, for large ones, the SHA-256 of its LFS object
(https://huggingface.co/docs/hub/api, `/api/models/{id}?blobs=true`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from desktop.errors import UserFacing
from desktop.models.reasons import ModelReason
from desktop.models.sources import HUB, HttpsSource, RemoteFile, hub_url, mirrored
from desktop.network import Network, NetworkFailure, NetworkReason, because

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
SHA256 = re.compile(r"[0-9a-f]{64}")
# One part of several, which llama.cpp would want all of.
SPLIT = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
# Files that lie beside a model and are none.
ADDITIONS = ("mmproj", "imatrix", "lora", "adapter", "tokenizer", "vocab")
# Small and good first; what is larger than needed, or too coarse, last.
PREFERENCE = (
    *("Q4_K_M", "Q4_K_S", "Q4_K_L", "Q4_0", "IQ4_XS", "IQ4_NL", "Q4_1", "Q5_K_M", "Q5_K_S", "Q5_0", "Q5_1"),
    *("Q6_K", "Q8_0", "Q3_K_L", "Q3_K_M", "IQ3_M", "Q3_K_S", "IQ3_S", "IQ3_XS", "IQ3_XXS", "Q2_K"),
    *("IQ2_M", "IQ2_S", "IQ2_XS", "IQ2_XXS", "IQ1_M", "IQ1_S", "BF16", "F16", "F32"),
)


@dataclass(frozen=True)
class Candidate:
    """One GGUF file of a repository. `size_bytes` and `sha256` are None where the hub does not say."""

    path: str
    size_bytes: int | None
    sha256: str | None

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is preferred."""
        # Publishers write Q4-K-M, q4_k_m and Q4_K_M; within another word it is no label.
        name = self.path.upper().replace("-", "_")
        for place, label in enumerate(PREFERENCE):
            if re.search(rf"(?<![A-Z0-9]){label}(?![A-Z0-9_])", name):
                return place, self.size_bytes or 0
        return len(PREFERENCE), self.size_bytes or 0


def is_repository(text: str) -> bool:
    """Whether `text` has the form owner/name."""
    return REPOSITORY.fullmatch(text) is not None


def resolve_repository(
    network: Network, repository: str, largest_bytes: int, token: Callable[[], str | None]
) -> RemoteFile:
    """The best file of `repository` with at most `largest_bytes`.

    Raises UserFacing: `repository-invalid`, `no-gguf`, `too-large`, `licence-not-accepted`, or what the
    network says.
    """
    # Before anything is sent: the name becomes part of an address.
    if not is_repository(repository):
        raise UserFacing(ModelReason.REPOSITORY_INVALID.of(text=repository))
    listing = _listing(network, repository, token)
    candidates = _candidates(listing)
    if not candidates:
        raise UserFacing(ModelReason.NO_GGUF.of(repository=repository))
    # A size that is not stated may fit: the server tells it before a byte is taken.
    fitting = [c for c in candidates if c.size_bytes is None or c.size_bytes <= largest_bytes]
    if not fitting:
        raise _too_large(repository, min(c.size_bytes or 0 for c in candidates))
    return _remote(repository, _revision(listing), min(fitting, key=lambda c: c.rank))


def _listing(network: Network, repository: str, token: Callable[[], str | None]) -> dict[str, Any]:
    url = mirrored(f"{HUB}/api/models/{quote(repository)}?blobs=true", network.settings.mirror)
    with because(NetworkReason.FOR_REPOSITORY.of(repository=repository)):
        try:
            listing = network.get_json(url)
        except NetworkFailure as error:
            secret = token() if error.code == "licence-not-accepted" else None
            if not secret:
                raise
            # Only now: a token that is sent along everywhere tells the hub who looks at what.
            listing = network.get_json(url, {"Authorization": f"Bearer {secret}"})
    return listing if isinstance(listing, dict) else {}


def _candidates(listing: dict[str, Any]) -> list[Candidate]:
    rows = listing.get("siblings")
    found = [_candidate(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [candidate for candidate in found if _is_model(candidate.path)]


def _candidate(row: dict[str, Any]) -> Candidate:
    # The hash of the LFS object is that of the file; a small file has a Git hash, which is not that of its
    # bytes.
    large = row.get("lfs") if isinstance(row.get("lfs"), dict) else {}
    assert large is not None
    size = large.get("size", row.get("size"))
    sha256 = large.get("sha256", large.get("oid"))
    known = isinstance(sha256, str) and SHA256.fullmatch(sha256) is not None
    return Candidate(
        path=str(row.get("rfilename", "")),
        size_bytes=size if type(size) is int and size > 0 else None,
        sha256=sha256 if known else None,
    )


def _is_model(path: str) -> bool:
    name = path.lower()
    return (
        name.endswith(".gguf")
        and SPLIT.search(name) is None
        and ".." not in name.split("/")
        and not any(word in name.rsplit("/", 1)[-1] for word in ADDITIONS)
    )


def _revision(listing: dict[str, Any]) -> str:
    # Pinned: a branch may move between this question and the download.
    revision = listing.get("sha")
    return revision if isinstance(revision, str) and re.fullmatch(r"[0-9a-f]{40}", revision) else "main"


def _remote(repository: str, revision: str, candidate: Candidate) -> RemoteFile:
    file_name = candidate.path.rsplit("/", 1)[-1]
    return RemoteFile(
        id=repository,
        name=file_name.removesuffix(".gguf"),
        file_name=f"{repository.replace('/', '--')}--{file_name}",
        size_bytes=candidate.size_bytes,
        sha256=candidate.sha256,
        sources=(HttpsSource(hub_url(repository, revision, candidate.path)),),
        repository=repository,
        revision=revision,
    )


def _too_large(repository: str, smallest_bytes: int) -> UserFacing:
    return UserFacing(ModelReason.TOO_LARGE.of(repository=repository, smallest_bytes=smallest_bytes))
