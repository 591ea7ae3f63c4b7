# Made of `_async` by the generator. Changes belong there.
"""Requests, sent again when that may help."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from .. import _io_sync as io
from .._patience import Patience
from ..errors import Problem, Unreachable

# Events come at least every 15 seconds; a connection that says nothing for longer is dead.
_STREAM_TIMEOUT = httpx.Timeout(60, connect=10)

Query = Mapping[str, "str | int | float | bool | None"]
Form = Mapping[str, object]


class Transport:
    """A connection to one server with one key."""

    def __init__(self, url: str, key: str | None, patience: Patience, http: httpx.Client) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"url: {url!r} is no address of a server, such as http://127.0.0.1:8080")
        self.root = url.rstrip("/") + ("/api/v1" if parts.path in ("", "/") else "")
        """Where the API's paths begin."""
        self.patience = patience
        self._key = key
        self._http = http

    def close(self) -> None:
        """Ends its connections."""
        self._http.close()

    def json(self, method: str, path: str, **request: Any) -> Any:
        """The JSON of an answer; `None` when it is empty. Takes what `send` takes."""
        response = self.send(method, path, **request)
        return response.json() if response.content else None

    def send(self, method: str, path: str, *, idempotency_key: str | None = None, **request: Any) -> httpx.Response:
        """An answer of success; others are raised. A `POST` has a key, so that it is done once however often it is sent."""
        headers = {**(request.pop("headers", None) or {})}
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        tries = 0
        while True:
            try:
                return self.send_once(method, path, headers=headers, **request)
            except (Problem, Unreachable) as error:
                tries += 1
                pause = self.patience.pause(error, tries)
                if pause is None:
                    raise
            io.sleep(pause)

    def send_once(
        self,
        method: str,
        path: str,
        *,
        params: Query | None = None,
        body: object = None,
        form: Form | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """The same without a second try."""
        asked = {name: value for name, value in (params or {}).items() if value is not None}
        own = self._authorized(headers)
        fields = _fields(form) if form is not None else None
        if body is not None:
            content = json.dumps(body).encode()
            own["Content-Type"] = "application/json"
        try:
            response = self._http.request(method, self.root + path, params=asked, files=fields, content=content, headers=own)
        except httpx.TransportError as error:
            raise Unreachable(_why(error)) from error
        if response.is_success:
            return response
        raise Problem.of(response)

    @contextmanager
    def stream(
        self, path: str, headers: Mapping[str, str] | None = None, *, silence: float | None = None
    ) -> Iterator[httpx.Response]:
        """An answer whose body is read as it comes. A full address, such as a link to a file, gets no key. `silence`: seconds without
        a word after which the connection counts as broken."""
        is_own = path.startswith("/")
        timeout = httpx.Timeout(silence, connect=10) if silence else _STREAM_TIMEOUT
        try:
            with self._http.stream(
                "GET",
                self.root + path if is_own else path,
                headers=self._authorized(headers) if is_own else headers,
                timeout=timeout,
                follow_redirects=not is_own,
            ) as response:
                if not response.is_success:
                    response.read()
                    raise Problem.of(response)
                yield response
        except httpx.TransportError as error:
            raise Unreachable(_why(error)) from error

    def _authorized(self, headers: Mapping[str, str] | None) -> dict[str, str]:
        own = dict(headers or {})
        if self._key:
            own["Authorization"] = f"Bearer {self._key}"
        return own


class Several(list[object]):
    """Files of one field of a form."""


def _fields(form: Form) -> list[tuple[str, Any]]:
    """A form as httpx takes it: files are pairs of name and bytes, texts go as they are, everything else as JSON."""
    fields: list[tuple[str, Any]] = []
    each = [(name, one) for name, value in form.items() for one in (value if isinstance(value, Several) else [value])]
    for name, value in each:
        if isinstance(value, tuple):
            fields.append((name, value))
        elif value is not None:
            fields.append((name, (None, value if isinstance(value, str) else json.dumps(value))))
    return fields


def _why(error: httpx.TransportError) -> str:
    return f"The server cannot be reached, or the connection broke: {error or type(error).__name__}"
