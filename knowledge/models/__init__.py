from .credential import CredentialError, SourceCredential
from .document import Chunk, DocumentFile, FileVersion, Section
from .embedding import Embedding, EmbeddingSpace
from .evaluation import EvaluationResult, EvaluationRun, GoldenQuestion, LearntFusion, VectorRecall, may_keep_questions
from .job import Job, JobEvent, LeaseLost, NotPossible
from .ledger import Answer, AnswerCitation, Conversation
from .lexical import LexicalSegment, Posting
from .library import Library
from .profile import IndexProfile
from .reading_place import ReadingPlace, in_reading_order
from .schedule import Schedule
from .snapshot import NotActivatable, Snapshot, SnapshotFile
from .summary import SectionSummary
from .symbol import Reference, Symbol
from .token import ApiToken
from .twins import FileSignature, NearTwin
from .upload import Upload

__all__ = [
    "Answer",
    "AnswerCitation",
    "ApiToken",
    "Chunk",
    "Conversation",
    "CredentialError",
    "DocumentFile",
    "Embedding",
    "EmbeddingSpace",
    "EvaluationResult",
    "EvaluationRun",
    "FileSignature",
    "FileVersion",
    "GoldenQuestion",
    "IndexProfile",
    "Job",
    "JobEvent",
    "LearntFusion",
    "LeaseLost",
    "LexicalSegment",
    "Library",
    "NearTwin",
    "NotActivatable",
    "NotPossible",
    "Posting",
    "ReadingPlace",
    "Reference",
    "Schedule",
    "Section",
    "SectionSummary",
    "Snapshot",
    "SnapshotFile",
    "SourceCredential",
    "Symbol",
    "Upload",
    "VectorRecall",
    "in_reading_order",
    "may_keep_questions",
]
