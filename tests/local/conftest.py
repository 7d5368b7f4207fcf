import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.local import models, postgres


def new_home() -> Path:
    # not under pytest's own directory, which only its owner can enter: as root, Postgres has another one
    return Path(tempfile.mkdtemp(prefix="muniment-home-"))


def remove(home: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_HOME", str(home))
        for role in models.RECIPES:
            models.stop(role)
        postgres.stop()
    shutil.rmtree(home)


@pytest.fixture
def make_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Path]]:
    """Make an empty home and point MUNIMENT_HOME at it; what was started in any of them is stopped again."""
    homes: list[Path] = []

    def make() -> Path:
        homes.append(new_home())
        monkeypatch.setenv("MUNIMENT_HOME", str(homes[-1]))
        return homes[-1]

    yield make
    for home in homes:
        remove(home)


@pytest.fixture
def empty_home(make_home: Callable[[], Path]) -> Path:
    return make_home()


@pytest.fixture(scope="module")
def one_home() -> Iterator[Path]:
    home = new_home()
    yield home
    remove(home)


@pytest.fixture
def used_home(one_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that the module's tests use one after another, each bringing its server back to life."""
    monkeypatch.setenv("MUNIMENT_HOME", str(one_home))
    return one_home
