"""MCP over HTTP: every request stands for itself. The SDK speaks the protocol; this hands it one request and waits."""

from typing import Any

import anyio
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from knowledge.models import ApiToken
from knowledge.rest.authentication import BadToken, bearer
from knowledge.rest.errors import too_large
from retrieval.callers import asker_of
from retrieval.view import release_connection


@csrf_exempt
@never_cache
def mcp(request: HttpRequest) -> HttpResponse:
    """No cookie is looked at; a page of another site is turned away by its Origin. What a token may, each tool asks."""
    if request.method != "POST":
        response = refused(405, "POST only: no stream is kept open, and no session.")
        response["Allow"] = "POST"
        return response
    origin = request.headers.get("Origin")
    if origin and origin.partition("://")[2] != request.get_host():
        return refused(403, "Requests from other sites are not answered.")
    try:
        shown = bearer(request, ApiToken.Scope.SEARCH, ApiToken.Scope.ASK)
    except BadToken as error:
        response = refused(error.status, str(error))
        response["WWW-Authenticate"] = "Bearer"
        return response
    if request.content_type != "application/json":
        return refused(415, "The Content-Type must be application/json.")
    try:
        body = request.body
    except RequestDataTooBig:
        return refused(413, too_large())
    from retrieval.mcp import Caller, caller  # the SDK takes most of a second to import, and is seldom needed

    reader = shown.user if shown else AnonymousUser()
    token = caller.set(Caller(reader, asker_of(request, reader), shown, request.build_absolute_uri("/")))
    release_connection()
    try:
        return anyio.run(handled, scope_of(request), body)
    finally:
        caller.reset(token)


async def handled(scope: dict[str, Any], body: bytes) -> HttpResponse:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from retrieval.mcp import server

    manager = StreamableHTTPSessionManager(server._lowlevel_server, json_response=True, stateless=True)
    sent: list[Any] = []
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if not pending:
            await anyio.sleep_forever()
        return pending.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    content = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    response = HttpResponse(content, status=start["status"])
    for name, value in start.get("headers", []):
        if name.lower() in (b"content-type", b"mcp-session-id", b"allow"):
            response[name.decode("latin-1")] = value.decode("latin-1")
    return response


def scope_of(request: HttpRequest) -> dict[str, Any]:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }


def refused(status: int, message: str) -> HttpResponse:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}
    return JsonResponse(error, status=status)
