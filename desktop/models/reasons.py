"""What can be said about models and their files: codes, whose sentences lie in resources/messages."""

from __future__ import annotations

import errno
from pathlib import Path

from desktop.errors import UserFacing
from desktop.reasons import ReasonCode

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class ModelReason(ReasonCode):
    """See resources/messages/en/models.toml."""

    MODEL_FILE_REFUSED = "models.model-file-refused"
    MODEL_FILE_MISSING = "models.model-file-missing"
    REPOSITORY_INVALID = "models.repository-invalid"
    NO_GGUF = "models.no-gguf"
    TOO_LARGE = "models.too-large"
    MODELS_UNREADABLE = "models.models-unreadable"
    INSTALLED_FILE_MISSING = "models.installed-file-missing"
    MODEL_FILE_UNREADABLE = "models.model-file-unreadable"
    MODEL_NOT_DELETED = "models.model-not-deleted"
    DISK_FULL = "models.disk-full"
    NO_ROOM = "models.no-room"
    DISK_REFUSED = "models.disk-refused"
    WRONG_HASH = "models.wrong-hash"
    WRONG_SIZE = "models.wrong-size"
    OTHER_FILE = "models.other-file"
    NO_SOURCE = "models.no-source"
    MODEL_UNKNOWN = "models.model-unknown"
    ZIP_ARCHIVE = "models.zip-archive"
    PYTHON_PICKLE = "models.python-pickle"
    GZIP_ARCHIVE = "models.gzip-archive"
    OLD_GGML = "models.old-ggml"
    OLD_GGJT = "models.old-ggjt"
    OLD_GGMF = "models.old-ggmf"
    LFS_POINTER = "models.lfs-pointer"
    BIG_ENDIAN = "models.big-endian"
    WEB_PAGE = "models.web-page"
    SAFETENSORS = "models.safetensors"
    TEXT_FILE = "models.text-file"
    NOT_GGUF = "models.not-gguf"
    HEAD_TOO_COSTLY = "models.head-too-costly"
    HEAD_UNREADABLE = "models.head-unreadable"
    NOT_READABLE = "models.not-readable"
    CHANGED_WHILE_READ = "models.changed-while-read"
    ENDS_IN_DESCRIPTION = "models.ends-in-description"
    FILE_EMPTY = "models.file-empty"
    STATED_TWICE = "models.stated-twice"
    UNKNOWN_PROPERTY_TYPE = "models.unknown-property-type"
    NESTED_LISTS = "models.nested-lists"
    DESCRIPTION_TOO_LONG = "models.description-too-long"
    SAME_TENSOR_NAME = "models.same-tensor-name"
    TOO_MANY_DIMENSIONS = "models.too-many-dimensions"
    WRONG_ALIGNMENT = "models.wrong-alignment"
    TENSORS_OVERLAP = "models.tensors-overlap"
    BYTES_MISSING = "models.bytes-missing"
    UNKNOWN_TENSOR_TYPE = "models.unknown-tensor-type"
    IMPOSSIBLE_SHAPE = "models.impossible-shape"
    SPLIT_MODEL = "models.split-model"
    ONLY_AN_ADDITION = "models.only-an-addition"
    IMAGE_ENCODER = "models.image-encoder"
    NO_WEIGHTS = "models.no-weights"
    NO_ARCHITECTURE = "models.no-architecture"
    NO_LAYER_SIZE = "models.no-layer-size"
    TOO_MANY_LAYERS = "models.too-many-layers"
    MISFITS_LAYERS = "models.misfits-layers"
    SENSELESS_VALUE = "models.senseless-value"
    TOO_MANY_TENSORS = "models.too-many-tensors"
    TOO_MANY_PROPERTIES = "models.too-many-properties"
    OTHER_VERSION = "models.other-version"
    PHASE_QUEUED = "models.phase-queued"
    PHASE_CONNECTING = "models.phase-connecting"
    PHASE_DOWNLOADING = "models.phase-downloading"
    PHASE_PAUSED = "models.phase-paused"
    PHASE_WAITING = "models.phase-waiting"
    PHASE_VERIFYING = "models.phase-verifying"
    PHASE_INSTALLING = "models.phase-installing"
    PHASE_DONE = "models.phase-done"
    PHASE_FAILED = "models.phase-failed"
    PHASE_CANCELLED = "models.phase-cancelled"
    ANOTHER_DOWNLOADS = "models.another-downloads"
    CHECKING_ARRIVED = "models.checking-arrived"
    ASKING_INDEX = "models.asking-index"
    TRYING_AGAIN = "models.trying-again"
    FITS = "models.fits"
    TIGHT = "models.tight"
    NEEDS_MORE_MEMORY = "models.needs-more-memory"
    UNTRIED = "models.untried"
    UNKNOWN_SIZE = "models.unknown-size"
    SIZE = "models.size"
    REPORT_UNREADABLE = "models.report-unreadable"
    PIP_FOUND_NONE = "models.pip-found-none"
    INDEX_HAS_NONE = "models.index-has-none"
    WHEEL_HASH = "models.wheel-hash"
    WHEEL_TOO_LARGE = "models.wheel-too-large"
    NO_WHEEL = "models.no-wheel"
    PACKAGES_MISSING = "models.packages-missing"
    PACKAGE_DAMAGED = "models.package-damaged"
    PACKAGE_UNREADABLE = "models.package-unreadable"
    HASH_UNKNOWN = "models.hash-unknown"
    FILE_REFUSED_ASIDE = "models.file-refused-aside"
    PROPERTY_NAME_TOO_LONG = "models.property-name-too-long"
    TEXT_TOO_LONG = "models.text-too-long"
    LIST_TOO_LONG = "models.list-too-long"
    TENSOR_NAME_TOO_LONG = "models.tensor-name-too-long"
    TENSOR_TOO_LARGE = "models.tensor-too-large"


def from_os(error: OSError, path: Path) -> UserFacing:
    """The refusal for an error met while writing `path`: no room, or no right."""
    if error.errno in _FULL:
        return UserFacing(ModelReason.DISK_FULL.of(folder=path.parent))
    return UserFacing(ModelReason.DISK_REFUSED.of(path=path, error=error.strerror or str(error)))


def no_room(folder: Path, needed_bytes: int, free_bytes: int) -> UserFacing:
    """Seen before anything was fetched."""
    reason = ModelReason.NO_ROOM.of(folder=folder, needed_bytes=needed_bytes, free_bytes=free_bytes)
    return UserFacing(reason)
