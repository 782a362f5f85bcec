"""The report of what works here."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from desktop.agents.tokens import Tokens
from desktop.engine.crash_marker import LoadAttempt
from desktop.engine.ggml_backends import carried
from desktop.events import Bus
from desktop.models.library import Library
from desktop.paths import Paths, ensure
from desktop.settings import Settings
from desktop.system.doctor import Check, CheckState, Doctor, Graphics, Vendor, _vendors, _vulkan_drivers
from desktop.system.secrets import Secrets
from tests.engine.test_crash_marker import crash
from tests.fakes.failures import failure, spoken


class Keyring:
    """A keyring that behaves as it is told."""

    def __init__(self, blocks_s: float = 0.0) -> None:
        self._blocks_s = blocks_s

    def get_password(self, service: str, username: str) -> str | None:
        time.sleep(self._blocks_s)
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise AssertionError("a report changes nothing")

    def delete_password(self, service: str, username: str) -> None:
        raise AssertionError("a report changes nothing")


def _report(paths: Paths, bus: Bus, keyring: Keyring, **settings: object) -> dict[str, Check]:
    secrets = Secrets(paths, lambda: keyring, timeout_s=0.2)
    doctor = Doctor(paths, Settings(**settings), Library(paths, bus), secrets)
    return {str(check.name): check for check in doctor.examine()}


def test_a_new_profile_lacks_a_model_and_says_how_to_get_one(paths: Paths, bus: Bus) -> None:
    """What is missing comes with the one thing to do."""
    checks = _report(paths, bus, Keyring())
    assert checks["Models"].verdict is CheckState.MISSING
    assert "steward models get" in str(checks["Models"].advice)
    assert checks["Keyring"].verdict is CheckState.WORKS


def test_a_card_that_is_left_out_after_a_crash_is_named_with_the_way_back(paths: Paths, bus: Bus) -> None:
    """Not for a model that ended the program with the processor."""
    ensure(paths.data)
    crash(paths.load_marker, LoadAttempt("a", -1))
    assert "ended" not in str(_report(paths, bus, Keyring())["Graphics"].finding)
    crash(paths.load_marker, LoadAttempt("a", -1, card=True))
    check = _report(paths, bus, Keyring())["Graphics"]
    assert check.verdict is CheckState.LIMITED
    assert "ended while the graphics card was in use" in str(check.finding)
    assert "GPU layers" in str(check.advice)


def test_a_locked_keyring_does_not_hold_the_report_up(paths: Paths, bus: Bus) -> None:
    """A keyring that waits for its password is reported as locked, and the rest of the report is there."""
    checks = _report(paths, bus, Keyring(blocks_s=0.6))
    assert checks["Keyring"].verdict is CheckState.LIMITED
    assert "locked" in str(checks["Keyring"].finding)
    assert checks["Files"].verdict is CheckState.WORKS
    for thread in threading.enumerate():
        if thread.name == "keyring call":
            thread.join()


@pytest.mark.parametrize(
    ("settings", "name", "finding"),
    [
        ({"network": {"offline": True}}, "Network", "offline"),
        ({"network": {"proxy": "http://proxy:3128"}}, "Network", "proxy"),
    ],
)
def test_settings_show_in_the_report(
    paths: Paths, bus: Bus, settings: dict[str, object], name: str, finding: str
) -> None:
    """The report speaks of this profile's settings."""
    assert finding in str(_report(paths, bus, Keyring(), **settings)[name].finding)


def test_a_report_changes_nothing_on_disk(paths: Paths, bus: Bus, tmp_path: Path) -> None:
    """Looking makes no folder and no file."""
    _report(paths, bus, Keyring())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_errors_of_the_world_are_lines_of_the_report(paths: Paths, bus: Bus) -> None:
    """A keyring that refuses does not end the report."""

    class Refuses(Keyring):
        def get_password(self, service: str, username: str) -> str | None:
            raise failure("The keyring refused.", "Nothing was changed.", "Unlock it.")

    assert str(_report(paths, bus, Refuses())["Keyring"].advice) == "Unlock it."


