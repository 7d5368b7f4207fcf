"""The shapes of the REST API: the values of `search` and `ask`."""

from collections.abc import Mapping
from typing import Any

from django.utils.datastructures import MultiValueDict
from django.utils.text import capfirst
from rest_framework import serializers

from knowledge.numbers import LARGEST
from retrieval.answering.ledger import MOST_PINNED
from retrieval.code.symbols import DEEPEST, LONGEST_NAME
from retrieval.query import FIELDS, LANGUAGE, MAX_CHARACTERS
from retrieval.results import MOST, MOST_SHOWN
from retrieval.search import MODES
from retrieval.why_not import LONGEST


class PartSerializer(serializers.Serializer):
    branch = serializers.CharField()
    rank = serializers.IntegerField(allow_null=True, help_text="Among everything searched")
    score = serializers.FloatField(allow_null=True)
    scaled = serializers.FloatField(allow_null=True, help_text="The score as fusion reads it")
    weight = serializers.FloatField(allow_null=True)
    adds = serializers.FloatField(help_text="To the fused score")


class TermSerializer(serializers.Serializer):
    lexeme = serializers.CharField()
    query_count = serializers.IntegerField()
    df = serializers.IntegerField(help_text="Passages that hold it")
    idf = serializers.FloatField()
    score = serializers.FloatField()
    share = serializers.FloatField(help_text="Of the passage's BM25 score")


class DiversitySerializer(serializers.Serializer):
    section = serializers.IntegerField(help_text="Better hits of its section")
    file = serializers.IntegerField(help_text="Better hits of its file")
    later = serializers.BooleanField(help_text="It does not begin its section, in a file with pages")
    worth = serializers.FloatField(help_text="What its score counted for, for that")


class ExplanationSerializer(serializers.Serializer):
    fusion = serializers.ChoiceField(["scores", "rrf", "none"])
    parts = PartSerializer(many=True)
    terms = TermSerializer(many=True)
    file_score = serializers.FloatField(help_text="What the query's words in its whole file add to its BM25 score")
    fused_rank = serializers.IntegerField(help_text="By fused score alone")
    diversity = DiversitySerializer()
    rank_before_rerank = serializers.IntegerField()
    named = serializers.BooleanField(
        help_text="Its section or file is called as the query is, or it says a message in a row: it comes first"
    )


class WhyNotSerializer(serializers.Serializer):
    asked = serializers.CharField()
    status = serializers.CharField()
    reason = serializers.CharField(help_text="The status in a sentence")
    library = serializers.CharField(allow_null=True)
    snapshot = serializers.IntegerField(allow_null=True)
    rank = serializers.IntegerField(allow_null=True, help_text="As shown")
    section_anchor = serializers.CharField(allow_null=True)
    ranks = serializers.DictField(child=serializers.IntegerField(allow_null=True), help_text="Of its best passage")


class SearchedLibrarySerializer(serializers.Serializer):
    slug = serializers.CharField()
    snapshot = serializers.IntegerField()


class HitSerializer(serializers.Serializer):
    rank = serializers.IntegerField()
    library = serializers.CharField()
    source_file = serializers.CharField()
    version = serializers.CharField(help_text="SHA-256 of the file version's bytes")
    section_title = serializers.CharField()
    breadcrumb = serializers.ListField(child=serializers.CharField())
    section_anchor = serializers.CharField()
    line_start = serializers.IntegerField()
    line_end = serializers.IntegerField()
    page = serializers.IntegerField(allow_null=True)
    language = serializers.CharField(allow_null=True, help_text="Of code; null for prose")
    preview_text = serializers.CharField()
    text = serializers.CharField(help_text="The whole chunk")
    char_start = serializers.IntegerField(help_text="Of the chunk in its file's text, from 0")
    char_end = serializers.IntegerField(help_text="The first character behind it")
    chunk_id = serializers.IntegerField()
    snapshot = serializers.IntegerField()
    ordinal = serializers.IntegerField(help_text="Of the chunk in its file")
    url = serializers.CharField(help_text="Where a person reads it, with its lines marked")
    ranks = serializers.DictField(child=serializers.IntegerField(allow_null=True))
    scores = serializers.DictField(child=serializers.FloatField(allow_null=True))
    explain = ExplanationSerializer(allow_null=True)


class FilterSerializer(serializers.Serializer):
    field = serializers.ChoiceField(FIELDS)
    value = serializers.CharField()
    excluded = serializers.BooleanField()


class UnderstoodSerializer(serializers.Serializer):
    text = serializers.CharField(help_text="What is looked for: the words, and those of the phrases")
    phrases = serializers.ListField(child=serializers.CharField())
    exclusions = serializers.ListField(child=serializers.CharField())
    filters = FilterSerializer(many=True)


class FacetValueSerializer(serializers.Serializer):
    label = serializers.CharField()
    count = serializers.IntegerField()
    filter = serializers.CharField(help_text="As it is written in a query")


