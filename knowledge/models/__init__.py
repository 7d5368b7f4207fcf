from .document import Chunk, DocumentFile, FileVersion, Section
from .embedding import Embedding, EmbeddingSpace
from .evaluation import EvaluationResult, EvaluationRun, GoldenQuestion, LearntFusion, VectorRecall, may_keep_questions
from .job import Job, JobEvent, LeaseLost
from .ledger import Answer, AnswerCitation
from .lexical import LexicalSegment, Posting
from .library import Library
from .profile import IndexProfile
from .reading_place import ReadingPlace, in_reading_order
from .snapshot import NotActivatable, Snapshot, SnapshotFile

__all__ = [
    "Answer",
    "AnswerCitation",
    "Chunk",
    "DocumentFile",
    "Embedding",
    "EmbeddingSpace",
    "EvaluationResult",
    "EvaluationRun",
    "FileVersion",
    "GoldenQuestion",
    "IndexProfile",
    "Job",
    "JobEvent",
    "LearntFusion",
    "LeaseLost",
    "LexicalSegment",
    "Library",
    "NotActivatable",
    "Posting",
    "ReadingPlace",
    "Section",
    "Snapshot",
    "SnapshotFile",
    "VectorRecall",
    "in_reading_order",
    "may_keep_questions",
]
