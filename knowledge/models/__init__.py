from .audit import AuditEvent, AuditHead, RowState
from .credential import CredentialError, SourceCredential
from .document import Chunk, DocumentFile, FileVersion, Section
from .embedding import Embedding, EmbeddingSpace
from .evaluation import EvaluationResult, EvaluationRun, GoldenQuestion, LearntFusion, VectorRecall
from .job import Job, LeaseLost, NotPossible
from .job_event import JobEvent
from .ledger import Answer, AnswerCitation, Conversation
from .lexical import LexicalSegment, Posting
from .library import Library
from .membership import Invitation, Membership, Role
from .profile import IndexProfile
from .query_log import LoggedQuery, QueryCount
from .reading_place import ReadingPlace, in_reading_order
from .review import Activation, Decision, GateRun, PlannedActivation
from .saved_view import SavedView
from .schedule import Schedule
from .sign_on import SignOn
from .snapshot import NotActivatable, Snapshot, SnapshotFile
from .summary import SectionSummary
from .symbol import Reference, Symbol
from .token import ApiToken
from .tuning import SettingChange
from .twins import FileSignature, NearTwin
from .upload import Upload

__all__ = [
    "Activation",
    "Answer",
    "AnswerCitation",
    "ApiToken",
    "AuditEvent",
    "AuditHead",
    "Chunk",
    "Conversation",
    "CredentialError",
    "Decision",
    "DocumentFile",
    "Embedding",
    "EmbeddingSpace",
    "EvaluationResult",
    "EvaluationRun",
    "FileSignature",
    "FileVersion",
    "GateRun",
    "GoldenQuestion",
    "IndexProfile",
    "Invitation",
    "Job",
    "JobEvent",
    "LearntFusion",
    "LeaseLost",
    "LexicalSegment",
    "Library",
    "LoggedQuery",
    "Membership",
    "NearTwin",
    "NotActivatable",
    "NotPossible",
    "PlannedActivation",
    "Posting",
    "QueryCount",
    "ReadingPlace",
    "Reference",
    "Role",
    "RowState",
    "SavedView",
    "Schedule",
    "Section",
    "SectionSummary",
    "SettingChange",
    "SignOn",
    "Snapshot",
    "SnapshotFile",
    "SourceCredential",
    "Symbol",
    "Upload",
    "VectorRecall",
    "in_reading_order",
]
