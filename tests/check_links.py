"""Finds dead links in the documents: files that are not there, headings that are not there.

Runs as `python tests/check_links.py [ROOT]`, prints each dead link with its place, and exits with 1 if there
is one. Addresses on the network are not visited: a check must not depend on somebody else's server.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True)
class DeadLink:
    document: Path
    line: int
    target: str
    reason: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}: {self.target}: {self.reason}"


def documents(root: Path) -> list[Path]:
    """The documents that readers are sent to."""
    named = [root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md"]
    return [path for path in named if path.exists()] + sorted((root / "docs").rglob("*.md"))


def dead_links(document: Path) -> Iterator[DeadLink]:
    """Links and pictures of `document` that lead nowhere on this disk."""
    for line, target in links(document.read_text(encoding="utf-8")):
        reason = why_dead(document, target)
        if reason:
            yield DeadLink(document, line, target, reason)


def links(text: str) -> Iterator[tuple[int, str]]:
    """Line number and target of every link and picture that is not on the network."""
    for block in MarkdownIt().enable("table").parse(text):
        for token in block.children or []:
            target = token.attrGet("href") or token.attrGet("src")
            if isinstance(target, str) and not re.match(r"[a-z][a-z0-9+.-]*:", target):
                yield (block.map or [0])[0] + 1, unquote(target)


def why_dead(document: Path, target: str) -> str:
    name, _, anchor = target.partition("#")
    path = document.parent / name if name else document
    if not path.exists():
        return "no such file"
    if anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
        return "no such heading"
    return ""


def anchors(text: str) -> set[str]:
    """Names that headings get where documents are shown: lower case, dashes, -1 for a second one."""
    found: set[str] = set()
    tokens = MarkdownIt().parse(text)
    for opening, title in pairwise(tokens):
        if opening.type == "heading_open":
            slug = re.sub(r"[^\w\- ]", "", plain(title).strip().lower()).replace(" ", "-")
            same = sum(1 for name in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", name))
            found.add(f"{slug}-{same}" if same else slug)
    return found


def plain(title: Token) -> str:
    return "".join(child.content for child in title.children or [])


def main(root: Path) -> int:
    dead = [link for document in documents(root) for link in dead_links(document)]
    sys.stdout.writelines(f"{link}\n" for link in dead)
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path()))
