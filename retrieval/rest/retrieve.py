"""Retrieval down the tree, as benchmark harnesses call it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from knowledge.models import Chunk
from knowledge.rest.errors import validated
from retrieval.query import MAX_CHARACTERS
from retrieval.query_logging import note_search
from retrieval.results import MOST, Hit, SearchOptions
from retrieval.search import search

from .api import ERRORS, missing_as_404
from .serializers import LibrariesSerializer


class WantedSerializer(LibrariesSerializer):
    query = serializers.CharField(max_length=MAX_CHARACTERS)
    top_k = serializers.IntegerField(min_value=1, max_value=MOST, allow_null=True, default=10)


class SectionHitSerializer(serializers.Serializer):
    id = serializers.CharField(help_text="library/path#anchor")
    source = serializers.CharField(help_text="The file's path")
    line_start = serializers.IntegerField(help_text="Of the section, without those below it")
    line_end = serializers.IntegerField()
    distance = serializers.FloatField(
        help_text="Above 0, at most 1; never falls from hit to hit; 1 for all where only filters were asked"
    )


class RetrievedSerializer(serializers.Serializer):
    hits = SectionHitSerializer(many=True)
    degraded = serializers.ListField(child=serializers.CharField(), help_text="What was done without")
    notes = serializers.ListField(child=serializers.CharField(), help_text="What was asked and could not be done")


@extend_schema(request=WantedSerializer, responses={200: RetrievedSerializer, **ERRORS})
@api_view(["POST"])
@renderer_classes([JSONRenderer])
def retrieve(request: Request) -> Response:
    """The sections that answer a query best, each once, by what they and their files hold."""
    values = validated(WantedSerializer(data=request.data), others=True)  # harnesses may send more
    options = SearchOptions(tuple(values.get("library", ())), mode="tree", top_k=values["top_k"] or 10, rerank=False)
    with missing_as_404():
        result = search(request.user, values["query"], options)
    note_search(request.user, result)
    spans = Chunk.objects.filter(pk__in=[hit.chunk_id for hit in result.hits])
    lines = {pk: span for pk, *span in spans.values_list("pk", "section__line_start", "section__line_end")}
    return Response(
        {
            "hits": [described(hit, *lines[hit.chunk_id]) for hit in result.hits if hit.chunk_id in lines],
            "degraded": result.degraded,
            "notes": result.notes,
        }
    )


def described(hit: Hit, start: int, end: int) -> dict[str, Any]:
    return {
        "id": f"{hit.library}/{hit.source_file}#{hit.section_anchor}",
        "source": hit.source_file,
        "line_start": start,
        "line_end": end,
        "distance": round(1 / (1 + max(hit.scores["fused"] or 0.0, 0.0)), 6),
    }
