"""The command `steward`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from types import ModuleType


def main() -> int:
    """Answer the cheapest questions before anything heavy is imported, then hand over to the verbs."""
    if sys.platform == "win32":
        speak_utf8()
    else:
        keep_own_rights()
    if sys.argv[1:] in (["--version"], ["version"]):
        from desktop import __version__

        sys.stdout.write(f"steward {__version__}\n")
        return 0
    if sys.argv[1:2] == ["classify"]:
        from desktop.gate.shell.classify import main as classify

        return classify(sys.argv[2:])
    if sys.argv[1:2] == ["hook"]:
        from desktop.agents.hook import main as hook

        return hook(sys.argv[2:])
    if sys.argv[1:2] == ["supervise"]:
        return _supervise()
    if sys.argv[1:2] == ["parse"]:
        from desktop.sandbox.parser_child import main as parse

        return parse(sys.argv[2:])
    if sys.argv[1:2] == ["extension-host"]:
        from desktop.extensions.child import main as answer

        answer(sys.argv[2:])
    if sys.argv[1:2] == ["selftest"]:
        from desktop.cli.selftest import main as selftest

        return selftest(sys.argv[2:])
    offloaded = _offloaded(sys.argv[1:])
    if offloaded is not None:
        return offloaded
    return _verb()


def _verb() -> int:
    """Everything else, after a look at the processor."""
    if _is_too_old():
        return 1
    # structlog loads rich, for tracebacks that the log never shows: 5 MB for as long as the program runs, and
    # a tenth of every start. Whoever draws with rich asks for it again.
    with _missing("rich"):
        _read_no_plugins()
        from desktop.cli import main as run_verb

    return run_verb(sys.argv[1:])


def _read_no_plugins() -> None:
    """Answer for pydantic that no package has a plugin for it.

    It would look through all that are installed, and let whichever names itself change how settings and
    hooks are read. The look alone brings the readers of mail and of archives: 1.2 MB for as long as the
    program runs.
    """
    loader = ModuleType("pydantic.plugin._loader")
    vars(loader)["get_plugins"] = tuple
    sys.modules[loader.__name__] = loader


@contextmanager
def _missing(package: str) -> Iterator[None]:
    """A package that is optional to others counts as not installed, meanwhile."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment] # how Python says that there is none
    try:
        yield
    finally:
        del sys.modules[package]


def keep_own_rights() -> None:
    """A umask that takes rights from the owner, too, would make folders of which nobody could go on with:
    what it says of others stays.
    """
    mask = os.umask(0o077)
    os.umask(mask & 0o077)


def speak_utf8() -> None:
    """For Windows, where a pipe or a file would be given the old code page, which lacks most characters, and
    where a program without a terminal of its own has no streams at all: what it says then goes nowhere.
    """
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the end
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace" if name == "stdin" else "backslashreplace")


def _offloaded(words: list[str]) -> int | None:
    """`offload run`, which stands before every build and test of an agent; None for anything else."""
    profile = words[1] if words[:1] == ["--profile"] and len(words) > 1 else ""
    verb = words[2:] if profile else words
    if verb[:2] != ["offload", "run"] or verb[2:3] == ["--help"]:
        return None
    from pathlib import Path

    from desktop.offload.client import main as run
    from desktop.paths import Paths

    return run(verb[2:], Paths.under(Path(profile)) if profile else Paths.default())


def _is_too_old() -> bool:
    """Told before the libraries of window and model are loaded, which would end without a word."""
    from desktop.system.processor import missing_features, refusal

    missing = missing_features()
    if missing:
        _say(refusal(missing))
    return bool(missing)


def _say(words: str) -> None:
    """On stderr; where an icon was clicked also in a box."""
    sys.stderr.write(words)
    if sys.argv[1:2] in ([], ["run"]) and not sys.stderr.isatty():
        from desktop.system import message_box

        message_box.show("Steward", words)


def _supervise() -> int:
    """What a bundle starts between itself and a command (desktop/sandbox/process.py)."""
    from desktop.sandbox.supervisor import main as supervise

    supervise()
    return 0


if __name__ == "__main__":
    sys.exit(main())
