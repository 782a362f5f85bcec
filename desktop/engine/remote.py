"""Model servers that are not this program: any that speaks OpenAI's chat/completions.

    stream = engines.submit("big", RemoteRequest(messages))

It is a second way to an answer and no back end of the first: no labels, no grammar, no answer that goes on
where it was cut, because no such server offers them alike. `RemoteServer.origin` is made from the very
address that the request goes to, so whatever shows it shows where the words go. Nothing here falls back to
the model of this computer, and nothing follows a redirect: the words were meant for one host.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

import structlog

from desktop.engine.reasons import EngineReason
from desktop.engine.remote_wire import (
    EVENTS,
    JSON,
    LINE_BYTES,
    SAID_CHARACTERS,
    AnswerStreamReader,
    StreamedCall,
    UnreadableAnswer,
    is_about_answer_length,
    is_about_room,
    is_about_tools,
    parsed,
    said_in,
)
from desktop.engine.requests import End, FinishReason, Metrics, Sampling, Stream
from desktop.errors import UserFacing
from desktop.network import AbortHandle, Network, NetworkFailure, Response, because
from desktop.network.addresses import is_public
from desktop.network.failures import KEPT
from desktop.network.reasons import NetworkReason
from desktop.reasons import Reason
from desktop.settings import ModelServer, SettingsFile

log = structlog.get_logger(__name__)

SILENT_S = 300.0  # a server without a graphics card reads a long prompt for minutes before it says a word
LIST_S = 20.0
MOST_MODELS, MODEL_CHARACTERS = 500, 200
# Models of a server that answer nobody: they turn texts into numbers.
EMBEDS = re.compile(r"\bembed(?:ding|dings)?\b", re.IGNORECASE)
KEY = "model-server:{name}"
LONGEST_KEY = 4096


@dataclass(frozen=True)
class RemoteServer:
    """One that is set up. `origin` is scheme, host and port: the words go there and nowhere else."""

    name: str
    url: str
    model: str
    tools: bool
    unencrypted: bool
    has_key: bool

    @classmethod
    def of(cls, name: str, settings: ModelServer) -> RemoteServer:
        return cls(
            name,
            settings.url.rstrip("/"),
            settings.model,
            settings.tools,
            settings.unencrypted,
            settings.has_key,
        )

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def shown(self) -> str:
        """The host as people are shown it, with the port where it is not the usual one."""
        return urlsplit(self.url).netloc

    @property
    def is_here(self) -> bool:
        """Whether it is another program on this computer; what that does with the words nobody knows."""
        return is_loopback(self.host)

    @property
    def is_encrypted(self) -> bool:
        return urlsplit(self.url).scheme == "https"

    @property
    def secret(self) -> str:
        """The name of its key in the keyring."""
        return KEY.format(name=self.name)


@dataclass(frozen=True)
class RemoteRequest:
    """What is sent: messages and tools in the protocol's own form."""

    messages: tuple[Mapping[str, Any], ...]
    sampling: Sampling = field(default_factory=Sampling)
    tools: tuple[Mapping[str, Any], ...] = ()


class RemoteStream(Stream):
    """A stream like that of the local engine. `calls` are there when iteration has ended."""

    def __init__(self, on_cancel: Callable[[], None], host: str, silent_s: float) -> None:
        super().__init__(self._give_up)
        self._cut = on_cancel
        self._host = host
        self._silent_s = silent_s
        self.calls: tuple[StreamedCall, ...] = ()

    def _next_item(self, deadline: float | None) -> str | End:
        silent = time.monotonic() + self._silent_s
        if deadline is not None and deadline < silent:
            return super()._next_item(deadline)
        try:
            return super()._next_item(silent)
        except TimeoutError as error:
            raise UserFacing(EngineReason.REMOTE_SILENT.of(host=self._host)) from error

    def _give_up(self) -> None:
        # Whoever reads is let go at once: to end the connection may take as long as to open it.
        self.end(FinishReason.CANCELLED, Metrics(outcome=FinishReason.CANCELLED.value))
        self._cut()


