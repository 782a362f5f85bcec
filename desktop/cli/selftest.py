"""`steward selftest`: whether this copy of Steward is whole, found out by using its parts.

Everything happens in a profile of its own that is gone afterwards; the user's things are neither read nor
written, and nothing leaves the computer. The installers' tests and people whose bundle misbehaves run it.
What a part is missing shows when it is used, so each part says in one sentence what it did, or raises.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Annotated
from urllib.parse import urlsplit

import typer

from desktop import __version__
from desktop.cli.terminal import JsonOption, print_json
from desktop.errors import UserFacing
from desktop.paths import Paths, own_words, resources
from desktop.temporary import temporary_folder


class Result(StrEnum):
    WORKS = "works"
    LEFT_OUT = "left out"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    name: str
    result: Result
    says: str
    ms: float


class LeftOut(Exception):
    """This computer or this call lacks what the check needs; the text says what."""


@dataclass(frozen=True)
class Check:
    """A part of the program, and what tries it: returns what it found, raises where it does not work."""

    name: str
    tried: Callable[[], str]


def main(words: list[str]) -> int:
    """Run every check, also after one has failed, and print what each found."""
    parser = argparse.ArgumentParser(
        prog="steward selftest", description="Try every part of this copy of Steward."
    )
    parser.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file to load and ask")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print as JSON")
    try:
        asked = parser.parse_args(words)
    except SystemExit as ended:
        return 0 if ended.code in (0, None) else 2
    findings = []
    with temporary_folder("selftest") as folder:
        # Its own log: a self-test must not write into the profile of whoever runs it.
        _log_to(folder)
        for check in _checks(folder, asked.model):
            findings.append(run(check))
            if not asked.as_json:
                _print(findings[-1])
        # Before the folder goes: Windows removes no file that is open.
        _end_log()
    if asked.as_json:
        print_json([asdict(one) for one in findings])
    return 1 if any(one.result is Result.BROKEN for one in findings) else 0


def _log_to(folder: Path) -> None:
    """What the parts say about themselves goes where the rest goes."""
    from desktop.app import start_logging
    from desktop.paths import Paths

    start_logging(Paths.under(folder / "log"), None)


def _end_log() -> None:
    from desktop.app import end_logging

    end_logging()


def run(check: Check) -> Finding:
    """What came of one check. Whatever it raises is a finding: this is the edge of the command."""
    began = perf_counter()
    try:
        result, says = Result.WORKS, check.tried()
    except LeftOut as reason:
        result, says = Result.LEFT_OUT, str(reason)
    except Exception as error:  # a broken copy may fail in any way
        result, says = Result.BROKEN, f"{type(error).__name__}: {error}"
    return Finding(check.name, result, says, round(1000 * (perf_counter() - began), 1))


def _print(finding: Finding) -> None:
    sys.stdout.write(f"{finding.result.value:<9} {finding.name:<18} {finding.says}\n")
    sys.stdout.flush()


def _checks(folder: Path, model: Path | None) -> Iterator[Check]:
    yield Check("Files", files)
    yield Check("Command", command)
    yield Check("Data", data)
    yield Check("Command lines", command_lines)
    yield Check("Libraries", libraries)
    yield Check("Database", lambda: database(folder))
    yield Check("Child processes", lambda: child_process(folder))
    yield Check("Documents", documents)
    yield Check("llama.cpp", llama)
    # By the command itself, in another process: a model that crashes it must not end the report.
    yield Check("Model", lambda: answer(folder, model))
    yield Check("Hook client", lambda: hook_client(folder))
    yield Check("Keyring", lambda: keyring(folder))
    yield Check("Window", lambda: on_screen("window"))
    yield Check("Tray", lambda: on_screen("tray"))
    yield Check("Portal", lambda: on_screen("portal"))


TIMEOUT_S = 60.0
QUESTION = "What is the capital of France? Answer with one word."

HTML = "<html><head><title>Tides</title></head><body><article><h1>Tides</h1>" + (
    "<p>The tide is the rise and fall of the sea, made by the moon and the sun.</p>" * 6
)

PDF = b"""%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>>> endobj
4 0 obj <</Length 35>> stream
BT /F 12 Tf (Tides of the sea) Tj ET
endstream endobj
5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
trailer <</Root 1 0 R /Size 6>>
startxref
0
%%EOF
"""


class Broken(Exception):
    """A part that does not work; the text says how."""


def files() -> str:
    """Every file of a bundle is as its manifest says, and the licences are there."""
    if not getattr(sys, "frozen", False):
        raise LeftOut("only a bundle has a list of its files")
    root = Path(sys.executable).resolve().parent
    listed = json.loads((root / "manifest.json").read_text(encoding="utf-8"))["files"]
    changed = [name for name, entry in listed.items() if _sha256(root / name) != entry["sha256"]]
    if changed:
        raise Broken(f"{len(changed)} files are not as they were built, the first: {changed[0]}")
    texts = (root / "THIRD_PARTY_LICENSES").stat().st_size
    return f"{len(listed)} files are as they were built, {texts // 1000} kB of licence texts"


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "unreadable"


def command() -> str:
    """The command starts a second time, as a user would start it."""

    done = subprocess.run(
        [*own_words(), "--version"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    if done.returncode or done.stdout.strip() != f"steward {__version__}":
        raise Broken(f"--version ended with {done.returncode} and said: {done.stdout}{done.stderr}".strip())
    return done.stdout.strip()


def data() -> str:
    """Catalogue, prompts, command tables, pictures."""
    from desktop.models.catalogue import load_catalogue

    folder = resources()
    missing = [
        name
        for name in ("prompts", "icons", "styles", "commands", "translations")
        if not any((folder / name).iterdir())
    ]
    if missing:
        raise Broken(f"there is nothing in {', '.join(missing)}")
    return f"{len(load_catalogue().entries)} models on offer, data in {folder}"


def command_lines() -> str:
    """The classifier reads a line, and every function of its tables can be imported."""
    from desktop.gate.shell.classifier import Classifier
    from desktop.gate.shell.tables import Tables
    from desktop.gate.verdict import Effect

    classifier = Classifier(Tables(resources() / "commands"))
    classifier.load_all()
    verdict = classifier.classify("ls | sort")
    if verdict.effect is not Effect.READ:
        raise Broken(f"a line that only reads is taken for: {verdict.effect.value}")
    return f"a line was read in {verdict.ms:.1f} ms"


def libraries() -> str:
    """Libraries that find their own data or modules when they are first used."""
    return ", ".join((_dates(), _pages(), _engines(), _colours(), _certificates(), _signatures(), _arrays()))


def _dates() -> str:
    import dateparser

    if dateparser.parse("in zwei Tagen", languages=["de"]) is None:
        raise Broken("dateparser cannot read German")
    return "dates"


def _pages() -> str:
    from desktop.network import WebPage
    from desktop.sandbox.confinement import available
    from desktop.sandbox.parser import Parser
    from desktop.tools.fetch_page import read

    # Made here: a self-test sends nothing, and works without a network.
    page = WebPage("https://tides.example/", 200, "text/html", "utf-8", HTML.encode())
    if not read(page, Parser(lambda: available().best))[1]:
        raise Broken("no text is found in a page")
    return "pages"


def _engines() -> str:
    from desktop.tools.web_search import engine_names

    names = engine_names()
    if not names:
        raise Broken("there are no readers of result pages")
    return f"{len(names)} readers of result pages"


def _colours() -> str:
    from pygments.lexers import get_lexer_by_name

    return f"colours for {get_lexer_by_name('rust').name}"


def _certificates() -> str:
    import ssl

    import truststore

    # Made and not used: that it finds the system's part for certificates is what a bundle could lack.
    truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return ssl.OPENSSL_VERSION.partition("  ")[0]


def _arrays() -> str:
    """What search by meaning computes with."""
    import numpy as np

    from desktop.memory.vectors.minilm import normalised

    rows = normalised(np.array([[3, 4]], np.float32))
    # The product is computed by BLAS, which chooses its code by the processor.
    if abs(float((rows @ rows.T)[0, 0]) - 1) > 1e-6:
        raise Broken("numpy multiplies wrongly")
    return f"numpy {np.__version__}"


def _signatures() -> str:
    """The first test of RFC 8032, section 7.1: an empty message."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = bytes.fromhex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )
    Ed25519PublicKey.from_public_bytes(key).verify(signature, b"")
    return "signatures"


