"""What OpenAPI says of each address, beside its answers: how it refuses. Statuses of its own a view names itself."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema

from .authentication import ManagingToken
from .errors import ErrorSerializer


class RefusingSchema(AutoSchema):
    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is not None:
            for status in self.refusals("requestBody" in operation):
                operation["responses"].setdefault(str(status.value), self.refusal())
            operation["responses"] = dict(sorted(operation["responses"].items()))
            for code, response in operation["responses"].items():
                response["description"] = response["description"] or HTTPStatus(int(code)).phrase
        return operation

    def refusals(self, has_body: bool) -> Iterator[HTTPStatus]:
        """Met everywhere: a token that is none, one for something else (or a form of another site), what is away."""
        yield from (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.SERVICE_UNAVAILABLE)
        if has_body:
            yield from (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        if has_body or self._is_list_view():
            yield HTTPStatus.BAD_REQUEST
        if "{" in self.path:
            yield HTTPStatus.NOT_FOUND

    def refusal(self) -> dict[str, Any]:
        shape = self.resolve_serializer(ErrorSerializer, "response").ref
        return {"content": {kind: {"schema": shape} for kind in self.map_renderers("media_type")}, "description": ""}

    def is_managing(self) -> bool:
        return any(isinstance(one, ManagingToken) for one in self.view.get_authenticators())

    def get_auth(self) -> list[dict[str, Any]]:
        """Who is nobody manages nothing."""
        return [one for one in super().get_auth() if one or not self.is_managing()]
