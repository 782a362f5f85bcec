"""The main text of a page of the open web, without menus, notices and advertisements."""

from __future__ import annotations

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect, Flag
from desktop.network import Network, NetworkReason, WebPage, because
from desktop.network.addresses import shown_host
from desktop.network.pages import origin_of
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits
from desktop.tools.reasons import ToolReason
from desktop.tools.text import head_tail
from desktop.tools.tool import Plan, Tool, ToolHint, ToolResult, tool

# Without a kind: old servers name none, and what they send is mostly a page.
HTML = frozenset({"text/html", "application/xhtml+xml", ""})
PLAIN = ("text/", "application/json", "application/xml", "application/ld+json")
READER = "desktop.tools.confined_parsers:read_page"
LIMITS = ParserLimits(time_s=10.0)  # the call itself has thirty, most of which the fetch may need
FETCH_PAGE_HINT = ToolHint(r"https?://|\bwww\.|\b\w[\w-]*\.(com|org|net|de|io|info|eu)\b", only_said=True)


class Pages:
    """`fetch_page`. Any thread."""

    def __init__(self, network: Network, parser: Parser) -> None:
        self._network = network
        self._parser = parser

    def tool(self) -> Tool:
        return tool(
            self.fetch_page,
            Effect.READ,
            verb=ToolReason.VERB_FETCH_PAGE,
            flags=frozenset({Flag.SENDS}),
            plan=self._plan,
            untrusted_result=True,
            hint=FETCH_PAGE_HINT,
        )

    def fetch_page(self, url: str) -> ToolResult:
        """Fetch a web page and show its text.

        url: address of the page
        """
        with because(NetworkReason.FOR_PAGE.of()):
            page = self._network.page(_address(url))
        title, text = read(page, self._parser)
        if not text:
            return ToolResult(f"{page.url} has no text that can be read without a browser.")
        head = f"{title}\n{page.url}\n\n" if title else f"{page.url}\n\n"
        cut = "\n[the page goes on]" if page.is_cut else ""
        return ToolResult(head + head_tail(text) + cut)

    def _plan(self, url: str) -> Plan:
        # Before the question: the user is not asked for what cannot happen.
        self._network.refuse_offline()
        self._network.refuse_near(_address(url))
        # By the parser that will make the request: two could take the same text for different hosts.
        origin, name = origin_of(_address(url))
        host = shown_host(name)
        return Plan(
            ToolReason.ASK_PAGE.of(host=host),
            ToolReason.ASKS_HOST.of(host=host),
            Effect.READ,
            frozenset({Flag.SENDS}),
            # A yes may be kept for the whole site, not for one address of it.
            parts=(origin,),
            source=f"a page of {host}",
        )


def read(page: WebPage, parser: Parser) -> tuple[str, str]:
    """Title and main text. Raises UserFacing when it is neither a page nor a text, or cannot be read."""
    is_html = page.kind in HTML
    if not is_html and not page.kind.startswith(PLAIN):
        raise UserFacing(ToolReason.PAGE_KIND.of(url=page.url, kind=page.kind))
    options = {"url": page.url, "charset": page.charset, "is_html": is_html}
    try:
        title, text = parser.parse(READER, page.body, options, LIMITS)
    except ParseFailed as failed:
        raise _unreadable(page, failed.failure) from failed
    return title, text


def _unreadable(page: WebPage, failure: ParseFailure) -> UserFacing:
    if failure is ParseFailure.TOO_SLOW:
        return UserFacing(ToolReason.PAGE_SLOW.of(url=page.url, seconds=round(LIMITS.time_s)))
    code = ToolReason.PAGE_TOO_LARGE if failure is ParseFailure.TOO_LARGE else ToolReason.PAGE_UNREADABLE
    return UserFacing(code.of(url=page.url))


def _address(url: str) -> str:
    """People leave the beginning out."""
    stripped = url.strip().strip("<>")
    return stripped if "://" in stripped else f"https://{stripped}"
