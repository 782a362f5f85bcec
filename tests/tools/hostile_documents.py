"""Documents and pictures that are made to hurt, as somebody would send them; each is a few kilobytes to a few
megabytes, and written by hand so that tests know every byte.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Sequence

BOMB = 1_500_000_000  # bytes that a stream unpacks to
TEXT = b"BT /F1 12 Tf 72 720 Td (Invoice 4711) Tj ET"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def deflated(size: int, filling: bytes = b" ") -> bytes:
    """So many bytes of one kind; a block is packed once and repeated."""
    packer = zlib.compressobj(9)
    block = filling * (1 << 20)
    head = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + again * (size >> 20) + b"\x03\x00"


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n" % (len(content), entries) + content + b"\nendstream"


def document(objects: Sequence[bytes], root: bytes = b"1 0 R", trailer: bytes = b"") -> bytes:
    """A whole file; the first object has number 1."""
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root %s %s >>\n" % (len(objects) + 1, root, trailer)
    return bytes(out) + b"startxref\n%d\n%%%%EOF\n" % table


def page(
    content: bytes,
    font: bytes = FONT,
    page_entries: bytes = b"",
    more: Iterable[bytes] = (),
    root: bytes = b"",
) -> bytes:
    """One page: 1 catalogue, 2 pages, 3 page, 4 content, 5 font, 6 and on `more`."""
    resources = b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>"
    return document(
        [
            b"<< /Type /Catalog /Pages 2 0 R %s >>" % root,
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R %s %s >>"
            % (resources, page_entries),
            content,
            font,
            *more,
        ]
    )


def composed(cmap: bytes) -> bytes:
    """A page whose font tells its letters by this table."""
    font = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 6 0 R"
        b" /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [0 [500]] >>] >>"
    )
    return page(stream(b"BT /F1 12 Tf <00410042> Tj ET"), font, more=[stream(cmap)])


def objects_in_objects() -> bytes:
    """Streams of objects that lie in each other, and name each other as what they go on with."""
    inside = b"7 0 8 0 << /X 8 0 R >> << /X 7 0 R >>"
    holder = stream(inside, b"/Type /ObjStm /N 2 /First 8 /Extends 6 0 R")
    return page(stream(TEXT), more=[holder, holder])


def huge_table() -> bytes:
    """A table of places in a stream that says it has two thousand million rows."""
    rows = stream(
        zlib.compress(bytes(4_000_000)),
        b"/Type /XRef /Size 2147483647 /W [1 1 1] /Index [0 2147483647] /Filter /FlateDecode /Root 1 0 R",
    )
    return b"%PDF-1.7\n9 0 obj\n" + rows + b"\nendobj\nstartxref\n9\n%%EOF\n"


def looped_table() -> bytes:
    """A table that names itself as the one before."""
    made = page(stream(TEXT))
    place = int(made.rpartition(b"startxref\n")[2].split()[0])
    return made.replace(b"/Root 1 0 R", b"/Prev %d /Root 1 0 R" % place)


def lzw_bomb() -> bytes:
    """One letter by codes that grow: LZW, never cleared."""
    bits = "".join(f"{256:09b}" if not n else f"{32:09b}" for n in range(200_000))
    packed = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    return page(stream(packed, b"/Filter /LZWDecode"))


def reaches_out() -> bytes:
    """Text, and beside it everything by which a document can act or ask for more."""
    acts = (
        b"/OpenAction << /S /JavaScript /JS (app.launchURL('http://127.0.0.1:9/js')) >>"
        b" /AA << /WC << /S /Launch /F (/bin/sh) >> >>"
        b" /Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (../../escaped)"
        b" /EF << /F 6 0 R >> >>] >> >>"
    )
    links = (
        b"/Annots [<< /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (http://127.0.0.1:9/uri) >> >>"
        b" << /Subtype /Link /Rect [0 0 9 9] /A << /S /GoToR /F (//host/share) /D [0 /Fit] >> >>]"
    )
    far = stream(
        b"", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /F (http://127.0.0.1:9/form) /FFilter /X"
    )
    return page(stream(TEXT + b" /X Do"), page_entries=links, more=[far], root=acts)


def recursive_form(depth: int = 1) -> bytes:
    """A form that draws itself, twice."""
    form = stream(
        b"/X Do /X Do " + TEXT,
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
        b" /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>",
    )
    return page(stream(b"/X Do " * depth), more=[form])


def doubled_forms() -> bytes:
    """Forty forms, each of which draws the next one twice: 2^40 drawings of one line."""
    forms = []
    for number in range(6, 46):
        own = b"/Resources << /Font << /F1 5 0 R >> /XObject << /X %d 0 R >> >>" % min(number + 1, 45)
        drawn = TEXT if number == 45 else b"/X Do /X Do"
        forms.append(stream(drawn, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + own))
    return page(stream(b"/X Do"), more=forms)


def kids_in_circles() -> bytes:
    """Pages whose children are themselves."""
    return document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1000000000 /Kids [2 0 R 2 0 R 3 0 R] /Parent 2 0 R >>",
            b"<< /Type /Page /Parent 3 0 R >>",
        ]
    )


def doubled_kids() -> bytes:
    """Thirty levels of two children each that are one: a thousand million pages in two kilobytes."""
    levels = [
        b"<< /Type /Pages /Count %d /Kids [%d 0 R %d 0 R] >>" % (2 ** (30 - n), n + 3, n + 3)
        for n in range(30)
    ]
    last = b"<< /Type /Page /Parent 31 0 R /MediaBox [0 0 9 9] >>"
    return document([b"<< /Type /Catalog /Pages 2 0 R >>", *levels, last])


def many_pages() -> bytes:
    """A hundred thousand pages that are one."""
    kids = b"3 0 R " * 100_000
    return document(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 100000 /Kids [%s] >>" % kids,
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>",
            stream(TEXT),
            FONT,
        ]
    )


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "a stream of 1.5 GB": lambda: page(stream(deflated(BOMB), b"/Filter /FlateDecode")),
    "a bomb in a bomb": lambda: page(
        stream(zlib.compress(deflated(BOMB), 9), b"/Filter [/FlateDecode /FlateDecode]")
    ),
    "text without end in a bomb": lambda: page(
        stream(deflated(400_000_000, b"(a) Tj "), b"/Filter /FlateDecode")
    ),
    "a thousand filters": lambda: page(stream(b"41>", b"/Filter [%s]" % (b"/ASCIIHexDecode " * 1_000))),
    "a broken stream": lambda: page(
        stream(b"\x78\x9c" + bytes(range(256)) * 20_000, b"/Filter /FlateDecode")
    ),
    "LZW": lzw_bomb,
    "run lengths": lambda: page(stream(b"\x81 " * 3_000_000, b"/Filter /RunLengthDecode")),
    "a predictor of 2^31 columns": lambda: page(
        stream(
            zlib.compress(bytes(2_000_000)),
            b"/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2147483647 /Colors 32 >>",
        )
    ),
    "a table that is its own past": looped_table,
    "a table of 2^31 rows": huge_table,
    "a million tables": lambda: (
        b"%PDF-1.4\n" + b"xref\n0 1\n0000000000 65535 f \n" * 200_000 + b"startxref\n9\n%%EOF"
    ),
    "objects in objects": objects_in_objects,
    "children in circles": kids_in_circles,
    "two to the thirty pages": doubled_kids,
    "a hundred thousand pages": many_pages,
    "a form that draws itself": recursive_form,
    "two to the forty drawings": doubled_forms,
    "lists in lists": lambda: page(stream(b"[" * 2_000_000)),
    "dictionaries in dictionaries": lambda: page(stream(TEXT), page_entries=b"/X " + b"<< /X " * 200_000),
    "a text of brackets": lambda: page(stream(b"BT /F1 9 Tf " + b"(" * 5_000_000)),
    "a picture without end": lambda: page(stream(b"BI /W 9999999 /H 9999999 /BPC 8 ID " + b"EI" * 2_000_000)),
    "a number without end": lambda: page(stream(b"BT " + b"9" * 5_000_000 + b" Tf ET")),
    "operands without end": lambda: page(stream(b"1 " * 5_000_000 + TEXT)),
    "a million fonts": lambda: page(stream(b"BT /F1 1 Tf (a) Tj " * 300_000 + b"ET")),
    "a table of letters to 2^32": lambda: composed(
        b"1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange"
        b" 1 beginbfrange <00000000> <FFFFFFFF> <0000> endbfrange"
    ),
    "a table of letters that counts down": lambda: composed(
        b"1 beginbfrange <FFFF> <0000> [<0041>] endbfrange " * 50_000
    ),
    "a letter of a megabyte": lambda: composed(b"1 beginbfchar <0041> <%s> endbfchar" % (b"0042" * 500_000)),
    "widths without end": lambda: page(
        stream(TEXT), FONT.replace(b" >>", b" /FirstChar 0 /LastChar 2147483647 /Widths [500] >>")
    ),
    "a difference of 2^31": lambda: page(
        stream(TEXT), FONT.replace(b" >>", b" /Encoding << /Differences [2147483647 /a -5 /b] >> >>")
    ),
    "a length below nothing": lambda: page(stream(TEXT).replace(b"/Length %d" % len(TEXT), b"/Length -1")),
    "a length of itself": lambda: page(stream(TEXT).replace(b"/Length %d" % len(TEXT), b"/Length 4 0 R")),
    "a page a light year wide": lambda: page(
        stream(b"BT /F1 1e300 Tf 1e300 0 0 1e300 1e300 1e300 Tm (a) Tj ET"),
        page_entries=b"/MediaBox [0 0 1e300 1e300] /Rotate 7 /UserUnit 1e300",
    ),
    "a key of 2^31 bits": lambda: document(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 0 /Kids [] >>"],
        trailer=b"/Encrypt << /Filter /Standard /V 5 /R 6 /Length 2147483647 /P -1 /O <%s> /U <%s>"
        b" /OE <00> /UE <00> /Perms <00> /CF << /StdCF << /CFM /AESV3 /Length 99 >> >> /StmF /StdCF"
        b" /StrF /StdCF >> /ID [<00> <00>]" % (b"00" * 48, b"00" * 48),
    ),
    "only the mark, late": lambda: b"x" * 1_000 + b"%PDF-" + b"\xff" * 1_000_000,
    "what reaches out": reaches_out,
}


# -- pictures ---------------------------------------------------------------------------------------


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, packed: bytes, depth: int = 8, colour: int = 2, more: bytes = b"") -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    ends = chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more + ends


def jpeg(width: int, height: int) -> bytes:
    """A head that promises so many points, and nothing behind it."""
    frame = struct.pack(">BHHB", 8, height, width, 3) + b"\x01\x22\x00\x02\x11\x01\x03\x11\x01"
    table = b"\x00" + bytes(range(1, 65))
    return (
        b"\xff\xd8\xff\xdb"
        + struct.pack(">H", len(table) + 2)
        + table
        + b"\xff\xc0"
        + struct.pack(">H", len(frame) + 2)
        + frame
        + b"\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00"
        + b"\x00" * 2_000
        + b"\xff\xd9"
    )


def tiff(entries: Sequence[tuple[int, int, int, int]], following: int = 0, tail: bytes = b"") -> bytes:
    """One directory of tag, kind, count and value; `following` is where the next one lies."""
    rows = b"".join(struct.pack("<HHII", *each) for each in entries)
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + rows + struct.pack("<I", following) + tail


def sized(width: int, height: int) -> list[tuple[int, int, int, int]]:
    return [
        (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
        (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, 4_294_967_295),
    ]  # fmt: skip


def bmp(width: int, height: int, bits: int = 24) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, 0, 0, 0, 0xFFFFFFFF, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + head + bytes(1_000)


PICTURES: dict[str, Callable[[], bytes]] = {
    "a PNG of 60,000 by 60,000": lambda: png(60_000, 60_000, deflated(60_000 * 7_501, b"\0"), 1, 0),
    "a PNG of 2^31 points a side": lambda: png(2**31 - 1, 2**31 - 1, zlib.compress(b"\0")),
    "a PNG of no points": lambda: png(0, 0, zlib.compress(b"\0")),
    "a PNG whose remark is a bomb": lambda: png(
        9, 9, zlib.compress(bytes(9 * 28)), more=chunk(b"zTXt", b"a\0\0" + deflated(BOMB))
    ),
    "a PNG whose colours are a bomb": lambda: png(
        9, 9, zlib.compress(bytes(9 * 28)), more=chunk(b"iCCP", b"a\0\0" + deflated(BOMB))
    ),
    "a PNG of a million parts": lambda: png(
        9, 9, zlib.compress(bytes(9 * 28)), more=chunk(b"tEXt", b"a\0b") * 300_000
    ),
    "a JPEG of 65,500 by 65,500": lambda: jpeg(65_500, 65_500),
    "a JPEG that is a head": lambda: b"\xff\xd8\xff",
    "a JPEG of marks": lambda: b"\xff\xd8" + b"\xff\xe1\x00\x02" * 1_000_000,
    "a GIF of 65,535 by 65,535": lambda: (
        b"GIF89a" + struct.pack("<HHBBB", 65_535, 65_535, 0x80, 0, 0) + bytes(6)
        + b"\x2c" + struct.pack("<HHHHB", 0, 0, 65_535, 65_535, 0) + b"\x08\x02\x4c\x01\x00;"
    ),
    "a TIFF of 2^31 points a side": lambda: tiff(sized(2**31 - 1, 2**31 - 1)),
    "a TIFF that follows itself": lambda: tiff(sized(9, 9), following=8),
    "a TIFF of two directories in a circle": lambda: tiff(
        sized(9, 9), following=200, tail=bytes(76) + tiff(sized(9, 9))[8:-4] + struct.pack("<I", 8)
    ),
    "a TIFF of 65,535 rows that are missing": lambda: tiff([(256, 4, 2**32 - 1, 2**32 - 1)] * 5_000),
    "a BMP below nothing": lambda: bmp(-(2**31), -(2**31)),
    "a BMP of 2^31 colours": lambda: bmp(30_000, 30_000, 8),
    "a WebP that ends": lambda: (
        b"RIFF" + struct.pack("<I", 2**32 - 1) + b"WEBPVP8 " + struct.pack("<I", 2**31)
    ),
    "a list of pictures": lambda: b"BM\n/etc/passwd\n/proc/self/environ\nhttp://127.0.0.1:9/a.png\n",
}  # fmt: skip
