"""The shapes of the REST API: rows of the knowledge, and the values of CONTRACT's `search` and `ask`."""

from rest_framework import serializers

from knowledge.models import Library, Snapshot, SnapshotFile
from retrieval.query import MAX_CHARACTERS


class SnapshotSerializer(serializers.ModelSerializer):
    file_count = serializers.IntegerField(read_only=True)
    active = serializers.BooleanField(source="is_active", read_only=True)

    class Meta:
        model = Snapshot
        fields = [
            "number", "state", "active", "file_count", "chunk_count", "revision", "manifest_hash",
            "created_at", "sealed_at",
        ]  # fmt: skip


class LibrarySerializer(serializers.ModelSerializer):
    active_snapshot = serializers.IntegerField(
        source="active_snapshot.number", read_only=True, allow_null=True, default=None
    )
    file_count = serializers.IntegerField(read_only=True)
    chunk_count = serializers.IntegerField(source="active_snapshot.chunk_count", read_only=True, default=0)

    class Meta:
        model = Library
        fields = ["slug", "name", "kind", "language", "access", "active_snapshot", "file_count", "chunk_count"]


class DocumentSerializer(serializers.ModelSerializer):
    path = serializers.CharField(source="document_file.path")
    title = serializers.CharField(source="file_version.title")
    sha256 = serializers.CharField(source="file_version.sha256")
    media_type = serializers.CharField(source="file_version.media_type")
    size = serializers.IntegerField(source="file_version.size")
    line_count = serializers.IntegerField(source="file_version.line_count")
    chunk_count = serializers.IntegerField(source="file_version.chunk_count")

    class Meta:
        model = SnapshotFile
        fields = ["path", "title", "sha256", "media_type", "size", "line_count", "chunk_count"]


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
    language = serializers.CharField()
    preview_text = serializers.CharField()
    text = serializers.CharField(help_text="The whole chunk")
    chunk_id = serializers.IntegerField()
    snapshot = serializers.IntegerField()
    url = serializers.CharField(help_text="Where a person reads it, with its lines marked")
    ranks = serializers.DictField(child=serializers.IntegerField(allow_null=True))
    scores = serializers.DictField(child=serializers.FloatField(allow_null=True))


class SearchResultSerializer(serializers.Serializer):
    query = serializers.CharField()
    libraries = SearchedLibrarySerializer(many=True)
    mode = serializers.CharField()
    degraded = serializers.ListField(
        child=serializers.CharField(), help_text="What did not answer, so was done without"
    )
    took_ms = serializers.DictField(child=serializers.FloatField())
    hits = HitSerializer(many=True)


class CitationSerializer(HitSerializer):
    n = serializers.IntegerField()
    quote = serializers.CharField()
    verified = serializers.BooleanField(help_text="The quote stands in the document and bears the sentence out")


class SentenceSerializer(serializers.Serializer):
    text = serializers.CharField()
    citations = serializers.ListField(child=serializers.IntegerField())
    supported = serializers.BooleanField()


class AnswerSerializer(serializers.Serializer):
    id = serializers.IntegerField(help_text="In the ledger")
    url = serializers.CharField(help_text="Where the asker reads it again")
    question = serializers.CharField()
    searched_for = serializers.CharField()
    answer = serializers.CharField()
    refused = serializers.BooleanField()
    degraded = serializers.ListField(child=serializers.CharField())
    model = serializers.CharField()
    citations = CitationSerializer(many=True)
    sentences = SentenceSerializer(many=True)
    usage = serializers.DictField(child=serializers.IntegerField())
    took_ms = serializers.DictField(child=serializers.FloatField())
    hits = HitSerializer(many=True, help_text="What the model read; after a refusal, the nearest sections")


class ErrorSerializer(serializers.Serializer):
    detail = serializers.CharField()
    errors = serializers.DictField(child=serializers.ListField(child=serializers.CharField()), required=False)


class OptionsSerializer(serializers.Serializer):
    library = serializers.ListField(
        child=serializers.SlugField(), required=False, help_text="Default: all you may read"
    )
    mode = serializers.ChoiceField(["hybrid", "lexical", "vector"], required=False)
    top_k = serializers.IntegerField(min_value=1, max_value=50, required=False)
    snapshot = serializers.IntegerField(min_value=1, required=False, help_text="A number; needs exactly one library")


class SearchQuerySerializer(OptionsSerializer):
    q = serializers.CharField(max_length=MAX_CHARACTERS)


class QuestionSerializer(OptionsSerializer):
    question = serializers.CharField(max_length=MAX_CHARACTERS)