def database(folder: Path) -> str:
    """The profile's database with all its tables, and search in it."""
    from desktop.app import build_core

    core = build_core(Paths.under(folder / "database"))
    try:
        conversation = core.store.create()
        return f"conversation {conversation.id} was stored"
    finally:
        core.close()


def child_process(folder: Path) -> str:
    """A command with limits: in a bundle this starts the bundle itself as the supervisor."""
    from desktop.sandbox.process import Child, ChildEnding, Command, Limits

    words = ("cmd.exe", "/d", "/c", "echo hello") if os.name == "nt" else ("echo", "hello")
    outcome = Child(Command(words, folder), Limits(time_s=TIMEOUT_S)).run()
    if outcome.ending is not ChildEnding.EXITED or outcome.exit_code != 0:
        raise Broken(f"echo ended with {outcome.exit_code} ({outcome.ending.value})")
    return f"a command ran in {1000 * outcome.duration_s:.0f} ms"


def documents() -> str:
    """A PDF, read by a process that may write nowhere else."""
    from desktop.sandbox.confinement import available
    from desktop.sandbox.parser import Parser
    from desktop.tools.pdf import read_pdf

    found = read_pdf(PDF, Parser(lambda: available().best))
    if found.text != "Tides of the sea":
        raise Broken(f"of a PDF it read {found.text!r}")
    return "a PDF was read in a process of its own"


