"""The text of a PDF document. Runs in the child of `desktop.sandbox.parser`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from desktop.sandbox.parser_child import Refused

PAGES = 3_000
CHARACTERS = 2_000_000


def read_document(source: Path) -> dict[str, Any]:
    """`text`, `pages` and `read`. Raises Refused: encrypted, damaged or no-text."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

    try:
        reader = PdfReader(source, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Refused("encrypted")
        return _text(reader)
    except (DependencyError, FileNotDecryptedError) as error:
        raise Refused("encrypted") from error
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
        raise Refused("damaged") from error  # whatever pypdf stumbles over in a broken document


def _text(reader: Any) -> dict[str, Any]:
    pages, parts, length = len(reader.pages), [], 0
    if pages == 0:
        raise Refused("damaged")
    for number in range(min(pages, PAGES)):
        part = reader.pages[number].extract_text().strip()
        parts.append(part)
        length += len(part)
        if length > CHARACTERS:
            break
    text = "\n\n".join(part for part in parts if part)
    if not text.strip():
        raise Refused("no-text")
    # Half of a character beyond the basic plane cannot be written as UTF-8.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return {"text": text[:CHARACTERS], "pages": pages, "read": len(parts)}
