"""The main text of a page of the open web, without menus, notices and advertisements."""

from __future__ import annotations

import codecs
from urllib.parse import urlsplit

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect, Flag
from desktop.network import Network, Page, because
from desktop.tools.result import ToolResult
from desktop.tools.shortened import head_tail
from desktop.tools.text import SNIFFED_BYTES, encoding_of
from desktop.tools.tool import Plan, Tool, tool

HTML = frozenset({"text/html", "application/xhtml+xml", ""})
PLAIN = ("text/", "application/json", "application/xml", "application/ld+json")


class Pages:
    """`fetch_page`. Any thread."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def tool(self) -> Tool:
        return tool(
            self.fetch_page,
            Effect.READ,
            flags=frozenset({Flag.SENDS}),
            plan=self._plan,
            untrusted_result=True,
        )

    def fetch_page(self, url: str) -> ToolResult:
        """Fetch a web page and show its text.

        url: address of the page
        """
        with because("A page that was asked for"):
            page = self._network.page(_address(url))
        title, text = read(page)
        if not text:
            return ToolResult(f"{page.url} has no text that can be read without a browser.")
        head = f"{title}\n{page.url}\n\n" if title else f"{page.url}\n\n"
        cut = "\n[the page goes on]" if page.is_cut else ""
        return ToolResult(head + head_tail(text) + cut)

    def _plan(self, url: str) -> Plan:
        self._network.refuse_offline()
        address = _address(url)
        parts = urlsplit(address)
        if not parts.hostname:
            raise UserFacing(
                f"{url} is no address of a page.",
                "Nothing was sent.",
                "Give one such as https://example.org.",
                code="address-invalid",
            )
        return Plan(
            f"Fetch a page of {parts.hostname}?",
            f"Asks {parts.hostname} for it, which sees this computer's network address.",
            Effect.READ,
            frozenset({Flag.SENDS}),
            parts=(f"{parts.scheme}://{parts.netloc}",),
            source=f"a page of {parts.hostname}",
        )


def read(page: Page) -> tuple[str, str]:
    """Title and main text. Raises UserFacing when it is neither a page nor a text."""
    if page.kind in HTML:
        return _main_text(page)
    if page.kind.startswith(PLAIN):
        return "", _decoded(page)
    raise UserFacing(
        f"{page.url} is no page but a file ({page.kind}).",
        "Nothing was kept.",
        "Download it with a browser.",
        code="page-kind",
    )


def _main_text(page: Page) -> tuple[str, str]:
    from trafilatura import bare_extraction  # a quarter of a second, so only when a page is read

    found = bare_extraction(_decoded(page), url=page.url, include_comments=False, with_metadata=True)
    if found is None:
        return "", _all_text(page)
    document = found if isinstance(found, dict) else found.as_dict()
    return str(document.get("title") or ""), str(document.get("text") or "") or _all_text(page)


def _all_text(page: Page) -> str:
    """Whatever is written on a page that has no main part."""
    from lxml import etree, html

    try:
        tree = html.fromstring(_decoded(page) or "<p></p>")
    except (etree.ParserError, ValueError):
        return ""
    etree.strip_elements(tree, "script", "style", "noscript", "template", with_tail=False)
    lines = (" ".join(line.split()) for line in tree.text_content().splitlines())
    return "\n".join(line for line in lines if line)


def _decoded(page: Page) -> str:
    if page.charset and _is_encoding(page.charset):
        return page.body.decode(page.charset, errors="replace")
    return encoding_of(page.body[:SNIFFED_BYTES], page.url).decode(page.body)


def _is_encoding(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True


def _address(url: str) -> str:
    """People leave the beginning out."""
    stripped = url.strip().strip("<>")
    return stripped if "://" in stripped else f"https://{stripped}"
