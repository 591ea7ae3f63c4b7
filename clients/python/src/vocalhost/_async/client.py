"""The client itself."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
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
from .kinds import AsyncBlends, AsyncConversions, AsyncSeparations, AsyncSplits, AsyncTrainings
from .live import AsyncLiveConversions
from .pages import pages
from .resources import AsyncPipelines, AsyncVoices, AsyncWebhooks
from .transport import AsyncTransport
from .uploads import OnBytes as OnUpload
from .uploads import begin, upload

URL = "VOCALHOST_URL"
KEY = "VOCALHOST_KEY"


class AsyncClient:
    """A vocalhost server. `close` it, or use it as a context.

    What the server cannot do just now (429, 503) and what a broken connection has interrupted is asked again, at most `retries` times
    in a row, after the pause that the server asks for when that is no longer than `longest_pause` seconds. A request that makes something
    carries an `Idempotency-Key`, so that it is made once.
    """

    conversions: AsyncConversions
    """Recordings in other voices."""
    separations: AsyncSeparations
    """What is sung, apart from the music."""
    splits: AsyncSplits
    """Songs in stems."""
    blends: AsyncBlends
    """Voices out of others."""
    trainings: AsyncTrainings
    """Voices out of recordings of them."""
    live: AsyncLiveConversions
    """Conversions while somebody speaks."""
    voices: AsyncVoices
    pipelines: AsyncPipelines
    """Chains of effects that have names."""
    webhooks: AsyncWebhooks

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        retries: int = 5,
        longest_pause: float = 60,
        timeout: float = 90,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """`url` and `key` are those of `VOCALHOST_URL` and `VOCALHOST_KEY` when they are not given. `timeout`: seconds for which a
        request may say nothing. `http`: a client with proxies or certificates of its own."""
        url = url or os.environ.get(URL) or "http://127.0.0.1:8080"
        http = http or httpx.AsyncClient(timeout=httpx.Timeout(timeout, connect=10))
        self._transport = AsyncTransport(url, key or os.environ.get(KEY), Patience(retries, longest_pause), http)
        self.conversions = AsyncConversions(self._transport)
        self.separations = AsyncSeparations(self._transport)
        self.splits = AsyncSplits(self._transport)
        self.blends = AsyncBlends(self._transport)
        self.trainings = AsyncTrainings(self._transport)
        self.live = AsyncLiveConversions(self._transport)
        self.voices = AsyncVoices(self._transport)
        self.pipelines = AsyncPipelines(self._transport)
        self.webhooks = AsyncWebhooks(self._transport)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends its connections."""
        await self._transport.close()

    async def jobs(
        self,
        *,
        kind: Kind | None = None,
        status: Literal["running", "success", "error", "cancelled"] | None = None,
        order: Literal["asc", "desc"] = "desc",
    ) -> AsyncIterator[AnyJob]:
        """Your jobs of all kinds, the newest first."""
        async for one in pages(self._transport, "/jobs", Any, kind=kind, status=status, order=order):
            job = any_job(one)
            if job is not None:
                yield job

    def effects(self) -> AsyncIterator[Effect]:
        """The effects that `pre` and `post` can name, with their parameters."""
        return pages(self._transport, "/effects", Effect)

    async def me(self) -> Me:
        """Whose the key is and what it may do."""
        return record(await self._transport.json("GET", "/me"), Me)

    async def usage(self) -> Usage:
        """What you have used, and how much there may be."""
        return record(await self._transport.json("GET", "/usage"), Usage)

    async def upload(self, file: FileInput, *, to: str | None = None, on_progress: OnUpload | None = None) -> str:
        """Sends a file in pieces that go on after a broken line, and gives what stands in its place in every form: `upload:<id>`.

        Large files of jobs are sent like this by themselves. `to`: an upload that was begun before (by `begin_upload`, or the `upload` of
        an `UploadBroken`) and goes on where it stands. `on_progress` is told how many bytes have arrived, and of how many.
        """
        return await upload(self._transport, file, to, on_progress)

    async def begin_upload(self, name: str, size: int) -> str:
        """Announces a file of so many bytes. What it gives can be kept, for an upload that outlives this process."""
        return await begin(self._transport, name, size)

    async def download(self, url: str, path: str | os.PathLike[str], *, on_progress: OnDownload | None = None) -> Path:
        """Fetches a link of a record into a file, which is there when it is whole."""
        return await download(self._transport, url, path, on_progress)

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int | float | bool | None] | None = None,
        body: object = None,
    ) -> Any:
        """Anything else that the API can do, as JSON: `client.request("GET", "/admin/users")`."""
        return await self._transport.json(method, path, params=params, body=body)
