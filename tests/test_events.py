"""The bus."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.events import Bus, Event


@dataclass(frozen=True)
class Rain(Event):
    drops: int


@dataclass(frozen=True)
class Storm(Rain):
    pass


@dataclass(frozen=True)
class Sun(Event):
    pass


def test_a_handler_gets_its_type_and_subclasses_only(bus: Bus) -> None:
    """Who listens to Rain hears Rain and Storm, not Sun."""
    heard: list[Event] = []
    bus.subscribe(Rain, heard.append)
    for event in (Rain(1), Sun(), Storm(2)):
        bus.publish(event)
    assert heard == [Rain(1), Storm(2)]


def test_an_unsubscribed_handler_is_not_called(bus: Bus) -> None:
    """The function that subscribe returns ends the listening."""
    heard: list[Event] = []
    end = bus.subscribe(Sun, heard.append)
    end()
    bus.publish(Sun())
    assert heard == []


def test_a_failing_handler_does_not_stop_the_others(bus: Bus) -> None:
    """One listener's bug is logged; the next listener still hears."""
    heard: list[Event] = []

    def broken(event: Sun) -> None:
        raise ValueError(event)

    bus.subscribe(Sun, broken)
    bus.subscribe(Sun, heard.append)
    bus.publish(Sun())
    assert heard == [Sun()]
