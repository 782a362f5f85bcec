"""What works on this computer and what does not.

Each check looks at one thing and answers with a sentence; a check that cannot be made says so instead of
guessing. Nothing leaves the computer and nothing is changed.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import psutil

from desktop import __version__
from desktop.agents.tokens import Tokens
from desktop.engine.addons import AddOns
from desktop.engine.crash_marker import CrashMarker
from desktop.engine.ggml_backends import GPU_BACKENDS, installed_words
from desktop.errors import UserFacing
from desktop.gate.redaction import Redactor
from desktop.models.library import Library
from desktop.paths import Paths
from desktop.reasons import Reason
from desktop.settings import Settings
from desktop.state_file import kept_aside
from desktop.system.crash_reports import CrashReports
from desktop.system.reasons import DoctorReason
from desktop.system.secrets import SecretPlace, Secrets

GB = 1e9
LOW_DISK_BYTES = 3e9


class CheckState(StrEnum):
    WORKS = "works"
    LIMITED = "limited"
    MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """One line of the report. `advice` is None when there is nothing to do."""

    name: Reason
    verdict: CheckState
    finding: Reason
    advice: Reason | None = None

    def as_json(self) -> dict[str, object]:
        """The check in English, with the codes beside it."""
        return {
            "name": str(self.name),
            "verdict": self.verdict.value,
            "finding": str(self.finding),
            "advice": str(self.advice or ""),
            "codes": [str(each.code) for each in (self.name, self.finding, self.advice) if each],
        }


@dataclass(frozen=True)
class Doctor:
    """Looks at one profile and at the computer around it. `secrets` should not wait long for a keyring.

    `ignoring` are sentences about agents that did not run what they were told.
    """

    paths: Paths
    settings: Settings
    library: Library
    secrets: Secrets
    ignoring: tuple[Reason, ...] = ()

    def examine(self) -> tuple[Check, ...]:
        """All checks, in the order of the report. May take some seconds; not on the main thread."""
        return tuple(check() for check in self.checks)

    @property
    def checks(self) -> tuple[Callable[[], Check], ...]:
        """The checks one by one, for whoever shows how far the report is."""
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
        # What a killed program left behind still names its address.
        if api is None or not psutil.pid_exists(api.pid):
            # Without an agent nobody asks, so that nobody has to answer.
            if not tokens.any_expected:
                return _works(DoctorReason.CODING_AGENTS, DoctorReason.NO_HOOKS)
            return _limited(
                DoctorReason.CODING_AGENTS, DoctorReason.HOOKS_UNANSWERED, DoctorReason.START_SERVING
            )
        if not api.url:
            return _limited(
                DoctorReason.CODING_AGENTS,
                DoctorReason.PORT_TAKEN.of(port=self.settings.hooks.port),
                DoctorReason.FREE_PORT,
            )
        return _works(DoctorReason.CODING_AGENTS, DoctorReason.HOOKS_ANSWERED.of(url=api.url))

    def _steward(self) -> Check:
        return _works(
            DoctorReason.STEWARD,
            DoctorReason.VERSION.of(version=__version__, python=platform.python_version()),
        )

    def _system(self) -> Check:
        return _works(
            DoctorReason.SYSTEM,
            DoctorReason.OPERATING_SYSTEM.of(
                system=platform.system(), release=platform.release(), machine=platform.machine()
            ),
        )

    def _processor(self) -> Check:
        cores = psutil.cpu_count(logical=False) or 1
        features = sorted(_cpu_features() & {"avx", "avx2", "avx512f", "f16c", "fma", "asimd"})
        finding = DoctorReason.CORES.of(count=cores)
        if features:
            finding = DoctorReason.CORES_WITH.of(count=cores, features=" ".join(features))
        # Only where the kernel told any: unknown is not the same as missing.
        if features and platform.machine() in ("x86_64", "AMD64") and "avx2" not in features:
            return _limited(DoctorReason.PROCESSOR, finding, DoctorReason.SLOW_WITHOUT_AVX2)
        return _works(DoctorReason.PROCESSOR, finding)

    def _memory(self) -> Check:
        memory = psutil.virtual_memory()
        finding = DoctorReason.MEMORY.of(total=memory.total / GB, free=memory.available / GB)
        if memory.available < 2 * GB:
            return _limited(DoctorReason.RAM, finding, DoctorReason.FREE_MEMORY)
        return _works(DoctorReason.RAM, finding)

    def _disk(self) -> Check:
        free = shutil.disk_usage(_existing(self.paths.data)).free
        finding = DoctorReason.FREE_DISK.of(free=free / GB, models=self.paths.models)
        if free < LOW_DISK_BYTES:
            return _limited(DoctorReason.DISK, finding, DoctorReason.CLEAR_DISK)
        return _works(DoctorReason.DISK, finding)

    def _llama(self) -> Check:
        if importlib.util.find_spec("llama_cpp") is None:
            return _missing(DoctorReason.LLAMA, DoctorReason.NOT_INSTALLED, DoctorReason.INSTALL_LLAMA)
        version = importlib.metadata.version("llama-cpp-python")
        return _works(DoctorReason.LLAMA, DoctorReason.LLAMA_VERSION.of(version=version))

    def _graphics(self) -> Check:
        # Before the card is looked at: it may look well, and end the program when it is used.
        if CrashMarker(self.paths.load_marker).card_failed(self.settings.model.gpu_layers):
            return _limited(DoctorReason.GRAPHICS, DoctorReason.CARD_GIVEN_UP, DoctorReason.TRY_CARD_AGAIN)
        found = Graphics.here()
        return _check(
            DoctorReason.GRAPHICS,
            CheckState.LIMITED if found.advice else CheckState.WORKS,
            found.finding,
            found.advice,
        )

    def _addons(self) -> Check:
        installed = AddOns.here().installed()
        for one in installed:
            if one.misfit:
                advice = DoctorReason.GET_ADDON.of(name=one.name)
                return _limited(
                    DoctorReason.ADD_ONS,
                    DoctorReason.ADDON_UNUSED.of(name=one.name, misfit=one.misfit),
                    advice,
                )
        names = ", ".join(f"{one.name} ({one.size_bytes / 1e6:.0f} MB)" for one in installed)
        return _works(
            DoctorReason.ADD_ONS,
            DoctorReason.AS_FOUND.of(text=names) if names else DoctorReason.NONE_INSTALLED.of(),
        )

    def _models(self) -> Check:
        installed = self.library.installed()
        if not installed:
            return _missing(DoctorReason.MODELS, DoctorReason.NONE_INSTALLED, DoctorReason.GET_MODEL)
        return _works(
            DoctorReason.MODELS, DoctorReason.AS_FOUND.of(text=", ".join(model.name for model in installed))
        )

    def _display(self) -> Check:
        if sys.platform != "linux":
            return _works(DoctorReason.DISPLAY, DoctorReason.BY_THE_SYSTEM)
        session = os.environ.get("XDG_SESSION_TYPE") or DoctorReason.UNKNOWN_SESSION.of()
        desktop = os.environ.get("XDG_CURRENT_DESKTOP") or DoctorReason.UNKNOWN_DESKTOP.of()
        if "WAYLAND_DISPLAY" in os.environ:
            return _works(DoctorReason.DISPLAY, DoctorReason.WAYLAND.of(desktop=desktop))
        if "DISPLAY" in os.environ:
            return _works(DoctorReason.DISPLAY, DoctorReason.X11.of(session=session, desktop=desktop))
        return _missing(DoctorReason.DISPLAY, DoctorReason.NO_DISPLAY, DoctorReason.USE_TERMINAL)

    def _window_toolkit(self) -> Check:
        if importlib.util.find_spec("PySide6") is None:
            return _missing(DoctorReason.WINDOWS, DoctorReason.NO_PYSIDE, DoctorReason.WORKS_WITHOUT_WINDOWS)
        return _works(
            DoctorReason.WINDOWS,
            DoctorReason.QT_VERSION.of(version=importlib.metadata.version("PySide6-Essentials")),
        )

    def _keyring(self) -> Check:
        try:
            place = self.secrets.place()
        except UserFacing as error:
            return _limited(
                DoctorReason.KEYRING,
                DoctorReason.CAUSE.of(error=error.reason),
                DoctorReason.ACTION.of(error=error.reason),
            )
        return _check(
            DoctorReason.KEYRING,
            CheckState.WORKS if place is SecretPlace.KEYRING else CheckState.LIMITED,
            place.reason,
        )

    def _confinement(self) -> Check:
        from desktop.sandbox.confinement import Method, available

        found = available()
        verdict = CheckState.WORKS if found.best is not Method.NONE else CheckState.LIMITED
        return _check(DoctorReason.COMMANDS, verdict, found.reason())

    def _agents_commands(self) -> Check:
        from desktop.sandbox.confiner import Confiner, why_not

        if self.ignoring:
            return _limited(
                DoctorReason.AGENTS_COMMANDS,
                functools.reduce(_both, self.ignoring),
                DoctorReason.TRY_AGENT_AGAIN,
            )
        if reason := why_not():
            return _limited(DoctorReason.AGENTS_COMMANDS, reason, DoctorReason.JUDGED_BY_TEXT)
        if reason := Confiner(self.paths).why_not_project():
            return _limited(
                DoctorReason.AGENTS_COMMANDS,
                DoctorReason.READS_ARE_CONFINED.of(why=reason),
                DoctorReason.NO_PROJECT_MODE,
            )
        return _works(DoctorReason.AGENTS_COMMANDS, DoctorReason.CAN_BE_CONFINED)

    def _picture_reader(self) -> Check:
        from desktop.sandbox.confinement import Method
        from desktop.tools.ocr import Ocr, missing

        if Ocr(lambda: Method.NONE).is_here:
            return _works(DoctorReason.PICTURES, DoctorReason.TEXT_READABLE)
        return _missing(
            DoctorReason.PICTURES,
            DoctorReason.TEXT_UNREADABLE,
            DoctorReason.ACTION.of(error=missing().reason),
        )

    def _package_client(self) -> Check:
        if importlib.util.find_spec("pip") or shutil.which("pip") or shutil.which("pip3"):
            return _works(DoctorReason.PACKAGE_MIRROR, DoctorReason.PIP_IS_THERE)
        if self.settings.network.package_index:
            return _works(DoctorReason.PACKAGE_MIRROR, DoctorReason.INDEX_SET)
        return _limited(DoctorReason.PACKAGE_MIRROR, DoctorReason.NO_PIP, DoctorReason.SET_INDEX)

    def _network(self) -> Check:
        if self.settings.network.offline:
            return _limited(DoctorReason.NETWORK, DoctorReason.OFFLINE, DoctorReason.GO_ONLINE)
        # Told by settings and environment alone: a report must send nothing.
        proxy = self.settings.network.proxy or os.environ.get("HTTPS_PROXY", "")
        return _works(DoctorReason.NETWORK, (DoctorReason.PROXY if proxy else DoctorReason.DIRECT).of())

    def _files(self) -> Check:
        paths = self.paths
        finding = DoctorReason.PLACES.of(data=paths.data, settings=paths.settings, log=paths.log_file)
        damaged = [str(file) for file in kept_aside(paths.data, paths.config, paths.cache, paths.models)]
        if damaged:
            finding = DoctorReason.FILES_DAMAGED.of(files=", ".join(damaged))
            return _limited(DoctorReason.FILES, finding, DoctorReason.DELETE_DAMAGED)
        if os.access(_existing(paths.data), os.W_OK):
            return _works(DoctorReason.FILES, finding)
        return _missing(DoctorReason.FILES, finding, DoctorReason.DATA_READ_ONLY)

    def _crashes(self) -> Check:
        found = CrashReports(self.paths, lambda: Redactor(())).reports()
        if not found:
            return _works(DoctorReason.CRASHES, DoctorReason.NO_CRASH)
        latest = time.strftime("%d %b %Y %H:%M", time.localtime(found[0].at))
        finding = DoctorReason.CRASH_REPORTS.of(count=len(found), latest=latest, line=found[0].line)
        return _limited(DoctorReason.CRASHES, finding, DoctorReason.KEPT_HERE.of(path=found[0].path))


Finding = Reason | DoctorReason  # a code stands for its reason where the sentence names no values


def _check(name: DoctorReason, verdict: CheckState, finding: Finding, advice: Finding | None = None) -> Check:
    def reason(said: Finding) -> Reason:
        return said.of() if isinstance(said, DoctorReason) else said

    return Check(name.of(), verdict, reason(finding), reason(advice) if advice is not None else None)


def _works(name: DoctorReason, finding: Finding) -> Check:
    return _check(name, CheckState.WORKS, finding)


def _limited(name: DoctorReason, finding: Finding, advice: Finding) -> Check:
    return _check(name, CheckState.LIMITED, finding, advice)


def _missing(name: DoctorReason, finding: Finding, advice: Finding) -> Check:
    return _check(name, CheckState.MISSING, finding, advice)


def _both(first: Reason, second: Reason) -> Reason:
    return DoctorReason.BOTH.of(first=first, second=second)


def _existing(folder: Path) -> Path:
    # A folder that is not made yet will lie on the disk of the nearest one that is.
    return next(place for place in (folder, *folder.parents) if place.exists())


def _cpu_features() -> set[str]:
    """The processor's features where the kernel lists them; empty elsewhere, which is no verdict."""
    return set(_linux_flags()) if sys.platform == "linux" else set()


