from .credential import CredentialError, SourceCredential
from .document import Chunk, DocumentFile, FileVersion, Section
from .embedding import Embedding, EmbeddingSpace
from .evaluation import EvaluationResult, EvaluationRun, GoldenQuestion, LearntFusion, VectorRecall, may_keep_questions
from .job import Job, JobEvent, LeaseLost
from .ledger import Answer, AnswerCitation, Conversation
from .lexical import LexicalSegment, Posting
from .library import Library
from .profile import IndexProfile
from .snapshot import NotActivatable, Snapshot, SnapshotFile
from .token import ApiToken
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
    "Section",
    "Snapshot",
    "SnapshotFile",
    "SourceCredential",
    "Upload",
    "VectorRecall",
    "may_keep_questions",
]