def test_what_reads_pictures(paths: Paths, bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Tesseract is missing the report says how to get it."""
    monkeypatch.setenv("PATH", "")
    check = _report(paths, bus, Keyring())["Pictures"]
    assert check.verdict is CheckState.MISSING
    assert "tesseract" in str(check.advice).casefold()


def test_fences(paths: Paths, bus: Bus) -> None:
    """The report says how commands are kept from writing, or that they cannot be."""
    assert "write" in str(_report(paths, bus, Keyring())["Commands"].finding)


def test_coding_agents_are_answered_or_it_is_said_why_not(paths: Paths, bus: Bus) -> None:
    """Also where another program has the port, and hooks come by the file."""
    tokens = Tokens(paths)
    found = lambda: _report(paths, bus, Keyring())["Coding agents"]  # noqa: E731 - looked at four times
    assert (found().verdict, found().advice) == (CheckState.WORKS, None)
    tokens.make("claude-code")
    assert found().verdict is CheckState.LIMITED
    assert "steward serve" in str(found().advice)
    tokens.publish("", "/run/s")
    assert found().verdict is CheckState.LIMITED
    assert "another program uses port 47615" in str(found().finding)
    tokens.publish("http://127.0.0.1:47615", "/run/s")
    assert found().verdict is CheckState.WORKS


def test_agents_that_ignore_what_they_are_told_are_named(paths: Paths, bus: Bus) -> None:
    """With what can be done about it."""
    secrets = Secrets(paths, Keyring)
    doctor = Doctor(paths, Settings(), Library(paths, bus), secrets, (spoken("X 1 ignored it."),))
    (check,) = [check() for check in doctor.checks if check.__name__ == "_agents_commands"]
    assert (check.verdict, str(check.finding)) == (CheckState.LIMITED, "X 1 ignored it.")
    assert check.advice


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["libggml-cpu-haswell.so", "libggml-cpu-zen4.so", "libggml-base.so.0"], {"cpu"}),
        (["libggml-cpu.so", "libggml-cuda.so", "libggml-base.so"], {"cpu", "cuda"}),
        (["ggml-cpu-x64.dll", "ggml-vulkan.dll", "ggml-base.dll"], {"cpu", "vulkan"}),
        (["libggml-metal.dylib", "libggml-cpu.dylib", "libllama.dylib"], {"cpu", "metal"}),
        ([], set()),
    ],
)
def test_back_ends_are_known_by_their_files(tmp_path: Path, names: list[str], found: set[str]) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert carried(tmp_path) == found


def test_cards_are_known_by_their_vendor(tmp_path: Path) -> None:
    """As the kernel lists them: outputs of a card stand beside it and have no vendor."""
    for name, number in (("card0", "0x10de\n"), ("card1", "0x8086\n"), ("card2", "0x1234\n")):
        (tmp_path / name / "device").mkdir(parents=True)
        (tmp_path / name / "device" / "vendor").write_text(number)
    (tmp_path / "card0-HDMI-A-1").mkdir()
    assert _vendors(tmp_path) == {Vendor.NVIDIA, Vendor.INTEL}


def test_drivers_of_vulkan_are_known_by_their_files(tmp_path: Path) -> None:
    """As Mesa and NVIDIA name them; software that draws without a card is none."""
    for name in ("radeon_icd.x86_64.json", "intel_hasvk_icd.x86_64.json", "lvp_icd.x86_64.json", "notes.txt"):
        (tmp_path / name).touch()
    assert _vulkan_drivers([tmp_path, tmp_path / "nowhere"]) == {Vendor.AMD, Vendor.INTEL}
    (tmp_path / "nvidia_icd.json").touch()
    assert Vendor.NVIDIA in _vulkan_drivers([tmp_path])


NVIDIA, AMD, INTEL = ({vendor} for vendor in Vendor)

NONE: set[Vendor] = set()


@pytest.mark.parametrize(
    ("vendors", "driver", "vulkan", "there", "computes_with", "advised"),
    [
        (NVIDIA, True, NONE, {"cpu"}, "the processor", "CUDA add-on"),
        (NVIDIA, True, NVIDIA, {"cpu", "cuda", "vulkan"}, "CUDA", ""),
        (NVIDIA, False, NONE, {"cpu", "cuda"}, "the processor", "driver"),
        (NVIDIA, False, NVIDIA, {"cpu", "vulkan"}, "Vulkan", ""),
        (AMD, False, AMD, {"cpu"}, "the processor", "Vulkan add-on"),
        (AMD, False, AMD, {"cpu", "vulkan"}, "Vulkan", ""),
        (AMD, False, NONE, {"cpu", "vulkan"}, "the processor", "mesa-vulkan-drivers"),
        (AMD, False, NVIDIA, {"cpu", "vulkan"}, "the processor", "mesa-vulkan-drivers"),
        (INTEL, False, INTEL, {"cpu"}, "the processor", ""),
        (INTEL, False, INTEL, {"cpu", "vulkan"}, "Vulkan", ""),
        (AMD | INTEL, False, INTEL, {"cpu", "vulkan"}, "Vulkan", ""),
        (NONE, False, NONE, {"cpu", "cuda"}, "the processor", ""),
        (NONE, False, AMD, {"cpu", "vulkan"}, "the processor", ""),
    ],
)
def test_what_would_be_faster(
    vendors: set[Vendor], driver: bool, vulkan: set[Vendor], there: set[str], computes_with: str, advised: str
) -> None:
    """Advice only where something would be; a copy whose back end lacks its driver computes with the
    processor."""
    found = Graphics(frozenset(vendors), driver, frozenset(there), frozenset(vulkan))
    assert found.computes_with == computes_with
    idle = bool(there & {"cuda", "vulkan"}) and computes_with == "the processor"
    assert ("because" in str(found.finding)) == idle  # a back end that is there and stays unused is told
    assert advised in str(found.advice or "")
    assert bool(found.advice) == bool(advised)


def test_this_computer_is_looked_at_without_loading_anything() -> None:
    assert "models run on" in str(Graphics.here().finding)
