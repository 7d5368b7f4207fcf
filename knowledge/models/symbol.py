"""What source code defines, and what it refers to, file version by file version. Written once."""

from django.db import models
from django.db.models import F, Q

from .document import FileVersion


class Symbol(models.Model):
    file_version = models.ForeignKey(FileVersion, on_delete=models.CASCADE, related_name="symbols")
    ordinal = models.PositiveIntegerField(help_text="Within the file version.")
    kind = models.CharField(max_length=20, help_text="class, function, method …")
    name = models.TextField()
    qualified_name = models.TextField(help_text="With the names of what it stands in, joined by points.")
    language = models.CharField(max_length=40)
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    signature = models.TextField()
    docstring = models.TextField(blank=True)

    class Meta:
        ordering = ["file_version", "ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["file_version", "ordinal"], name="symbol_ordinal"),
            models.CheckConstraint(condition=Q(line_start__gte=1, line_end__gte=F("line_start")), name="symbol_lines"),
        ]
        indexes = [models.Index(fields=["name"], name="symbol_name")]

    def __str__(self) -> str:
        return self.qualified_name


class Reference(models.Model):
    """A call, an import or a base class, as it is written. What it means is found out when somebody asks."""

    file_version = models.ForeignKey(FileVersion, on_delete=models.CASCADE, related_name="references")
    ordinal = models.PositiveIntegerField(help_text="Within the file version.")
    kind = models.CharField(max_length=20, help_text="call, import or base")
    name = models.TextField(help_text="The last part of what is written.")
    written = models.TextField(help_text="With what stands before it: self.app.route")
    target = models.TextField(blank=True, help_text="Of an import: where it comes from, joined by points.")
    symbol = models.PositiveIntegerField(null=True, help_text="The ordinal of the symbol that it stands in.")
    line = models.PositiveIntegerField()

    class Meta:
        ordering = ["file_version", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["file_version", "ordinal"], name="reference_ordinal")]
        indexes = [models.Index(fields=["name", "kind"], name="reference_name")]

    def __str__(self) -> str:
        return f"{self.kind} {self.written}"
