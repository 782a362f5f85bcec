"""What an extension may ask for in the middle of a call: its own state, and pages of hosts that it declared.

Each request is held against the accepted manifest, here and not in the child. A page is fetched by
`Network`, so that it stands on the page Network, is refused in offline mode, and never comes from this
computer's own net.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from desktop.cancellation import Token, held
from desktop.errors import Cancelled, UserFacing
from desktop.extensions.manifest import Manifest
from desktop.extensions.process import TEXT_BYTES, RequestRefused
from desktop.extensions.reasons import ExtensionReason
from desktop.extensions.state import StateFull, StateStore
from desktop.network import Network, NetworkReason, because
from desktop.network.pages import PageLimits, WebPage


class SharedState(Protocol):
    """State of a team, on its server. Values are JSON; raises OSError where the server does not answer."""

    def get(self, extension: str, key: str) -> str | None: ...

    def put(self, extension: str, key: str, value: str) -> None: ...

    def delete(self, extension: str, key: str) -> None: ...

    def keys(self, extension: str) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class HostServices:
    """What requests are fulfilled with. `tenant` names the user's team, or is ""; `shared` is its state."""

    network: Callable[[], Network]
    tenant: Callable[[], str] = lambda: ""
    shared: Callable[[], SharedState | None] = lambda: None


class HostRequests:
    """Those of one extension, as its manifest allows."""

    def __init__(self, manifest: Manifest, store: StateStore, means: HostServices) -> None:
        self._manifest = manifest
        self._store = store
        self._means = means

    def answer(self, request: Mapping[str, Any], until: float) -> Any:
        """See `process.Requests`."""
        # Held against the manifest that was accepted: what the child says of itself counts for nothing.
        kind, _, verb = str(request.get("ask")).partition(".")
        if kind == "state":
            if not self._manifest.permissions.state:
                raise RequestRefused(ExtensionReason.STATE_NOT_DECLARED.of())
            return self._state(self._store, verb, request)
        if kind == "shared":
            return self._shared(verb, request)
        if kind == "fetch" and not verb:
            return self._fetched(_word(request, "url"), until)
        raise RequestRefused(ExtensionReason.UNKNOWN_REQUEST.of())

    def _state(self, state: SharedState, verb: str, request: Mapping[str, Any]) -> Any:
        own = self._manifest.id
        if verb == "keys":
            return list(state.keys(own))
        key = _word(request, "key")
        if verb == "get":
            return state.get(own, key)
        if verb == "delete":
            state.delete(own, key)
            return None
        if verb != "put":
            raise RequestRefused(ExtensionReason.UNKNOWN_REQUEST.of())
        value = _word(request, "value")
        try:
            # Read here once, so that no later reader of the table meets what is none, or nested too deep.
            json.loads(value)
            value.encode()
            key.encode()
            state.put(own, key, value)
        except (StateFull, ValueError, RecursionError) as error:
            raise RequestRefused(ExtensionReason.STATE_TOO_LARGE.of()) from error
        return None

    def _shared(self, verb: str, request: Mapping[str, Any]) -> Any:
        if not self._manifest.permissions.shared:
            raise RequestRefused(ExtensionReason.STATE_NOT_DECLARED.of())
        try:
            state = self._means.shared()
        except UserFacing:  # the package for it is missing
            state = None
        if state is None:
            raise RequestRefused(ExtensionReason.NO_TEAM.of())
        try:
            return self._state(state, verb, request)
        except OSError as error:
            raise RequestRefused(ExtensionReason.NO_TEAM.of()) from error

    def _fetched(self, url: str, until: float) -> str:
        hosts = self._manifest.permissions.hosts
        # Only to refuse early: `pages.fetch` looks at the parsed address again, at each redirect.
        try:
            host = (urlsplit(url).hostname or "").casefold()
        except ValueError:
            host = ""
        if host not in hosts:
            raise RequestRefused(ExtensionReason.HOST_NOT_DECLARED.of(host=_shown(host or url)))
        self._store.note(self._manifest.id, "asked", _shown(url))
        # The query too, which the page Network leaves out: an author looks for it here.
        page = _within(until, lambda limits: self._page(url, limits))
        try:
            text = page.body.decode(page.charset or "utf-8", errors="replace")
        except LookupError:  # a name of an encoding that nobody knows
            text = page.body.decode("utf-8", errors="replace")
        return text[:TEXT_BYTES]

    def _page(self, url: str, limits: PageLimits) -> WebPage:
        hosts = frozenset(self._manifest.permissions.hosts)
        with because(NetworkReason.FOR_EXTENSION.of(name=self._manifest.id)):
            return self._means.network().page(url, limits, hosts)


def _within(until: float, fetch: Callable[[PageLimits], WebPage]) -> WebPage:
    """The page, by `until`. Looking a name up has no limit of its own; where that hangs it is left behind."""
    token, result = Token(), _Result()
    left = max(until - time.monotonic() - 0.02, 0.01)

    def work() -> None:
        try:
            with held(token):
                result.page = fetch(PageLimits(size_bytes=TEXT_BYTES, time_s=left))
        except (UserFacing, Cancelled) as error:
            result.why = str(error)
        finally:
            result.done.set()

    threading.Thread(target=work, name="extension fetch", daemon=True).start()
    if not result.done.wait(left):
        # The thread goes on until its next look at the token; what it brings then is thrown away.
        token.end()
    if result.page is None:
        raise RequestRefused(ExtensionReason.NOT_FETCHED.of(why=result.why or "…"))
    return result.page


class _Result:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.page: WebPage | None = None
        self.why = ""


def _word(request: Mapping[str, Any], name: str) -> str:
    said = request.get(name)
    if not isinstance(said, str):
        raise RequestRefused(ExtensionReason.UNKNOWN_REQUEST.of())
    return said


def _shown(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text[:200])
