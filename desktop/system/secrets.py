"""Secrets of the user: in the keyring of this computer or, where there is none, in a file of mode 0600.

The only import of `keyring`, and only when the first secret is wanted: it costs memory and a tenth of a
second. A locked keyring shows its own question and blocks until somebody answers, so every call runs on a
thread of its own with a time limit.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedTooLong
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

import structlog

from desktop.errors import UserFacing
from desktop.paths import PRIVATE_FILE, Paths, ensure, read_own, write_atomically
from desktop.reasons import Reason
from desktop.system.reasons import SystemReason

if TYPE_CHECKING:
    from filelock import FileLock

log = structlog.get_logger(__name__)

HUGGING_FACE_TOKEN = "huggingface-token"  # noqa: S105  # the name of a secret, not one
TEAM_PASSWORD = "team-memory-password"  # noqa: S105  # as above
TEAM_CACHE_PASSWORD = "team-cache-password"  # noqa: S105  # as above
TEAM_SIGNING_KEY = "team-signing-key"  # as above
KNOWN_SECRETS = (
    HUGGING_FACE_TOKEN,
    TEAM_PASSWORD,
    TEAM_CACHE_PASSWORD,
    TEAM_SIGNING_KEY,
)  # what removing the program has to clear

ALIAS_S = 5.0
LOCK_TIMEOUT_S = 10.0
T = TypeVar("T")


class SecretPlace(StrEnum):
    """Where a secret was put."""

    KEYRING = "keyring"
    FILE = "file"

    @property
    def reason(self) -> Reason:
        """What the user is told about it."""
        return (SystemReason.IN_KEYRING if self is SecretPlace.KEYRING else SystemReason.IN_PRIVATE_FILE).of()


class Backend(Protocol):
    """The part of a keyring backend that we use."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


