"""What works on this computer and what does not.

Each check looks at one thing and answers with a sentence; a check that cannot be made says so instead of
guessing. Nothing leaves the computer and nothing is changed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import psutil

from desktop import __version__
from desktop.agents.tokens import Tokens
from desktop.engine.addons import AddOns
from desktop.engine.crash_marker import CrashMarker
from desktop.errors import UserFacing
from desktop.gate.redaction import Redactor
from desktop.models.library import Library
from desktop.paths import Paths
from desktop.settings import Settings
from desktop.state_file import kept_aside
from desktop.system.crash_reports import CrashReports
from desktop.system.graphics import Graphics
from desktop.system.secrets import Place, Secrets

GB = 1e9
LOW_DISK_BYTES = 3e9


class Verdict(StrEnum):
    WORKS = "works"
    LIMITED = "limited"
    MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """One line of the report. `advice` is empty when there is nothing to do."""

    name: str
    verdict: Verdict
    finding: str
    advice: str = ""


@dataclass(frozen=True)
class Doctor:
    """Looks at one profile and at the computer around it. `secrets` should not wait long for a keyring.

    `ignoring` are sentences about agents that did not run what they were told.
    """

    paths: Paths
    settings: Settings
    library: Library
    secrets: Secrets
    ignoring: tuple[str, ...] = ()

    def examine(self) -> tuple[Check, ...]:
        """All checks, in the order of the report. May take some seconds; not on the main thread."""
        return tuple(check() for check in self.checks)

    @property
    def checks(self) -> tuple[Callable[[], Check], ...]:
        """The same one by one, for whoever shows how far the report is."""
        return (
            self._steward,
            self._system,
            self._processor,
            self._memory,
            self._disk,
            self._llama,
            self._graphics,
            self._addons,
            self._models,
            self._display,
            self._window_toolkit,
            self._keyring,
            self._confinement,
            self._agents_commands,
            self._picture_reader,
            self._package_client,
            self._network,
            self._files,
            self._crashes,
            self._agents,
        )

    def _agents(self) -> Check:
        tokens = Tokens(self.paths)
        api = tokens.published()
        if api is None or not psutil.pid_exists(api.pid):
            finding = "hooks are not answered now" if tokens.any_expected else "none has a hook of Steward's"
            advice = "Start Steward, or run: steward serve" if tokens.any_expected else ""
            verdict = Verdict.LIMITED if tokens.any_expected else Verdict.WORKS
            return Check("Coding agents", verdict, finding, advice)
        if not api.url:
            return Check(
                "Coding agents",
                Verdict.LIMITED,
                f"another program has port {self.settings.hooks.port}; hooks come by the socket file",
                "End that program, or set another port as hooks.port and install the agents' hooks again.",
            )
        return Check("Coding agents", Verdict.WORKS, f"hooks are answered at {api.url}")

    def _steward(self) -> Check:
        return Check("Steward", Verdict.WORKS, f"{__version__}, Python {platform.python_version()}")

    def _system(self) -> Check:
        return Check(
            "System", Verdict.WORKS, f"{platform.system()} {platform.release()}, {platform.machine()}"
        )

    def _processor(self) -> Check:
        cores = psutil.cpu_count(logical=False) or 1
        features = sorted(_cpu_features() & {"avx", "avx2", "avx512f", "f16c", "fma", "asimd"})
        known = f", {' '.join(features)}" if features else ""
        finding = f"{cores} cores{known}"
        if features and platform.machine() in ("x86_64", "AMD64") and "avx2" not in features:
            return Check("Processor", Verdict.LIMITED, finding, "Answers will be slow without AVX2.")
        return Check("Processor", Verdict.WORKS, finding)

    def _memory(self) -> Check:
        memory = psutil.virtual_memory()
        finding = f"{memory.total / GB:.1f} GB, {memory.available / GB:.1f} GB free"
        if memory.available < 2 * GB:
            return Check("RAM", Verdict.LIMITED, finding, "Close some programs, or choose a smaller model.")
        return Check("RAM", Verdict.WORKS, finding)

    def _disk(self) -> Check:
        free = shutil.disk_usage(_existing(self.paths.data)).free
        finding = f"{free / GB:.1f} GB free where models are kept ({self.paths.models})"
        if free < LOW_DISK_BYTES:
            return Check("Disk", Verdict.LIMITED, finding, "Free some space before downloading a model.")
        return Check("Disk", Verdict.WORKS, finding)

    def _llama(self) -> Check:
        if importlib.util.find_spec("llama_cpp") is None:
            advice = "Install llama-cpp-python, or run: python3 dev.py run"
            return Check("llama.cpp", Verdict.MISSING, "not installed", advice)
        version = importlib.metadata.version("llama-cpp-python")
        return Check("llama.cpp", Verdict.WORKS, f"llama-cpp-python {version}")

    def _graphics(self) -> Check:
        if CrashMarker(self.paths.load_marker).card_failed(self.settings.model.gpu_layers):
            return Check(
                "Graphics",
                Verdict.LIMITED,
                "not used any more, because Steward ended while the graphics card was in use",
                "With a newer driver, change “GPU layers” in the settings to 0 and back.",
            )
        found = Graphics.here()
        return Check(
            "Graphics", Verdict.LIMITED if found.advice else Verdict.WORKS, found.finding, found.advice
        )

    def _addons(self) -> Check:
        installed = AddOns.here().installed()
        for one in installed:
            if one.misfit:
                advice = f"Get the one of this release, or run: steward addons remove {one.name}"
                return Check("Add-ons", Verdict.LIMITED, f"{one.name} is not used: {one.misfit}", advice)
        told = ", ".join(f"{one.name} ({one.size_bytes / 1e6:.0f} MB)" for one in installed)
        return Check("Add-ons", Verdict.WORKS, told or "none installed")

    def _models(self) -> Check:
        installed = self.library.installed()
        if not installed:
            return Check("Models", Verdict.MISSING, "none installed", "Run: steward models get --recommended")
        return Check("Models", Verdict.WORKS, ", ".join(model.name for model in installed))

    def _display(self) -> Check:
        if sys.platform != "linux":
            return Check("Display", Verdict.WORKS, "provided by the system")
        session = os.environ.get("XDG_SESSION_TYPE", "unknown session")
        desktop = os.environ.get("XDG_CURRENT_DESKTOP", "unknown desktop")
        if "WAYLAND_DISPLAY" in os.environ:
            return Check("Display", Verdict.WORKS, f"Wayland, {desktop}")
        if "DISPLAY" in os.environ:
            return Check("Display", Verdict.WORKS, f"X11 ({session}), {desktop}")
        return Check(
            "Display", Verdict.MISSING, "no display", "Use steward chat or steward ask in a terminal."
        )

    def _window_toolkit(self) -> Check:
        if importlib.util.find_spec("PySide6") is None:
            advice = "ask, chat and models work without it."
            return Check("Windows", Verdict.MISSING, "PySide6 is not installed", advice)
        return Check("Windows", Verdict.WORKS, f"Qt {importlib.metadata.version('PySide6-Essentials')}")

    def _keyring(self) -> Check:
        try:
            place = self.secrets.place()
        except UserFacing as error:
            return Check("Keyring", Verdict.LIMITED, error.cause, error.action)
        return Check("Keyring", Verdict.WORKS if place is Place.KEYRING else Verdict.LIMITED, place.sentence)

    def _confinement(self) -> Check:
        from desktop.sandbox.confinement import Method, available

        found = available()
        verdict = Verdict.WORKS if found.best is not Method.NONE else Verdict.LIMITED
        return Check("Commands", verdict, str(found.reason()))

    def _agents_commands(self) -> Check:
        from desktop.sandbox.confiner import Confiner, why_not

        if self.ignoring:
            advice = "Update the agent, or install its hooks again to have it tried again."
            return Check("Agents' commands", Verdict.LIMITED, " ".join(self.ignoring), advice)
        if reason := why_not():
            return Check(
                "Agents' commands",
                Verdict.LIMITED,
                str(reason),
                "Their commands are judged by their text alone.",
            )
        if reason := Confiner(self.paths).why_not_project():
            return Check(
                "Agents' commands",
                Verdict.LIMITED,
                f"What only reads is confined. {reason}",
                "There is no project mode until then.",
            )
        return Check(
            "Agents' commands", Verdict.WORKS, "what they run can be confined, where they take the line"
        )

    def _picture_reader(self) -> Check:
        from desktop.sandbox.confinement import Method
        from desktop.tools.ocr import Ocr, missing

        if Ocr(lambda: Method.NONE).is_here:
            return Check("Pictures", Verdict.WORKS, "their text can be read, with Tesseract")
        return Check(
            "Pictures", Verdict.MISSING, "their text cannot be read without Tesseract", missing().action
        )

    def _package_client(self) -> Check:
        if importlib.util.find_spec("pip") or shutil.which("pip") or shutil.which("pip3"):
            return Check("Package mirror", Verdict.WORKS, "pip is there")
        if self.settings.network.package_index:
            return Check("Package mirror", Verdict.WORKS, "index from the settings")
        advice = "Only needed where models cannot be downloaded over HTTPS: set network.package_index."
        return Check("Package mirror", Verdict.LIMITED, "pip is not there", advice)

    def _network(self) -> Check:
        if self.settings.network.offline:
            return Check(
                "Network", Verdict.LIMITED, "offline by setting", "Set network.offline = false to download."
            )
        proxy = self.settings.network.proxy or os.environ.get("HTTPS_PROXY", "")
        return Check("Network", Verdict.WORKS, "through a proxy" if proxy else "direct; used only when asked")

    def _files(self) -> Check:
        paths = self.paths
        finding = f"data {paths.data}, settings {paths.settings}, log {paths.log_file}"
        damaged = [str(file) for file in kept_aside(paths.data, paths.config, paths.cache, paths.models)]
        if damaged:
            finding = f"damaged, put aside and begun anew: {', '.join(damaged)}"
            return Check("Files", Verdict.LIMITED, finding, "Delete them when they are of no use.")
        if os.access(_existing(paths.data), os.W_OK):
            return Check("Files", Verdict.WORKS, finding)
        return Check("Files", Verdict.MISSING, finding, "The data folder cannot be written to.")

    def _crashes(self) -> Check:
        found = CrashReports(self.paths, lambda: Redactor(())).reports()
        if not found:
            return Check("Crashes", Verdict.WORKS, "no report of a crash")
        latest = time.strftime("%d %b %Y %H:%M", time.localtime(found[0].at))
        count = "1 report" if len(found) == 1 else f"{len(found)} reports"
        finding = f"{count}, the latest of {latest}: {found[0].line}"
        return Check("Crashes", Verdict.LIMITED, finding, f"Kept here, sent nowhere: {found[0].path}")


def _existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())


def _cpu_features() -> set[str]:
    """From the kernel where it tells; elsewhere unknown, which is no verdict."""
    return set(_linux_flags()) if sys.platform == "linux" else set()


def _linux_flags() -> Iterator[str]:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("flags", "Features")):
            yield from line.partition(":")[2].split()
            return
