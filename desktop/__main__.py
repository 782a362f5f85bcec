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
    from desktop.cli import main as run_verb

    return run_verb(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
