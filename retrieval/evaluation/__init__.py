"""Measuring retrieval: BEIR sets judged by document, and question sets judged by the places that answer them."""

from knowledge.golden import Gold, Question

from .beir import BeirSet, evaluate_beir, read_beir
from .questions import evaluate_questions, read_questions

__all__ = ["BeirSet", "Gold", "Question", "evaluate_beir", "evaluate_questions", "read_beir", "read_questions"]
