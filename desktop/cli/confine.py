"""`steward confine`: a command that cannot do more than it is told, from the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.sandbox import confiner
from desktop.sandbox.confiner import Confiner, in_project, read_only
from desktop.sandbox.refusals import SandboxReason


def confine(paths: Paths, project: Path | None, uses_network: bool, command: Sequence[str]) -> None:
    """Become `command`, confined to `project`, or to reading where none is named. Never returns.

    Raises UserFacing where this computer cannot confine it; nothing was started then.
    """
    own = Confiner(paths)
    if reason := own.why_not() if project is None else own.why_not_project():
        raise UserFacing(SandboxReason.NO_CONFINEMENT.of(why=reason))
    confinement = read_only(paths, uses_network) if project is None else in_project(paths, project)
    words = own.words(confinement, tuple(command))
    os.execv(words[0], words)  # noqa: S606 - a list of words, on purpose without a shell


def apparmor_profile(paths: Paths) -> str:
    """What an administrator tells AppArmor of this Steward's confining client."""
    return confiner.apparmor_profile(Path(os.path.realpath(Confiner(paths).client)))
