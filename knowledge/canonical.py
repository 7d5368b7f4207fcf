"""One byte string, and one hash, per value: what manifests and profiles are identified by. Pure."""

import hashlib
import json
import math
from decimal import Decimal
from typing import Any


def canonical_json(value: Any) -> bytes:
    """One byte string per value: sorted keys, no white space, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def canonical_hash(value: Any) -> str:
    """SHA-256, in hexadecimal, of the canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def as_stored(value: Any) -> Any:
    """JSON as Postgres gives it back from a `jsonb`, so that its hash still is the same when it is read.

    `jsonb` keeps numbers as decimals: it knows no negative zero, and gives 1e22 back as an integer. It takes neither
    NaN and infinities nor NULs and half surrogate pairs: these become text that says them. Keys become strings.
    """
    if isinstance(value, dict):
        return {
            as_stored(key if isinstance(key, str) else json.dumps(key)): as_stored(one) for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [as_stored(one) for one in value]
    if isinstance(value, str):
        return escaped(value)
    return number_as_stored(value) if isinstance(value, float) else value


def escaped(text: str) -> str:
    """As Postgres keeps it: with escapes for NUL, half surrogate pairs and bytes of a path that are not UTF-8."""
    return text.encode(errors="backslashreplace").decode().replace("\0", r"\x00")


def number_as_stored(number: float) -> float | int | str:
    if not math.isfinite(number):
        return str(number)
    written = repr(float(number) + 0.0)  # -0.0 + 0.0 is 0.0
    return int(Decimal(written)) if "e+" in written else float(written)
