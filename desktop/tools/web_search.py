"""Searching the web: the library knows how result pages look, the requests are ours.

The words go to one service at a time, and to the next only when that gave nothing. Their pages are taken
apart in a process of its own, like every page.
"""

from __future__ import annotations

import locale
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import structlog

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect, Flag
from desktop.network import Network, NetworkFailure, NetworkReason, because
from desktop.reasons import Reason
from desktop.sandbox.parser import ParseFailed, Parser, ParserLimits
from desktop.tools.reasons import ToolReason
from desktop.tools.tool import Plan, Tool, ToolHint, tool

log = structlog.get_logger(__name__)

MOST_RESULTS = 6
LONGEST_QUERY = 400
LONGEST_SNIPPET = 220
READER = "desktop.tools.web_search:read_results"
LIMITS = ParserLimits(time_s=10.0)

WEB_SEARCH_HINT = ToolHint(
    r"\b(web|internet|online|google|search for|look up|news|weather|forecast|latest|netz|nachrichten"
    r"|wetter\w*|recherchier\w*)\b",
    only_said=True,
    leads_on=True,
)


@dataclass(frozen=True)
class SearchResult:
    """One result. `snippet` is what the service shows of the page."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True)
class Service:
    """A search service whose pages the library reads; `request` stands in for the library's own client."""

    name: str
    engine: str
    request: Callable[..., str]
    parser: Parser

    def search(self, query: str) -> list[SearchResult]:
        """What it finds; an empty list also where its page cannot be read. Raises NetworkFailure."""
        try:
            found = self._engine().search(query, region=_region()) or []
        except ParseFailed as failed:
            log.info("a page of results cannot be read", service=self.name, reason=str(failed))
            return []
        return [SearchResult(each.title.strip(), each.href, each.body) for each in found if _is_result(each)]

    def _engine(self) -> Any:
        engine = _engines()[self.engine]()
        engine.request = self.request  # nothing passes the one way out
        engine.extract_results = self._results
        return engine

    def _results(self, page: str) -> list[SimpleNamespace]:
        rows = self.parser.parse(READER, page.encode("utf-8", "replace"), {"engine": self.engine}, LIMITS)
        return [SimpleNamespace(title=title, href=href, body=body) for title, href, body in rows]


def read_results(source: Path, engine: str) -> list[list[str]]:
    """Title, address and snippet of each result on a page. Runs in the child of `desktop.sandbox.parser`."""
    page = source.read_text(encoding="utf-8")
    results = _engines()[engine]().extract_results(page)
    return [[str(each.title), str(each.href), str(each.body)] for each in results]


def engine_names() -> tuple[str, ...]:
    """The readers of result pages that are here; a bundle may have lost them."""
    return tuple(sorted(_engines()))


class NoClient:
    """In the place of the library's own client: takes its settings and can send nothing."""

    def __init__(self, **_settings: object) -> None:
        self.client = self

    def headers_update(self, headers: Mapping[str, str]) -> None:
        """The headers are ours."""

    def set_cookies(self, url: str, cookies: Mapping[str, str]) -> None:
        """There are none."""


def _engines() -> Mapping[str, Callable[[], Any]]:
    """The readers of result pages, by name. The module of their own client, which would bring 15 MB and a way
    around ours, is never loaded."""
    name = "ddgs.http_client"
    if name not in sys.modules:
        sys.modules[name] = ModuleType(name)
        sys.modules[name].HttpClient = NoClient  # type: ignore[attr-defined]  # that is all they ask of it
    from ddgs.engines import ENGINES

    found: Mapping[str, Callable[[], Any]] = ENGINES.get("text", {})
    return found


def services(network: Network, parser: Parser) -> tuple[Service, ...]:
    """The services that are asked, in this order."""
    return (
        Service("DuckDuckGo", "duckduckgo", network.ask, parser),
        Service("Mojeek", "mojeek", network.ask, parser),
        Service("Brave", "brave", network.ask, parser),
    )


class WebSearch:
    """`web_search`. Any thread."""

    def __init__(self, network: Network, asked: Sequence[Service]) -> None:
        self._network = network
        self._services = asked

    def tool(self) -> Tool:
        return tool(
            self.web_search,
            Effect.READ,
            verb=ToolReason.VERB_WEB_SEARCH,
            flags=frozenset({Flag.SENDS}),
            plan=self._plan,
            untrusted_result=True,
            hint=WEB_SEARCH_HINT,
        )

    def web_search(self, query: str) -> str:
        """Search the web for pages about something.

        query: the words to search for
        """
        for found in self._one_after_another(query):
            if found:
                return "\n\n".join(_shown(number, each) for number, each in enumerate(found, 1))
        return f"No page was found for: {query}"

    def _one_after_another(self, query: str) -> list[list[SearchResult]]:
        """Raises the first failure when no service answered at all."""
        failures: list[NetworkFailure] = []
        for service in self._services:
            try:
                with because(NetworkReason.FOR_SEARCH.of()):
                    found = service.search(query)[:MOST_RESULTS]
            except NetworkFailure as failure:
                failures.append(failure)
            else:
                if found:
                    return [found]
            log.info("search service gave nothing", service=service.name)
        if len(failures) == len(self._services):
            raise failures[0]
        return []

    def _plan(self, query: str) -> Plan:
        if not query.strip():
            raise UserFacing(ToolReason.WEB_SEARCH_EMPTY.of())
        if len(query) > LONGEST_QUERY:
            raise UserFacing(ToolReason.WEB_SEARCH_TOO_LONG.of())
        self._network.refuse_offline()
        first, *others = (service.name for service in self._services)
        says = ToolReason.SENDS_QUERY.of(service=first)
        if others:
            says = ToolReason.SENDS_QUERY_ALSO.of(service=first, others=_together(others))
        return Plan(
            ToolReason.ASK_WEB_SEARCH.of(query=query.strip()),
            says,
            Effect.READ,
            frozenset({Flag.SENDS}),
            source="a web search",
        )


def _together(names: Sequence[str]) -> Reason | str:
    *first, last = names
    return ToolReason.SEVERAL.of(first=", ".join(first), last=last) if first else last


def _is_result(each: Any) -> bool:
    return bool(each.title.strip()) and each.href.startswith(("https://", "http://"))


def _shown(number: int, found: SearchResult) -> str:
    snippet = " ".join(found.snippet.split())
    if len(snippet) > LONGEST_SNIPPET:
        snippet = snippet[: LONGEST_SNIPPET - 1] + "…"
    return f"{number}. {found.title}\n{found.url}\n{snippet}".rstrip()


def _region() -> str:
    """Country and language as the services write them; the library's default where the system names none."""
    language, _, country = (locale.getlocale()[0] or "").partition("_")
    return f"{country}-{language}".lower() if len(language) == 2 and len(country) == 2 else "us-en"
