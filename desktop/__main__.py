"""The command `steward`."""

from __future__ import annotations

import sys


def main() -> int:
    """Answer the cheapest questions before anything heavy is imported, then hand over to the verbs."""
    if sys.argv[1:] in (["--version"], ["version"]):
        from desktop import __version__

        sys.stdout.write(f"steward {__version__}\n")
        return 0
    if sys.argv[1:2] == ["classify"]:
        from desktop.gate.shell.command import main as classify

        return classify(sys.argv[2:])
    if sys.argv[1:2] == ["hook"]:
        from desktop.agents.hook import main as hook

        return hook(sys.argv[2:])
    if sys.argv[1:2] == ["supervise"]:
        return _supervise()
    if sys.argv[1:2] == ["read-pdf"]:
        from desktop.tools.pdf_reader import main as read_pdf

        return read_pdf(sys.argv[2:])
    if sys.argv[1:2] == ["selftest"]:
        from desktop.cli.selftest import main as selftest

        return selftest(sys.argv[2:])
    if _is_too_old():
        return 1
    from desktop.cli import main as run_verb

    return run_verb(sys.argv[1:])


def _is_too_old() -> bool:
    """Told before the libraries of window and model are loaded, which would end without a word."""
    from desktop.system.processor import missing_features, refusal

    missing = missing_features()
    if missing:
        sys.stderr.write(refusal(missing))
    return bool(missing)


def _supervise() -> int:
    """What a bundle starts between itself and a command (desktop/sandbox/process.py)."""
    from desktop.sandbox.supervisor import main as supervise

    supervise()
    return 0


if __name__ == "__main__":
    sys.exit(main())
