"""What is asked for by name, of packages that may not be imported: those above `knowledge`, and ingestion by retrieval.

`import_string` finds it when it is needed. Neither mypy nor import-linter follows a name in a string:
tests/test_above.py does, and tells of any that stands elsewhere.
"""

RUN = "ingestion.jobs.run"
DRIFT = "ingestion.drift.drift_of"
DIRECTORY = "ingestion.sources.directory.fault_of_directory"
PATTERN = "ingestion.sources.base.fault_of_pattern"
UPLOAD_LIMITS = "ingestion.uploads.limits.upload_limits"
REJECTED = "ingestion.uploads.outcomes.rejected"
OUTCOMES = "ingestion.uploads.outcomes.with_outcomes"
EMPTY_TRASH = "ingestion.erasing.empty_trash"
FINISH_ERASING = "ingestion.erasing.finish_erasing"
MISSING_LANGUAGES = "ingestion.recognition.missing"
PAGE_IMAGE = "ingestion.page_images.page_image"
PREPARE = "retrieval.preparing.prepare"
MEASURE = "retrieval.evaluation.gate.measure"
MISSING_GOLD = "retrieval.evaluation.runs.missing_gold"
