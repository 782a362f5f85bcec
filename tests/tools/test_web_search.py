"""Searching the web: real result pages, through the real way out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect, Flag
from desktop.network import Network, NetworkFailure
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.settings import NetworkSettings
from desktop.tools.tool import Tool
from desktop.tools.web_search import Service, WebSearch, services
from tests.models.file_server import FileServer
from tests.tools.result_pages import DUCKDUCKGO, EMPTY, MOJEEK

PARSER = Parser(lambda: available().best)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as running:
        yield running


@pytest.fixture
def network() -> Iterator[Network]:
    network = Network(NetworkSettings, stall_timeout_s=2)
    yield network
    network.close()


def towards(server: FileServer, network: Network) -> Callable[..., str]:
    """Requests of the library go to the test's server, host and path kept in the address."""

    def request(method: str, url: str, **parts: object) -> str:
        place = urlsplit(url)
        return network.ask(method, f"{server.url}/{place.hostname}{place.path}", **parts)

    return request


def search(server: FileServer, network: Network) -> WebSearch:
    to = towards(server, network)
    asked = (Service("DuckDuckGo", "duckduckgo", to, PARSER), Service("Mojeek", "mojeek", to, PARSER))
    return WebSearch(network, asked)


def serve(server: FileServer, path: str, page: str) -> None:
    server.serve(path, page.encode(), content_type="text/html; charset=utf-8")


DDG = "/html.duckduckgo.com/html/"
MJK = "/www.mojeek.com/search"


def test_results(server: FileServer, network: Network) -> None:
    """Titles, addresses and snippets, without advertisements; one service is asked, by one request."""
    serve(server, DDG, DUCKDUCKGO)
    text = search(server, network).web_search("tray icons")
    assert text.splitlines()[:3] == [
        "1. Status icons & trays",
        "https://example.org/trays?a=1&b=2",
        "How programs put an icon into the tray.",
    ]
    assert "2. Second" in text
    assert "y.js" not in text
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", DDG)
    assert parse_qs(request.body.decode())["q"] == ["tray icons"]


def test_the_next_service_is_asked_only_when_one_gave_nothing(server: FileServer, network: Network) -> None:
    """A page without results, as when a service wants a puzzle solved, leads to the next service."""
    serve(server, DDG, EMPTY)
    serve(server, f"{MJK}?q=tray+icons", MOJEEK)
    text = search(server, network).web_search("tray icons")
    assert text.startswith("1. From the second service\nhttps://example.net/")
    assert [urlsplit(request.path).path for request in server.requests] == [DDG, MJK]


def test_a_service_that_does_not_answer_is_followed_by_the_next(server: FileServer, network: Network) -> None:
    """As the question says."""
    serve(server, f"{MJK}?q=tray+icons", MOJEEK)
    assert search(server, network).web_search("tray icons").startswith("1. From the second service\n")
    assert [urlsplit(request.path).path for request in server.requests] == [DDG, MJK]


def test_nothing_found(server: FileServer, network: Network) -> None:
    """Nothing anywhere is said in words."""
    serve(server, DDG, EMPTY)
    serve(server, f"{MJK}?q=x", EMPTY)
    assert search(server, network).web_search("x") == "No page was found for: x"


def test_no_service_answers(server: FileServer, network: Network) -> None:
    """When none could be reached the reason is told, not that nothing exists."""
    with pytest.raises(NetworkFailure) as failed:
        search(server, network).web_search("x")
    assert (failed.value.code, failed.value.not_lost) == ("not-found", "Nothing was changed.")


def tool_of(found: WebSearch) -> Tool:
    return found.tool()


def test_it_asks_and_says_who_is_told(network: Network) -> None:
    """The question names the words and every service that they may go to."""
    plan = tool_of(WebSearch(network, services(network, PARSER))).plan
    assert plan is not None
    found = plan(query=" steam trains ")
    assert str(found.title) == "Search the web for “steam trains”?"
    # Also a service that does not answer is followed by the next, and who agrees has to know.
    assert str(found.says) == (
        "Sends these words to DuckDuckGo; if it finds nothing or does not answer, "
        "to Mojeek and Brave in turn."
    )
    assert (found.effect, found.flags, found.source) == (Effect.READ, {Flag.SENDS}, "a web search")


@pytest.mark.parametrize("query", ["", "  ", "x" * 500])
def test_what_is_no_search(network: Network, query: str) -> None:
    """Nothing, and whole documents, are not sent anywhere."""
    plan = tool_of(WebSearch(network, services(network, PARSER))).plan
    assert plan is not None
    with pytest.raises(UserFacing, match="Nothing was sent"):
        plan(query=query)


def test_offline_does_not_even_ask() -> None:
    """In offline mode there is no question whose yes would lead nowhere."""
    network = Network(lambda: NetworkSettings(offline=True))
    plan = tool_of(WebSearch(network, services(network, PARSER))).plan
    assert plan is not None
    with pytest.raises(NetworkFailure) as refused:
        plan(query="x")
    assert refused.value.code == "offline"


@pytest.mark.children
def test_the_library_cannot_ask_by_itself() -> None:
    """Every service is made without the library's own client, and what that would send with is not loaded."""
    code = """
import sys
from desktop.network import Network
from desktop.settings import NetworkSettings
from desktop.tools.web_search import NoClient, engine_names, services
asked = services(Network(NetworkSettings), None)
assert all(isinstance(one._engine().http_client, NoClient) for one in asked)
assert engine_names()
assert "primp" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
