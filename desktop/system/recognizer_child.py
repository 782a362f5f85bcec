"""Speech turned into words. Runs in the confined child of `desktop.sandbox.parser`.

The recogniser is Moonshine's, an add-on (`desktop.system.recognizer`). Its Python files and libraries lie in
one folder, and its package's own `__init__` would import what records and downloads: so the folder is made
the package, and only the module that reads a recording is imported.
"""

from __future__ import annotations

import array
import importlib
import sys
import types
from pathlib import Path

PACKAGE = "moonshine_voice"
RATE_HZ = 16_000  # of the recording: signed 16 bits, one channel, the lower byte first
_FULL_SCALE = 32_768.0


def words(source: Path, folder: str) -> str:
    """What is said in the recording at `source`; "" where nothing was understood. `folder` is that of the
    add-on."""
    package = types.ModuleType(PACKAGE)
    package.__path__ = [folder]
    sys.modules[PACKAGE] = package
    # It lies beside the library and not where that was linked to look; what is loaded is found by its name.
    _load_runtime(Path(folder))
    transcriber = importlib.import_module(f"{PACKAGE}.transcriber")
    kinds = importlib.import_module(f"{PACKAGE}.moonshine_api").ModelArch
    samples = array.array("h", source.read_bytes())
    if sys.byteorder == "big":
        samples.byteswap()
    model = transcriber.Transcriber(folder, kinds.TINY)
    lines = model.transcribe_without_streaming([each / _FULL_SCALE for each in samples], RATE_HZ).lines
    return " ".join(text for line in lines if (text := line.text.strip()))


def _load_runtime(folder: Path) -> None:
    import ctypes

    for file in sorted(folder.glob("libonnxruntime*")):
        ctypes.CDLL(str(file), mode=ctypes.RTLD_GLOBAL)
