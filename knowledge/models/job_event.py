"""A line of a job's log."""

from typing import Any

from django.db import models


class JobEvent(models.Model):
    job = models.ForeignKey("knowledge.Job", on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    level = models.CharField(max_length=10, default="info")
    stage = models.CharField(max_length=40, blank=True)
    message = models.TextField()
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["job", "pk"]

    def __str__(self) -> str:
        return self.message

    def as_json(self) -> dict[str, Any]:
        """One line of a job's log."""
        return {
            "at": self.at.isoformat(),
            "job": self.job_id,
            "level": self.level,
            "stage": self.stage,
            "event": self.message,
            "data": self.data,
        }
