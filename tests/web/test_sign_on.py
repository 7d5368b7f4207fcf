"""Single sign-on with a provider that speaks OpenID Connect over HTTP, keys, signatures and PKCE included."""

import json
import threading
import time
from base64 import urlsafe_b64encode
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User
from django.test import Client

from knowledge.accounts import sign_on
from knowledge.health.examine import examine_sign_on
from knowledge.models import SignOn
from tests.conftest import begun_elsewhere

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
BACK = "/sign-on/back"


class Provider(ThreadingHTTPServer):
    """Vouches for `claims`; what a test sets in `token` and `key` goes into the token that it signs."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Endpoint)
        self.issuer = f"http://127.0.0.1:{self.server_port}/realm"
        self.claims: dict[str, object] = {"sub": "1", "preferred_username": "ada", "email": "ada@example.org"}
        self.token: dict[str, object] = {}
        self.key, self.asked = KEY, {}

    def id_token(self) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "muniment", "sub": self.claims["sub"], "iat": now, "exp": now + 60}
        nonce = {"nonce": self.asked["nonce"][0]}
        return jwt.encode({**claims, **nonce, **self.token}, self.key, "RS256", {"kid": "one"})


class Endpoint(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        issuer, address = self.server.issuer, self.path.removeprefix("/realm")
        if address == "/.well-known/openid-configuration":
            names = {"authorization_endpoint": "auth", "token_endpoint": "token", "userinfo_endpoint": "me"}
            told = {name: f"{issuer}/{path}" for name, path in names.items()}
            self.tell({"issuer": issuer, "jwks_uri": f"{issuer}/keys", **told})
        elif address == "/keys":
            key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
            self.tell({"keys": [{**key, "kid": "one", "alg": "RS256", "use": "sig"}]})
        elif address == "/me" and self.headers["Authorization"] == "Bearer opens-me":
            self.tell(self.server.claims)
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        challenge = urlsafe_b64encode(sha256(sent["code_verifier"][0].encode()).digest()).decode().rstrip("=")
        if (
            sent["code"] != ["good"]
            or sent["client_secret"] != ["s3cret"]
            or challenge != self.server.asked["code_challenge"][0]
        ):
            self.send_error(400)
        else:
            self.tell({"access_token": "opens-me", "token_type": "Bearer", "id_token": self.server.id_token()})

    def tell(self, what: object) -> None:
        body = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def provider(settings, db):
    server = Provider()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.OIDC_ISSUER, settings.OIDC_RP_CLIENT_ID, settings.OIDC_RP_CLIENT_SECRET = (
        server.issuer,
        "muniment",
        "s3cret",
    )
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, "knowledge.accounts.sign_on.SingleSignOn"]
    sign_on.discovered.cache_clear()
    yield server
    server.shutdown()
    server.server_close()


def signed_in(provider: Provider, code: str = "good", path: str = "/jobs/", **changed: str) -> tuple[Client, object]:
    """A browser's way there and back."""
    client = Client()
    away = client.get(f"/sign-on/begin?next={path}")
    assert away.status_code == 302 and away["Location"].startswith(f"{provider.issuer}/auth?")
    provider.asked = parse_qs(urlsplit(away["Location"]).query)
    assert provider.asked["redirect_uri"] == [f"http://testserver{BACK}"] and provider.asked["client_id"] == [
        "muniment"
    ]
    return client, client.get(BACK, {"code": code, "state": provider.asked["state"][0], **changed})


def reader_of(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id")).first()


def test_the_first_time_makes_an_account_without_any_role_and_the_next_finds_it(provider):
    client, back = signed_in(provider)
    assert back.status_code == 302 and back["Location"] == "/jobs/"
    user = reader_of(client)
    assert user.username == "ada" and not user.has_usable_password() and user.email == "", "it was not verified"
    assert not (user.is_staff or user.is_superuser or user.groups.exists() or user.memberships.exists())

    provider.claims |= {"preferred_username": "countess", "email": "other@example.org"}
    again, _ = signed_in(provider)
    assert reader_of(again) == user and SignOn.objects.get().subject == "1"


def test_nobody_gets_an_account_that_was_here_before(provider):
    root = User.objects.create_superuser("ada", "ada@example.org", "correct horse")
    provider.claims |= {"email_verified": True}
    client, _ = signed_in(provider)
    assert reader_of(client) != root and reader_of(client).username == "ada-2"
    assert Client().login(username="ada", password="correct horse"), "passwords go on working"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("is_same", "name"), [(True, "ada"), (False, "ada-2")], ids=["twice", "another"])
def test_an_account_that_is_made_meanwhile_is_found_and_a_name_that_is_taken_has_a_number(
    provider, monkeypatch, is_same, name
):
    free_name, others = sign_on.free_name, []

    def make() -> None:
        user = User.objects.create_user("ada")
        if is_same:
            SignOn.objects.create(user=user, issuer=provider.issuer, subject="1")

    def meanwhile(claims: dict[str, object]) -> str:
        """Between the choice of a name and the account."""
        chosen = free_name(claims)
        if not others:
            others.append(begun_elsewhere(make))
            others[0].join()
        return chosen

    monkeypatch.setattr(sign_on, "free_name", meanwhile)
    client, back = signed_in(provider)
    assert back["Location"] == "/jobs/" and reader_of(client).username == name
    assert User.objects.count() == (1 if is_same else 2) and SignOn.objects.count() == 1


def test_an_account_that_cannot_be_made_is_refused_in_words(provider, monkeypatch):
    User.objects.create_user("ada")
    monkeypatch.setattr(sign_on, "free_name", lambda _: "ada")
    client, back = signed_in(provider)
    assert back["Location"] == "/login" and reader_of(client) is None


