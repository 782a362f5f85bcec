"""Pages of the web as text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect, Flag
from desktop.network import Network, NetworkFailure, WebPage
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.settings import NetworkSettings
from desktop.tools.fetch_page import Pages, read
from tests.models.file_server import FileServer

PARSER = Parser(lambda: available().best)

PARAGRAPH = (
    "The old lighthouse on the northern cliff was built in 1843 and has guided ships for nearly two "
    "centuries. Its lamp was first lit with whale oil, later with paraffin, and since 1951 with electricity. "
)
ARTICLE = f"""<!doctype html><html><head><title>The lighthouse</title></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop</a> <a href="/about">About us</a></nav>
<div class="cookie-banner">We value your privacy. Accept all cookies?</div>
<main><article><h1>The lighthouse</h1><p>{PARAGRAPH * 3}</p><p>Keepers lived there until 1987. {PARAGRAPH}</p>
<p>Äußerst schön, 灯台.</p></article></main>
<script>alert("x")</script><footer>Imprint, Terms, Newsletter</footer></body></html>"""


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as running:
        yield running


@pytest.fixture
def network() -> Iterator[Network]:
    """One for which this computer counts as the open network."""
    network = Network(NetworkSettings, stall_timeout_s=2, may_reach=lambda _address: True)
    yield network
    network.close()


def test_main_text(server: FileServer, network: Network) -> None:
    """Title, address and what the page is about; no menu, no banner, no script."""
    server.serve("/l", ARTICLE.encode(), content_type="text/html; charset=utf-8")
    text = Pages(network, PARSER).fetch_page(f"{server.url}/l").text
    assert text.startswith(f"The lighthouse\n{server.url}/l\n\n")
    assert "whale oil" in text
    assert "Äußerst schön, 灯台." in text
    for noise in ("Shop", "cookies", "alert", "Newsletter"):
        assert noise not in text


PAGES = [
    ("text/plain", b"just text", None, "just text"),
    ("application/json", b'{"a": 1}', None, '{"a": 1}'),
    ("text/html", b"<p>short", None, "short"),
    ("", b"<p>no kind is told", None, "no kind is told"),
    ("text/plain", "Grüße".encode("latin-1"), "latin-1", "Grüße"),
    ("text/plain", "Grüße".encode(), "no-such-encoding", "Grüße"),
    ("text/html", b"", None, ""),
]


@pytest.mark.parametrize(("kind", "body", "charset", "text"), PAGES)
def test_what_can_be_read(kind: str, body: bytes, charset: str | None, text: str) -> None:
    """Texts as they are; small pages without a main part still give what is written on them."""
    assert read(WebPage("https://example.org/", 200, kind, charset, body), PARSER)[1].strip() == text


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/octet-stream"])
def test_files_are_not_pages(kind: str) -> None:
    """What is no text is refused by its kind."""
    with pytest.raises(UserFacing, match=kind):
        read(WebPage("https://example.org/x", 200, kind, None, b"%PDF-1.7"), PARSER)


def test_long_pages_are_cut(server: FileServer, network: Network) -> None:
    """A small model gets the beginning and the end."""
    server.serve("/", b"line\n" * 5000, content_type="text/plain")
    text = Pages(network, PARSER).fetch_page(server.url + "/").text
    assert len(text) < 5000
    assert "left out" in text


def test_the_question(network: Network) -> None:
    """It says who is asked, covers that site, and a missing beginning is added."""
    plan = Pages(network, PARSER).tool().plan
    assert plan is not None
    found = plan(url="example.org/a/b")
    assert str(found.title) == "Fetch a page from example.org?"
    assert (found.parts, found.effect, found.flags) == (("https://example.org",), Effect.READ, {Flag.SENDS})
    assert found.source == "a page of example.org"


NAMES = [
    ("https://\u0430pple.com/", "https://xn--pple-43d.com", "\u0430pple.com (xn--pple-43d.com)"),  # Cyrillic
    ("https://xn--pple-43d.com", "https://xn--pple-43d.com", "\u0430pple.com (xn--pple-43d.com)"),
    (
        "https://good.com\u3002evil.com/",
        "https://good.com.evil.com",
        "good.com.evil.com",
    ),  # a full stop of CJK
    ("https://GOOD.com:443/", "https://good.com", "good.com"),
    ("http://good.com:8080#@evil.com", "http://good.com:8080", "good.com"),
    ("https://good.com\\.evil.com/", "https://good.com\\.evil.com", "good.com\\.evil.com"),
]


@pytest.mark.parametrize(("url", "origin", "host"), NAMES)
def test_the_question_names_the_host_that_is_asked(
    network: Network, url: str, origin: str, host: str
) -> None:
    """Read as the request will be; letters that look like others show the form that is looked up."""
    plan = Pages(network, PARSER).tool().plan
    assert plan is not None
    found = plan(url=url)
    assert (found.parts, str(found.title)) == ((origin,), f"Fetch a page from {host}?")


@pytest.mark.parametrize(
    "url", ["https://good.com\\@evil.com/", "https://[::1", "https://a\tb.com", "http://a:1:2"]
)
def test_what_two_readers_take_differently_is_refused(network: Network, url: str) -> None:
    """In a sentence, and before anyone is asked."""
    plan = Pages(network, PARSER).tool().plan
    assert plan is not None
    with pytest.raises(UserFacing) as refused:
        plan(url=url)
    assert refused.value.code == "address-invalid"


@pytest.mark.parametrize(
    ("url", "is_asked"),
    [
        ("http://127.0.0.1:8080/menu", False),
        ("http://127.1/", False),
        ("http://192.168.0.10/", False),
        ("http://[::1]:8080/", False),
        ("http://[::ffff:10.0.0.1]/", False),
        ("http://localhost:3000", False),
        ("printer.local/status", False),
        ("https://example.org/", True),
        ("http://93.184.216.34/", True),
    ],
)
def test_nobody_is_asked_for_a_page_that_is_never_fetched(url: str, is_asked: bool) -> None:
    """An address of this computer or of the network around it is refused as it is written."""
    network = Network(NetworkSettings)
    plan = Pages(network, PARSER).tool().plan
    assert plan is not None
    if is_asked:
        assert plan(url=url).flags == {Flag.SENDS}
        return
    with pytest.raises(NetworkFailure) as refused:
        plan(url=url)
    assert refused.value.code == "address-private"


def test_offline_does_not_even_ask() -> None:
    """In offline mode there is no question whose yes would lead nowhere."""
    network = Network(lambda: NetworkSettings(offline=True))
    plan = Pages(network, PARSER).tool().plan
    assert plan is not None
    with pytest.raises(NetworkFailure) as refused:
        plan(url="https://example.org")
    assert refused.value.code == "offline"


def test_no_address(network: Network) -> None:
    """Words that are no address are refused before anyone is asked."""
    plan = Pages(network, PARSER).tool().plan
    assert plan is not None
    with pytest.raises(UserFacing) as refused:
        plan(url="https://")
    assert refused.value.code == "address-invalid"


HOSTILE = {
    "deep tables": b"<table><tr><td>" * 200_000,
    "many attributes": b"<p " + b" ".join(b"a%d=1" % number for number in range(300_000)) + b">x",
    "paragraphs": b"<p>word" * 500_000,
    "spans": b"<p>" + b"<span>x</span>" * 250_000,
    "one tag": b"<p title='" + b"a" * 4_000_000,
    "brackets": b"<" * 4_000_000,
}


@pytest.mark.slow  # each may take the ten seconds that a page is given
@pytest.mark.parametrize("name", HOSTILE)
def test_a_page_that_is_made_to_hurt_ends(name: str) -> None:
    """It is read, or refused in one sentence; nothing of it goes on computing."""
    page = WebPage("https://example.org/", 200, "text/html", "utf-8", HOSTILE[name])
    with suppress(UserFacing):
        read(page, PARSER)
    assert not [child for child in psutil.Process().children(recursive=True) if child.is_running()]


CHARSETS = ["punycode", "idna", "zlib", "rot13", "undefined", "unicode_escape", "utf-7", "a" * 1000, "x\0y"]


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_server_may_name_any_charset(charset: str) -> None:
    """Whatever a server calls its encoding, something is read; only real ones change what the bytes mean."""
    page = WebPage("https://example.org/", 200, "text/plain", charset, b"just words")
    assert read(page, PARSER)[1]
