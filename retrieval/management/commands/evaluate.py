"""Measure retrieval or answers on golden questions or judged sets, compare runs, learn, or sample the recall."""

import json
import sys
from argparse import ArgumentParser, BooleanOptionalAction
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from knowledge.endpoints import EndpointError, chat_endpoint
from knowledge.golden import Question, check_ids
from knowledge.management.commands._library import check_language, find_library
from knowledge.models import EvaluationRun, LearntFusion, Library, Snapshot, VectorRecall
from knowledge.wording import of_file
from retrieval import rerank
from retrieval.evaluation import answer_measures, report, runs
from retrieval.evaluation.answering import evaluate_answers
from retrieval.evaluation.beir import evaluate_beir, library_of, read_beir
from retrieval.evaluation.branches import BRANCHES, OTHERS, RERANKED, searching
from retrieval.evaluation.comparison import BranchComparison, compare
from retrieval.evaluation.learning import forget, learn
from retrieval.evaluation.options import fault
from retrieval.evaluation.outcomes import BranchMeasurement
from retrieval.evaluation.questions import evaluate_questions, read_questions, read_unanswerable
from retrieval.evaluation.recall import SAMPLE, measure_recall
from retrieval.results import SearchOptions

NO_GOLDEN = "{} has no golden questions: save some from the search page, or golden import"
SPLIT, LANGUAGE = "test", "english"
UNSAVED = {"run": None, "before": None}

