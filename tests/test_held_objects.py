"""What counts as held by an object."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.held_objects import held


class Held:
    pass


class Holder:
    def __init__(self, *content: object) -> None:
        self.content = content

    def method(self) -> None:
        pass


OF_MODULE = Held()


def failure(local: object) -> Exception:
    try:
        raise ValueError(repr(local))
    except ValueError as error:
        return error


WAYS: list[Callable[[Held], object]] = [
    lambda each: {"deep": [(each,)]},
    lambda each: Holder(Holder(each)),
    lambda each: Holder(each).method,
    lambda each: lambda: each,
    lambda each: Holder(failure(each)),
]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_held_in_any_way_is_found_once(way: Callable[[Held], object]) -> None:
    """In containers, objects, closures, and frames of an error; another one of the same class is not."""
    mine = Held()
    other = [Held()]
    root = [way(mine), way(mine)]
    assert held(root, Held) == [mine]
    assert len(other) == 1


def test_what_everybody_has_is_not_held() -> None:
    """What stands in the module of a function, of a class, or of a frame belongs to no object."""
    assert isinstance(OF_MODULE, Held)
    assert held([failure, Holder(), Holder().method, failure("x")], Held) == []
