"""What Steward has put on this computer, and taking it away: `steward purge`, and uninstallers through it.

Nothing is guessed: folders are those of the profile, hooks those of our receipts. Blocks; any thread but the
main one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog
from filelock import FileLock, Timeout

from desktop.agents.install import Installer
from desktop.agents.launch import LaunchedRuns
from desktop.agents.mcp_settings import McpInstaller
from desktop.engine.addons import FOLDER as ADDONS
from desktop.errors import UserFacing
from desktop.models.library import LIST_NAME, Library, list_files
from desktop.paths import APP_NAME, Paths, ensure
from desktop.reasons import Reason
from desktop.system.autostart import Autostart
from desktop.system.reasons import SystemReason
from desktop.system.secrets import KNOWN_SECRETS, Secrets

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class FolderSize:
    """A folder or file, and the bytes of all files in it; what a link leads to is not counted."""

    path: Path
    size_bytes: int


@dataclass(frozen=True)
class Belongings:
    """What there is of one profile."""

    login_item: str | None  # where it is
    agents: tuple[str, ...]  # whose settings have our hooks
    tools: tuple[str, ...]  # and whose lists of servers name us
    secrets: tuple[str, ...]
    passing: tuple[FolderSize, ...]  # cache, log, add-ons, hook client and runtime files
    data: tuple[FolderSize, ...]  # conversations, notes, undo, settings: what the user would miss
    models: tuple[FolderSize, ...]  # downloaded; files that the user brought are not ours
    stays: tuple[FolderSize, ...]  # the user's own: the workspace, imported model files
    unseen: tuple[str, ...] = ()  # secrets that may be in the keyring, which did not open
    keyring: Reason | None = None  # why it did not

    @property
    def nothing(self) -> bool:
        agents = (*self.agents, *self.tools)
        secrets = (*self.secrets, *self.unseen)
        ours = (self.login_item, agents, secrets, self.passing, self.data, self.models)
        return not any(ours)


@dataclass(frozen=True)
class RemovalChoice:
    """What goes besides the entries in other programs' settings and the files that only pass."""

    data: bool
    models: bool


@dataclass(frozen=True)
class RemovalOutcome:
    """What was done, what could not be done and why, and what is left on purpose."""

    done: tuple[str, ...]
    failed: tuple[str, ...]
    left: tuple[FolderSize, ...]


