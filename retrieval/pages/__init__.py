from .chat import again, answer, chat, events, feedback, replayed, share, stop
from .golden import keep_golden
from .playground import playground
from .quality import quality
from .read import original, page_image, read
from .search import search

__all__ = [
    "again",
    "answer",
    "chat",
    "events",
    "feedback",
    "keep_golden",
    "original",
    "page_image",
    "playground",
    "quality",
    "read",
    "replayed",
    "search",
    "share",
    "stop",
]
