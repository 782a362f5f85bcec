"""What runs in the child process of `desktop.tools.pdf`: a document in, its text as JSON out.

Imports nothing of Steward. Times and memory are bounded here too, for systems without a supervisor.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

PAGES = 3_000
CHARACTERS = 2_000_000
MEMORY_BYTES = 1_500_000_000
CPU_S = 40


def main(words: list[str]) -> int:
    """`words` are the document and the file for the result."""
    source, target = Path(words[0]), Path(words[1])
    _limit()
    logging.disable(logging.CRITICAL)  # pypdf speaks of every small fault of a document
    target.write_text(json.dumps(read(source)), encoding="utf-8")
    return 0


def read(source: Path) -> dict[str, Any]:
    """Either `text`, `pages` and `read`, or `refused` with the reason."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

    sys.setrecursionlimit(3_000)
    try:
        reader = PdfReader(source, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return {"refused": "encrypted"}
        return _text(reader)
    except (DependencyError, FileNotDecryptedError):
        return {"refused": "encrypted"}
    except MemoryError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError):
        return {"refused": "damaged"}  # whatever pypdf stumbles over in a broken document


def _text(reader: Any) -> dict[str, Any]:
    pages, parts, length = len(reader.pages), [], 0
    if pages == 0:
        return {"refused": "damaged"}
    for number in range(min(pages, PAGES)):
        part = reader.pages[number].extract_text().strip()
        parts.append(part)
        length += len(part)
        if length > CHARACTERS:
            break
    text = "\n\n".join(part for part in parts if part)
    if not text.strip():
        return {"refused": "no-text"}
    # Half of a character beyond the basic plane cannot be written as UTF-8.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return {"text": text[:CHARACTERS], "pages": pages, "read": len(parts)}


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit is all there is
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
