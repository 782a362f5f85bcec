"""What an author needs: a skeleton that works, and recorded calls that run it as Steward would.

`calls.toml` beside the manifest holds calls with what has to come of them. They run in the same confined
process as later, with a state of their own and with pages from the file in place of the network.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.errors import UserFacing
from desktop.extensions.manifest import NAME, TOOL, Hook, Manifest, is_id, read_manifest
from desktop.extensions.package import refused
from desktop.extensions.process import (
    CallFailed,
    ChildKeeper,
    ChildSpec,
    Process,
    RequestRefused,
    can_confine,
)
from desktop.extensions.reasons import ExtensionReason
from desktop.paths import resources

CALLS = "calls.toml"
CALL_S = 5.0


@dataclass(frozen=True)
class Tried:
    """One recorded call. `got` is what came of it, in words where it failed."""

    title: str
    expected: object
    got: object
    passed: bool


def write_skeleton(folder: Path) -> tuple[Path, ...]:
    """A working extension in the new `folder`, whose name becomes its id; the files. Raises UserFacing."""
    name = folder.name.casefold().replace("_", "-").replace(" ", "-")
    if folder.exists():
        raise UserFacing(ExtensionReason.FOLDER_TAKEN.of(path=folder))
    # Before anything is written: nobody would look for a folder that was said not to be made.
    if not is_id(name):
        raise UserFacing(ExtensionReason.NO_ID.of(name=name))
    pattern = resources() / "extensions" / "skeleton"
    made = []
    try:
        folder.mkdir(parents=True)
        for file in sorted(pattern.iterdir()):
            # The endings keep packaging and linters from taking them for code of ours.
            text = file.read_text(encoding="utf-8").replace("my-extension", name)
            place = folder / file.name.removesuffix(".txt")
            place.write_text(text, encoding="utf-8")
            made.append(place)
    except OSError as error:
        raise refused(ExtensionReason.UNREADABLE.of(error=error.strerror or str(error))) from error
    return tuple(made)


def run_recorded(folder: Path, say: Callable[[str], object] = lambda _line: None) -> Iterator[Tried]:
    """Run the recorded calls of the extension in `folder`, in order, in one process. Raises UserFacing.

    `say` hears what it prints.
    """
    folder = folder.resolve()
    manifest = read_manifest(folder)
    recorded = _recorded(folder)
    # As confined as it will be: an author who opens a file should learn it here.
    keeper = ChildKeeper()
    spec = ChildSpec(manifest.id, folder, manifest.entry, can_confine())
    requests = _RecordedRequests(manifest, dict(recorded.get("pages", {})))
    process = Process(spec, keeper, requests, say)
    settings = {each.name: each.default for each in manifest.settings}
    try:
        for number, call in enumerate(recorded.get("call", []), 1):
            yield _tried(process, number, dict(call), settings)
    finally:
        process.end()
        keeper.close()


def _recorded(folder: Path) -> dict[str, Any]:
    try:
        said = tomllib.loads((folder / CALLS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise refused(ExtensionReason.UNREADABLE.of(error=f"{CALLS}: {error}")) from error
    calls = said.get("call", [])
    hooks = (*Hook, "tool")
    if not calls or any(not isinstance(each, dict) or each.get("hook") not in hooks for each in calls):
        raise refused(ExtensionReason.WRONG_VALUE.of(key=f"{CALLS}: call.hook"))
    return said


def _tried(process: Process, number: int, call: dict[str, Any], settings: Mapping[str, Any]) -> Tried:
    """A call's own words are its arguments, but for the few that say what it is."""
    hook, expected = str(call.pop("hook")), call.pop("gives", None)
    chosen = {**settings, **call.pop("settings", {})}
    function = f"{TOOL}{call.pop('tool', '')}" if hook == "tool" else hook
    facts = {"tenant": "", "session": "recorded", "tools": [], "settings": chosen}
    try:
        got = process.call(function, call, facts, CALL_S)
    except CallFailed as failed:
        return Tried(f"{number}. {function}", expected, str(failed), passed=False)
    return Tried(f"{number}. {function}", expected, got, got == expected)


@dataclass
class _RecordedRequests:
    """As `HostRequests`, without a profile: state for the length of the run, pages from the file."""

    manifest: Manifest
    pages: dict[str, str]
    kept: dict[str, str] = field(default_factory=dict)

    def answer(self, request: Mapping[str, Any], _until: float, /) -> Any:
        kind, _, verb = str(request.get("ask")).partition(".")
        may = self.manifest.permissions
        # Never the network: a recorded call comes out the same tomorrow.
        if kind == "fetch":
            if str(request.get("url")) not in self.pages:
                raise RequestRefused(ExtensionReason.NOT_FETCHED.of(why=f"{request.get('url')}: {CALLS}"))
            return self.pages[str(request.get("url"))]
        if not (may.state if kind == "state" else may.shared):
            raise RequestRefused(ExtensionReason.STATE_NOT_DECLARED.of())
        return self._state(verb, str(request.get("key")), str(request.get("value")))

    def _state(self, verb: str, key: str, value: str) -> Any:
        if verb == "keys":
            return list(reversed(self.kept))
        if verb == "put":
            self.kept[key] = value
        elif verb == "delete":
            self.kept.pop(key, None)
        return self.kept.get(key) if verb == "get" else None


def shipped() -> dict[str, Path]:
    """The extensions that come with Steward, by their ids; none of them is installed by itself."""
    folder = resources() / "extensions"
    return {each.name: each for each in sorted(folder.iterdir()) if (each / NAME).is_file()}
