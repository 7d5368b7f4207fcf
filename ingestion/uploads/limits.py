"""What pages say of uploads before anything is sent."""

import json

from django.conf import settings

from ingestion.parsers import SAVE_AS, SUFFIXES, TEXT_NAMES
from ingestion.sources import base
from ingestion.zips import OTHER_ARCHIVES


def upload_limits() -> dict[str, int | str]:
    """Of one upload. Apart by spaces: the suffixes of files that are read or unpacked, the names of those that are read
    without one, and the suffixes of archives that nobody unpacks. As JSON: as what to save files that nothing reads."""
    megabytes = settings.UPLOAD_MAX_MB
    return {
        "megabytes": megabytes,
        "bytes": megabytes * 1024**2,
        "most_file": base.MAX_FILE_BYTES,
        "files": settings.DATA_UPLOAD_MAX_NUMBER_FILES,
        "suffixes": " ".join([*SUFFIXES, ".zip"]),
        "names": " ".join(TEXT_NAMES),
        "archives": " ".join(OTHER_ARCHIVES),
        "save_as": json.dumps(SAVE_AS),
    }