class RemoteEngines:
    """All that are set up. Any thread; `submit` returns at once, `models` blocks."""

    def __init__(
        self,
        settings: Callable[[], Mapping[str, ModelServer]],
        network: Network,
        secret: Callable[[str], str | None],
        silent_s: float = SILENT_S,
        list_s: float = LIST_S,
    ) -> None:
        """`secret` reads the keyring, and blocks."""
        self._settings = settings
        self._network = network
        self._secret = secret
        self._silent_s = silent_s
        self._list_s = list_s

    def all(self) -> tuple[RemoteServer, ...]:
        return tuple(RemoteServer.of(name, each) for name, each in self._settings().items())

    def get(self, name: str) -> RemoteServer:
        """Raises UserFacing where none of that name is set up (any more)."""
        found = self._settings().get(name)
        if found is None:
            raise UserFacing(EngineReason.REMOTE_UNKNOWN.of(name=name))
        return RemoteServer.of(name, found)

    def refuse_offline(self) -> None:
        """Raises NetworkFailure while nothing may leave: nobody is asked about what cannot be sent."""
        self._network.refuse_offline()

    def models(self, name: str) -> tuple[str, ...]:
        """What it says that it has; sends no words of anybody. Raises UserFacing."""
        return self.models_of(self.get(name))

    def models_of(self, server: RemoteServer) -> tuple[str, ...]:
        """The models of a server that need not be set up."""
        with because(EngineReason.FOR_SERVER_TEST.of(host=server.shown)):
            self._refuse_unfit(server)
            headers = self._headers(server)
            with _without_key(headers):
                body = self._list_of(server, headers)
                # LM Studio answers 200 to whatever it does not know, and says so in the body.
                if "data" not in body and said_in(body):
                    raise UserFacing(
                        EngineReason.REMOTE_NOT_FOUND.of(host=server.shown, model="?", said=said_in(body))
                    )
        listed = body.get("data")
        names = [each.get("id") for each in listed if isinstance(each, dict)] if listed else []
        able = (each for each in names if isinstance(each, str) and not EMBEDS.search(each))
        # Sent again as it stands when it is chosen: what had to be tidied would be another name.
        fit = (each for each in able if each and len(each) <= MODEL_CHARACTERS and each.isprintable())
        return tuple(islice(fit, MOST_MODELS))

    def _list_of(self, server: RemoteServer, headers: Mapping[str, str]) -> dict[str, Any]:
        """Within `list_s` altogether: a byte now and then would keep whoever waits for ever."""
        handle, is_late = AbortHandle(), threading.Event()

        def end() -> None:
            is_late.set()
            handle.abort()

        deadline = threading.Timer(self._list_s, end)
        deadline.daemon = True
        deadline.start()
        try:
            with self._network.asked(
                "GET",
                f"{server.url}/models",
                b"",
                headers,
                self._list_s,
                abort=handle,
                direct=_is_direct(server),
            ) as response:
                return self._body_of(server, response)
        except UserFacing as error:
            # What was cut may look like anything: a lost connection, or half of a list.
            failure = _stalled(server) if is_late.is_set() else error
            if isinstance(failure, NetworkFailure):
                failure = failure.with_nothing_begun()
            raise failure from error
        finally:
            deadline.cancel()

    def submit(self, server: RemoteServer, request: RemoteRequest) -> RemoteStream:
        """Send it. The stream also carries what went wrong, as UserFacing."""
        handle = AbortHandle()
        stream = RemoteStream(handle.abort, server.shown, self._silent_s)
        # A thread of its own, so that Stop reaches whoever waits for a server that does not answer.
        work = threading.Thread(
            target=self._run, args=(server, request, stream, handle), name="model server", daemon=True
        )
        work.start()
        return stream

    # -- one answer ---------------------------------------------------------------------------

    def _run(
        self, server: RemoteServer, request: RemoteRequest, stream: RemoteStream, handle: AbortHandle
    ) -> None:
        clock, reader = _Clock(), AnswerStreamReader()
        try:
            with because(EngineReason.FOR_CHAT.of(host=server.shown)):
                self._answer(server, request, (stream, reader, clock), handle)
        except UnreadableAnswer as error:
            stream.fail(UserFacing(error.reason(server.shown)), clock.metrics(reader))
        except NetworkFailure as error:
            failed = error.keeping(KEPT) if clock.first_s else error.with_nothing_begun()
            stream.fail(failed, clock.metrics(reader))
        except UserFacing as error:
            stream.fail(error, clock.metrics(reader))
        except Exception as error:  # the outermost edge of the thread: the asker's to hear
            log.exception("a model server's answer could not be read", host=server.host)
            stream.fail(error, clock.metrics(reader))

    def _answer(
        self,
        server: RemoteServer,
        request: RemoteRequest,
        into: tuple[RemoteStream, AnswerStreamReader, _Clock],
        handle: AbortHandle,
    ) -> None:
        stream, reader, clock = into
        self._network.refuse_offline()
        self._refuse_unfit(server)
        headers = self._headers(server)
        with (
            _without_key(headers),
            self._network.asked(
                "POST",
                f"{server.url}/chat/completions",
                _body(server, request),
                headers,
                self._silent_s,
                abort=handle,
                direct=_is_direct(server),
            ) as response,
        ):
            if response.status != 200:
                self._body_of(server, response)
            # Not asked for, and packed bytes are not read: unpacked they could be of any size.
            if str(response.headers.get("content-encoding", "")).strip().lower() not in ("", "identity"):
                raise UnreadableAnswer(EngineReason.REMOTE_NONSENSE)
            content_type = str(response.headers.get("content-type", ""))
            for piece in reader.pieces(content_type, response.chunks()):
                clock.spoke()
                stream.put(piece)
        # LM Studio says nothing at all where a chat is too long: told, it is no answer.
        if not clock.first_s and not reader.calls:
            raise UserFacing(EngineReason.REMOTE_EMPTY.of(host=server.shown))
        stream.calls = reader.calls
        assert reader.finish is not None
        stream.end(reader.finish, clock.metrics(reader))

    def _headers(self, server: RemoteServer) -> dict[str, str]:
        headers = {
            "Content-Type": JSON,
            "Accept": f"{EVENTS}, {JSON}",
            "Accept-Encoding": "identity",  # unpacked it could be of any size
        }
        if server.has_key:
            key = self._secret(server.secret)
            if not key:
                raise UserFacing(EngineReason.REMOTE_KEY_MISSING.of(name=server.name))
            # Other programs write the keyring, too: a line break would begin another header.
            if not is_key(key):
                raise UserFacing(EngineReason.REMOTE_KEY_UNFIT.of())
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def _refuse_unfit(self, server: RemoteServer) -> None:
        """What was true when it was added need not be so now: a name may lead to another address."""
        refuse_address(server.url, server.unencrypted)

    def _body_of(self, server: RemoteServer, response: Response) -> dict[str, Any]:
        """The object that it answered with. Raises UserFacing for every status but 200."""
        location = str(response.headers.get("location", ""))
        if 300 <= response.status < 400:
            raise UserFacing(
                EngineReason.REMOTE_REDIRECT.of(host=server.shown, other=_other(server, location))
            )
        body = bytearray()
        for chunk in response.chunks():
            body += chunk
            if len(body) > LINE_BYTES:
                raise UserFacing(EngineReason.REMOTE_FLOOD.of(host=server.shown))
        try:
            found = parsed(bytes(body))
        except UnreadableAnswer as error:
            if response.status == 200:
                raise UserFacing(EngineReason.REMOTE_NO_SERVER.of(host=server.shown)) from error
            found = {}
        if response.status != 200:
            raise UserFacing(_refusal(server, response, said_in(found)))
        return found


