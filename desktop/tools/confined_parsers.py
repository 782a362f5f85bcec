"""The text of PDF documents and of pages of the web. Runs in the confined child of `desktop.sandbox.parser`.

The child imports this module and little else: each library is imported by the one function that needs it.
Of 22 pages that were made to hurt (deep tables, endless attributes, odd encodings) nine kept these libraries
busy for ever; nothing in them can be told to stop.
"""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

from desktop.sandbox.parser_child import ParseRefused

PAGES = 3_000
CHARACTERS = 2_000_000  # of a document
LONGEST_PAGE_TEXT = 4_000_000  # characters; the page itself has at most four million bytes


def read_document(source: Path) -> dict[str, Any]:
    """`text`, `pages` and `read`. Raises Refused: encrypted, damaged or no-text."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

    is_encrypted = False
    try:
        reader = PdfReader(source, strict=False)
        is_encrypted = reader.is_encrypted
        if is_encrypted and not reader.decrypt(""):
            raise ParseRefused("encrypted")
        return _text(reader)
    except (DependencyError, FileNotDecryptedError) as error:
        # What pypdf needs another package for may also be the packing of a page.
        raise ParseRefused("encrypted" if is_encrypted else "damaged") from error
    except (
        PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        RecursionError,
        OSError,
    ) as error:
        raise ParseRefused("damaged") from error  # whatever pypdf stumbles over in a broken document


def _text(reader: Any) -> dict[str, Any]:
    pages, parts, length = len(reader.pages), [], 0
    if pages == 0:
        raise ParseRefused("damaged")
    for number in range(min(pages, PAGES)):
        part = reader.pages[number].extract_text().strip()
        parts.append(part)
        length += len(part)
        if length > CHARACTERS:
            break
    text = "\n\n".join(part for part in parts if part)
    if not text.strip():
        raise ParseRefused("no-text")
    return {"text": _whole(text)[:CHARACTERS], "pages": pages, "read": len(parts)}


def read_page(source: Path, url: str, charset: str | None, is_html: bool) -> list[str]:
    """Title and main text of the page whose bytes are in `source`; "" for what it does not have."""
    page = _decoded(source.read_bytes(), url, charset)
    if not is_html:
        return ["", page[:LONGEST_PAGE_TEXT]]
    title, text = _main_text(page, url)
    return [_whole(title), _whole(text or _all_text(page))[:LONGEST_PAGE_TEXT]]


def _decoded(body: bytes, name: str, charset: str | None) -> str:
    """The text, by the charset that its server states, or by what the bytes say."""
    if charset and _is_text_encoding(charset):
        try:
            return body.decode(charset, errors="replace")
        except UnicodeError:  # those of host names do not replace, they refuse
            pass
    from desktop.tools.text import SNIFFED_BYTES, encoding_of

    return encoding_of(body[:SNIFFED_BYTES], name).decode(body)


def _is_text_encoding(name: str) -> bool:
    """Python also knows "zlib" and "rot13", which unpack, or are none of bytes."""
    try:
        return bool(codecs.lookup(name)._is_text_encoding)
    except (LookupError, ValueError):
        return False


def _main_text(page: str, url: str) -> tuple[str, str]:
    from trafilatura import bare_extraction

    found = bare_extraction(page, url=url, include_comments=False, with_metadata=True)
    if found is None:
        return "", ""
    document = found if isinstance(found, dict) else found.as_dict()
    return str(document.get("title") or ""), str(document.get("text") or "")


def _all_text(page: str) -> str:
    """Whatever is written on a page that has no main part."""
    from lxml import etree, html

    try:
        tree = html.fromstring(page or "<p></p>")
    except (etree.ParserError, ValueError):
        return ""
    etree.strip_elements(tree, "script", "style", "noscript", "template", with_tail=False)
    lines = (" ".join(line.split()) for line in tree.text_content().splitlines())
    return "\n".join(line for line in lines if line)


def _whole(text: str) -> str:
    """Half of a character beyond the basic plane cannot be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
