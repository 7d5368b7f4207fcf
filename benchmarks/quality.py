"""Ranking quality on judged sets, as a Markdown table.

    python benchmarks/quality.py DATA [set …] [--branches lexical,vector,hybrid]

DATA is a folder with `beir/<set>/` in BEIR's format. Every set is indexed as a library of its own (kept, so that a
second run embeds nothing) and asked through `manage.py evaluate`, the command that users have.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = {
    "cnil-faq-fr": "french",
    "xquad-de": "german",
    "xquad-es": "spanish",
    "xquad-ru": "russian",
    "xquad-ar": "arabic",
    "xquad-zh": "simple",
}
MEASURES = ("ndcg@10", "recall@100", "hit@1", "p50_ms")


def evaluate(folder: Path, branches: str) -> dict[str, Any]:
    command = [sys.executable, "manage.py", "evaluate", "--beir", str(folder), "--branches", branches, "--json"]
    command += ["--language", LANGUAGES.get(folder.name, "english")]
    result: dict[str, Any] = json.loads(
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--branches", default="lexical,vector,hybrid")
    chosen = parser.parse_args()
    names = chosen.sets or sorted(path.name for path in (chosen.data / "beir").iterdir())
    print("| set | chunks | branch | " + " | ".join(MEASURES) + " |")
    print("| --- | ---: | --- |" + " ---: |" * len(MEASURES))
    for name in names:
        result = evaluate((chosen.data / "beir" / name).resolve(), chosen.branches)
        for branch, measured in result["branches"].items():
            figures = " | ".join(f"{measured[measure]:.4g}" for measure in MEASURES)
            print(f"| {name} | {result['corpus']['chunks']:,} | {branch} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
