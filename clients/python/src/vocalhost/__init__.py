"""A client for vocalhost, a self-hosted voice-processing server.

    with Client("http://127.0.0.1:8080", key) as client:
        job = client.conversions.create("song.wav", voice_model_id=1)
        job = client.conversions.wait(job)
        client.download(job.output_file_url, "converted.wav")

`AsyncClient` is the same for code that must not block.
"""

from ._async.client import AsyncClient
from ._kinds import AnyJob
from ._source import FileInput
from ._sse import JobEvent
from ._sync.client import Client
from .errors import (
    JobCancelled,
    JobFailed,
    Mistake,
    Problem,
    Unreachable,
    UploadBroken,
    VocalhostError,
    WebhookRefused,
)
from .webhooks import WebhookEvent, verify_webhook

__all__ = [
    "AnyJob",
    "AsyncClient",
    "Client",
    "FileInput",
    "JobCancelled",
    "JobEvent",
    "JobFailed",
    "Mistake",
    "Problem",
    "Unreachable",
    "UploadBroken",
    "VocalhostError",
    "WebhookEvent",
    "WebhookRefused",
    "verify_webhook",
]
