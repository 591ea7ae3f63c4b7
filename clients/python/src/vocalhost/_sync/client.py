# Made of `_async` by the generator. Changes belong there.
"""The client itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import httpx

from .._kinds import AnyJob, Kind, any_job
from .._patience import Patience
from .._records import record
from .._source import FileInput
from ..types import Effect, Me, Usage
from .downloads import OnBytes as OnDownload
from .downloads import download
from .kinds import Blends, Conversions, Separations, Splits, Trainings
from .live import LiveConversions
from .pages import pages
from .resources import Pipelines, Voices, Webhooks
from .transport import Transport
from .uploads import OnBytes as OnUpload
from .uploads import begin, upload

URL = "VOCALHOST_URL"
KEY = "VOCALHOST_KEY"


class Client:
    """A vocalhost server. `close` it, or use it as a context.

    What the server cannot do just now (429, 503) and what a broken connection has interrupted is asked again, at most `retries` times
    in a row, after the pause that the server asks for when that is no longer than `longest_pause` seconds. A request that makes something
    carries an `Idempotency-Key`, so that it is made once.
    """

    conversions: Conversions
    """Recordings in other voices."""
    separations: Separations
    """What is sung, apart from the music."""
    splits: Splits
    """Songs in stems."""
    blends: Blends
    """Voices out of others."""
    trainings: Trainings
    """Voices out of recordings of them."""
    live: LiveConversions
    """Conversions while somebody speaks."""
    voices: Voices
    pipelines: Pipelines
    """Chains of effects that have names."""
    webhooks: Webhooks

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        retries: int = 5,
        longest_pause: float = 60,
        timeout: float = 90,
        http: httpx.Client | None = None,
    ) -> None:
        """`url` and `key` are those of `VOCALHOST_URL` and `VOCALHOST_KEY` when they are not given. `timeout`: seconds for which a
        request may say nothing. `http`: a client with proxies or certificates of its own."""
        url = url or os.environ.get(URL) or "http://127.0.0.1:8080"
        http = http or httpx.Client(timeout=httpx.Timeout(timeout, connect=10))
        self._transport = Transport(url, key or os.environ.get(KEY), Patience(retries, longest_pause), http)
        self.conversions = Conversions(self._transport)
        self.separations = Separations(self._transport)
        self.splits = Splits(self._transport)
        self.blends = Blends(self._transport)
        self.trainings = Trainings(self._transport)
        self.live = LiveConversions(self._transport)
        self.voices = Voices(self._transport)
        self.pipelines = Pipelines(self._transport)
        self.webhooks = Webhooks(self._transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends its connections."""
        self._transport.close()

    def jobs(
        self,
        *,
        kind: Kind | None = None,
        status: Literal["running", "success", "error", "cancelled"] | None = None,
        order: Literal["asc", "desc"] = "desc",
    ) -> Iterator[AnyJob]:
        """Your jobs of all kinds, the newest first."""
        for one in pages(self._transport, "/jobs", Any, kind=kind, status=status, order=order):
            job = any_job(one)
            if job is not None:
                yield job

    def effects(self) -> Iterator[Effect]:
        """The effects that `pre` and `post` can name, with their parameters."""
        return pages(self._transport, "/effects", Effect)

    def me(self) -> Me:
        """Whose the key is and what it may do."""
        return record(self._transport.json("GET", "/me"), Me)

    def usage(self) -> Usage:
        """What you have used, and how much there may be."""
        return record(self._transport.json("GET", "/usage"), Usage)

    def upload(self, file: FileInput, *, to: str | None = None, on_progress: OnUpload | None = None) -> str:
        """Sends a file in pieces that go on after a broken line, and gives what stands in its place in every form: `upload:<id>`.

        Large files of jobs are sent like this by themselves. `to`: an upload that was begun before (by `begin_upload`, or the `upload` of
        an `UploadBroken`) and goes on where it stands. `on_progress` is told how many bytes have arrived, and of how many.
        """
        return upload(self._transport, file, to, on_progress)

    def begin_upload(self, name: str, size: int) -> str:
        """Announces a file of so many bytes. What it gives can be kept, for an upload that outlives this process."""
        return begin(self._transport, name, size)

    def download(self, url: str, path: str | os.PathLike[str], *, on_progress: OnDownload | None = None) -> Path:
        """Fetches a link of a record into a file, which is there when it is whole."""
        return download(self._transport, url, path, on_progress)

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int | float | bool | None] | None = None,
        body: object = None,
    ) -> Any:
        """Anything else that the API can do, as JSON: `client.request("GET", "/admin/users")`."""
        return self._transport.json(method, path, params=params, body=body)
