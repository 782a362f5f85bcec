"""Who may come in: names of this computer, no browsers, the right token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict, CIMultiDictProxy

from desktop.agents.tokens import Tokens
from desktop.paths import Paths
from desktop.server.auth import (
    BROWSER,
    NO_TOKEN,
    OTHER_TOKEN,
    WRONG_HOST,
    Authenticator,
    Speaker,
    is_here,
    refused_origin,
)

PORT = 47615


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1:47615", True),
        ("127.0.0.1", True),
        ("localhost:47615", True),
        ("LocalHost:47615", True),
        ("[::1]:47615", True),
        ("[::1]", True),
        ("127.0.0.1:80", False),
        ("127.0.0.1:", False),
        ("127.0.0.2:47615", False),
        ("0.0.0.0:47615", False),
        ("[::]:47615", False),
        ("evil.example:47615", False),
        ("127.0.0.1.evil.example:47615", False),
        ("localhost.evil.example:47615", False),
        ("127.0.0.1.nip.io", False),
        ("localhost.:47615", False),
        ("2130706433:47615", False),
        ("0x7f000001:47615", False),
        ("127.1:47615", False),
        ("user@127.0.0.1:47615", False),
        ("127.0.0.1:47615.evil.example", False),
        ("::1:47615", False),
        ("::1", False),
        ("", False),
        (":47615", False),
    ],
)
def test_only_names_of_this_computer_are_answered(host: str, here: bool) -> None:
    """A name that a web page lets point to this computer is still not its name."""
    assert is_here(host, PORT) is here


@given(st.from_regex(r"[a-z0-9.-]{1,30}(:[0-9]{1,5})?", fullmatch=True))
def test_no_other_name_is_ever_this_computer(host: str) -> None:
    """Whatever stands there: three names, with this port or none."""
    known = {f"{name}{port}" for name in ("127.0.0.1", "localhost") for port in ("", f":{PORT}")}
    assert is_here(host, PORT) is (host in known)


@pytest.mark.parametrize(
    ("headers", "refusal"),
    [
        ([("Host", "localhost:47615")], None),
        ([("Host", "localhost:47615"), ("Sec-Fetch-Mode", "cors")], None),  # Node's own fetch
        ([], WRONG_HOST),
        ([("Host", "localhost:47615"), ("Host", "evil.example")], WRONG_HOST),
        ([("Host", "evil.example")], WRONG_HOST),
        ([("Host", "localhost:47615"), ("Origin", "https://evil.example")], BROWSER),
        ([("Host", "localhost:47615"), ("Origin", "null")], BROWSER),
        ([("Host", "localhost:47615"), ("Origin", "http://localhost:47615")], BROWSER),
        ([("Host", "localhost:47615"), ("Sec-Fetch-Site", "cross-site")], BROWSER),
        ([("Host", "localhost:47615"), ("sec-fetch-site", "none")], BROWSER),
        ([("Host", "localhost:47615"), ("Sec-Fetch-Dest", "image")], BROWSER),
    ],
)
def test_browsers_and_foreign_names_are_refused(headers: list[tuple[str, str]], refusal: object) -> None:
    """A page is known by its headers, before anything else is looked at."""
    assert refused_origin(CIMultiDictProxy(CIMultiDict(headers)), PORT) is refusal


@pytest.mark.parametrize(
    ("whose", "for_user", "speaker"),
    [
        ("general", None, Speaker.USER),
        ("small", OTHER_TOKEN, "small"),
        ("other", OTHER_TOKEN, "other"),
        ("", NO_TOKEN, None),
        ("made up", NO_TOKEN, None),
    ],
)
def test_each_token_opens_its_own_door(paths: Paths, whose: str, for_user: object, speaker: object) -> None:
    """An agent's token speaks for that agent and for nobody else."""
    tokens = Tokens(paths)
    known = {
        "general": tokens.general(),
        "small": tokens.make("small"),
        "other": tokens.make("other"),
        "": "",
    }
    doors = Authenticator(tokens)
    headers = {"Authorization": f"Bearer {known.get(whose, whose)}"}
    assert doors.for_user(headers) is for_user
    assert doors.speaker(headers) == speaker


@pytest.mark.parametrize("form", ["{}", "Basic {}", "Bearer{}", "bearer  {} x", "Bearer \udcff{}"])
def test_a_token_in_another_form_is_none(paths: Paths, form: str) -> None:
    """Only `Bearer TOKEN` counts."""
    tokens = Tokens(paths)
    assert Authenticator(tokens).for_user({"Authorization": form.format(tokens.general())}) is NO_TOKEN


def test_an_old_token_ends_when_the_hook_is_installed_again(paths: Paths) -> None:
    """Reinstalling rotates the token; the running server knows at once."""
    tokens = Tokens(paths)
    doors = Authenticator(tokens)
    old = {"Authorization": f"Bearer {tokens.make('small')}"}
    assert doors.speaker(old) == "small"
    Tokens(paths).make("small")
    assert doors.speaker(old) is None