class Removal:
    """The removal of one profile. The program must not run while it goes: see `alone`."""

    def __init__(
        self,
        paths: Paths,
        library: Library,
        installers: tuple[Installer, McpInstaller],
        autostart: Autostart,
        secrets: Secrets,
        named: Iterable[str] = (),
    ) -> None:
        """`installers` are those of hooks and of tools in agents. `named` are secrets beside those that every
        profile may have: the settings name them."""
        self._paths = paths
        self._library = library
        self._hooks, self._tools = installers
        self._autostart = autostart
        self._secrets = secrets
        self._secret_names = (*KNOWN_SECRETS, *named)

    def alone(self) -> FileLock:
        """Held until it is released. Raises UserFacing (`running`) while a Steward has this profile."""
        lock = FileLock(ensure(self._paths.runtime) / self._paths.instance_lock.name, mode=0o600)
        try:
            # A program that runs would write its files again behind us.
            lock.acquire(blocking=False)
        except Timeout as error:
            raise UserFacing(SystemReason.RUNNING.of()) from error
        return lock

    def found(self) -> Belongings:
        """Raises UserFacing where the list of models cannot be read, or the folder that was named is no
        profile (`no-profile`)."""
        paths = self._paths
        if paths.profile is not None and not self._is_profile():
            raise UserFacing(SystemReason.NO_PROFILE.of(profile=paths.profile))
        secrets, unseen, keyring = self._look_for_secrets()
        return Belongings(
            login_item=self._autostart.place() if self._has_login_item() else None,
            agents=tuple(self._with_hooks()),
            tools=tuple(name for name in self._tools.places if _is_installed(self._tools, name)),
            secrets=secrets,
            passing=_present(*self._passing()),
            data=_present(*self._data(), paths.config),
            models=_present(*self._model_files()),
            stays=_present(*self._users_own()),
            unseen=unseen,
            keyring=keyring,
        )

    def remove(self, found: Belongings, choice: RemovalChoice) -> RemovalOutcome:
        """All of `found` that `choice` does not keep. A part that refuses does not keep the others."""
        done, failed = [], []
        for title, step in self._steps(found, choice):
            try:
                step()
                done.append(title)
            except UserFacing as error:
                failed.append(f"{title}: {error.cause}")
            except OSError as error:
                failed.append(f"{title}: {error.strerror or error}")
        self._drop_empty_folders()
        kept = (() if choice.data else found.data) + (() if choice.models else found.models)
        left = _present(*(folder.path for folder in (*kept, *found.stays)))
        return RemovalOutcome(tuple(done), tuple(failed), left)

    # -- what there is ------------------------------------------------------------------------

    def _is_profile(self) -> bool:
        """Folders called data or logs may be anybody's; these files are ours."""
        paths = self._paths
        ours = (paths.settings, paths.database, paths.models / LIST_NAME, paths.config / "agent_tokens.json")
        return any(file.is_file() for file in ours)

    def _has_login_item(self) -> bool:
        """Several profiles share the one entry of a session: it goes with the profile that it starts."""
        file = Path(self._autostart.place())
        if not file.is_file():
            return self._autostart.is_on()
        named = self._paths.profile
        return named is None or str(named) in file.read_text(encoding="utf-8", errors="replace")

    def _with_hooks(self) -> Iterator[str]:
        names = (place.agent for place in self._hooks.places)
        return (name for name in names if _is_installed(self._hooks, name))

    def _look_for_secrets(self) -> tuple[tuple[str, ...], tuple[str, ...], Reason | None]:
        """Those that are there, those that could not be looked for, and why: a keyring that stays locked does
        not keep somebody from uninstalling."""
        found: list[str] = []
        for number, name in enumerate(self._secret_names):
            try:
                if self._secrets.get(name) is not None:
                    found.append(name)
            except UserFacing as error:  # the next would wait as long for the same password
                return tuple(found), self._secret_names[number:], error.reason
        return tuple(found), (), None

    def _passing(self) -> Iterator[Path]:
        paths = self._paths
        yield from (paths.cache, paths.logs, paths.runtime, paths.data / ADDONS, paths.hook_client)
        launches = LaunchedRuns(paths).folder
        # Where a system has no runtime folder, launched runs lie somewhere else.
        if not launches.is_relative_to(paths.runtime):
            yield launches

    def _data(self) -> Iterator[Path]:
        """All of the data folder but the models, which are asked about apart, and what can be had again."""
        if self._paths.data.is_dir():
            apart = (self._paths.models, self._paths.data / ADDONS, self._paths.hook_client)
            yield from sorted(path for path in self._paths.data.iterdir() if path not in apart)

    def _model_files(self) -> Iterator[Path]:
        yield from sorted(self._paths.models.glob("*.gguf"))
        yield from (self._paths.downloads, self._paths.quarantine)

    def _users_own(self) -> Iterator[Path]:
        yield self._paths.workspace
        yield from (model.path for model in self._library.installed() if model.by_reference)

    # -- taking away --------------------------------------------------------------------------

    def _steps(self, found: Belongings, choice: RemovalChoice) -> Iterator[tuple[str, Callable[[], object]]]:
        """Other programs' settings first: what is needed for them lies in our folders."""
        for agent in found.agents:
            yield f"hooks of {agent}", partial(self._hooks.uninstall, agent)
        for agent in found.tools:
            yield f"tools for {agent}", partial(self._tools.uninstall, agent)
        if found.login_item is not None:
            yield "start with the computer", partial(self._autostart.switch, False)
        for name in found.secrets:
            yield f"{name} in the keyring", partial(self._secrets.delete, name)
        if found.unseen:
            # With its name there: once the settings are gone, nobody else knows what to look for.
            names = ", ".join(found.unseen)
            yield f"secrets in the keyring, kept for {self._secrets.service} ({names})", self._delete_unseen
        gone = [*found.models] if choice.models else []
        gone += [*found.data] if choice.data else []
        if choice.models and not choice.data:
            yield "the list of models", self._forget_models
        if choice.models and choice.data:
            gone.append(FolderSize(self._paths.models, 0))
        elif choice.data and not found.models:
            # It names only files that the user brought, whose settings go.
            gone += _present(*list_files(self._paths.models))
        passing = (path for path in self._passing() if path.exists())  # our own lock came after `found`
        for path in (*(folder.path for folder in gone), *passing):
            yield str(path), partial(_delete, path)

    def _delete_unseen(self) -> None:
        """It may have been unlocked meanwhile. Raises UserFacing with the first that it refuses."""
        for name in self._secret_names:
            self._secrets.delete(name)

    def _forget_models(self) -> None:
        for model in self._library.installed():
            if not model.by_reference:
                self._library.remove(model.id)

    def _drop_empty_folders(self) -> None:
        paths = self._paths
        folders = [paths.downloads, paths.quarantine, paths.models, paths.data]
        folders += [paths.config, paths.cache, paths.logs, paths.runtime]
        folders += [folder.parent for folder in folders if folder.parent.name == APP_NAME]
        folders += [paths.workspace, *([paths.profile] if paths.profile is not None else [])]
        for folder in folders:
            # Never with what is in it: the user may have put something beside ours.
            if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
                folder.rmdir()


def _is_installed(installer: Installer | McpInstaller, agent: str) -> bool:
    try:
        return installer.is_installed(agent)
    except UserFacing as error:  # its file cannot be read, so nothing can be taken out of it
        log.warning("an agent's settings cannot be read", agent=agent, reason=error.cause)
        return False


def _present(*places: Path) -> tuple[FolderSize, ...]:
    """The files and folders that are there; an empty folder is nothing that anybody asks about."""
    return tuple(FolderSize(path, size_of(path)) for path in dict.fromkeys(places) if _holds_something(path))


def _holds_something(path: Path) -> bool:
    return path.is_symlink() or path.is_file() or (path.is_dir() and any(path.iterdir()))


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a folder; links count as nothing, what cannot be read too."""
    if path.is_symlink():
        return 0
    if path.is_file():
        return path.stat().st_size
    total = 0
    for folder, _folders, files in os.walk(path):
        for name in files:
            try:
                facts = os.lstat(os.path.join(folder, name))
            except OSError:  # gone meanwhile
                continue
            total += facts.st_size
    return total


def _delete(path: Path) -> None:
    """A link goes, never what it leads to."""
    if path.is_symlink() or path.is_file():
        path.unlink(missing_ok=True)
    elif path.is_dir():
        shutil.rmtree(path)
