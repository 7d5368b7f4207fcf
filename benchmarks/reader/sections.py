"""The sections that `questions.jsonl` asks about, out of Debian's packages of documentation.

    python benchmarks/reader/sections.py PACKAGES OUT.jsonl

PACKAGES is a folder of .deb files (`apt-get download` of the names that it prints when one is missing); the texts are
under their packages' licences and stay there. It needs `dpkg-deb`, and beautifulsoup4 and lxml, as Muniment does not.

A section is a heading and the sentences below it; its name is a hash of them, so that another version of a package
gives fewer sections, never other ones.
"""

import argparse
import gzip
import json
import re
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from bs4 import BeautifulSoup, Tag, XMLParsedAsHTMLWarning

QUESTIONS = Path(__file__).with_name("questions.jsonl")
SUFFIXES = (".html", ".html.gz", ".page", ".docbook")
HEADINGS = ("title", "h1", "h2", "h3", "h4", "h5")
OF_HTML = (*HEADINGS, "p", "li", "dd", "para", "td")
OF_XML = ("title", "p", "para")
FEWEST, LEAST, MOST, LONGEST = 4, 110, 260, 70  # sentences; words of a section, and of a sentence


def sections(folder: Path) -> Iterator[dict[str, object]]:
    for path in sorted(path for path in folder.rglob("*") if path.name.endswith(SUFFIXES) and path.is_file()):
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        page = BeautifulSoup(raw, "lxml")
        for furniture in page(["script", "style", "nav", "header", "footer"]):
            furniture.decompose()
        document = heading = ""
        below: list[str] = []
        for element in page.find_all(OF_XML if path.suffix in (".page", ".docbook") else OF_HTML):
            if element.name in HEADINGS:
                yield from section(document, heading, below)
                below, heading = [], text_of(element)[:120]
                document = document or heading
            elif not encloses(element) and len(said := text_of(element)) > 20 and said not in below:
                below.append(said)
        yield from section(document, heading, below)


def encloses(element: Tag) -> bool:
    inner = ["p"] if element.name == "p" else ["p", "ul", "ol", "dl"] if element.name in ("li", "dd", "td") else []
    return bool(inner and element.find(inner))


def section(document: str, heading: str, paragraphs: list[str]) -> Iterator[dict[str, object]]:
    sentences = [one for paragraph in paragraphs for one in re.split(r"(?<=[.!?])\s+(?=[A-Z“\"(])", paragraph) if one]
    if len(sentences) < FEWEST or sum(len(one.split()) for one in sentences) < LEAST:
        return
    kept, count = [], 0
    for one in sentences:
        kept.append(one)
        count += len(one.split())
        if count > MOST:
            break
    if max(len(one.split()) for one in kept) < LONGEST:
        yield {"section": name_of(kept), "document": document, "heading": heading, "sentences": kept}


def name_of(sentences: list[str]) -> str:
    return sha256("\n".join(sentences).encode()).hexdigest()[:16]


def text_of(element: Tag) -> str:
    text = re.sub(r"\s+", " ", element.get_text(" "))
    return re.sub(r" ([,.)])", r"\1", text).replace("( ", "(").strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)
    asked = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    wanted = {line["section"] for line in asked}
    for package in sorted({line["package"] for line in asked}):
        if not list(arguments.packages.glob(f"{package}_*.deb")):
            print(f"missing: {package}")
    found = {}
    for package in sorted(arguments.packages.glob("*.deb")):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
            found |= {one["section"]: one for one in sections(Path(folder)) if one["section"] in wanted}
    arguments.out.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found.values()))
    print(f"{len(found)} of {len(wanted)} sections")


if __name__ == "__main__":
    main()
