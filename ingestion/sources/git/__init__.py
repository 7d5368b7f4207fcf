"""A git repository, kept as a bare clone that is never checked out.

git runs with a pinned environment: no user or system configuration, no prompts, no hooks, only the allowed protocols,
no redirects, the host's address resolved once, checked and pinned, and secrets handed over where nobody else reads.
"""

from .address import allowed_url
from .listing import open_git

__all__ = ["allowed_url", "open_git"]
