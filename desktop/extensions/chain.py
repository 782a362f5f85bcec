"""Text through the extensions that are on, one after another; those that fail are as if they were off.

A call that raises, takes too long, gives back too much or no text is skipped and counted; five in a row
switch the extension off, with a sentence. Nothing here raises for what an extension does.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog

from desktop.extensions.manifest import TOOL, Hook, ToolDeclaration, is_plain
from desktop.extensions.process import (
    TEXT_BYTES,
    CallFailed,
    ChildKeeper,
    ChildSpec,
    Process,
    can_confine,
)
from desktop.extensions.reasons import ExtensionReason
from desktop.extensions.registry import Extension, Registry
from desktop.extensions.requests import HostRequests, HostServices
from desktop.extensions.state import StateStore
from desktop.reasons import Reason

log = structlog.get_logger(__name__)

CALL_S, CHAIN_S = 5.0, 10.0
QUICK_CALL_S, QUICK_CHAIN_S = 0.3, 0.6  # Quick-ask answers before one has looked up
FAILURES = 5  # one after another, and it is switched off


@dataclass(frozen=True)
class About:
    """What a call is about. `is_quick`: somebody waits in Quick-ask."""

    conversation_id: int = 0
    tools: tuple[str, ...] = ()
    is_quick: bool = False


@dataclass(frozen=True)
class Chained:
    """What came of a text, and the ids of those that changed it, in order."""

    text: str
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExtensionFigures:
    """Of one extension since the start. `failures` are those in a row."""

    calls: int = 0
    total_s: float = 0.0
    slowest_s: float = 0.0
    failures: int = 0
    latest_failure: Reason | None = None


class Chain:
    """Runs the callbacks of those that are on. Thread-safe; `close` ends their processes."""

    def __init__(
        self,
        registry: Registry,
        store: StateStore,
        means: HostServices,
        call_s: Callable[[], float] = lambda: CALL_S,
        keeper: ChildKeeper | None = None,
    ) -> None:
        """`call_s` is how long one call may take, as the settings say."""
        self.registry = registry
        self.store = store
        self._means = means
        self._call_s = call_s
        self._keeper = keeper or ChildKeeper()
        self._lock = threading.Lock()
        self._processes: dict[str, tuple[object, Process]] = {}
        self._figures: dict[str, ExtensionFigures] = {}
        self._is_closed = False

    # -- what a conversation asks -------------------------------------------------------------

    def has(self, *hooks: Hook) -> bool:
        """Whether anybody listens to any of these."""
        return any(each.manifest.hooks & set(hooks) for each in self.registry.enabled())

    def run(self, hook: Hook, text: str, about: About) -> Chained:
        """`text` as the extensions with this callback make it, each working on what the one before made."""
        until = time.monotonic() + (QUICK_CHAIN_S if about.is_quick else CHAIN_S)
        made = Chained(text)
        for extension in self.registry.enabled():
            # A call gets what is left of the chain's time, so ten that hang cost no more than two.
            if hook in extension.manifest.hooks and time.monotonic() < until:
                said = self._text(extension, hook, {"text": made.text}, about, until)
                if said is not None and said != made.text:
                    made = Chained(said, (*made.by, extension.id))
        return made

    def draw(self, tag: str, content: str, about: About) -> Chained | None:
        """The Markdown that stands for a tag; None where nobody draws it. The first that has it, has it."""
        until = time.monotonic() + CHAIN_S
        for extension in self.registry.enabled():
            if tag in extension.manifest.tags:
                said = self._text(extension, Hook.TAG, {"name": tag, "content": content}, about, until)
                return Chained(said, (extension.id,)) if said is not None else None
        return None

    def tell(self, kind: str, facts: Mapping[str, Any], about: About) -> None:
        """Something has happened; whatever is answered is thrown away."""
        until = time.monotonic() + CHAIN_S
        for extension in self.registry.enabled():
            if Hook.EVENT in extension.manifest.hooks:
                arguments = {"kind": kind, "facts": dict(facts)}
                self._call(extension, Hook.EVENT, arguments, about, until)

    def tags(self) -> frozenset[str]:
        """All that somebody draws."""
        return frozenset(tag for each in self.registry.enabled() for tag in each.manifest.tags)

    def prompts(self) -> tuple[str, ...]:
        """What the manifests add to the system prompt, in the order of the chain: never anything else."""
        return tuple(each.manifest.prompt for each in self.registry.enabled() if each.manifest.prompt)

    def tools(self) -> tuple[tuple[Extension, ToolDeclaration], ...]:
        """Those of all that are on."""
        return tuple((each, tool) for each in self.registry.enabled() for tool in each.manifest.tools)

    def call_tool(self, extension: Extension, name: str, arguments: Mapping[str, Any], about: About) -> str:
        """What a tool says. Raises CallFailed, which is counted already."""
        said = self._call(extension, f"{TOOL}{name}", arguments, about, time.monotonic() + CHAIN_S)
        if isinstance(said, CallFailed):
            raise said
        text = _text_of(said)
        if text is None:
            failed = CallFailed(_why_no_text(said))
            self._failed(extension, failed)
            raise failed
        return text

    # -- what a person sees -------------------------------------------------------------------

    def figures(self, extension_id: str) -> ExtensionFigures:
        return self._figures.get(extension_id, ExtensionFigures())

    def remove(self, extension_id: str) -> None:
        """The process, the files, what it kept and its log. Raises UserFacing."""
        # In this order: from the first line on nothing of it is called or noted any more.
        self.registry.remove(extension_id)
        self.end(extension_id)
        self.store.forget(extension_id)

    def end(self, extension_id: str) -> None:
        """Its process; the next call starts another one."""
        with self._lock:
            _key, process = self._processes.pop(extension_id, (None, None))
            self._figures.pop(extension_id, None)
        if process is not None:
            process.end()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            processes, self._processes = [each for _key, each in self._processes.values()], {}
        for process in processes:
            process.end()
        self._keeper.close()

    # -- inside -------------------------------------------------------------------------------

    def _text(
        self, extension: Extension, hook: Hook, arguments: Mapping[str, Any], about: About, until: float
    ) -> str | None:
        """None: nothing came of it, or nothing is to be changed."""
        said = self._call(extension, hook, arguments, about, until)
        if said is None or isinstance(said, CallFailed):
            return None
        text = _text_of(said)
        if text is None:
            self._failed(extension, CallFailed(_why_no_text(said)))
        return text

    def _call(
        self, extension: Extension, function: str, arguments: Mapping[str, Any], about: About, until: float
    ) -> Any:
        """Whatever was given back, or the CallFailed that it came to."""
        # While the program ends, calls fail for no fault of the extension.
        if self._is_closed:
            return CallFailed(ExtensionReason.ENDED.of(), counts=False)
        limit_s = min(QUICK_CALL_S if about.is_quick else self._call_s(), until - time.monotonic())
        begun = time.monotonic()
        try:
            process = self._process(extension)
            said = process.call(function, arguments, self._facts(extension, about), max(limit_s, 0.01))
        except CallFailed as failed:
            self._failed(extension, failed)
            return failed
        self._went_well(extension, time.monotonic() - begun)
        return said

    def _facts(self, extension: Extension, about: About) -> dict[str, Any]:
        # With a key of its own: two extensions cannot find out that they speak of the same conversation.
        hidden = hashlib.sha256(f"{extension.key} {about.conversation_id}".encode()).hexdigest()
        return {
            "tenant": self._means.tenant(),
            "session": hidden[:16],
            "tools": list(about.tools),
            "settings": dict(extension.settings),
        }

    def _process(self, extension: Extension) -> Process:
        # After an update the process with the old code is not asked again.
        key = (extension.folder, extension.revision)
        with self._lock:
            known = self._processes.get(extension.id)
            if known is not None and known[0] == key:
                return known[1]
            spec = ChildSpec(extension.id, extension.folder, extension.manifest.entry, can_confine())
            requests = HostRequests(extension.manifest, self.store, self._means)

            made = Process(spec, self._keeper, requests, partial(self._note, extension.id, "said"))
            self._processes[extension.id] = (key, made)
        # Outside the lock: it waits for the call that may be under way.
        if known is not None:
            known[1].end()
        return made

    def _note(self, extension_id: str, kind: str, text: str) -> None:
        # One that is being removed leaves nothing, whatever it still says.
        if not self._is_closed and self.registry.has(extension_id):
            self.store.note(extension_id, kind, text)

    def _went_well(self, extension: Extension, seconds: float) -> None:
        with self._lock:
            old = self._figures.get(extension.id, ExtensionFigures())
            self._figures[extension.id] = replace(
                old,
                calls=old.calls + 1,
                total_s=old.total_s + seconds,
                slowest_s=max(old.slowest_s, seconds),
                failures=0,
            )

    def _failed(self, extension: Extension, failed: CallFailed) -> None:
        log.warning("an extension failed", extension=extension.id, reason=str(failed))
        self._note(extension.id, "failed", str(failed))
        if not failed.counts or self._is_closed:
            return
        with self._lock:
            old = self._figures.get(extension.id, ExtensionFigures())
            made = replace(old, failures=old.failures + 1, latest_failure=failed.reason)
            self._figures[extension.id] = made
        # In a row: one that stumbles over every tenth text is still worth having.
        if made.failures >= FAILURES:
            why = ExtensionReason.FAILED_OFTEN.of(count=FAILURES, why=failed.reason)
            self.registry.switch_off(extension.id, why)
            self.end(extension.id)


def _text_of(said: object) -> str | None:
    """A text that may be shown; None for anything else."""
    if not isinstance(said, str) or not is_plain(said) or len(said.encode()) > TEXT_BYTES:
        return None
    return said


def _why_no_text(said: object) -> Reason:
    if isinstance(said, str) and is_plain(said):
        return ExtensionReason.RESULT_TOO_LONG.of(size=TEXT_BYTES)
    return ExtensionReason.NOT_TEXT.of()