Compared = dict[str, BranchComparison]


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--golden", action="store_true", help="ask the --library's own active questions")
        what.add_argument("--questions", type=Path, metavar="FILE", help="ask these, as JSON lines, of the --library")
        what.add_argument("--beir", type=Path, metavar="DIR", help="index the corpus of this set and ask its queries")
        what.add_argument("--compare", type=int, nargs="+", metavar="RUN", help="a run with the one before it, or two")
        what.add_argument("--learn", action="store_true", help="from the --library's questions, how words are weighed")
        what.add_argument("--forget", action="store_true", help="what the --library has learnt")
        what.add_argument("--recall", action="store_true", help="of the --library's vector branch, sampled; saved")
        parser.add_argument(
            "--answers", action="store_true", help="with --golden or --questions: the answers, not the hits"
        )
        parser.add_argument("--unanswerable", type=Path, metavar="FILE", help="with --answers: these are to be refused")
        parser.add_argument("--judge", action="store_true", help="with --answers: JUDGE_URL's opinion, labelled as one")
        parser.add_argument("--library", metavar="SLUG")
        parser.add_argument("--snapshot", type=int, metavar="N", help="ask this snapshot, not the active one")
        parser.add_argument("--against", type=int, metavar="M", help="ask this one too, and compare the two")
        parser.add_argument("--split", help=f"of --beir; default: {SPLIT}")
        parser.add_argument("--language", help=f"of the corpus of --beir; default: {LANGUAGE}")
        known = f"of {', '.join((*BRANCHES, *OTHERS, RERANKED))}; default: {','.join(BRANCHES)}"
        parser.add_argument("--branches", help=known)
        parser.add_argument("--limit", type=int, help="only the first so many queries")
        parser.add_argument(
            "--save", action=BooleanOptionalAction, help="keep the run (--golden without --limit does so by itself)"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        asked = options | {"branches": self.branches(options)}
        if options["limit"] is not None and options["limit"] < 1:
            raise CommandError("--limit is 1 or more", returncode=2)
        others = {
            "compare": self.compare,
            "recall": self.recall,
            "learn": self.learn,
            "forget": self.forget,
            "beir": self.beir,
            "answers": self.answers,
        }
        measure = next((other for name, other in others.items() if options[name]), self.questions)
        try:
            result, text = measure(asked)
        except FileNotFoundError as error:
            raise CommandError(f"there is no file {error.filename}" if error.filename else str(error)) from error
        except UnicodeEncodeError:  # of an argument: manage.py says so
            raise
        except OSError as error:
            raise CommandError(of_file(error)) from error
        except (ValueError, LookupError, RuntimeError, EndpointError, runs.NotComparable) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False) if options["json"] else text)

    def branches(self, options: dict[str, Any]) -> list[str]:
        """Those that are asked for, where all the options go together."""
        if said := fault(options):
            raise CommandError(said, returncode=2)
        asked = (options["branches"] or ",".join(BRANCHES)).split(",")
        branches = list(dict.fromkeys(name.strip() for name in asked))
        if unknown := set(branches) - {*BRANCHES, *OTHERS, RERANKED}:
            known = ", ".join((*BRANCHES, *OTHERS, RERANKED))
            raise CommandError(f"unknown branches: {', '.join(sorted(unknown))}; there are {known}", returncode=2)
        if RERANKED in branches and rerank.chosen(True) == (None, None):
            raise CommandError(f"RERANK_URL is not set: there is no branch “{RERANKED}”", returncode=2)
        return branches

    def beir(self, options: dict[str, Any]) -> tuple[Any, str]:
        language = options["language"] or LANGUAGE
        check_language(language)
        judged = read_beir(options["beir"], options["split"] or SPLIT)
        library = library_of(judged, language)
        call_command("reindex", library.slug, full=True, stdout=StringIO())
        library.refresh_from_db()
        snapshot = runs.ready_snapshot(library, None)
        searched = searching(snapshot)
        measured = evaluate_beir(judged, options["branches"], searched, options["limit"], self.advance)
        run = self.saved(snapshot, judged.name, measured, searched) if options["save"] else UNSAVED
        result = runs.described(judged.name, snapshot, measured) | judged.missing() | run
        return result, report.measured(result)

    def questions(self, options: dict[str, Any]) -> tuple[Any, str]:
        library = self.library(options)
        golden = options["golden"]
        questions = library.golden_questions.active().questions() if golden else read_questions(options["questions"])
        name = runs.GOLDEN if golden else runs.name_of_file(options["questions"])
        if not questions:
            raise CommandError(NO_GOLDEN.format(library) if golden else f"{options['questions']} holds no question")
        questions = questions[: options["limit"]]
        save = options["save"] if options["save"] is not None else golden and options["limit"] is None
        numbers = [options["snapshot"]] if options["against"] is None else [options["against"], options["snapshot"]]
        snapshots = [runs.ready_snapshot(library, number) for number in numbers]
        results, all_measured = [], []
        for snapshot in snapshots:
            searched = searching(snapshot)
            measured = evaluate_questions(questions, options["branches"], searched, self.advance)
            run = self.saved(snapshot, name, measured, searched) if save else UNSAVED
            results.append(runs.described(name, snapshot, measured) | run | missing(questions, snapshot))
            all_measured.append(measured)
        if len(results) == 1:
            return results[0], report.measured(results[0])
        before, after = ({branch: one.outcomes for branch, one in measured.items()} for measured in all_measured)
        compared = compare(before, after)
        text = "\n\n".join([*map(report.measured, results), report.differences(compared)])
        return results[1] | {"against": results[0], "comparison": as_json(compared)}, text

    def answers(self, options: dict[str, Any]) -> tuple[Any, str]:
        library = self.library(options)
        file = options["questions"]
        questions = read_questions(file) if file else list(library.golden_questions.active().questions())
        if not questions:
            raise CommandError(f"{file} holds no question" if file else NO_GOLDEN.format(library))
        hopeless = read_unanswerable(options["unanswerable"]) if options["unanswerable"] else []
        check_ids([*questions, *hopeless], str(options["unanswerable"]))
        snapshot = runs.ready_snapshot(library, options["snapshot"])
        judge = chat_endpoint("judge") if options["judge"] else None
        limit = options["limit"]
        asked = [*questions[:limit], *hopeless[:limit]]
        judged = evaluate_answers(asked, searching(snapshot), self.advance, judge)
        measured = answer_measures.report(judged, library.caution) | missing(asked, snapshot)
        return measured, "\n".join([report.of_answers(measured, options["judge"]), *report.missing(measured)])

    def compare(self, options: dict[str, Any]) -> tuple[Any, str]:
        numbers = options["compare"]
        if len(numbers) > 2:
            raise CommandError("--compare takes one run or two", returncode=2)
        found = [EvaluationRun.objects.select_related("library").filter(pk=number).first() for number in numbers]
        if None in found:
            raise CommandError(f"there is no run {numbers[found.index(None)]}")
        chosen = [run for run in found if run]
        before, after = chosen if len(chosen) == 2 else (chosen[0].before(), chosen[0])
        if before is None:
            raise CommandError(f"run {after.pk} is the first of {after.library} with these questions and branches")
        compared = runs.compare_runs(before, after)
        sides = {name: run_json(run) for name, run in (("before", before), ("after", after))}
        text = "\n".join(f"{name:7} run {run['run']}: {said_of_run(run)}" for name, run in sides.items())
        return {**sides, "comparison": as_json(compared)}, f"{text}\n{report.differences(compared)}"

    def recall(self, options: dict[str, Any]) -> tuple[Any, str]:
        library = self.library(options)
        rows = [recall_json(row) for row in measure_recall(library, options["limit"] or SAMPLE)]
        return {"library": library.slug, "recalls": rows}, report.recalls(rows)

    def learn(self, options: dict[str, Any]) -> tuple[Any, str]:
        library = self.library(options)
        questions = library.golden_questions.active().questions()
        learnt = learn(runs.ready_snapshot(library, options["snapshot"]), questions, self.advance)
        result = learnt_json(learnt)
        return {"library": library.slug, **result}, report.learnt(result)

    def forget(self, options: dict[str, Any]) -> tuple[Any, str]:
        library = self.library(options)
        forgotten = forget(library)
        text = "searches weigh words as it is set" if forgotten else "it had learnt nothing"
        return {"library": library.slug, "forgotten": forgotten}, f"{library}: {text}"

    def library(self, options: dict[str, Any]) -> Library:
        if not options["library"]:
            raise CommandError("name the --library", returncode=2)
        return find_library(options["library"])

    def saved(
        self, snapshot: Snapshot, name: str, measured: dict[str, BranchMeasurement], searched: SearchOptions
    ) -> dict[str, int | None]:
        """The run, and the one that it can be compared with."""
        run = runs.save(snapshot, name, measured, searched)
        before = run.before()
        return {"run": run.pk, "before": before.pk if before else None}

    def advance(self) -> None:
        if sys.stderr.isatty():
            self.stderr.write(".", ending="")


