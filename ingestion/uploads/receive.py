"""Multipart forms of many files, received into a folder that goes with the request.

Django's own parser cuts every file's name to its last part, keeps every file open, and sets no limit to one.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from ingestion.sources.base import MAX_FILE_BYTES
from ingestion.temporary import temporary_folder

from .brought import Brought, fault_of

FORM_ROOM = 1024**2  # bytes around the files
HEAD = 1024  # bytes of a part's head that Django reads


class NotReceived(Exception):
    """The form as a whole is not taken; the reason is meant for whoever sent it."""

    status = 400


class TooMuch(NotReceived):
    status = 413


class IntoFolder(FileUploadHandler):
    """Every file goes into one of its own in the folder, closed when it ends; what is over the limit is not kept."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.count = 0
        self.file: IO[bytes] | None = None

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.close_file()
        self.count += 1
        self.file = (self.folder / str(self.count)).open("wb")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        assert self.file  # noqa: S101
        if start + len(raw_data) <= self.largest:
            self.file.write(raw_data)

    @property
    def largest(self) -> int:
        is_archive = str(self.file_name).lower().endswith(".zip")
        return settings.UPLOAD_MAX_MB * 1024**2 if is_archive else MAX_FILE_BYTES

    def file_complete(self, file_size: int) -> Any:
        self.close_file()
        name = str(self.file_name)
        return Brought(
            name, self.folder / str(self.count), file_size, fault_of(file_size, name.lower().endswith(".zip"))
        )

    def upload_interrupted(self) -> None:
        self.close_file()

    def close_file(self) -> None:
        if self.file:
            self.file.close()
            self.file = None


class Heads:
    """A form as it is read.

    Raises MultiPartParserError at a part whose name is not UTF-8, which Django passes over, and where the form ends
    before its last boundary, of which Django would keep the files that came whole.
    """

    def __init__(self, form: Any, boundary: bytes) -> None:
        self.form = form
        self.head = re.compile(rb"--%b\r\n(.{1,%d}?)\r\n\r\n" % (re.escape(boundary), HEAD), re.DOTALL)
        self.longest = len(boundary) + HEAD + len("--\r\n\r\n\r\n")
        self.end = b"--%b--" % boundary
        self.before = b""  # in which a head may have begun, and in the end the last boundary

    def read(self, size: int) -> bytes:
        data: bytes = self.form.read(size)
        if not data and self.end not in self.before:
            raise MultiPartParserError("it broke off")
        for head in self.head.findall(self.before + data):
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-disposition") and not is_utf_8(line):
                    raise MultiPartParserError("a file's name is not UTF-8")
        self.before = (self.before + data)[-self.longest :]
        return data


def is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


class PathKeepingParser(MultiPartParser):
    """`ingestion.uploads.names` judges the path; here it is only taken as it was sent.

    Django reads `&notes` in it as HTML, in which some browsers once wrote what another encoding cannot: these forms are
    in UTF-8, and `rules&notes.md` is a name.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        ours: Any = self
        ours._input_data = Heads(ours._input_data, ours._boundary)

    def sanitize_file_name(self, file_name: str) -> str | None:
        return file_name.strip() or None


@contextmanager
def receiving(request: HttpRequest) -> Iterator[None]:
    """Within, `request.POST` and `request.FILES` are of the form, and the files' contents exist. Raises NotReceived."""
    with temporary_folder() as folder:
        ours: Any = request
        ours.parse_file_upload = lambda meta, data: parse(meta, data, folder, request.encoding)
        try:
            request.FILES  # noqa: B018 - parses
        except (TooManyFilesSent, MultiPartParserError) as error:
            raise NotReceived(reason_of(error)) from error
        yield


def parse(meta: Any, stream: Any, folder: Path, encoding: str | None) -> tuple[Any, Any]:
    """The fields and the files. Raises TooMuch, TooManyFilesSent or MultiPartParserError."""
    length = int(meta.get("CONTENT_LENGTH") or 0)
    if length > settings.UPLOAD_MAX_MB * 1024**2 + FORM_ROOM:
        raise TooMuch(f"at most {settings.UPLOAD_MAX_MB} MB are taken at once; these are {length // 1024**2:,} MB")
    return PathKeepingParser(meta, stream, [IntoFolder(folder)], encoding).parse()


def reason_of(error: Exception) -> str:
    if isinstance(error, TooManyFilesSent):
        return f"at most {settings.DATA_UPLOAD_MAX_NUMBER_FILES:,} files are taken at once; put them into a zip"
    return f"the form cannot be read ({error})"
