from .chat import again, answer, chat, events, feedback, remove, replayed, share, stop
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
    "remove",
    "replayed",
    "search",
    "share",
    "stop",
]
