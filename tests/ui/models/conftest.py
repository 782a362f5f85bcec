"""A small world for the model windows: real library, downloads over loopback HTTP, tiny real GGUF files."""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.engine.events import EngineStatus
from desktop.events import Bus
from desktop.models.catalogue import Catalogue, CatalogueEntry
from desktop.models.download import Downloader
from desktop.models.library import Library
from desktop.models.setup import ComputerMemory, ModelSetup
from desktop.models.sources import HttpsSource
from desktop.network import Network
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.settings import Theme as Mode
from desktop.ui.models.downloads import Downloads
from desktop.ui.models.first_run import FirstRun
from desktop.ui.models.manager import ModelManager
from desktop.ui.theme import Theme

UINT32, STRING = 4, 8


def tiny_gguf(name: str, padding: int = 0, template: str = "") -> bytes:
    """A sound GGUF file with one small tensor; `padding` bytes of weights more."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def number(key: str, value: int) -> bytes:
        return text(key) + struct.pack("<II", UINT32, value)

    def word(key: str, value: str) -> bytes:
        return text(key) + struct.pack("<I", STRING) + text(value)

    sizes = (
        ("block_count", 2),
        ("embedding_length", 64),
        ("context_length", 8192),
        ("attention.head_count", 4),
    )
    keys = [word("general.architecture", "llama"), word("general.name", name)]
    keys += [number(f"llama.{key}", value) for key, value in sizes]
    keys += [word("tokenizer.chat_template", template)] if template else []
    items = 64 + padding // 4
    tensor = text("token_embd.weight") + struct.pack("<IQIQ", 1, items, 0, 0)  # one dimension of float32
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(keys)) + b"".join(keys) + tensor
    return head + bytes(-len(head) % 32) + bytes(4 * items)


class ModelServer:
    """Serves `files` with ranges, counts requests, and can hold a body back or refuse."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.ranges: list[str] = []
        self.status: dict[str, int] = {}  # path -> refusal
        self.token = ""  # what lifts a refusal
        self.hold_after_bytes: int | None = None
        self.break_after_bytes: int | None = None  # once
        self.go_on = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # http.server's name
                server.answer(self)

            def log_message(self, *_args: object) -> None:
                """Tests look at `requests` instead."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = False
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(handler.path)
        self.ranges.append(handler.headers["Range"] or "")
        refused = self.status.get(handler.path)
        if refused and not (self.token and handler.headers["Authorization"] == f"Bearer {self.token}"):
            self._head(handler, refused, 0)
            return
        body = self.files.get(handler.path)
        if body is None:
            self._head(handler, 404, 0)
            return
        start = int((handler.headers["Range"] or "bytes=0-").removeprefix("bytes=").split("-")[0])
        extra = {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"} if start else {}
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        self._head(handler, 206 if start else 200, len(body) - start, extra | {"ETag": etag})
        self._body(handler, body, start)

    def close(self) -> None:
        self.go_on.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _head(
        self, handler: BaseHTTPRequestHandler, status: int, length: int, extra: dict[str, str] | None = None
    ) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(length), "Accept-Ranges": "bytes", **(extra or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()

    def _body(self, handler: BaseHTTPRequestHandler, body: bytes, start: int) -> None:
        stop = len(body) if self.hold_after_bytes is None else max(start, self.hold_after_bytes)
        try:
            if self.break_after_bytes is not None:
                stop, self.break_after_bytes = self.break_after_bytes, None
                handler.wfile.write(body[start:stop])
                handler.close_connection = True
                return
            handler.wfile.write(body[start:stop])
            handler.wfile.flush()
            if stop < len(body):
                self.go_on.wait(20)
                handler.wfile.write(body[stop:])
        except OSError:
            handler.close_connection = True  # the downloader let go of the line: paused or cancelled


@dataclass
class World:
    """Everything a model window is made of, real."""

    paths: Paths
    bus: Bus
    server: ModelServer
    network: Network
    library: Library
    catalogue: Catalogue
    downloader: Downloader
    setup: ModelSetup
    settings: SettingsFile
    relay: Relay
    background: Background
    theme: Theme
    downloads: Downloads
    folder: Path
    tokens: list[str] = field(default_factory=list)
    status: EngineStatus = field(default_factory=EngineStatus)

    def first_run(self) -> FirstRun:
        return FirstRun(self.setup, self.settings, self.background, self.downloads)

    def manager(self) -> ModelManager:
        return ModelManager(
            self.setup,
            self.settings,
            self.relay,
            self.background,
            self.downloads,
            lambda: self.status,
        )

    def own_file(self, name: str = "mine.gguf", title: str = "My model") -> Path:
        """A model file that lies in a folder of the user's."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tiny_gguf(title))
        return path


def entry(
    server: ModelServer, number: int, title: str, size: int, *, tried: bool, right: bool = True
) -> CatalogueEntry:
    """A catalogue entry whose file the server has; `right` False: with one wrong byte."""
    name = f"model-{number}.gguf"
    body = tiny_gguf(title, size)
    server.files[f"/{name}"] = body if right else body[:-1] + b"x"
    return CatalogueEntry(
        id=f"model-{number}",
        name=title,
        family="test",
        licence="Apache-2.0",
        licence_note="" if tried else "Companies need their own agreement with the maker.",
        file_name=name,
        size_bytes=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        context_tokens=8192,
        ram_bytes=500_000_000 * number,
        good_for="Everyday questions, short texts and code",
        tried=tried,
        general=False,
        sources=(HttpsSource(f"{server.address}/{name}"),),
    )


@pytest.fixture
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, Mode.LIGHT)
    yield theme
    theme.set_zoom(100)


@pytest.fixture
def world(
    qtbot: QtBot, paths: Paths, bus: Bus, server: ModelServer, theme: Theme, tmp_path: Path
) -> Iterator[World]:
    settings = SettingsFile(paths.settings, bus)
    network = Network(lambda: settings.current.network)
    catalogue = Catalogue(
        (
            entry(server, 1, "Small tried model", 4096, tried=True),
            entry(server, 2, "Good tried model", 400_000, tried=True),
            entry(server, 3, "Untried model", 8192, tried=False),
            entry(server, 4, "Damaged model", 8192, tried=False, right=False),
        )
    )
    library = Library(paths, bus, catalogue)
    tokens: list[str] = []
    downloader = Downloader(network, library, paths, bus, token=lambda: tokens[-1] if tokens else None)
    memory = ComputerMemory(16_000_000_000, 12_000_000_000)
    setup = ModelSetup(catalogue, library, downloader, paths, lambda: memory)
    relay, background = Relay(bus), Background()
    downloads = Downloads(setup, relay, background, tokens.append)
    yield World(
        paths,
        bus,
        server,
        network,
        library,
        catalogue,
        downloader,
        setup,
        settings,
        relay,
        background,
        theme,
        downloads,
        tmp_path / "my files",
        tokens,
    )
    downloads.stop_all()
    server.go_on.set()
    background.close()
    relay.close()
    network.close()


@pytest.fixture
def shown(qtbot: QtBot) -> Callable[[FirstRun | ModelManager], None]:
    """Shows a window and waits until it is active."""

    def show(window: FirstRun | ModelManager) -> None:
        qtbot.addWidget(window)
        with qtbot.waitActive(window):
            window.show_and_raise()

    return show
