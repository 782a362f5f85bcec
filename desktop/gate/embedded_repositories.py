"""Repositories that came as plain files: a folder with HEAD, objects and refs in a project of somebody else.

Git takes such a folder for a repository as soon as it works in it or below, and starts the programs that its
`config` names (`core.fsmonitor`, `core.sshCommand`): cloning alone brings that file along. A folder called
`.git` cannot come that way: Git refuses to check one out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from desktop.gate.shell.reading import FAR, UNSURE
from desktop.gate.shell.simple_command import program_name
from desktop.gate.verdict import Step

GIT = frozenset({"git", "hub", "gk"})
GOES = frozenset({"cd", "pushd", "chdir"})
OWN = ".git"
MOST_FOLDERS = 16  # that one line may work in


def embedded_repository(step: Step, steps: Sequence[Step], folder: str, project: str, home: str) -> str:
    """The repository that came as files and that `step` works in; "" without one.

    `steps` are all of the line, `folder` is where it is run, a part of `project`; both are real paths.
    """
    if not step.words or program_name(step.words[0]) not in GIT or step.base == FAR:
        return ""
    found = (_repository_of(place, project) for place in places(step, steps, folder, home))
    return next(filter(None, found), "")


def places(step: Step, steps: Sequence[Step], folder: str, home: str) -> Iterator[str]:
    """Where it may work; each part of a line that goes elsewhere may be the one that it follows."""
    bases = [step.base]
    if step.base == UNSURE:
        bases = ["", *(each.words[-1] for each in steps if each.words and each.words[0] in GOES)]
    for base in bases[:MOST_FOLDERS]:
        place = os.path.join(folder, _at_home(base, home))
        for before, word in zip(step.words[1:], step.words[2:], strict=False):
            if before == "-C":
                place = os.path.join(place, _at_home(word, home))
        if "\0" not in place:
            yield os.path.realpath(place)


def _at_home(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _repository_of(place: str, project: str) -> str:
    """As git looks for it: upwards, in each folder for `.git` first."""
    current = place
    while True:
        if OWN in current.split(os.sep) or os.path.lexists(os.path.join(current, OWN)):
            return ""
        above = os.path.dirname(current)
        if _is_repository(current):
            return current if _is_embedded(current, project) else ""
        if above == current:
            return ""
        current = above


def _is_repository(folder: str) -> bool:
    """By what git itself asks for; with `commondir` the other two lie elsewhere."""
    if not os.path.lexists(os.path.join(folder, "HEAD")):
        return False
    if os.path.lexists(os.path.join(folder, "commondir")):
        return True
    return all(os.path.isdir(os.path.join(folder, each)) for each in ("objects", "refs"))


def _is_embedded(repository: str, project: str) -> bool:
    """Whether it lies in a project or in another repository; a bare one of the user's own does not."""
    if repository.startswith(project.rstrip(os.sep) + os.sep):
        return True
    above = os.path.dirname(repository)
    while True:
        if os.path.lexists(os.path.join(above, OWN)):
            return True
        if os.path.dirname(above) == above:
            return False
        above = os.path.dirname(above)
