from .chat import answer, chat
from .golden import keep_golden
from .quality import quality
from .read import read
from .search import search

__all__ = ["answer", "chat", "keep_golden", "quality", "read", "search"]