class _Clock:
    """When an answer began and spoke."""

    def __init__(self) -> None:
        self.begun_s = time.monotonic()
        self.first_s = 0.0

    def spoke(self) -> None:
        self.first_s = self.first_s or time.monotonic()

    def metrics(self, reader: AnswerStreamReader) -> Metrics:
        now = time.monotonic()
        return Metrics(
            first_token_s=self.first_s - self.begun_s if self.first_s else 0.0,
            decode_s=now - self.first_s if self.first_s else 0.0,
            prompt_tokens=reader.prompt_tokens,
            answer_tokens=reader.answer_tokens,
            outcome=(reader.finish or "failed"),
        )


# -- the key ----------------------------------------------------------------------------------


def is_key(text: str) -> bool:
    """Whether it can stand in a header as it is."""
    return text.isascii() and text.isprintable() and " " not in text and len(text) <= LONGEST_KEY


@contextmanager
def _without_key(headers: Mapping[str, str]) -> Iterator[None]:
    """Whatever goes wrong is told without the key, wherever in the answer a server has repeated it: in the
    error of a status, in the middle of a stream, in a list, in the address that it sends us to."""
    key = headers.get("Authorization", "").removeprefix("Bearer ")
    try:
        yield
    except UnreadableAnswer as error:
        raise UnreadableAnswer(error.code, _hidden(error.said, key)) from error
    except NetworkFailure as error:
        raise NetworkFailure(_keyless(error.reason, key), error.status) from error
    except UserFacing as error:
        raise UserFacing(_keyless(error.reason, key)) from error


def _keyless(reason: Reason, key: str) -> Reason:
    values = tuple(
        (name, _hidden(value, key) if isinstance(value, str) else value) for name, value in reason.values
    )
    return replace(reason, values=values)


