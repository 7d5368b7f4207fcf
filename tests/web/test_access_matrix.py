"""Every address × every role × one's own, a foreign and a missing library. An address without a row fails.

A foreign library answers as one that does not exist: the same status, the same body, the same headers.
"""

import json
import re
from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator

from knowledge.access import EVERYWHERE, MAY, Act
from knowledge.models import Library, Membership, Role

EVERYBODY, SIGNED_IN, GOVERNS, AUDITS = "everybody", "signed in", "governs", "audits"
MANAGES, ADMINISTERS, IN_ADMIN = "manages", "administers", "works in the admin"
ROLES = ("anonymous", "outsider", "reader", "editor", "reviewer", "librarian", "administrator", "superuser")
OWN, FOREIGN, MISSING = "own", "elsewhere", "nowhere"
FILE = "lending.md"
FILES = {FILE: "# Lending\n\nA cargo bike is lent for three days.\n"}
TOKEN = "x" * 43

# Address → method → what it takes: an act in a library, or one of the words above.
PAGES: dict[str, dict[str, object]] = {
    "": {"get": EVERYBODY},
    "search": {"get": EVERYBODY},
    "playground": {"get": GOVERNS},
    "chat": {"get": EVERYBODY, "post": EVERYBODY},
    "chat/<int:pk>": {"get": "own answers"},
    "chat/<int:pk>/events": {"get": "own answers"},
    "chat/<int:pk>/stop": {"post": "own answers"},
    "chat/<int:pk>/again": {"post": "own answers"},
    "chat/<int:pk>/feedback": {"post": "own answers"},
    "chat/<int:pk>/replay": {"get": "own answers"},
    "conversations/<int:pk>/share": {"post": "own conversations"},
    "conversations/<int:pk>/remove": {"post": "own answers"},
    "v1/models": {"get": EVERYBODY},
    "v1/models/<path:name>": {"get": EVERYBODY},
    "v1/chat/completions": {"post": EVERYBODY},
    "mcp": {"post": EVERYBODY},
    "jobs/<int:pk>/": {"get": MANAGES},
    "read/<slug:slug>/<path:path>": {"get": Act.READ},
    "pages/<slug:slug>/<int:page>/<path:path>": {"get": Act.READ},
    "original/<slug:slug>/<path:path>": {"get": Act.READ},
    "libraries/": {"get": EVERYBODY},
    "libraries/add": {"get": ADMINISTERS},
    "libraries/<slug:slug>/": {"get": Act.READ},
    "libraries/<slug:slug>/quality": {"get": Act.READ},
    "libraries/<slug:slug>/golden/switch": {"post": Act.EDIT},
    "libraries/<slug:slug>/golden/measure": {"post": Act.EDIT},
    "libraries/<slug:slug>/snapshots/<int:number>": {"get": Act.READ},
    "libraries/<slug:slug>/golden": {"post": Act.EDIT},
    "libraries/<slug:slug>/build": {"post": Act.MANAGE},
    "libraries/<slug:slug>/files": {"get": Act.EDIT},
    "libraries/<slug:slug>/files/upload": {"post": Act.EDIT},
    "libraries/<slug:slug>/files/remove": {"post": Act.EDIT},
    "libraries/<slug:slug>/review/": {"get": Act.INSPECT, "post": Act.INSPECT},
    "libraries/<slug:slug>/review/<int:number>/<path:path>": {"get": Act.INSPECT},
    "libraries/<slug:slug>/document/<path:path>": {"get": Act.INSPECT, "post": Act.INSPECT},
    "libraries/<slug:slug>/withdrawn": {"get": Act.INSPECT},
    "libraries/<slug:slug>/members": {"get": Act.MANAGE, "post": Act.MANAGE},
    "libraries/<slug:slug>/settings": {"get": Act.MANAGE, "post": Act.MANAGE},
    "invitation/<str:token>": {"get": "nobody"},
    "audit/": {"get": AUDITS},
    "due/": {"get": GOVERNS},
    "tokens": {"get": SIGNED_IN, "post": SIGNED_IN},
    "password": {"get": SIGNED_IN},
    "saved-view": {"post": IN_ADMIN},
    "dashboard/": {"get": GOVERNS},
    "dashboard/health": {"get": ADMINISTERS},
    "jobs/": {"get": MANAGES},
    "login": {"get": EVERYBODY},
    "admin/login/": {"get": EVERYBODY},
    "admin/password_change/": {"get": SIGNED_IN},
    "sign-on/begin": {"get": "nobody"},  # without a provider; tests/web/test_sign_on.py has one
    "sign-on/back": {"get": "nobody"},
    "logout": {"post": EVERYBODY},
    "api/schema/": {"get": EVERYBODY},
    "api/docs/": {"get": EVERYBODY},
    "healthz": {"get": EVERYBODY},
    "readyz": {"get": EVERYBODY},
    "metrics": {"get": "this machine"},
    "retrieve": {"post": EVERYBODY},
}
OPERATIONS: dict[str, dict[str, object]] = {
    "/api/v1/libraries/": {"get": EVERYBODY},
    "/api/v1/libraries/{slug}/": {"get": Act.READ},
    "/api/v1/libraries/{slug}/snapshots/": {"get": Act.READ},
    "/api/v1/libraries/{slug}/documents/": {"get": Act.READ},
    "/api/v1/libraries/{slug}/files/": {"post": Act.EDIT, "delete": Act.EDIT},
    "/api/v1/libraries/{slug}/build/": {"post": Act.MANAGE},
    "/api/v1/libraries/{slug}/review/": {"get": Act.INSPECT, "post": Act.REVIEW},
    "/api/v1/libraries/{slug}/activate/": {"post": Act.PUBLISH},
    "/api/v1/libraries/{slug}/rollback/": {"post": Act.PUBLISH},
    "/api/v1/libraries/{slug}/withdraw/": {"post": Act.WITHDRAW},
    "/api/v1/libraries/{slug}/audit/": {"get": Act.AUDIT},
    "/retrieve/": {"post": EVERYBODY},
    "/api/v1/answers/{id}/replay/": {"get": "own answers"},
    "/api/v1/jobs/": {"get": MANAGES},
    "/api/v1/jobs/{id}/": {"get": MANAGES},
    "/api/v1/jobs/{id}/events/": {"get": MANAGES},
    "/api/v1/jobs/{id}/{verb}/": {"post": MANAGES},
    "/api/v1/search": {"get": EVERYBODY, "post": EVERYBODY},
    "/api/v1/symbols/": {"get": EVERYBODY},
    "/api/v1/ask": {"post": EVERYBODY},
}
HIDDEN = "libraries/<slug:slug>/files"  # pages that are not there for who may not use them, instead of shut
IN_QUERY = ("search", "/api/v1/search")  # addresses that take a library in the query
SENT = {  # what the addresses of REST take: they refuse what else is sent
    "/api/v1/ask": ("question", "library"),
    "/retrieve/": ("query",),
    "/api/v1/libraries/{slug}/review/": ("snapshot", "verdict"),
    "/api/v1/libraries/{slug}/activate/": ("snapshot",),
    "/api/v1/libraries/{slug}/withdraw/": ("path",),
}
CHANGING = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"|"ms": [\d.]+')


def routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            if entry.app_name != "admin":
                yield from routes(entry, prefix + str(entry.pattern))
        elif isinstance(entry, URLPattern):
            yield prefix + str(entry.pattern)


def operations() -> dict[str, dict[str, set[int]]]:
    """Address → method → the statuses that OpenAPI says it answers with."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    return {
        path.rstrip("?/") if "search" in path or "ask" in path else path: {
            verb: {int(status) for status in operation["responses"]} for verb, operation in verbs.items()
        }
        for path, verbs in schema["paths"].items()
    }


def test_every_route_has_a_row():
    plain = {re.sub(r"^\^|/\?\$$", "", route) for route in routes(get_resolver())}
    found = {route for route in plain if not route.startswith("api/v1/")}
    assert found == PAGES.keys()


def test_every_api_operation_has_a_row():
    assert {path: set(row) for path, row in OPERATIONS.items()} == {
        path: set(verbs) for path, verbs in operations().items()
    }


@pytest.fixture
def own(indexed) -> Library:
    return indexed(OWN, FILES, access=Library.Access.GROUPS)


@pytest.fixture
def elsewhere(indexed) -> Library:
    return indexed(FOREIGN, FILES, access=Library.Access.GROUPS)


@pytest.fixture(params=ROLES)
def role(request) -> str:
    return request.param


@pytest.fixture
def client(role, own, elsewhere) -> Client:
    """A library's role comes from a membership; an administrator's from the group."""
    client = Client()
    if role == "superuser":
        client.force_login(User.objects.create_superuser(role))
    elif role != "anonymous":
        user = User.objects.create_user(role, is_staff=role == "administrator")
        if role == "administrator":
            user.groups.add(Group.objects.get(name=role))
        elif role != "outsider":
            Membership.objects.create(library=own, user=user, role=role)
        client.force_login(user)
    return client


def acts(role: str) -> frozenset[Act]:
    return EVERYWHERE if role == "superuser" else MAY.get(role, frozenset())


def sees(role: str, library: str) -> bool:
    everywhere = role in ("administrator", "superuser")
    return library != MISSING and (everywhere or (library == OWN and role in Role.values))


def filled(address: str, library: str) -> str:
    values = {"slug": library, "path": FILE, "number": "1", "page": "1", "pk": "999999", "token": TOKEN}
    values |= {"id": "999999", "verb": "cancel", "name": "muniment"}
    address = re.sub(r"<(?:\w+:)?(\w+)>|\{(\w+)\}", lambda match: values[match[1] or match[2]], address)
    return "/" + address.lstrip("/")


def expected(role: str, library: str, takes: object, method: str, is_api: bool) -> set[int]:
    if takes in (EVERYBODY, "this machine"):
        return {200, 302, 400, 415}
    if takes == "own conversations":
        return {302} if role == "anonymous" else {404}
    if takes in ("own answers", "nobody"):
        return {404}
    if takes == IN_ADMIN:
        return {400} if role in ("administrator", "superuser") else {302}
    if takes == SIGNED_IN:
        return {302} if role == "anonymous" else {200, 400}
    if takes in (MANAGES, ADMINISTERS):
        if Act.ERASE in acts(role) or (takes == MANAGES and Act.MANAGE in acts(role)):
            return {200, 404}
        return {302} if role == "anonymous" and not is_api else {401, 403}
    if takes in (GOVERNS, AUDITS):
        needed = Act.INSPECT if takes == GOVERNS else Act.AUDIT
        return {302} if role == "anonymous" else {200} if needed in acts(role) else {403}
    asks_to_sign_in = role == "anonymous" and not is_api and takes != Act.READ
    if asks_to_sign_in:
        return {302}
    if not sees(role, library):
        return {404}
    if takes not in acts(role):
        return {403}
    return {200, 404, 409} if method == "get" else {200, 202, 302, 400, 404, 409, 415}


def body(response, library: str) -> tuple[int, str]:
    """What somebody sees of it, but for the name that they gave themselves."""
    text = b"".join(response.streaming_content) if response.streaming else response.content
    text = CHANGING.sub("", text.decode())
    location = response.headers.get("Location", "")
    return response.status_code, (text + location).replace(library, "…")


def asked(client: Client, address: str, method: str, library: str):
    place = filled(address, library)
    client.cookies.pop("messages", None)  # what was said of the request before is no part of this one
    if method == "get":
        query = {"q": "bike", "library": library} if address in IN_QUERY else {}
        return client.get(place, query)
    if method == "delete":
        return client.delete(f"{place}?path={FILE}")
    data = {"q": "bike", "chunk": "0", "question": "How long?", "snapshot": 1, "verdict": "approved", "path": FILE}
    if address in OPERATIONS:
        known = data | {"query": "bike", "library": [library]}
        sent = {name: known[name] for name in SENT.get(address, ())}
        return client.post(place, json.dumps(sent), content_type="application/json")
    return client.post(place, data)


cells = 0


def test_every_cell(client, role):
    global cells
    wrong = []
    described = operations()
    rows = [(address, row, False) for address, row in PAGES.items()]
    rows += [(address, row, True) for address, row in OPERATIONS.items()]
    for address, row, is_api in rows:
        for method, takes in row.items():
            if address == "logout":
                continue
            answers = {}
            for library in (OWN, FOREIGN, MISSING):
                response = asked(client, address, method, library)
                answers[library] = body(response, library)
                cells += 1
                allowed = expected(role, library, takes, method, is_api)
                if address.startswith(HIDDEN) and allowed in ({302}, {403}):
                    allowed = {404}
                if address in (*IN_QUERY, "/api/v1/ask") and not sees(role, library):
                    allowed = {404, 400}
                if response.status_code not in allowed:
                    wrong.append((address, method, library, response.status_code, allowed))
                if is_api and response.status_code not in described[address][method]:
                    wrong.append((address, method, library, response.status_code, "not in the schema"))
            if takes != "this machine" and not sees(role, FOREIGN) and answers[FOREIGN] != answers[MISSING]:
                wrong.append((address, method, "differs", answers[FOREIGN], answers[MISSING]))
    assert not wrong, "\n".join(map(str, wrong))


def test_every_admin_page(client, role, own):
    """The admin is for staff; what it shows of a library, for those who may look behind its pages."""
    global cells
    wrong = []
    for model in admin.site._registry:
        for page in ("", "add/", "999999/change/", "999999/delete/", "999999/history/"):
            address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/{page}"
            status = client.get(address).status_code
            cells += 1
            allowed = {200, 302, 403} if role in ("administrator", "superuser") else {302}
            if status not in allowed:
                wrong.append((address, status))
            if page == "" and role == "superuser" and status != 200:
                wrong.append((address, status))
    assert not wrong, "\n".join(map(str, wrong))


def test_there_are_a_thousand_cells():
    assert cells == 0 or cells >= 1000
