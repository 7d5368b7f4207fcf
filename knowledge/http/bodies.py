"""What a request may carry where no uploads are brought: nothing of it is put on the disk.

Uploads have a receiver of their own (`ingestion.uploads.receive`), which is not asked here.
"""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import MemoryFileUploadHandler


class SmallFormHandler(MemoryFileUploadHandler):
    """Keeps a form's files in memory. Raises RequestDataTooBig for a larger one, before it is read."""

    @property
    def most(self) -> int:
        """Bytes of a form."""
        return int(settings.FILE_UPLOAD_MAX_MEMORY_SIZE)

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any, **kwargs: Any) -> None:
        if content_length > self.most:
            raise RequestDataTooBig(f"A form of {content_length:,} bytes is not taken here.")
        self.activated = True
