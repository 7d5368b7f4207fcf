"""Writing down what was asked, as far as each searched library's policy says. It never stands in a search's way."""

import logging
from collections.abc import Collection
from typing import Any

from django.db import DatabaseError, connection, transaction

from knowledge.models import Library, LoggedQuery
from knowledge.models.library import Reader

COUNT = """
    INSERT INTO knowledge_querycount (library_id, day, searches, questions, refused, degraded)
    SELECT id, (now() AT TIME ZONE 'UTC')::date, %(searches)s, %(questions)s, %(refused)s, %(degraded)s
    FROM knowledge_library WHERE slug = ANY(%(slugs)s) AND query_log <> 'off' ORDER BY id
    ON CONFLICT (library_id, day) DO UPDATE SET
        searches = knowledge_querycount.searches + EXCLUDED.searches,
        questions = knowledge_querycount.questions + EXCLUDED.questions,
        refused = knowledge_querycount.refused + EXCLUDED.refused,
        degraded = knowledge_querycount.degraded + EXCLUDED.degraded
"""
logger = logging.getLogger(__name__)


def note(
    user: Reader, kind: str, text: str, libraries: Collection[str], refused: bool = False, degraded: bool = False
) -> None:
    """`kind` is search or question; `libraries` are the slugs of those that were searched."""
    slugs = sorted(libraries)
    counts: dict[str, Any] = {
        "slugs": slugs,
        "searches": int(kind == "search"),
        "questions": int(kind == "question"),
        "refused": int(refused),
        "degraded": int(degraded),
    }
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(COUNT, counts)
            asked_by = user if user is not None and user.is_authenticated else None
            LoggedQuery.objects.bulk_create(
                LoggedQuery(library=library, asked_by=asked_by, kind=kind, text=text[:1000])
                for library in Library.objects.filter(slug__in=slugs, query_log=Library.QueryLog.FULL)
            )
    except DatabaseError as error:  # a reader is answered, whether it is counted or not
        logger.warning("a %s was not counted: %s", kind, error)