def missing(questions: list[Question], snapshot: Snapshot) -> dict[str, Any]:
    places = runs.missing_gold(questions, snapshot)
    files = set(snapshot.files.values_list("document_file__path", flat=True)) if places else set()
    return {
        "gold_files_missing": sorted({place.file for _, place in places} - files),
        "gold_missing": [{"id": question.id, **place.as_json()} for question, place in places],
    }


def run_json(run: EvaluationRun) -> dict[str, Any]:
    return {
        "run": run.pk,
        "set": run.set_name,
        "library": run.library.slug,
        "snapshot": run.snapshot_number,
        "profile": run.profile_hash,
        "code": run.code,
        "options": run.options,
        "queries": run.queries,
        "run_at": run.run_at.isoformat(),
    }


def said_of_run(run: dict[str, Any]) -> str:
    return f"{run['set']} on {run['library']}@{run['snapshot']}, code {run['code']}, {run['run_at'][:16]}"


def recall_json(row: VectorRecall) -> dict[str, Any]:
    return {
        "snapshot": row.snapshot_number,
        "chunks": row.chunks,
        "asked": row.asked,
        "share": row.share,
        "queries": row.queries,
        "recall@10": row.recall,
        "lowest": row.lowest,
        "too_few": row.too_few,
    }


def learnt_json(row: LearntFusion) -> dict[str, Any]:
    return {
        "adopted": row.adopted,
        "lexical_weight": row.lexical_weight,
        "learnt_weight": row.learnt_weight,
        "folds": row.folds,
        "questions": row.questions,
        "default_ndcg@10": row.default_ndcg,
        "learnt_ndcg@10": row.learnt_ndcg,
        "standard_error": row.standard_error,
    }


def as_json(compared: Compared) -> dict[str, Any]:
    return {branch: comparison.as_json() for branch, comparison in compared.items()}
