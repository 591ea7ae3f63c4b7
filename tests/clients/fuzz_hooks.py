"""Gives half of the fuzzer's forms a real recording and a voice that is there, and expects those to be accepted."""

import os
import zlib

import schemathesis
from schemathesis.transport.serialization import Binary

FILES = ("soundFile", "inputFile", "backingSoundFile")
WITH_REAL_SOUND = set()
MODELS = ("modelId1", "modelId2", "modelId3", "modelId4")

with open(os.environ["VOCALHOST_FUZZ_SOUND"], "rb") as recording:
    SOUND = recording.read()


def is_positive(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


def is_coverage(case):
    return "coverage" in str(case.meta.phase.name).lower()


# What the run itself lives on, which an operator's key could take away: its user, its key and the first voices.
KEPT = {
    "/admin/users/{id}": {"1"},
    "/admin/keys/{id}": {os.environ["VOCALHOST_FUZZ_KEY_ID"]},
    "/admin/keys/{id}/rotate": {os.environ["VOCALHOST_FUZZ_KEY_ID"]},
    "/admin/models/{id}": {"1", "2", "3", "4"},
}


@schemathesis.hook
def before_call(context, case, kwargs):
    if str((case.path_parameters or {}).get("id")) in KEPT.get(case.operation.path, ()):
        case.path_parameters["id"] = 9
    body = case.body
    if not isinstance(body, dict) or zlib.crc32(repr(sorted(body)).encode() + repr(body).encode()) % 2:
        return
    files = [name for name in FILES if name in body]
    positive = is_positive(case)
    if not positive:
        # What is wrong about this form must stay wrong; and a form cannot tell a list from fields that are given again.
        if is_coverage(case) or any(isinstance(value, list) for value in body.values()):
            return
        files = [name for name in files if isinstance(body[name], (bytes, Binary))]
    for name in files:
        body[name] = Binary(SOUND)
    if positive:
        if "voiceModelId" in body:
            body["voiceModelId"] = 1
        for number, name in enumerate(MODELS, start=1):
            if body.get(name) is not None:
                body[name] = number
    if files:
        WITH_REAL_SOUND.add(case.id)
    # What kind of case it is stays as it is: the fuzzer cannot look into bytes, and would take them for a mistake.
    case._sync_validated_hashes()


@schemathesis.serializer("application/wasm", "application/offset+octet-stream")
def as_it_is(context, value):
    if isinstance(value, Binary):
        return value.data
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.check
def real_requests_are_accepted(context, response, case):
    """A form that fits the schema, with a real recording, is refused for what a schema cannot say: the names of effects and
    pipelines, integers that no JSON reader keeps, which bit rates go with which format, and addresses for webhooks that are not on
    the public internet."""
    if case.id not in WITH_REAL_SOUND or not is_positive(case):
        return
    if response.status_code != 422:
        return
    if any(not character.isprintable() for name in case.body for character in name):
        # A part's header cannot carry such a name, so the form is no form.
        return
    for mistake in response.json()["errors"]:
        chain = mistake["field"].split(".")[0].split("[")[0]
        assert chain in ("pre", "post", "seed", "outputBitrate", "webhookUrl"), f"refused for {mistake}"
