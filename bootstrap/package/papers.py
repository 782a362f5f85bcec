"""The papers of a bundle: manifest.json, sbom.cdx.json (CycloneDX 1.6) and THIRD_PARTY_LICENSES."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bootstrap.package.components import Component

MANIFEST = "manifest.json"
SBOM = "sbom.cdx.json"
LICENCES = "THIRD_PARTY_LICENSES"
RULE = "=" * 78
QT_WORDS = """Qt and PySide6 are used under the GNU Lesser General Public License, version 3.
What that means for you:

* They are shared libraries in _internal/PySide6, loaded by their names. They may be
  replaced there by builds of your own of the same version. Nothing checks them at the
  start; `steward selftest` then names the files that are not as they were built.
* Nothing in them was changed. Their sources, of the versions named above, are at
  https://download.qt.io/official_releases/qt/ and
  https://download.qt.io/official_releases/QtForPython/
* You may take Steward apart to find errors in such a replacement; its own licence does
  not forbid it.
* The texts of that license, and of the GNU General Public License that it refers to,
  are below.

The same holds for other libraries above that are under a Lesser General Public License:
each is a file of its own.
"""


@dataclass(frozen=True)
class Made:
    """What the papers tell of a build."""

    version: str
    kind: str  # cpu, cuda ...
    system: str  # linux-x86_64
    epoch_s: int  # when its source was committed
    components: tuple[Component, ...]


def write_papers(bundle: Path, made: Made) -> None:
    """All three, the manifest last because it lists the others."""
    (bundle / LICENCES).write_text("".join(licence_texts(made.components)), encoding="utf-8")
    _write_json(bundle / SBOM, sbom(made))
    _write_json(bundle / MANIFEST, manifest(bundle, made))


def _write_json(path: Path, content: Any) -> None:
    path.write_text(
        json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def manifest(bundle: Path, made: Made) -> dict[str, Any]:
    """Every file but the manifest itself, and every link with what it leads to."""
    inside = sorted(path for path in bundle.rglob("*") if path.name != MANIFEST or path.parent != bundle)
    return {
        "program": "steward",
        "version": made.version,
        "kind": made.kind,
        "system": made.system,
        "components": [
            {"name": one.name, "version": one.version, "licence": one.licence} for one in made.components
        ],
        "files": {
            path.relative_to(bundle).as_posix(): {"sha256": sha256(path), "size_bytes": path.stat().st_size}
            for path in inside
            if path.is_file() and not path.is_symlink()
        },
        "links": {
            path.relative_to(bundle).as_posix(): str(path.readlink()) for path in inside if path.is_symlink()
        },
    }


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sbom(made: Made) -> dict[str, Any]:
    """CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/); the same for the same build."""
    parts = [_sbom_part(one) for one in made.components]
    name = f"steward {made.version} {made.kind} {made.system} {json.dumps(parts, sort_keys=True)}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(made.epoch_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": "steward",
                "name": "steward",
                "version": made.version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": parts,
        "dependencies": [{"ref": "steward", "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def _sbom_part(one: Component) -> dict[str, Any]:
    where = {"pypi": "pkg:pypi/", "deb": "pkg:deb/debian/", "generic": "pkg:generic/"}[one.kind]
    purl = f"{where}{one.name}@{one.version.replace('+', '%2B').replace(':', '%3A')}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": one.name,
        "version": one.version,
        "purl": purl,
        "licenses": [{"license": {"name": one.licence}}],
    }


def licence_texts(components: Sequence[Component]) -> Iterator[str]:
    """Who made what, under which licence, then every text once for all that share it."""
    yield "Steward contains the work of others.\n\n"
    for one in components:
        yield f"{one.name} {one.version}: {one.licence}\n"
    yield f"\n{QT_WORDS}"
    shared: dict[str, list[str]] = {}
    for one in components:
        for text in one.texts:
            shared.setdefault(text.read_text(encoding="utf-8", errors="replace"), []).append(one.name)
    for words, names in shared.items():
        yield f"\n{RULE}\n{', '.join(dict.fromkeys(names))}\n{RULE}\n\n{words.rstrip()}\n"