class FacetSerializer(serializers.Serializer):
    name = serializers.CharField()
    values = FacetValueSerializer(many=True)


class SearchResultSerializer(serializers.Serializer):
    query = serializers.CharField()
    libraries = SearchedLibrarySerializer(many=True)
    mode = serializers.CharField()
    degraded = serializers.ListField(child=serializers.CharField(), help_text="What was done without (docs/search.md)")
    took_ms = serializers.DictField(child=serializers.FloatField(allow_null=True))
    hits = HitSerializer(many=True)
    why_not = WhyNotSerializer(many=True, help_text="Where the file asked for by `why_not` was lost, by library")
    facets = FacetSerializer(many=True, help_text="Counted for the pages alone: here there are none")
    remembered = serializers.BooleanField(help_text="An earlier search's hits; nothing they were made of has changed")
    understood = UnderstoodSerializer()
    notes = serializers.ListField(child=serializers.CharField(), help_text="What was asked and could not be done")
    did_you_mean = serializers.CharField(
        allow_null=True, help_text="The query with other words for those that nothing here says, or with file:"
    )
    corrected = serializers.DictField(
        child=serializers.CharField(), help_text="Such words, and what was searched for in their place"
    )


class CitationSerializer(HitSerializer):
    n = serializers.IntegerField()
    quote = serializers.CharField()
    verified = serializers.BooleanField(help_text="The quote stands in the document and bears the sentence out")
    table_head = serializers.CharField(help_text="Of the table whose rows are quoted, where the quote is without it")


class SentenceSerializer(serializers.Serializer):
    text = serializers.CharField()
    citations = serializers.ListField(child=serializers.IntegerField())
    supported = serializers.BooleanField()
    hint = serializers.FloatField(allow_null=True, help_text="A reranker's opinion of sentence and quote: no proof")


class AnswerSerializer(serializers.Serializer):
    id = serializers.IntegerField(help_text="In the ledger")
    url = serializers.CharField(allow_null=True, help_text="Where the asker reads it again; null without an account")
    question = serializers.CharField()
    standalone = serializers.CharField(help_text="The question as it was understood in its conversation")
    searched_for = serializers.CharField()
    answer = serializers.CharField()
    refused = serializers.BooleanField()
    stopped = serializers.BooleanField()
    degraded = serializers.ListField(child=serializers.CharField())
    model = serializers.CharField()
    citations = CitationSerializer(many=True)
    sentences = SentenceSerializer(many=True)
    usage = serializers.DictField(child=serializers.IntegerField())
    took_ms = serializers.DictField(
        child=serializers.FloatField(allow_null=True), help_text="search, first_token (null: no model wrote), total"
    )
    searched = SearchedLibrarySerializer(many=True)
    invented_citations = serializers.IntegerField(help_text="Of passages that do not exist, or do not say so: dropped")
    hits = HitSerializer(many=True, help_text="What the model read; after a refusal, the nearest sections")


NO_SLUG = "A library's slug is made of letters, digits, “-” and “_”. Name each by itself: library=one&library=two."


class LibrariesSerializer(serializers.Serializer):
    other_names = {"libraries": "library"}  # as answers and MCP call them: ignored, it would be all of them
    library = serializers.ListField(
        child=serializers.SlugField(error_messages={"invalid": NO_SLUG}),
        required=False,
        help_text="Default: all you may read",
        error_messages={"not_a_list": "Give a list, also of one library."},
    )

    def to_internal_value(self, data: Any) -> Any:
        """What is sent by another name is the field's, unless that is sent, too."""
        if isinstance(data, Mapping):
            for other, name in self.other_names.items():
                data = renamed(data, other, name) if other in data and name not in data else data
        return super().to_internal_value(data)


def renamed(data: Mapping[str, Any], other: str, name: str) -> Mapping[str, Any]:
    if isinstance(data, MultiValueDict):
        return MultiValueDict({**data, name: data.getlist(other)})
    return {**data, name: data[other]}


class OptionsSerializer(LibrariesSerializer):
    mode = serializers.ChoiceField(MODES, required=False)
    top_k = serializers.IntegerField(
        min_value=1,
        max_value=MOST_SHOWN,
        required=False,
        allow_null=True,
        help_text="Default: as the libraries are set, else 10",
    )
    snapshot = serializers.IntegerField(
        min_value=1, max_value=LARGEST, required=False, help_text="A number; needs exactly one library"
    )
    rerank = serializers.BooleanField(
        required=False, allow_null=True, help_text="Default: where a reranker is configured"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "snapshot" in attrs and len(attrs.get("library", ())) != 1:
            raise serializers.ValidationError({"snapshot": "needs exactly one library."})
        return attrs


class SearchQuerySerializer(OptionsSerializer):
    other_names = {**OptionsSerializer.other_names, "query": "q"}  # as /retrieve and MCP call it
    q = serializers.CharField(
        max_length=MAX_CHARACTERS, help_text=f"{capfirst(LANGUAGE)}, as docs/search.md describes them"
    )
    top_k = serializers.IntegerField(
        min_value=1,
        max_value=MOST,
        required=False,
        allow_null=True,
        help_text="Default: as the libraries are set, else 10",
    )
    explain = serializers.BooleanField(required=False, help_text="Say of each hit why it stands where it stands")
    why_not = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST, help_text="`path` or `path#anchor`: where was it lost?"
    )