@pytest.mark.parametrize("name", ["ａｄｍｉｎ", "ＡDMIN", "admin"])
def test_a_name_that_becomes_a_taken_one_has_a_number(provider, name):
    User.objects.create_user("admin")
    provider.claims["preferred_username"] = name
    client, _ = signed_in(provider)
    assert reader_of(client).username.casefold() == "admin-2"


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "s" * 256},
        {"sub": "a\0b"},
        {"email": 7},
        {"email": "x" * 250 + "@e.org"},
        {"email": "a\0@b.c"},
        {"preferred_username": ["ada"]},
    ],
    ids=lambda claims: next(iter(claims)),
)
def test_claims_that_no_account_can_be_kept_by_are_refused(provider, claims):
    provider.claims |= {"email_verified": True} | claims
    client, back = signed_in(provider)
    assert back["Location"] == "/login" and reader_of(client) is None and not User.objects.exists()


def test_an_account_that_is_off_stays_off(provider):
    client, _ = signed_in(provider)
    User.objects.update(is_active=False)
    assert client.get("/chat").wsgi_request.user.is_anonymous
    other, back = signed_in(provider)
    assert reader_of(other) is None and back["Location"] == "/login"


@pytest.mark.parametrize(
    "token",
    [{"aud": "another"}, {"iss": "http://evil"}, {"nonce": "old"}, {"sub": "2"}, {"exp": 1}, {"aud": []}],
    ids=str,
)
def test_a_token_that_is_not_for_this_sign_in_is_refused_in_words(provider, token):
    provider.token = token
    client, back = signed_in(provider)
    assert back.status_code == 302 and back["Location"] == "/login" and reader_of(client) is None
    assert "did not vouch for you" in client.get("/login").content.decode()
    assert not User.objects.exists()


def test_a_foreign_signature_a_wrong_code_and_a_forged_state_are_refused(provider):
    assert signed_in(provider, code="bad")[1]["Location"] == "/login"
    assert signed_in(provider, state="forged")[1]["Location"] == "/login"
    provider.key = OTHER_KEY
    assert signed_in(provider)[1]["Location"] == "/login"
    assert Client().get(BACK, {"code": "good", "state": "none"})["Location"] == "/login"
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("sent", "token", "said"),
    [
        ({"code": "bad"}, {}, "/realm/token answered 400"),
        ({}, {"aud": "another"}, "SuspiciousOperation: The token is of another provider, or for somebody else."),
        ({}, {"exp": 1}, "ExpiredSignatureError: Signature has expired"),
        ({"error": "access_denied\nforged"}, {}, r"the provider says 'access_denied\nforged'"),
    ],
    ids=["code", "audience", "late", "refused"],
)
def test_the_operator_is_told_in_the_log_why_a_sign_on_failed(provider, caplog, sent, token, said):
    provider.token = token
    signed_in(provider, **sent)
    (line,) = [record.getMessage() for record in caplog.records if record.name == sign_on.__name__]
    assert line.startswith("single sign-on failed: ") and line.endswith(said)
    assert "opens-me" not in caplog.text and "s3cret" not in caplog.text


def test_the_log_tells_an_account_that_is_off_from_a_browser_without_cookies(provider, caplog):
    signed_in(provider)
    User.objects.update(is_active=False)
    signed_in(provider)
    Client().get(BACK, {"code": "good", "state": "none"})
    said = [record.getMessage() for record in caplog.records if record.name == sign_on.__name__]
    assert "the account ada is off" in said[0] and "does it keep cookies?" in said[1]


def test_the_doctor_asks_the_provider(provider, settings):
    assert (examine_sign_on().state, examine_sign_on().detail) == ("ok", "127.0.0.1 answers")
    settings.OIDC_ISSUER = provider.issuer + "/other"
    assert examine_sign_on().state == "broken"
    assert examine_sign_on().detail == f"{provider.issuer}/other/.well-known/openid-configuration answered 404"
    settings.OIDC_ISSUER, settings.OIDC_RP_CLIENT_SECRET = provider.issuer, ""
    assert "OIDC_CLIENT_SECRET is not set" in examine_sign_on().detail
    settings.OIDC_ISSUER = ""
    assert examine_sign_on().state == "off"


def test_a_provider_that_is_away_is_said(provider):
    provider.shutdown()
    provider.server_close()
    sign_on.discovered.cache_clear()
    assert Client().get("/sign-on/begin")["Location"] == "/login"
    assert not Client().login(username="ada", password="wrong"), "a wrong password asks no provider"


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/keys", "/token"])
def test_an_answer_that_is_no_object_is_refused_in_words(provider, monkeypatch, path):
    tell = Endpoint.tell
    is_it = lambda endpoint: endpoint.path.endswith(path)  # noqa: E731
    monkeypatch.setattr(Endpoint, "tell", lambda self, what: tell(self, ["no", "object"] if is_it(self) else what))
    sign_on.discovered.cache_clear()
    if path.startswith("/.well"):
        assert Client().get("/sign-on/begin")["Location"] == "/login"
    else:
        assert signed_in(provider)[1]["Location"] == "/login"


def test_no_other_site_is_led_to_and_without_a_provider_there_is_nothing(provider, settings):
    _, back = signed_in(provider, path="https://evil.example/")
    assert back["Location"] == "/search"
    assert "Sign in with 127.0.0.1" in Client().get("/login").content.decode()
    settings.OIDC_ISSUER = ""
    assert Client().get("/sign-on/begin").status_code == Client().get(BACK).status_code == 404
    assert "Sign in with" not in Client().get("/login").content.decode()
