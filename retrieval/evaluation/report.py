"""What `evaluate` prints for people. Pure."""

from collections.abc import Mapping
from typing import Any

from .comparison import COMPARED, BranchComparison, QueryChange

COUNTED = ("by_model", "degraded")  # by name
OPINIONS = {"judge": "judge (a model's opinion)", "judged": "answers that it judged"}
SHOWN = 20  # questions of a kind of change


def table(result: Mapping[str, Any]) -> str:
    """Branches as rows, measures as columns."""
    corpus = result["corpus"]
    lines = [
        f"{result['set']} on {result['library']}@{result['snapshot']}: {corpus['documents']:,} documents, "
        f"{corpus['chunks']:,} chunks, {result['queries']} queries"
    ]
    rows: list[tuple[str, dict[str, float]]] = []
    for branch, measured in result["branches"].items():
        rows.append((branch, {name: value for name, value in measured.items() if name != "kinds"}))
        rows += [(f"{branch} · {kind}", values) for kind, values in measured.get("kinds", {}).items()]
    columns = list(rows[0][1]) if rows else []
    lines.append(f"{'':24}" + "".join(f"{name:>12}" for name in columns))
    for label, values in rows:
        lines.append(
            f"{label:24}" + "".join(f"{values[name]:>12.4g}" if name in values else " " * 12 for name in columns)
        )
    return "\n".join(lines)


def measured(result: Mapping[str, Any]) -> str:
    """The table; what was judged and is not there; and the run, if it was kept."""
    lines = [table(result), *missing(result)]
    if result["run"]:
        compared = f"; evaluate --compare {result['run']} shows what changed" if result["before"] else ""
        lines.append(f"saved as run {result['run']}{compared}")
    return "\n".join(lines)


def missing(result: Mapping[str, Any]) -> list[str]:
    lines = []
    if gold := result.get("gold_missing"):
        places = "1 gold place is" if len(gold) == 1 else f"{len(gold)} gold places are"
        lines.append(f"{places} not in this snapshot, such as {gold[0]['file']} of {gold[0]['id']}")
    for what, where in (("documents", "in the corpus"), ("queries", "in the file of queries")):
        if absent := result.get(f"{what}_missing"):
            lines.append(f"judged {what} that are not {where}: {len(absent)}, such as {absent[0]}")
    return lines


def differences(compared: Mapping[str, BranchComparison]) -> str:
    """By branch: how many questions changed and how the measures did, then the questions that changed."""
    lines = []
    for branch, comparison in compared.items():
        counts = ", ".join(f"{number} {name}" for name, number in comparison.counts.items() if number)
        lines.append(f"{branch}: {counts or 'no questions'}")
        measures = "  ".join(f"{name} {value:+.4f}" for name, value in comparison.differences.items())
        test = comparison.sign_test
        lines.append(f"    {measures}")
        lines.append(
            f"    nDCG@10 better for {test['better']}, worse for {test['worse']}, sign test p = {test['p']:.3g}"
        )
        for name in (change for change in COMPARED if change != "unchanged"):
            changes = comparison.of(name)
            lines += [f"    {name:8} {moved(change)}" for change in changes[:SHOWN]]
            if len(changes) > SHOWN:
                lines.append(f"    {name:8} … and {len(changes) - SHOWN} more")
    return "\n".join(lines)


def moved(change: QueryChange) -> str:
    before, after = (places(outcome.ranks) if outcome else "–" for outcome in (change.before, change.after))
    return f"{before:>6} → {after:6} {change.outcome.text[:80]}"


def places(ranks: tuple[int | None, ...]) -> str:
    return ",".join(str(rank) if rank else "–" for rank in ranks[:4]) + ("…" if len(ranks) > 4 else "")


def recalls(rows: list[dict[str, Any]]) -> str:
    lines = [f"{'asked':12}{'filter':>10}{'queries':>9}{'recall@10':>11}{'lowest':>9}{'too few':>9}"]
    for row in rows:
        share = "none" if row["share"] == 1 else f"{row['share']:.1%}"
        lines.append(
            f"{row['asked']:12}{share:>10}{row['queries']:>9}{row['recall@10']:>11.3f}{row['lowest']:>9.2f}"
            f"{row['too_few']:>9}"
        )
    return "\n".join(lines)


def learnt(row: dict[str, Any]) -> str:
    """What was learnt, and whether searches use it."""
    each = ", ".join(f"{weight:.2f}" for weight in row["folds"])
    lines = [
        f"{row['questions']} questions say that words count {row['learnt_weight']:.2f} times as much (folds: {each})",
        f"nDCG@10, cross-validated: {row['default_ndcg@10']:.4f} → {row['learnt_ndcg@10']:.4f}"
        f" (standard error {row['standard_error']:.4f})",
        "searches use it from now on" if row["adopted"] else "no clear gain: searches go on with the weight 1",
    ]
    return "\n".join(lines)


def of_answers(measured: Mapping[str, Any], with_judge: bool) -> str:
    """The figures of `answers.report` as a table; a judge's opinion only where one was asked."""
    both = measured["all"], measured["held_out"]
    unsaid = COUNTED if with_judge else (*COUNTED, *OPINIONS)
    names = [name for name in both[0] if name not in unsaid]
    rows = [f"{'':28}{'all':>12}{'held out':>12}"]
    for name in names:
        label = OPINIONS.get(name, name.replace("_", " "))
        rows.append(f"{label:28}" + "".join(f"{shown(one[name]):>12}" for one in both))
    rows.append(f"answered by: {each(both[0]['by_model'])}")
    if degraded := both[0]["degraded"]:
        rows.append(f"degraded, as these did not answer: {each(degraded)} of {both[0]['questions']}")
    names = list(measured["at_caution"][0])
    rows += ["", "".join(f"{name.replace('_', ' '):>22}" for name in names)]
    rows += ["".join(f"{shown(row[name]):>22}" for name in names) for row in measured["at_caution"]]
    return "\n".join(rows)


def each(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def shown(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
