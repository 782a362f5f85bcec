"""A package in the form of the recogniser's, whose model says how long and how loud a recording is."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

from desktop.engine.addons import AddOns, this_system
from desktop.system.recognizer import RecognizerPackage, add_recognizer

VERSION = "1.2.0"
NAME = "some-recogniser"
TRANSCRIBER = """
from moonshine_voice.moonshine_api import ModelArch
from types import SimpleNamespace

class Transcriber:
    def __init__(self, folder, kind):
        assert kind is ModelArch.TINY
    def transcribe_without_streaming(self, samples, rate):
        loudest = round(max(samples) * 32768)
        if loudest == 666:
            raise ValueError("stumbled")
        if loudest == 777:
            return SimpleNamespace(lines=[])
        words = [f"{len(samples) / rate:g} seconds", f" at most\\n{loudest}.\\x07 "]
        return SimpleNamespace(lines=[SimpleNamespace(text=each) for each in words])
"""
MEMBERS = {
    "recogniser/transcriber.py": TRANSCRIBER,
    "recogniser/moonshine_api.py": "from enum import Enum\nclass ModelArch(Enum):\n    TINY = 0\n",
    "recogniser/lib/librecogniser.so": "library",
    "recogniser-1.2.0.dist-info/licenses/LICENSE": "Do as you like.",
}


def wheel(members: dict[str, str] = MEMBERS) -> bytes:
    """With a file that is not used, too."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        info = f"{NAME.replace('-', '_')}-{VERSION}.dist-info"
        for name, text in members.items():
            archive.writestr(name, text)
        archive.writestr("recogniser/__init__.py", "import records_and_downloads")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return target.getvalue()


def package(content: bytes, members: tuple[str, ...] = tuple(MEMBERS)) -> RecognizerPackage:
    """As the table would tell it."""
    digest = hashlib.sha256(content).hexdigest()
    return RecognizerPackage(NAME, VERSION, this_system(), digest, len(content), "librecogniser.so", members)


def installed(folder: Path) -> AddOns:
    """Add-ons with this one among them."""
    file, addons = folder / "recogniser.whl", AddOns(folder / "addons")
    file.write_bytes(wheel())
    add_recognizer(addons, file, package(file.read_bytes()))
    return addons
