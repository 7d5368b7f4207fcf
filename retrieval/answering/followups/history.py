"""What was said above in a conversation, as far as its reader may still see what it was drawn from."""

from collections.abc import Sequence

from knowledge import models
from knowledge.models.library import Reader
from retrieval.answering.followups import followup
from retrieval.answering.followups.followup import Turn
from retrieval.answering.revocation import is_open, is_wording_open, open_files


def turns(
    conversation: models.Conversation | None, user: Reader, before: models.Answer | None = None
) -> tuple[Turn, ...]:
    """What was said above this answer, as far as this reader may still see what it was drawn from.

    Of one that is being written, or broke off, what was asked.
    """
    if conversation is None:
        return ()
    found = []
    for row in conversation.latest(finished=True, before=before)[-followup.REMEMBERED :]:
        seen = row.citations.filter(chunk__file_version__document_file__in=open_files(user, row))
        cited = list(seen.values_list("chunk__section__title", "quote"))
        said = row.text if cited and len(cited) == row.citations.count() and is_open(row, user) else ""
        asked = row.standalone if is_wording_open(row, user) else ""
        found.append(Turn(asked or row.question, said, " ".join(" ".join(one) for one in cited)))
    return tuple(found)


def are_open_still(
    history: Sequence[Turn], conversation: models.Conversation, user: Reader, before: models.Answer
) -> bool:
    """Whether all that was said before is open to this reader still. What was only asked, in their own words, may have
    its answer by now."""
    now = turns(conversation, user, before)
    asked = {row.question for row in conversation.latest(finished=True, before=before)}
    return all(turn in now or (turn.question in asked and not (turn.answer or turn.cited)) for turn in history)