def llama() -> str:
    from desktop.engine.llama import LlamaBackend

    return LlamaBackend().build


def answer(folder: Path, file: Path | None) -> str:
    """Load the file and have it answer."""
    if file is None:
        raise LeftOut("name a GGUF file with --model to try one")
    profile = ["--profile", str(folder / "model")]
    words = [*own_words(), *profile, "ask", "--model", str(file.resolve()), "--json", QUESTION]
    done = subprocess.run(words, capture_output=True, text=True, timeout=5 * TIMEOUT_S, check=False)
    if done.returncode:
        raise Broken(done.stderr.strip() or f"exit code {done.returncode}")
    answer = json.loads(done.stdout)
    if not answer["answer"].strip():
        raise Broken("the model answered with nothing")
    return f"{answer['model']} answered: {answer['answer'].strip()[:60]}"


def hook_client(folder: Path) -> str:
    """The client of coding agents asks a gate of our own about a command that only reads."""
    from desktop.agents.settings_file import hook_client as client
    from desktop.app import build_core

    core = build_core(Paths.under(folder / "hooks"))
    try:
        # A Steward may be running with the usual port.
        core.settings.change("hooks", "port", _free_port())
        token = core.tokens.make("claude-code")
        core.answer_hooks()
        address = core.server.address
        if address is None:
            raise Broken("the gate does not listen")
        port = str(urlsplit(address).port)
        words = [*client(core.paths.hook_client).words, "claude-code", port, token, "20"]
        hook = json.dumps(
            {
                "hook_event_name": "PreToolUse",
                "session_id": "selftest",
                "cwd": str(folder),
                "tool_name": "Bash",
                "tool_input": {"command": "ls"},
            }
        )
        done = subprocess.run(
            words, input=hook, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    finally:
        core.close()
    if '"allow"' not in done.stdout:
        raise Broken(f"it printed {done.stdout!r} {done.stderr!r} and ended with {done.returncode}")
    return f"{Path(words[0]).name} was answered: allow"


def _free_port() -> int:
    # Let go at once: the server takes it by its number a moment later.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def keyring(folder: Path) -> str:
    from desktop.system.secrets import SecretPlace, Secrets

    try:
        place = Secrets(Paths.under(folder / "keyring")).place()
    except UserFacing as error:
        raise LeftOut(error.cause) from error
    if place is not SecretPlace.KEYRING:
        raise LeftOut(str(place.reason))
    return str(place.reason)


def on_screen(part: str) -> str:
    """`window`, `tray` or `portal` of desktop/ui/application.py."""
    # An install without windows is complete as it is.
    if importlib.util.find_spec("PySide6") is None:
        raise LeftOut("PySide6 is not installed")
    from desktop.ui import application

    tried = {"window": application.try_window, "tray": application.try_tray, "portal": application.try_portal}
    seen = tried[part]()
    if seen.works is None:
        raise LeftOut(seen.says)
    if not seen.works:
        raise Broken(seen.says)
    return seen.says


def selftest_verb(
    model: Annotated[str, typer.Option("--model", metavar="FILE", help="Also load this model.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Try every part of this copy of Steward."""
    words = [*(("--model", model) if model else ()), *(("--json",) if as_json else ())]
    raise typer.Exit(main(words))
