"""Adding and taking away model servers: the settings and the key in the keyring change together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from desktop.engine.reasons import EngineReason
from desktop.engine.remote import KEY, RemoteEngines, RemoteServer, base_address, is_key, refuse_address
from desktop.errors import UserFacing
from desktop.settings import ModelServer, SettingsFile

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
# What is said of a list of models that there is none of: proxies leave it out, and `transformers serve` fails
# at it where nothing was ever downloaded.
_NO_LIST = frozenset(
    {EngineReason.REMOTE_NOT_FOUND, EngineReason.REMOTE_GAVE_UP, EngineReason.REMOTE_REFUSED}
)


@dataclass(frozen=True)
class Keyring:
    """The part of the keyring that is needed. Both block."""

    set: Callable[[str, str], object]
    delete: Callable[[str], object]


class RemoteSetup:
    """Methods block; any thread but the main one."""

    def __init__(self, settings: SettingsFile, engines: RemoteEngines, keyring: Keyring) -> None:
        self._settings = settings
        self._engines = engines
        self._keyring = keyring

    def add(self, name: str, url: str, model: str = "", key: str = "", **fields: Any) -> RemoteServer:
        """Write one down and ask it for its models; of one that does not answer as a model server nothing is
        kept. Without `model` it must have exactly one. Raises UserFacing."""
        if not NAME.fullmatch(name):
            raise UserFacing(EngineReason.REMOTE_NAME_UNFIT.of(name=name))
        if name in self._settings.current.engines.servers:
            raise UserFacing(EngineReason.REMOTE_NAME_TAKEN.of(name=name))
        address = base_address(url)
        refuse_address(address, bool(fields.get("unencrypted")))
        entry = {"url": address, "model": model, **fields, "has_key": bool(key)}
        # Asked before it is written down: a kill would leave one behind that nobody knows to answer.
        server = RemoteServer.of(name, ModelServer.model_construct(**entry))
        if key:
            self._keep_key(name, key)
        try:
            chosen = self._model(server, model)
            self._settings.put("engines", "servers", name, {**entry, "model": chosen})
        except UserFacing as error:
            if key:
                self._keyring.delete(KEY.format(name=name))
            if error.reason.code is EngineReason.REMOTE_KEY_REFUSED:
                # "Enter another key" is no way on where nothing was added.
                values = dict(error.reason.values)
                raise UserFacing(
                    EngineReason.REMOTE_KEY_WANTED.of(host=values["host"], said=values["said"])
                ) from error
            raise
        return self._engines.get(name)

    def set_key(self, name: str, key: str) -> None:
        """Another key, or with "" none. Raises UserFacing."""
        before = self._entry(name)
        if key:
            self._keep_key(name, key)
        else:
            self._keyring.delete(KEY.format(name=name))
        self._settings.put("engines", "servers", name, {**before, "has_key": bool(key)})

    def remove(self, name: str) -> None:
        """Chats that it answered stay, and say that it is gone. Raises UserFacing."""
        # The key first: without its entry a key that a locked keyring kept could not be removed any more. One
        # without a key needs no keyring.
        if self._entry(name)["has_key"]:
            self._keyring.delete(KEY.format(name=name))
        self._settings.drop("engines", "servers", name)

    def _entry(self, name: str) -> dict[str, Any]:
        self._engines.get(name)
        return self._settings.current.engines.servers[name].model_dump()

    def _keep_key(self, name: str, key: str) -> None:
        # A line break in a header would begin another one.
        if not is_key(key):
            raise UserFacing(EngineReason.REMOTE_KEY_UNFIT.of())
        self._keyring.set(KEY.format(name=name), key)

    def _model(self, server: RemoteServer, wanted: str) -> str:
        """Which of its models; the only one where none was named, and the named one where it has no list."""
        try:
            found = self._engines.models_of(server)
        except UserFacing as error:
            if not wanted or error.reason.code not in _NO_LIST:
                raise
            return wanted
        if wanted and (wanted in found or not found):
            return wanted
        if not wanted and len(found) == 1:
            return found[0]
        shown = ", ".join(found[:20]) or "?"
        code = EngineReason.REMOTE_MODEL_UNKNOWN if wanted else EngineReason.REMOTE_MODEL_MISSING
        raise UserFacing(code.of(host=server.shown, model=wanted or "?", found=shown))


def names_of_keys(settings: SettingsFile) -> list[str]:
    """The names in the keyring that removing the program has to clear."""
    return [KEY.format(name=name) for name in settings.current.engines.servers]