def _linux_flags() -> Iterator[str]:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("flags", "Features")):
            yield from line.partition(":")[2].split()
            return


# -- the graphics card: read from the kernel's lists and from names of files, nothing is loaded ----------

# Other systems than Linux tell less of it.
PROCESSOR = "the processor"
CARDS = Path("/sys/class/drm")
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
# Where drivers of Vulkan say what they are, for its loader: one file for each.
VULKAN_DRIVERS = tuple(Path(place, "vulkan/icd.d") for place in ("/etc", "/usr/share", "/usr/local/share"))


class Vendor(StrEnum):
    NVIDIA = "NVIDIA"
    AMD = "AMD"
    INTEL = "Intel"


# Numbers of PCI's list of vendors.
VENDORS = {"0x10de": Vendor.NVIDIA, "0x1002": Vendor.AMD, "0x8086": Vendor.INTEL}

# How the names of those files begin; others are of software or of cards that models cannot use.
DRIVERS = {
    "nvidia": Vendor.NVIDIA,
    "nouveau": Vendor.NVIDIA,
    "radeon": Vendor.AMD,
    "amd": Vendor.AMD,
    "intel": Vendor.INTEL,
}


@dataclass(frozen=True)
class Graphics:
    """What is here. `back_ends` are the words of ggml: cpu, cuda, vulkan, metal; `vulkan_drivers` tell for
    whose cards there is a driver that Vulkan finds."""

    vendors: frozenset[Vendor]
    has_nvidia_driver: bool
    back_ends: frozenset[str]
    vulkan_drivers: frozenset[Vendor] = frozenset()

    @classmethod
    def here(cls) -> Graphics:
        return cls(_vendors(CARDS), NVIDIA_DRIVER.exists(), back_ends(), _vulkan_drivers(VULKAN_DRIVERS))

    @property
    def finding(self) -> Reason:
        """One sentence for the report."""
        by = self.computes_with
        computing = DoctorReason.BY_PROCESSOR.of() if by == PROCESSOR else by
        words = [word for word in GPU_BACKENDS if word in self.back_ends]
        if not words or by != PROCESSOR:
            return DoctorReason.CARDS.of(cards=self._cards, by=computing)
        # A back end that was installed and finds nothing to compute on.
        title = GPU_BACKENDS[words[0]].title
        return DoctorReason.CARDS_UNUSED.of(
            cards=self._cards, by=computing, why=self._why_unused(words[0]), title=title
        )

    @property
    def _cards(self) -> Reason | str:
        if not self.vendors:
            return DoctorReason.NO_CARD.of()
        *others, last = sorted(self.vendors)
        if others:
            return DoctorReason.SEVERAL_CARDS.of(first=", ".join(others), last=last)
        return last

    def _why_unused(self, word: str) -> Reason:
        if word == "cuda":
            code = DoctorReason.NO_NVIDIA_CARD if self.has_nvidia_driver else DoctorReason.NO_NVIDIA_DRIVER
            return code.of()
        if word == "vulkan" and self.vendors:
            return DoctorReason.NO_VULKAN_DRIVER.of()
        return DoctorReason.FINDS_NO_CARD.of()

    @property
    def computes_with(self) -> str:
        if "cuda" in self.back_ends and Vendor.NVIDIA in self.vendors and self.has_nvidia_driver:
            return "CUDA"
        if "metal" in self.back_ends and sys.platform == "darwin":
            return "Metal"
        if "vulkan" in self.back_ends and self.vendors & self.vulkan_drivers:
            return "Vulkan"
        return PROCESSOR

    @property
    def advice(self) -> Reason | None:
        """What would be faster here; None where nothing would, or nobody knows."""
        if self.computes_with != PROCESSOR:
            return None
        if Vendor.NVIDIA in self.vendors and not self.has_nvidia_driver:
            return DoctorReason.INSTALL_NVIDIA_DRIVER.of()
        if Vendor.NVIDIA in self.vendors:
            return DoctorReason.ADD_CUDA.of()
        if "vulkan" in self.back_ends and self.vendors:
            return DoctorReason.INSTALL_VULKAN_DRIVER.of()
        return DoctorReason.ADD_VULKAN.of() if Vendor.AMD in self.vendors else None


def back_ends() -> frozenset[str]:
    """The back ends that were installed with Steward and those that were added."""
    return installed_words(AddOns.here().libraries())


def _vulkan_drivers(folders: Iterable[Path]) -> frozenset[Vendor]:
    names = [file.name for folder in folders for file in folder.glob("*.json")]
    return frozenset(vendor for start, vendor in DRIVERS.items() for name in names if name.startswith(start))


def _vendors(cards: Path) -> frozenset[Vendor]:
    numbers = set()
    for file in cards.glob("card*/device/vendor"):
        try:
            numbers.add(file.read_text(encoding="ascii").strip())
        except (OSError, ValueError):  # a connector, or a card that is being taken away
            continue
    return frozenset(VENDORS[number] for number in numbers if number in VENDORS)