def _hidden(text: str, key: str) -> str:
    """`text` with a mark in the place of the key, and of its beginning where the text was cut within it."""
    if not key:
        return text
    text = text.replace(key, "…")
    cut = next((size for size in range(len(key) - 1, 3, -1) if text.endswith(key[:size])), 0)
    return f"{text[:-cut]}…" if cut else text


def _stalled(server: RemoteServer) -> NetworkFailure:
    """A list that did not come whole in its time."""
    return NetworkFailure(
        NetworkReason.STALLED.of(host=server.host, kept=KEPT, again=NetworkReason.TRY_AGAIN.of())
    )


def _body(server: RemoteServer, request: RemoteRequest) -> bytes:
    sampling = request.sampling
    asked: dict[str, Any] = {
        "model": server.model,
        "messages": list(request.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
    }
    if request.tools and server.tools:
        asked["tools"] = list(request.tools)
    return json.dumps(asked, ensure_ascii=False).encode("utf-8", errors="replace")


def _other(server: RemoteServer, location: str) -> str:
    """Where a redirect leads, on one short line: a host, or another path of this one."""
    parts = urlsplit(urljoin(f"{server.url}/chat/completions", location))
    if parts.scheme not in ("http", "https"):
        return "?"
    is_elsewhere = parts.netloc != urlsplit(server.url).netloc
    return (parts.netloc if is_elsewhere else parts.netloc + parts.path)[:SAID_CHARACTERS] or "?"


def _refusal(server: RemoteServer, response: Response, said: str) -> Reason:
    host, status = server.shown, response.status
    detail = said or str(status)
    if status in (401, 403):
        return EngineReason.REMOTE_KEY_REFUSED.of(host=host, name=server.name, said=detail)
    if status == 429:
        return EngineReason.REMOTE_BUSY.of(host=host, said=detail)
    if status >= 500:
        return EngineReason.REMOTE_GAVE_UP.of(host=host, said=detail)
    if is_about_answer_length(said):
        return EngineReason.REMOTE_NO_ROOM_FOR_ANSWER.of(host=host, said=detail)
    if status == 413 or is_about_room(said):
        return EngineReason.REMOTE_NO_ROOM.of(host=host, said=detail)
    if is_about_tools(said):
        return EngineReason.REMOTE_NO_TOOLS.of(host=host, name=server.name, said=detail)
    if status == 404:
        return EngineReason.REMOTE_NOT_FOUND.of(host=host, model=server.model or "?", said=detail)
    return EngineReason.REMOTE_REFUSED.of(host=host, said=detail)


# -- addresses --------------------------------------------------------------------------------


def is_loopback(host: str) -> bool:
    """Whether a host is this computer by its very address; a name that leads here is not taken for it."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def base_address(url: str) -> str:
    """The address below which the protocol's paths lie, as people type it: with or without `/v1`."""
    bare = url.strip().rstrip("/").removesuffix("/chat/completions")
    return bare if urlsplit(bare).path.strip("/") else f"{bare}/v1"


def refuse_address(url: str, unencrypted: bool) -> None:
    """Raise UserFacing for an address to which no words go: with a password in it, or without encryption to
    anything but this computer and, where that was asked for, the own network."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        raise UserFacing(EngineReason.REMOTE_ADDRESS_UNFIT.of(url=url)) from error
    odd = "@" in parts.netloc or parts.query or parts.fragment or not url.isascii() or not url.isprintable()
    if parts.scheme not in ("http", "https") or not host or odd:
        raise UserFacing(EngineReason.REMOTE_ADDRESS_UNFIT.of(url=url))
    if parts.scheme == "https" or is_loopback(host):
        return
    if not unencrypted:
        raise UserFacing(EngineReason.REMOTE_NEEDS_HTTPS.of(host=host))
    if any(map(is_public, _addresses(host))):
        raise UserFacing(EngineReason.REMOTE_TOO_FAR.of(host=host))


def _addresses(host: str) -> list[str]:
    """Empty where the name leads nowhere: the request that follows says so."""
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except OSError:
        return []


def _is_direct(server: RemoteServer) -> bool:
    """Whether no proxy may lie between: it would read what is not encrypted, and a program on this computer
    cannot be reached through another one anyway."""
    return server.is_here or not server.is_encrypted


# -- adding and taking away servers ------------------------------------------------------------

# Adding and taking away model servers: the settings and the key in the keyring change together.

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
