"""Checks that the lock files fit pyproject.toml, and that no file names what exists on one computer only.

Runs as `python tests/check_tree.py [ROOT]`, prints what is wrong, and exits with 1 if anything is.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

LOCKS = ("run.lock", "dev.lock", "llama.lock")
COMPILED = "llama-cpp-python"
# Folders that are somebody's own, and addresses of package indexes other than the public one or an example.
# Written so that this file does not find itself.
GIVEAWAYS = re.compile(
    r"(?<![\w./-])/(?:work/(?:main|shared)|tmp/w|root/\.\w+)\b"
    r"|file:/{3}opt/"
    r"|https?://(?!pypi\.org/|[^/\s]*example|127\.0\.0\.1|localhost|\{)[\w.:@-]+/(?:[\w-]+/)*simple\b"
)


def wrong_with_locks(root: Path) -> Iterator[str]:
    """Sentences about lock files that do not carry out what pyproject.toml declares."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    needed = list(map(Requirement, project["project"]["dependencies"]))
    wanted = [each for each in needed if each.name != COMPILED]
    compiled = [each for each in needed if each.name == COMPILED]
    development = list(map(Requirement, project["dependency-groups"]["dev"]))
    texts = {name: (root / "requirements" / name).read_text(encoding="utf-8") for name in LOCKS}
    for name, requirements in zip(LOCKS, (wanted, wanted + development, compiled), strict=True):
        yield from unfit(name, pins(texts[name]), requirements)
        if "://" in texts[name]:
            yield f"{name} names an address; the index is the business of whoever installs"
    yield from differing(pins(texts["run.lock"]), pins(texts["dev.lock"]))


def pins(lock: str) -> dict[str, Version]:
    """Canonical name to version of everything that a lock file pins."""
    found = re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, flags=re.MULTILINE)
    return {canonicalize_name(name): Version(version) for name, version in found}


def unfit(name: str, pinned: dict[str, Version], requirements: Iterable[Requirement]) -> Iterator[str]:
    for requirement in requirements:
        version = pinned.get(canonicalize_name(requirement.name))
        if version is None:
            yield f"{name} lacks {requirement.name}; write the locks anew with: dev.py lock"
        elif version not in requirement.specifier:
            yield f"{name} has {requirement.name} {version}, pyproject.toml asks for {requirement.specifier}"


def differing(run: dict[str, Version], dev: dict[str, Version]) -> Iterator[str]:
    """Tests must run with the versions that users get."""
    for name, version in run.items():
        if dev.get(name) != version:
            yield f"run.lock has {name} {version}, dev.lock has {dev.get(name)}"


def giveaways(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Places in text files that name a folder or an index of one computer."""
    for name in names:
        content = (root / name).read_bytes()
        if b"\0" in content[:8192]:
            continue
        for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
            found = GIVEAWAYS.search(line)
            if found:
                yield f"{name}:{number}: {found[0]!r} exists on one computer only"


def files(root: Path) -> list[str]:
    """Everything that git tracks or would, and that is on the disk."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return sorted(name for name in set(listed.stdout.split("\0")) if name and (root / name).is_file())


def main(root: Path) -> int:
    wrong = [*wrong_with_locks(root), *giveaways(root, files(root))]
    sys.stdout.writelines(f"{sentence}\n" for sentence in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path()))
