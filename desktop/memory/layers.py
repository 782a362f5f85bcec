"""Which memories a conversation may see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from desktop.memory.item import Layer

LOCAL = (Layer.USER, Layer.SESSION, Layer.PROJECT, Layer.AGENT)
SHARED = (Layer.TEAM, Layer.ORGANISATION, Layer.COMPANY)


@dataclass(frozen=True)
class View:
    """Layers with the one scope of each that is looked into; what is not named is not seen.

    A project's memory is seen from its folder alone, a conversation's from itself alone.
    """

    scopes: tuple[tuple[Layer, str], ...]

    @classmethod
    def of(cls, session: str = "", project: str = "", layers: Iterable[Layer] = LOCAL) -> View:
        """What a conversation sees: the user's, the assistant's, its own, and its project's."""
        named = {Layer.SESSION: session, Layer.PROJECT: project}
        wanted = [layer for layer in layers if named.get(layer, "-")]
        return cls(tuple((layer, named.get(layer, "")) for layer in wanted))

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(layer for layer, _ in self.scopes)

    def only(self, layers: Iterable[Layer]) -> View:
        wanted = set(layers)
        return replace(self, scopes=tuple(each for each in self.scopes if each[0] in wanted))


EVERYWHERE = View(())  # for the Memory page and the command line: all there is
