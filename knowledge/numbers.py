"""Whole numbers as text that anyone may have written: in an address, a form, a file."""

LARGEST = 2**31 - 1  # of Postgres's integer


def whole_number(text: str) -> int | None:
    """The number, if it is one that a row could have; None for anything else."""
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= LARGEST else None
