"""Small PDF documents, written by hand so that tests know every byte."""

from __future__ import annotations

import io
from collections.abc import Sequence


def pdf(*pages: Sequence[str]) -> bytes:
    """A document with these lines on its pages, in WinAnsi encoding."""
    objects: list[bytes] = [
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"",
    ]

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    kids = []
    for lines in pages:
        shown = b" ".join(b"(" + line.encode("cp1252") + b") Tj T*" for line in lines)
        content = b"BT /F1 12 Tf 72 720 Td 14 TL " + shown + b" ET"
        stream = add(b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream")
        kids.append(
            add(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
                b"/Resources << /Font << /F1 1 0 R >> >> >>" % stream
            )
        )
    shown_kids = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), shown_kids)
    root = add(b"<< /Type /Catalog /Pages 2 0 R >>")
    return _written(objects, root)


def encrypted(document: bytes, password: str) -> bytes:
    """The same, for people who know the password; "" opens it for everybody, as many programs write it."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(document)))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _written(objects: Sequence[bytes], root: int) -> bytes:
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, root, table)
