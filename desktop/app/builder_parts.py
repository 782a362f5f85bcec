"""The loop that makes a check pass: built when somebody names a check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.builder.tool import CheckFixing


@Services.check_fixing.built_by
def build_check_fixing(services: Services) -> CheckFixing:
    """For the workspace: what a conversation works in."""
    return check_fixing_in(services, lambda: services.workspace.root)


def check_fixing_in(services: Services, folder: Callable[[], Path]) -> CheckFixing:
    """For another folder: `steward fix` works where it is typed."""
    from desktop.builder.builder import Builder, BuilderParts
    from desktop.builder.experience import Experience
    from desktop.builder.proposals import Proposals
    from desktop.builder.tool import CheckFixing
    from desktop.sandbox.confiner import Confiner

    experience = Experience(
        lambda: services.memory, lambda: services.settings.current.memory, services.engine.count_tokens
    )
    confiner = Confiner(services.paths)
    builder = Builder(BuilderParts(services.engine, confiner, services.paths, experience))
    place = services.paths.cache / "builder" / "proposals"
    proposals = Proposals(place, services.journal, services.redactor.text)
    return CheckFixing(builder, confiner, proposals, services.commands, services.bus, folder)