class _Patience:
    """Of one who waits for a change, and is told that nothing was changed when it ends. Thread-safe.

    Either the change settles or the patience ends, never both.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_settled = False
        self.is_over = False

    def settle(self) -> bool:
        """Whether the change may stay."""
        with self._lock:
            self._is_settled = not self.is_over
            return self._is_settled

    def end(self) -> bool:
        """Whether nothing has changed, and nothing will."""
        with self._lock:
            self.is_over = not self._is_settled
            return self.is_over


class Secrets:
    """Named secrets of one profile. Thread-safe; calls block up to `timeout_s`, so not on the main thread."""

    def __init__(
        self, paths: Paths, load_backend: Callable[[], Backend] | None = None, timeout_s: float = 30.0
    ) -> None:
        self._file = paths.secrets
        # By this name the keyring knows them: profiles do not see each other's secrets.
        self.service = f"Steward ({paths.data})"
        self._load_backend = load_backend or _system_backend
        self._timeout_s = timeout_s

    def get(self, name: str) -> str | None:
        """The secret, or None. Raises UserFacing (`keyring-locked`, `keyring-refused`, `keyring-not-made`,
        `secrets-damaged`)."""
        kept = self._ask_keyring(lambda backend: backend.get_password(self.service, name))
        # It may have been kept before this computer had a keyring.
        return kept if kept is not None else self._read_file().get(name)

    def set(self, name: str, value: str) -> SecretPlace:
        """Keep `value`, replacing what was there; returns where. Raises UserFacing as `get` does, and
        `secrets-unwritten`."""

        patience = _Patience()

        def put(backend: Backend) -> bool:
            before = backend.get_password(self.service, name)  # a locked one asks for its password here
            if patience.is_over:
                return False
            backend.set_password(self.service, name, value)  # and one that has to be made here
            if patience.settle():
                return True
            self._put_back(backend, name, before)
            return False

        if self._ask_keyring(put, patience):
            # A copy in the file must not outlive the one in the keyring.
            self._change_file(name, None)
            return SecretPlace.KEYRING
        self._change_file(name, value)
        return SecretPlace.FILE

    def place(self) -> SecretPlace:
        """Where a new secret would be put. Raises UserFacing as `get` does."""

        def reachable(backend: Backend) -> bool:
            backend.get_password(self.service, KNOWN_SECRETS[0])
            return True

        return SecretPlace.KEYRING if self._ask_keyring(reachable) else SecretPlace.FILE

    def delete(self, name: str) -> None:
        """Forget the secret everywhere; one that does not exist is no error. Raises UserFacing."""

        def drop(backend: Backend) -> None:
            if backend.get_password(self.service, name) is not None:
                backend.delete_password(self.service, name)

        # The file first: it is gone even where the keyring is locked and the next line raises.
        self._change_file(name, None)
        self._ask_keyring(drop)

    # -- the keyring --------------------------------------------------------------------------

    def _put_back(self, backend: Backend, name: str, before: str | None) -> None:
        if before is None:
            backend.delete_password(self.service, name)
        else:
            backend.set_password(self.service, name, before)
        log.info("a keyring answered after its caller had given up; nothing was kept", secret=name)

    def _ask_keyring(self, call: Callable[[Backend], T], patience: _Patience | None = None) -> T | None:
        """What `call` returns, or None where there is no keyring. When the time is up `patience` ends, unless
        the change was made in the same moment."""
        answer: Future[T] = Future()
        # A keyring that asks may block for ever; a daemon thread does not keep the program from ending.
        threading.Thread(target=self._run, args=(call, answer), name="keyring call", daemon=True).start()
        try:
            return answer.result(self._timeout_s)
        except WaitedTooLong as error:
            if patience is None or patience.end():
                raise _locked() from error
            return answer.result()
        except Exception as error:
            if _is(error, "NoKeyringError"):
                log.info("no keyring on this computer", service=self.service)
                return None
            raise _translated(error) from error

    def _run(self, call: Callable[[Backend], T], answer: Future[T]) -> None:
        try:
            answer.set_result(call(self._load_backend()))
        except BaseException as error:  # the edge of the thread: carried to the caller as a value
            answer.set_exception(error)

    # -- the file -----------------------------------------------------------------------------

    def _read_file(self) -> dict[str, str]:
        try:
            content = json.loads(read_own(self._file))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._damaged() from error
        if not isinstance(content, dict):
            raise self._damaged()
        return {str(name): str(value) for name, value in content.items()}

    def _change_file(self, name: str, value: str | None) -> None:
        # Most profiles have a keyring and no such file, and need neither folder nor lock for it.
        if value is None and not self._file.exists():
            return
        try:
            ensure(self._file.parent)
            with self._alone():
                self._rewrite_file(name, value)
        except OSError as error:  # full, read-only, or another process holds it
            why = error.strerror or str(error)
            raise UserFacing(SystemReason.SECRETS_UNWRITTEN.of(file=self._file, error=why)) from error

    def _alone(self) -> FileLock:
        """`steward mcp add --secret` and a running Steward may write at the same moment."""
        from filelock import FileLock  # with the first secret that goes to the file

        return FileLock(f"{self._file}.lock", timeout=LOCK_TIMEOUT_S, mode=PRIVATE_FILE)

    def _rewrite_file(self, name: str, value: str | None) -> None:
        before = self._read_file()
        after = {key: kept for key, kept in before.items() if key != name}
        if value is not None:
            after[name] = value
        if after == before:
            return
        if after:
            write_atomically(self._file, json.dumps(after).encode())  # made with mode 0600
        else:
            self._file.unlink()

    def _damaged(self) -> UserFacing:
        return UserFacing(SystemReason.SECRETS_DAMAGED.of(file=self._file))


def _system_backend() -> Backend:
    import keyring  # here, because most starts never need it

    found = keyring.get_keyring()
    services = getattr(found, "backends", [found])
    if any(type(each).__module__ == "keyring.backends.SecretService" for each in services):
        return _Existing(found)
    return found


class _Existing:
    """A keyring in which reading makes nothing: the library would have the user choose a password first."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def get_password(self, service: str, username: str) -> str | None:
        return self._backend.get_password(service, username) if _has_collection() else None

    def set_password(self, service: str, username: str, password: str) -> None:
        self._backend.set_password(service, username, password)

    def delete_password(self, service: str, username: str) -> None:
        self._backend.delete_password(service, username)


def _has_collection() -> bool:
    """Whether the desktop's secret service has a place for secrets already."""
    from jeepney import DBusAddress, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    place = DBusAddress(
        "/org/freedesktop/secrets", "org.freedesktop.secrets", "org.freedesktop.Secret.Service"
    )
    with open_dbus_connection("SESSION") as connection:
        asked = new_method_call(place, "ReadAlias", "s", ("default",))
        (alias,) = connection.send_and_get_reply(asked, timeout=ALIAS_S).body
    # The path "/" is the service's word for none.
    return str(alias) != "/"


def _is(error: BaseException, name: str) -> bool:
    """Whether `error` is keyring's exception `name`; asked by name, so that nothing is imported for it."""
    return any(kind.__module__ == "keyring.errors" and kind.__name__ == name for kind in type(error).__mro__)


def _translated(error: Exception) -> Exception:
    if _is(error, "KeyringLocked"):
        return _locked()
    # Where there is none yet the first secret makes one, and its user may not want to choose a password.
    if type(error.__context__).__name__ == "PromptDismissedException":
        return UserFacing(SystemReason.KEYRING_NOT_MADE.of())
    if _is(error, "KeyringError"):
        return UserFacing(SystemReason.KEYRING_REFUSED.of(error=str(error).rstrip(".")))
    return error


def _locked() -> UserFacing:
    return UserFacing(SystemReason.KEYRING_LOCKED.of())
