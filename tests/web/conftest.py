import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from knowledge.models import Library, Membership

LENDING = """\
=======
Lending
=======

.. _how-long:

How long you can borrow a bike
==============================

You can borrow a cargo bike for up to three days.

Late returns
------------

A bike that comes back late costs ten euros a day. See ``late_charge``::

    charge = 1000 * days
"""
PRICING = '''\
"""Prices."""

LATE_DAY = 1000


def late_charge(days: int) -> int:
    """What a late bike costs, <b>in cents</b>."""
    return LATE_DAY * days
'''
HANDBOOK = {
    "lending.rst": LENDING,
    "booking/pricing.py": PRICING,
    "workshop #1?.md": "# Workshop\n\nTools & <em>chains</em>.\n",
}
SECRET = {"board.md": "# Board\n\nThe secret ballot chose a purple bike.\n"}


@pytest.fixture
def handbook(indexed) -> Library:
    return indexed("handbook", HANDBOOK, name="The handbook")


@pytest.fixture
def board(indexed) -> Library:
    """Open to the group “board” only."""
    library = indexed("board", SECRET, name="The board", access=Library.Access.GROUPS)
    library.groups.add(Group.objects.create(name="board"))
    return library


@pytest.fixture
def superuser(db) -> User:
    return User.objects.create_superuser("root", password="root")


@pytest.fixture
def librarian(handbook) -> User:
    user = User.objects.create_user("librarian")
    Membership.objects.create(library=handbook, user=user, role="librarian")
    return user


@pytest.fixture
def signed_in(reader: User) -> Client:
    client = Client()
    client.force_login(reader)
    return client


@pytest.fixture
def as_superuser(superuser: User) -> Client:
    client = Client()
    client.force_login(superuser)
    return client


@pytest.fixture
def stranger(db) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("stranger"))
    return client
