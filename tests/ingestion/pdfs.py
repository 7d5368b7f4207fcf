"""Small PDFs, written by hand: lines of Helvetica at given places."""

from collections.abc import Sequence

Line = tuple[float, float, float, str]  # left and distance from the top, in points; size; text
WIDTH, HEIGHT = 595, 842


def make_pdf(
    pages: Sequence[Sequence[Line]], extra: str = "", catalog: str = "", more: Sequence[str] = (), drawn: str = ""
) -> bytes:
    """`drawn` are operators before the text of each page. `extra` goes into each page's dictionary, such as
    `/Rotate 90`, and `catalog` into the document's; `more` are objects that these name, the first of them 5 in a
    document of one page.
    """
    objects = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>", ""]
    kids = []
    for lines in pages:
        content = drawn + "".join(
            f"BT /F {size} Tf {x} {HEIGHT - y} Td ({escaped(text)}) Tj ET\n" for x, y, size, text in lines
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}endstream")
        kids.append(f"{len(objects) + 1} 0 R")
        font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {len(objects)} 0 R {extra} "
            f"/Resources << /Font << /F {font} >> >> >>"
        )
    objects += more
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    written = "%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(written)}\n%%EOF\n"
    return (written + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + table + end).encode("latin-1")


def rule(left: float, top: float, right: float, bottom: float) -> str:
    """The operators that draw it."""
    return f"{left} {HEIGHT - top} m {right} {HEIGHT - bottom} l S\n"


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
