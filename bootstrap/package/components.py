"""Whose work is in a bundle: every Python package and every library of the building computer, with licences.

Read off what PyInstaller wrote down (its .toc files) and what is installed where it built.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from bootstrap.programs import ROOT, Stop

LICENCES = ROOT / "packaging" / "licences"
TEXT_NAMES = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)
DPKG = "/usr/bin/dpkg"
MUSL_VERSION = "1.2.5"  # of ziglang in requirements/package.in
TOO_LONG = 80  # some packages put the whole text where the licence's name belongs

# Wheels that carry no text: Qt's are under the LGPL, version 3, which refers to the GPL.
TEXTS_ELSEWHERE = {
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
}
NAMED_ELSEWHERE = {"pyside6-essentials": "LGPL-3.0-only", "shiboken6": "LGPL-3.0-only"}


@dataclass(frozen=True)
class Component:
    """One work: `kind` is pypi (a Python package), deb (a library of the system) or generic."""

    kind: str
    name: str
    version: str
    licence: str  # an SPDX expression, or the words of the package
    texts: tuple[Path, ...]


@dataclass(frozen=True)
class Built:
    """What PyInstaller wrote down: modules in the archive, and where each file came from."""

    modules: frozenset[str]
    sources: dict[str, Path]  # path in the bundle -> file that it is a copy of

    @classmethod
    def read(cls, work: Path) -> Built:
        archive = _literal(work / "PYZ-00.toc")
        collected = _literal(work / "COLLECT-00.toc")
        modules = frozenset(entry[0] for part in archive for entry in _entries(part))
        files = {
            entry[0]: Path(entry[1])
            for part in collected
            for entry in _entries(part)
            if entry[2] != "SYMLINK"
        }
        return cls(modules, files)


def _literal(path: Path) -> Any:
    return ast.literal_eval(path.read_text(encoding="utf-8"))


def _entries(part: Any) -> list[tuple[str, str, str]]:
    if not isinstance(part, list):
        return []
    return [entry for entry in part if isinstance(entry, tuple) and len(entry) >= 3]


def components(built: Built, site: Path, python: Path, python_version: str) -> tuple[Component, ...]:
    """Everything in the bundle, in order of kind and name. `python` is the installation that was copied."""
    inside = {name.partition(".")[0] for name in built.modules}
    inside |= {re.split(r"[/.]", name)[0] for name in built.sources}
    found = [of_distribution(each) for each in distributions(path=[str(site)]) if _tops(each) & inside]
    found += _of_system(built, site, python)
    found.append(_python(python, python_version))
    found.append(_bootloader(site))
    found.append(_musl(site))
    return tuple(sorted(set(found), key=lambda one: (one.kind, one.name.lower())))


def _tops(distribution: Distribution) -> set[str]:
    """The names under which a package's modules are imported."""
    files = [path for path in distribution.files or () if not path.parts[0].endswith((".dist-info", ".."))]
    tops = {path.parts[0].partition(".")[0] for path in files if path.suffix in (".py", ".so", ".pyd")}
    return tops - {"bin", "lib", "include"}


def of_distribution(distribution: Distribution) -> Component:
    """Name, version, licence and texts, as an installed package tells them."""
    metadata = distribution.metadata
    name = re.sub(r"[-_.]+", "-", metadata["Name"]).lower()
    texts = [
        Path(str(distribution.locate_file(path)))
        for path in distribution.files or ()
        if ".dist-info" in path.parts[0] and TEXT_NAMES.search(path.name)
    ]
    texts += [LICENCES / file for file in TEXTS_ELSEWHERE.get(name, ())]
    return Component(
        "pypi", name, distribution.version, NAMED_ELSEWHERE.get(name) or _licence(distribution), tuple(texts)
    )


def _licence(distribution: Distribution) -> str:
    metadata = distribution.metadata
    for field in ("License-Expression", "License"):
        words = "\n".join(metadata.get_all(field) or ()).strip()
        if words and words != "UNKNOWN" and len(words) <= TOO_LONG and "\n" not in words:
            return words
    classified = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License :: ")
    ]
    return ", ".join(classified) or "not stated; see its text"


def _of_system(built: Built, site: Path, python: Path) -> list[Component]:
    """The Debian packages whose libraries were copied. Other systems lend none."""
    if sys.platform != "linux":
        return []
    owned = [
        source.resolve()
        for name, source in built.sources.items()
        if source.is_absolute()
        and ".so" in name
        and not source.resolve().is_relative_to(site)
        and not source.resolve().is_relative_to(python)
        and not source.resolve().is_relative_to(ROOT)
    ]
    return [_of_package(name) for name in sorted({_owner(path) for path in owned})]


def _owner(path: Path) -> str:
    """Debian 12 keeps libraries below /usr and knows some by their older place."""
    for place in (str(path), str(path).removeprefix("/usr")):
        done = subprocess.run([DPKG, "-S", place], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":", 1)[0]
    raise Stop(f"No package owns {path}, so its licence is unknown. Bundles are built on Debian.")


def _of_package(name: str) -> Component:
    asked = [f"{DPKG}-query", "-W", "-f", "${Version}\n", name]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split("\n")[0]
    text = Path("/usr/share/doc") / name / "copyright"
    named = re.findall(
        r"^License: *(\S.*)$", text.read_text(encoding="utf-8", errors="replace"), re.MULTILINE
    )
    words = ", ".join(dict.fromkeys(line.strip() for line in named)) or "see its text"
    return Component("deb", name, version, words, (text,))


def _python(installation: Path, version: str) -> Component:
    short = ".".join(version.split(".")[:2])
    text = installation / "lib" / f"python{short}" / "LICENSE.txt"
    return Component("generic", "python", version, "PSF-2.0", (text,) if text.exists() else ())


def _bootloader(site: Path) -> Component:
    """PyInstaller's start-up program; its licence allows what is bundled any licence of its own."""
    found = next(iter(distributions(name="pyinstaller", path=[str(site)])))
    one = of_distribution(found)
    return Component("pypi", one.name, one.version, "GPL-2.0-or-later WITH Bootloader-exception", one.texts)


def _musl(site: Path) -> Component:
    """The C library that is linked into the hook client; the compiler's package carries its text."""
    folder = site / "ziglang" / "lib" / "libc" / "musl"
    return Component("generic", "musl", MUSL_VERSION, "MIT", (folder / "COPYRIGHT",))
