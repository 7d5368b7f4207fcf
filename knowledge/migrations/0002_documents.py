"""Document files, their versions, and what a version is made of."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Cast, Upper

from ._tables import table


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0034_job_shown")]  # 0001_libraries replaces it
    replaces = [("knowledge", "0010_summaries_symbols_twins")]

    operations = [
        table(
            "DocumentFile",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="document_files"),
            path=models.CharField(max_length=1000, db_collation="C"),
            withdrawn_at=models.DateTimeField(
                null=True, blank=True, help_text="Withdrawn files are invisible at once, everywhere."
            ),
            withdrawn_because=models.CharField(max_length=500, blank=True),
            trashed_at=models.DateTimeField(
                null=True, blank=True, help_text="Erased when its library's days have passed."
            ),
            owner=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="owned_files"
            ),
            review_by=models.DateField(null=True, blank=True, help_text="When somebody should look at it again."),
            reminded_for=models.DateField(null=True, blank=True, editable=False),
            written_for=models.DateField(
                null=True, blank=True, editable=False, help_text="The owner was sent a letter."
            ),
            tags=ArrayField(models.CharField(max_length=50), default=list, blank=True),
            created_at=models.DateTimeField(auto_now_add=True),
            meta={
                "ordering": ["library", "path"],
                "constraints": [
                    models.UniqueConstraint(fields=["library", "path"], name="document_path"),
                    models.CheckConstraint(
                        condition=Q(trashed_at__isnull=True) | Q(withdrawn_at__isnull=False), name="trash_is_withdrawn"
                    ),
                ],
                "indexes": [
                    models.Index(
                        fields=["library", "id"], condition=Q(withdrawn_at__isnull=False), name="withdrawn_file"
                    ),
                    models.Index(fields=["review_by"], condition=Q(review_by__isnull=False), name="file_review_by"),
                    GinIndex(fields=["tags"], name="file_tags"),
                    GinIndex(OpClass(Upper("path"), name="gin_trgm_ops"), name="file_path_trigrams"),
                ],
            },
        ),
        table(
            "FileVersion",
            document_file=models.ForeignKey("knowledge.documentfile", models.CASCADE, related_name="versions"),
            sha256=models.CharField(max_length=64, help_text="Of the original bytes."),
            structure=models.CharField(max_length=64, help_text="IndexProfile.structure_hash"),
            media_type=models.CharField(max_length=100),
            title=models.CharField(max_length=1000),
            size=models.PositiveBigIntegerField(),
            text=models.TextField(help_text="As decoded, with \\n line ends: what quotes are substrings of."),
            line_count=models.PositiveIntegerField(),
            section_count=models.PositiveIntegerField(),
            chunk_count=models.PositiveIntegerField(),
            natural_language=models.CharField(
                max_length=16, blank=True, help_text="ISO 639-1, as detected; empty: unknown."
            ),
            digest=models.CharField(max_length=64, help_text="Hash of its sections and chunks, for the manifest."),
            warnings=models.JSONField(default=list),
            links=models.JSONField(
                default=list,
                db_default=models.Value([], models.JSONField()),
                help_text="Other files that its lines name: [kind, line, path as it is written there].",
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            meta={
                "constraints": [
                    models.UniqueConstraint(fields=["document_file", "sha256", "structure"], name="file_version")
                ],
                "indexes": [
                    models.Index(fields=["sha256"], name="version_original"),
                    GinIndex(
                        OpClass(Cast("links", models.TextField()), name="gin_trgm_ops"),
                        condition=Q(links__contains=[["include"]]),
                        name="file_version_includes",
                    ),
                ],
            },
        ),
        table(
            "Section",
            file_version=models.ForeignKey("knowledge.fileversion", models.CASCADE, related_name="sections"),
            ordinal=models.PositiveIntegerField(),
            parent=models.PositiveIntegerField(null=True, help_text="The parent's ordinal."),
            level=models.PositiveSmallIntegerField(),
            title=models.TextField(),
            breadcrumb=ArrayField(models.TextField()),
            anchor=models.TextField(),
            aliases=ArrayField(models.TextField(), default=list),
            line_start=models.PositiveIntegerField(),
            line_end=models.PositiveIntegerField(),
            page=models.PositiveIntegerField(null=True),
            meta={
                "ordering": ["file_version", "ordinal"],
                "constraints": [
                    models.UniqueConstraint(fields=["file_version", "ordinal"], name="section_ordinal"),
                    models.UniqueConstraint(fields=["file_version", "anchor"], name="section_anchor"),
                    models.CheckConstraint(
                        condition=Q(line_start__gte=1, line_end__gte=F("line_start")), name="section_lines"
                    ),
                    models.CheckConstraint(
                        condition=Q(parent__isnull=True) | Q(parent__lt=F("ordinal")), name="section_parent"
                    ),
                ],
            },
        ),
        table(
            "Chunk",
            file_version=models.ForeignKey("knowledge.fileversion", models.CASCADE, related_name="chunks"),
            section=models.ForeignKey("knowledge.section", models.CASCADE, related_name="chunks"),
            ordinal=models.PositiveIntegerField(help_text="Within the file version."),
            kind=models.CharField(max_length=20),
            language=models.CharField(max_length=40, blank=True),
            text=models.TextField(help_text="The quote: file_version.text[char_start:char_end]."),
            context=models.TextField(
                blank=True, help_text="Read with the text but not part of it, such as a table's header."
            ),
            char_start=models.PositiveIntegerField(),
            char_end=models.PositiveIntegerField(),
            line_start=models.PositiveIntegerField(),
            line_end=models.PositiveIntegerField(),
            page=models.PositiveIntegerField(null=True),
            box=ArrayField(
                models.FloatField(),
                size=4,
                null=True,
                help_text="Left, top, right, bottom on its page: points from the top left corner.",
            ),
            tokens=models.PositiveIntegerField(),
            content_hash=models.BinaryField(max_length=32, help_text="SHA-256 of the text that is embedded."),
            meta={
                "ordering": ["file_version", "ordinal"],
                "constraints": [
                    models.UniqueConstraint(fields=["file_version", "ordinal"], name="chunk_ordinal"),
                    models.CheckConstraint(
                        condition=Q(line_start__gte=1, line_end__gte=F("line_start")), name="chunk_lines"
                    ),
                    models.CheckConstraint(condition=Q(char_end__gt=F("char_start")), name="chunk_characters"),
                ],
                "indexes": [models.Index(fields=["content_hash"], name="chunk_content_hash")],
            },
        ),
        table(
            "SectionSummary",
            section=models.ForeignKey("knowledge.section", models.CASCADE, related_name="summaries"),
            method=models.CharField(
                max_length=250, help_text="Version of the extract, or of the prompt and its model."
            ),
            source_hash=models.BinaryField(max_length=32, help_text="SHA-256 of the titles and the text."),
            text=models.TextField(),
            content_hash=models.BinaryField(max_length=32, help_text="SHA-256 of the text that is embedded."),
            meta={
                "constraints": [models.UniqueConstraint(fields=["section", "method"], name="section_summary")],
                "indexes": [models.Index(fields=["source_hash", "method"], name="summary_source")],
            },
        ),
        table(
            "Symbol",
            file_version=models.ForeignKey("knowledge.fileversion", models.CASCADE, related_name="symbols"),
            ordinal=models.PositiveIntegerField(help_text="Within the file version."),
            kind=models.CharField(max_length=20, help_text="class, function, method …"),
            name=models.TextField(),
            qualified_name=models.TextField(help_text="With the names of what it stands in, joined by points."),
            language=models.CharField(max_length=40),
            line_start=models.PositiveIntegerField(),
            line_end=models.PositiveIntegerField(),
            signature=models.TextField(),
            docstring=models.TextField(blank=True),
            meta={
                "ordering": ["file_version", "ordinal"],
                "constraints": [
                    models.UniqueConstraint(fields=["file_version", "ordinal"], name="symbol_ordinal"),
                    models.CheckConstraint(
                        condition=Q(line_start__gte=1, line_end__gte=F("line_start")), name="symbol_lines"
                    ),
                ],
                "indexes": [models.Index(fields=["name"], name="symbol_name")],
            },
        ),
        table(
            "Reference",
            file_version=models.ForeignKey("knowledge.fileversion", models.CASCADE, related_name="references"),
            ordinal=models.PositiveIntegerField(help_text="Within the file version."),
            kind=models.CharField(max_length=20, help_text="call, import or base"),
            name=models.TextField(help_text="The last part of what is written."),
            written=models.TextField(help_text="With what stands before it: self.app.route"),
            target=models.TextField(blank=True, help_text="Of an import: where it comes from, joined by points."),
            symbol=models.PositiveIntegerField(null=True, help_text="The ordinal of the symbol that it stands in."),
            line=models.PositiveIntegerField(),
            meta={
                "ordering": ["file_version", "ordinal"],
                "constraints": [models.UniqueConstraint(fields=["file_version", "ordinal"], name="reference_ordinal")],
                "indexes": [models.Index(fields=["name", "kind"], name="reference_name")],
            },
        ),
        table(
            "FileSignature",
            file_version=models.OneToOneField(
                "knowledge.fileversion", models.CASCADE, primary_key=True, serialize=False, related_name="signature"
            ),
            words=models.BinaryField(help_text="uint32, one for each hash function"),
            outline=models.BinaryField(help_text="uint32, one for each hash function"),
        ),
        table(
            "NearTwin",
            one=models.ForeignKey("knowledge.fileversion", models.CASCADE, related_name="+"),
            other=models.ForeignKey("knowledge.fileversion", models.CASCADE, related_name="+"),
            kind=models.CharField(
                max_length=20,
                choices=[
                    ("copy", "the same text"),
                    ("text", "nearly the same text"),
                    ("outline", "the same headings, much the same words"),
                ],
            ),
            similarity=models.FloatField(help_text="0 to 1: of their texts, or of their headings."),
            meta={
                "constraints": [
                    models.UniqueConstraint(fields=["one", "other"], name="near_twin"),
                    models.CheckConstraint(condition=Q(one__lt=F("other")), name="near_twin_order"),
                ]
            },
        ),
    ]
