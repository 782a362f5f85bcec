"""The recogniser of speech: how it is added, what is refused, and words from a real child."""

from __future__ import annotations

import array
import os
import shutil
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from desktop.engine.addons import AddOnKind, AddOns
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.models.progress import DownloadControl
from desktop.network import Network
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.settings import NetworkSettings
from desktop.system.recognizer import (
    MOONSHINE,
    PACKAGES,
    Recognizer,
    add_recognizer,
    fetch_recognizer,
    package_here,
)
from desktop.system.recording import BYTES_PER_S, RATE_HZ
from tests.models.file_server import FileServer
from tests.system.recognizer_package import MEMBERS, NAME, VERSION, installed, package, wheel

PARSER = Parser(lambda: available().best)


def samples(loudest: int, seconds: float = 0.5) -> bytes:
    """A recording that is as loud as that in one place."""
    quiet = array.array("h", [0]) * int(seconds * BYTES_PER_S / 2)
    quiet[len(quiet) // 2] = loudest
    return quiet.tobytes()


def state(folder: Path) -> list[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*"))


def test_it_is_added_used_and_removed_as_every_add_on(tmp_path: Path) -> None:
    """Only what is used of the package is kept, llama.cpp is not told to load it, and its words come as one
    line without control characters."""
    addons = installed(tmp_path)
    (told,) = addons.installed()
    assert (told.name, told.kind, told.misfit) == ("dictation", AddOnKind.RECOGNIZER, None)
    names = {Path(each).name for each in MEMBERS}
    assert set(state(addons.folder / "dictation")) == names | {"manifest.json"}
    assert os.name != "posix" or {each.stat().st_mode & 0o077 for each in addons.folder.rglob("*")} == {0}
    assert addons.libraries() == ()
    recognizer = Recognizer.installed(PARSER, addons)
    assert recognizer is not None
    assert recognizer.words(samples(3_000)) == "0.5 seconds at most 3000."
    addons.remove("dictation")
    assert Recognizer.installed(PARSER, addons) is None


def test_nothing_understood_is_no_error(tmp_path: Path) -> None:
    """A recording without words gives none."""
    recognizer = Recognizer.installed(PARSER, installed(tmp_path))
    assert recognizer is not None
    assert recognizer.words(samples(777)) == ""


def test_one_that_stumbles_is_told_in_a_sentence(tmp_path: Path) -> None:
    """What goes wrong in the child stays there."""
    recognizer = Recognizer.installed(PARSER, installed(tmp_path))
    assert recognizer is not None
    with pytest.raises(UserFacing) as caught:
        recognizer.words(samples(666))
    assert caught.value.code == "recognizer-failed"


def test_what_is_cancelled_ends(tmp_path: Path) -> None:
    """The child that reads the recording is ended, and nobody is told of a failure."""
    addons = installed(tmp_path)
    endless = addons.folder / "dictation" / "transcriber.py"
    endless.write_text("while True:\n    pass")
    recognizer = Recognizer(endless.parent, PARSER)
    begin = recognizer._begin

    def cancelled_at_once(child: object) -> None:
        begin(child)  # type: ignore[arg-type] # whatever the parser hands over
        recognizer.cancel()

    recognizer._begin = cancelled_at_once  # type: ignore[method-assign] # the moment that matters
    with pytest.raises(Cancelled):
        recognizer.words(samples(3_000))


@pytest.mark.parametrize("fault", ["changed", "cut", "member"])
def test_a_file_that_is_not_the_known_one_is_refused(tmp_path: Path, fault: str) -> None:
    """Another byte, a missing end or a missing file: a sentence, and what was installed stays."""
    addons = installed(tmp_path)
    before = state(addons.folder)
    good, file = wheel(), tmp_path / "other.whl"
    wanted = package(good)
    if fault == "member":
        good = wheel({name: text for name, text in MEMBERS.items() if "LICENSE" not in name})
        wanted = package(good)
    file.write_bytes({"changed": good[:-1] + b"!", "cut": good[:-100], "member": good}[fault])
    with pytest.raises(UserFacing) as caught:
        add_recognizer(addons, file, wanted)
    assert caught.value.code == "recognizer-damaged"
    assert state(addons.folder) == before


def test_it_is_fetched_from_the_index_and_believed_by_our_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real pip says where it is; a file that is another than the table says is refused, whatever hash the
    index tells."""
    content, file = wheel(), f"{NAME.replace('-', '_')}-{VERSION}-py3-none-any.whl"
    settings = NetworkSettings()
    network = Network(lambda: settings)
    with FileServer() as server:
        for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        monkeypatch.setenv("PIP_RETRIES", "0")
        monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/simple")
        server.serve(f"/wheels/{file}", content)
        metadata = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n"
        server.serve(f"/wheels/{file}.metadata", metadata.encode())
        page = f'<!DOCTYPE html><a href="../../wheels/{file}" data-core-metadata="true">{file}</a>'
        server.serve(f"/simple/{NAME}/", page.encode(), content_type="text/html")
        fetched = fetch_recognizer(network, Bus(), tmp_path, package(content), DownloadControl())
        assert fetched.read_bytes() == content
        assert [each for each in tmp_path.iterdir() if ".part" in each.name] == []
        with pytest.raises(UserFacing):
            fetch_recognizer(network, Bus(), tmp_path, package(content + b"!"), DownloadControl())
    network.close()


def test_a_system_on_which_none_was_tried_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """It points to the dictation of the system."""
    monkeypatch.setattr("desktop.system.recognizer.this_system", lambda: "plan9-m68k")
    with pytest.raises(UserFacing) as caught:
        package_here()
    assert "plan9-m68k" in caught.value.cause
    assert PACKAGES[MOONSHINE.system] is MOONSHINE


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_the_real_recogniser_understands_a_sentence(tmp_path: Path) -> None:
    """Fetched by pip as a user would, its words of a spoken sentence are those that were said."""
    wanted = f"{MOONSHINE.package}=={MOONSHINE.version}"
    pip = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(tmp_path), wanted)
    got = subprocess.run(pip, capture_output=True)
    if got.returncode or MOONSHINE.system != f"{sys.platform}-{os.uname().machine}":
        pytest.skip("the package index has no recogniser for this system, or is not reached")
    addons = AddOns(tmp_path / "addons")
    add_recognizer(addons, next(tmp_path.glob("*.whl")), MOONSHINE)
    spoken = tmp_path / "spoken.wav"
    subprocess.run(("espeak-ng", "-v", "en-us", "-w", str(spoken), "What is the weather like tomorrow?"))
    recognizer = Recognizer.installed(PARSER, addons)
    assert recognizer is not None
    assert "weather like tomorrow" in recognizer.words(at_16_khz(spoken))


def at_16_khz(file: Path) -> bytes:
    """The samples of a mono file at the rate of a recording, without what that cannot hold."""
    with wave.open(str(file)) as opened:
        rate, read = opened.getframerate(), opened.readframes(opened.getnframes())
    spectrum = np.fft.rfft(np.frombuffer(read, "<i2"))
    count = len(read) // 2 * RATE_HZ // rate
    made = np.fft.irfft(spectrum[: count // 2 + 1], count) * (RATE_HZ / rate)
    return made.clip(-32_768, 32_767).astype("<i2").tobytes()
