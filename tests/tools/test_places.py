"""Places and the zones that they are in, as people write them."""

from __future__ import annotations

import pytest

from desktop.tools.places import asks_time_there, places_in, zone_of


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("What time is it in New York?", ("New York",)),
        ("¿Qué hora es en Ciudad de México?", ("Ciudad de México",)),
        ("Wie spät ist es in Mexiko-Stadt und in Rom?", ("Mexiko-Stadt", "Rom")),
        ("what time is it in kuala lumpur", ("kuala lumpur",)),
        ("Is it late in LA?", ("LA",)),
        ("La hora, por favor", ()),  # an article
        ("When is Christmas?", ()),  # an island as well
        ("Add the folder to the list", ()),
        ("", ()),
    ],
)
def test_places_are_known_by_their_names(text: str, places: tuple[str, ...]) -> None:
    """The longest name that fits, by its capitals unless there are none."""
    assert places_in(text) == places


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Is it still daytime in Bangkok at the moment?", True),
        ("Kann ich meine Schwester in Vancouver jetzt anrufen?", True),
        ("Quelle heure est-il à La Havane ?", True),
        ("Note that Anna lives in Tokyo.", False),
        ("What time is it?", False),
    ],
)
def test_the_time_there_is_asked_for(text: str, asks: bool) -> None:
    """A place alone asks nothing, and neither does the time alone."""
    assert asks_time_there(text) is asks


@pytest.mark.parametrize("place", ["Séoul", "Seúl", "Nueva Delhi", "Taipeh", "Le Cap", "Québec", "Hawaii"])
def test_a_place_has_its_zone_in_four_languages(place: str) -> None:
    """Where the zone database has another spelling."""
    assert zone_of(place) is not None
