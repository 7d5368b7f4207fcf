"""Measuring retrieval: BEIR sets judged by document, and question sets judged by the lines that answer them."""

from .beir import BeirSet, evaluate_beir, read_beir
from .questions import Gold, Question, evaluate_questions, read_questions

__all__ = ["BeirSet", "Gold", "Question", "evaluate_beir", "evaluate_questions", "read_beir", "read_questions"]