class TurnSerializer(serializers.Serializer):
    question = serializers.CharField(max_length=MAX_CHARACTERS)
    answer = serializers.CharField(required=False, default="", allow_blank=True, max_length=20_000)


class QuestionSerializer(OptionsSerializer):
    question = serializers.CharField(max_length=MAX_CHARACTERS)
    standalone = serializers.CharField(
        required=False, max_length=MAX_CHARACTERS, help_text="A follow-up worded so that it can be understood alone"
    )
    history = TurnSerializer(
        many=True, required=False, help_text="What was asked before, the oldest first; the last four count"
    )
    files = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST), max_length=20, required=False, help_text="Globs of paths"
    )
    pinned = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        max_length=MOST_PINNED,
        required=False,
        help_text="Chunks to read first",
    )
    excluded = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        max_length=MOST_PINNED,
        required=False,
        help_text="Chunks not to read",
    )


class PieceSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(["same", "removed", "added"])
    text = serializers.CharField()


class SpanNowSerializer(serializers.Serializer):
    n = serializers.IntegerField()
    status = serializers.ChoiceField(["unchanged", "moved", "reworded", "gone", "removed", "withheld"])
    says = serializers.CharField(help_text="The status in a sentence")
    library = serializers.CharField()
    source_file = serializers.CharField()
    quote = serializers.CharField()
    line_start = serializers.IntegerField()
    line_end = serializers.IntegerField()
    source_file_now = serializers.CharField(allow_null=True, help_text="Another than source_file: it was renamed")
    line_now = serializers.IntegerField(allow_null=True)
    url = serializers.CharField(allow_null=True)
    pieces = PieceSerializer(many=True, help_text="Word by word, where it is worded otherwise")
    found = serializers.BooleanField(help_text="Whether today's search finds these words")


class SentenceNowSerializer(serializers.Serializer):
    text = serializers.CharField()
    then = serializers.BooleanField()
    now = serializers.BooleanField(help_text="Whether today's passages bear it out")


class ReplaySerializer(serializers.Serializer):
    answer = serializers.IntegerField()
    question = serializers.CharField()
    verdict = serializers.ChoiceField(["yes", "partly", "no", "withheld", "refused"])
    then = SearchedLibrarySerializer(many=True)
    now = SearchedLibrarySerializer(many=True)
    citations = SpanNowSerializer(many=True)
    sentences = SentenceNowSerializer(many=True)
    withheld = serializers.IntegerField(help_text="Sentences, borne out then, that are not open to you: not compared")
    hits = HitSerializer(many=True)


class SymbolsQuerySerializer(LibrariesSerializer):
    name = serializers.CharField(
        max_length=LONGEST_NAME, help_text="A name, or the end of a qualified one: Flask.route"
    )
    direction = serializers.ChoiceField(["callers", "callees"], required=False)
    depth = serializers.IntegerField(min_value=1, max_value=DEEPEST, default=1, help_text="Callers of callers …")


class SymbolSerializer(serializers.Serializer):
    library = serializers.CharField()
    source_file = serializers.CharField()
    kind = serializers.CharField()
    name = serializers.CharField()
    qualified_name = serializers.CharField()
    language = serializers.CharField()
    line_start = serializers.IntegerField()
    line_end = serializers.IntegerField()
    signature = serializers.CharField()
    docstring = serializers.CharField()
    url = serializers.CharField()


class CallSerializer(serializers.Serializer):
    depth = serializers.IntegerField()
    caller = serializers.CharField(allow_null=True, help_text="null: the code at the top of a file")
    callee = serializers.CharField(allow_null=True, help_text="null: what the library does not define")
    written = serializers.CharField()
    library = serializers.CharField()
    source_file = serializers.CharField()
    line = serializers.IntegerField()
    resolution = serializers.ChoiceField(["exact", "import", "name", "none"])
    guess = serializers.BooleanField(help_text="Only the name is the same")
    url = serializers.CharField()


class SymbolsSerializer(serializers.Serializer):
    name = serializers.CharField()
    symbols = SymbolSerializer(many=True)
    callers = CallSerializer(many=True, allow_null=True)
    callees = CallSerializer(many=True, allow_null=True)
    cut = serializers.BooleanField(help_text="There are more")
