from .chat import answer, chat
from .read import read
from .search import search

__all__ = ["answer", "chat", "read", "search"]
