import pytest

from knowledge.models import Library

A, B = "# A\n\nAbout apples.\n", "# B\n\nAbout pears.\n"


@pytest.fixture
def fruit(indexed) -> Library:
    return indexed("fruit", {"a.md": A, "sub/b.md": B})
