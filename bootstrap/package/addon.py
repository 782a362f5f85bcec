"""Packs a back end for graphics cards alone, as an archive for `steward addons add`."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

from bootstrap.package.back_end import Made, llama_version
from bootstrap.package.papers import LICENCES, MANIFEST, licence_texts, sha256
from bootstrap.programs import Stop

# As good as the highest for libraries of a card, which are packed already, and much faster.
XZ = ("xz", "--threads=2", "--block-size=64MiB", "-2", "--stdout")


def pack(made: Made, out: Path, version: str, epoch_s: int) -> Path:
    """Returns the file in `out`. The same build gives the same bytes."""
    if shutil.which(XZ[0]) is None:
        raise Stop("xz is missing. Install it with: sudo apt-get install xz-utils", 3)
    target = out / f"steward-{made.word}-addon-{version}-{_system()}.tar.xz"
    out.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}.new")
    texts = "".join(licence_texts(made.components)).encode()
    told = _manifest(made, version, texts)
    with draft.open("wb") as file, subprocess.Popen(XZ, stdin=subprocess.PIPE, stdout=file) as packing:
        assert packing.stdin is not None  # a pipe was asked for
        with tarfile.open(fileobj=packing.stdin, mode="w|", format=tarfile.USTAR_FORMAT) as archive:
            _put(archive, MANIFEST, told, epoch_s)
            _put(archive, LICENCES, texts, epoch_s)
            for library in made.libraries:
                _put(archive, library.name, library, epoch_s)
    if packing.returncode:
        raise Stop(f"xz ended with {packing.returncode}: {draft} is not whole.")
    draft.rename(target)
    return target


def _manifest(made: Made, version: str, texts: bytes) -> bytes:
    """What desktop/engine/addons.py reads, and whose work is inside."""
    files = {LICENCES: {"sha256": hashlib.sha256(texts).hexdigest(), "size_bytes": len(texts)}}
    files |= {
        path.name: {"sha256": sha256(path), "size_bytes": path.stat().st_size} for path in made.libraries
    }
    told = {
        "program": "steward-addon",
        "name": made.word,
        "version": version,
        "llama_cpp_python": llama_version(),
        "system": _system(),
        "library": made.library.name,
        "components": [
            {"name": one.name, "version": one.version, "licence": one.licence} for one in made.components
        ],
        "files": files,
    }
    return json.dumps(told, indent=1, sort_keys=True).encode()


def _system() -> str:
    return f"{sys.platform}-{platform.machine()}"


def _put(archive: tarfile.TarFile, name: str, content: bytes | Path, epoch_s: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.mode = epoch_s, 0o644
    if isinstance(content, bytes):
        entry.size = len(content)
        archive.addfile(entry, BytesIO(content))
    else:
        entry.size, entry.mode = content.stat().st_size, 0o755
        with content.open("rb") as file:
            archive.addfile(entry, file)
