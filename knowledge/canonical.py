"""One byte string, and one hash, per value: what manifests and profiles are identified by. Pure."""

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> bytes:
    """One byte string per value: sorted keys, no white space, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def canonical_hash(value: Any) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()
