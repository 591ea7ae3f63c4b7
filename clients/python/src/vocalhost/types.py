"""What the server answers and what it can be asked. Made of its description by the generator: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from ._records import Record
from ._source import FileInput

if TYPE_CHECKING:
    from typing_extensions import Required


@dataclass(frozen=True, kw_only=True)
class Stem(Record):
    instrument: Literal["vocals", "harmony", "reverb", "backing", "drums", "bass", "other"]
    url: str


@dataclass(frozen=True, kw_only=True)
class VoiceModel(Record):
    id: int
    title: str
    tags: list[str]
    image_url: str | None
    demo_url: str | None
    twitter_link: str | None
    instagram_link: str | None
    tiktok_link: str | None
    spotify_link: str | None
    youtube_link: str | None
    is_usable: bool
    """Its package is whole, and a blend has succeeded."""
    unusable_reason: str | None
    """Why it cannot be used, if it cannot."""


@dataclass(frozen=True, kw_only=True)
class JobFailure(Record):
    code: Literal["input_damaged", "effect_failed", "effect_refused", "model_unavailable", "model_failed", "models_differ", "recordings_unfit", "timeout", "out_of_memory", "out_of_space", "worker_died", "internal"]
    message: str
    retryable: bool
    """Whether the same request may succeed when it is tried again."""


@dataclass(frozen=True, kw_only=True)
class Timings(Record):
    wall_seconds: float
    """From its begin on a worker to its end."""
    thread_seconds: dict[str, float]
    """What the processor worked, summed up over threads, for those of the parts that there were: `decode`, `effects`,
    `network`, `transforms`, `join`, `measure`, `encode`, `hash`, `wait`. `rest` is what is no other part, `wait`
    the time for which threads waited for a device."""


@dataclass(frozen=True, kw_only=True)
class EffectUsed(Record):
    id: str
    version: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class ModelUsed(Record):
    id: str
    version: str | None
    """Null in records from before it was kept."""


@dataclass(frozen=True, kw_only=True)
class JobWarning(Record):
    code: Literal["input_cut", "input_damaged", "input_not_finite", "input_monotone", "input_too_long", "input_several_speakers", "voice_replaced"]
    """`voice_replaced`: the number of the voice stood for an earlier generation of it, whose package is gone; the
    later one is used. `input_cut`: the file ends before its header or tag says, and is heard as far as it goes.
    `input_damaged`: a stretch cannot be decoded and is silent. `input_not_finite`: samples are no finite numbers
    and are zero. `input_monotone`: the pitch of the recordings that a voice is trained on hardly moves.
    `input_too_long`: more was given to train a voice on than is used. `input_several_speakers`: the recordings that
    a voice is trained on may be of more than one person."""
    message: str
    at_seconds: float | None
    """Where it begins in what is heard; null where it is about no recording."""
    seconds: float | None
    """How much of the sound is not heard, where that is known."""
    field: Literal["soundFile", "backingSoundFile", "inputFile", "voiceModelId", "base", "modelId1", "modelId2", "modelId3", "modelId4"]
    """The field of the request that it is about."""


@dataclass(frozen=True, kw_only=True)
class Loudness(Record):
    integrated_lufs: float | None
    """ITU-R BS.1770; null below -70 LUFS."""
    true_peak_dbtp: float | None
    """Null for digital silence."""


@dataclass(frozen=True, kw_only=True)
class VoiceConversion(Record):
    id: int
    created_at: datetime
    type: Literal["infer"]
    voice_model_id: int
    status: Literal["running", "success", "error", "cancelled"]
    job_start_time: datetime
    """When it was accepted; once it runs, when it was started."""
    job_end_time: datetime | None
    output_file_url: str | None
    """The converted voice without loss."""
    lossy_output_file_url: str | None
    """The converted voice as MP3."""
    recombined_audio_file_url: str | None
    """The converted voice over its backing, when one was given, or over the rest of the song with `isolateVocals`."""
    vocal_audio_file_url: str | None
    """With `isolateVocals`: what was sung, as it was; with `clean=lead` without the voices behind the lead."""
    lossy_vocal_audio_file_url: str | None
    """The same as MP3."""
    backing_audio_file_url: str | None
    """With `isolateVocals`: the rest, which with `clean=lead` has the voices behind the lead."""
    stem_file_urls: list[Stem]
    """With `isolateVocals`: the same two, as a separation lists them."""
    lossy_stem_file_urls: list[Stem]
    """The same as MP3."""
    model: VoiceModel
    """The voice as it is now; one that is gone has its number, the title that it had, and nothing else."""
    conversion_strength: float
    model_volume_mix: float
    pitch_shift: float
    auto_pitch: bool
    suggested_pitch_shift: float | None
    """Semitones that bring the recording into the voice's register: octaves or fifths. Null until it is heard, and
    where it cannot be told."""
    seed: int
    """The same request and seed give the same samples."""
    isolate_vocals: bool
    clean: list[Literal["lead", "dereverb", "deecho", "denoise"]]
    """What was to be taken out of the voice first, in this order."""
    f0_method: str
    """`auto`, `pyin` or the id of the F0 estimator that was asked for."""
    protect: float | None
    """Null is as the voice says."""
    speaker_id: int | None
    """Null is as the voice says."""
    silence_gate: bool | None
    """Null is the way of the voice's family."""
    stage: Literal["queued", "decoding", "effects", "inference", "encoding", "done"]
    progress: float
    """Share of the whole job in per cent."""
    queue_position: int | None
    """Its place among the waiting jobs of its kind; 1 is next."""
    error: JobFailure | None
    metadata: dict[str, str] | None
    """Your own notes."""
    priority: int
    retry_of: int | None
    """The job that this one tries again."""
    webhook_url: str | None
    """Where its end is told."""
    timings: Timings | None
    """What it took; null before its end."""
    effects: list[EffectUsed] | None
    """Every effect that ran, in order. Of a job that failed those that it was to run, once it had begun with them;
    null before."""
    provider: str | None
    """What ran the model, such as `cpu`."""
    models: list[str] | None
    """The ids of the packages that ran, for whoever asks which models a result is of: of a conversion those of the
    voice, its content encoder and its F0 estimator. An id says nothing of the version: `modelsUsed` does."""
    models_used: list[ModelUsed] | None
    """The same packages in the same order with their versions, for whoever asks whether two results are of the very
    same models, or wants to make one again: a package may be replaced under its id."""
    files_expired: bool | None
    """Whether the files of the result were deleted because their time was over; there are no links then."""
    gain_db: float | None
    """What was done to the level of all files of the job: to come to `outputLoudness`, or what the peak guard took off
    when it had to."""
    warnings: list[JobWarning]
    """What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw
    it, and when the job is done all of it; and voices that took the places of earlier ones."""
    archive_url: str | None
    """All files of the job in one ZIP."""
    loudness: dict[str, Loudness] | None
    """Of the `input` and of every sound of the result."""
    output_format: Literal["wav16", "wav24", "wav32f", "flac", "mp3", "opus"]
    output_bitrate: int | None
    """In kbit/s, when it was given."""
    output_loudness: float | None
    """In LUFS, when it was given."""
    lossy: Literal["with-job", "on-demand"]
    """When the MP3 files are made. With `on-demand` their links are here as ever, and the first request for each has
    it made."""


@dataclass(frozen=True, kw_only=True)
class Separation(Record):
    id: int
    created_at: datetime
    type: Literal["separate"]
    status: Literal["running", "success", "error", "cancelled"]
    job_start_time: datetime
    """When it was accepted; once it runs, when it was started."""
    job_end_time: datetime | None
    vocal_audio_file_url: str | None
    """Everything sung or spoken, without loss."""
    lossy_vocal_audio_file_url: str | None
    """Everything sung or spoken, as MP3."""
    backing_audio_file_url: str | None
    """The rest, without loss."""
    stem_file_urls: list[Stem]
    lossy_stem_file_urls: list[Stem]
    """The same instruments in the same order."""
    stage: Literal["queued", "decoding", "effects", "inference", "encoding", "done"]
    progress: float
    """Share of the whole job in per cent."""
    queue_position: int | None
    """Its place among the waiting jobs of its kind; 1 is next."""
    error: JobFailure | None
    metadata: dict[str, str] | None
    """Your own notes."""
    priority: int
    retry_of: int | None
    """The job that this one tries again."""
    webhook_url: str | None
    """Where its end is told."""
    timings: Timings | None
    """What it took; null before its end."""
    effects: list[EffectUsed] | None
    """Every effect that ran, in order. Of a job that failed those that it was to run, once it had begun with them;
    null before."""
    provider: str | None
    """What ran the model, such as `cpu`."""
    models: list[str] | None
    """The ids of the packages that ran, for whoever asks which models a result is of: of a conversion those of the
    voice, its content encoder and its F0 estimator. An id says nothing of the version: `modelsUsed` does."""
    models_used: list[ModelUsed] | None
    """The same packages in the same order with their versions, for whoever asks whether two results are of the very
    same models, or wants to make one again: a package may be replaced under its id."""
    files_expired: bool | None
    """Whether the files of the result were deleted because their time was over; there are no links then."""
    gain_db: float | None
    """What was done to the level of all files of the job: to come to `outputLoudness`, or what the peak guard took off
    when it had to."""
    warnings: list[JobWarning]
    """What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw
    it, and when the job is done all of it; and voices that took the places of earlier ones."""
    archive_url: str | None
    """All files of the job in one ZIP."""
    loudness: dict[str, Loudness] | None
    """Of the `input` and of every sound of the result."""
    folded_from: int | None
    """Channels of the recording, when it had more than two."""
    stems: list[Literal["vocals", "harmony", "reverb", "backing", "drums", "bass", "other"]] | None
    """Those that were asked for; null for all."""
    output_format: Literal["wav16", "wav24", "wav32f", "flac", "mp3", "opus"]
    output_bitrate: int | None
    """In kbit/s, when it was given."""
    output_loudness: float | None
    """In LUFS, when it was given."""
    lossy: Literal["with-job", "on-demand"]
    """When the MP3 files are made. With `on-demand` their links are here as ever, and the first request for each has
    it made."""


@dataclass(frozen=True, kw_only=True)
class VoiceBlend(Record):
    id: int
    created_at: datetime
    model1_id: int
    model2_id: int
    alpha: float
    alpha2: float
    status: Literal["running", "success", "error", "cancelled"]
    job_start_time: datetime
    """When it was accepted; once it runs, when it was started."""
    job_end_time: datetime | None
    output_model_id: int
    """The voice that it makes; usable from `success` on."""
    stage: Literal["queued", "decoding", "effects", "inference", "encoding", "done"]
    progress: float
    """Share of the whole job in per cent."""
    queue_position: int | None
    """Its place among the waiting jobs of its kind; 1 is next."""
    error: JobFailure | None
    metadata: dict[str, str] | None
    """Your own notes."""
    priority: int
    retry_of: int | None
    """The job that this one tries again."""
    webhook_url: str | None
    """Where its end is told."""
    timings: Timings | None
    """What it took; null before its end."""
    provider: str | None
    warnings: list[JobWarning]
    """What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw
    it, and when the job is done all of it; and voices that took the places of earlier ones."""
    model3_id: int | None = None
    model4_id: int | None = None
    alpha3: float | None = None
    alpha4: float | None = None
    title: str | None = None
    """In the answer to its creation only."""


@dataclass(frozen=True, kw_only=True)
class TrainingPoint(Record):
    step: int
    loss: float
    held_out_loss: float | None


@dataclass(frozen=True, kw_only=True)
class TrainingTest(Record):
    step: int
    url: str


@dataclass(frozen=True, kw_only=True)
class TrainingRecording(Record):
    name: str
    """As its file was called."""
    format: Literal["wav", "mp3", "flac", "webm"]
    bytes: int
    seconds: float | None
    """Null where only decoding all of it would tell."""
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Consent(Record):
    version: int
    """The version of the statement."""
    statement: str
    by: Literal["self", "owner-agreed", "licence"]
    name: str | None
    spoken: str | None
    """The number that was to be said, where the consent came as a recording, too."""


@dataclass(frozen=True, kw_only=True)
class VoiceTraining(Record):
    id: int
    created_at: datetime
    title: str
    tags: list[str]
    base: Literal["auto"] | int
    """The voice that it was asked to start from."""
    preset: Literal["quick", "standard", "long"]
    seed: int
    """The same recordings, parameters and seed give the same voice."""
    isolate_vocals: bool
    """Whether the voice is what is sung in the recordings."""
    clean: list[Literal["lead", "dereverb", "deecho", "denoise"]]
    """What was to be taken out of them first, in this order."""
    status: Literal["running", "success", "error", "cancelled"]
    job_start_time: datetime
    """When it was accepted; once it runs, when it was started."""
    job_end_time: datetime | None
    output_model_id: int
    """The voice that it makes; usable from `success` on, gone when the job ends otherwise."""
    step: int
    """Steps that have been taken."""
    steps: int
    """Steps to take at most: a training that gets no better ends before."""
    loss: float | None
    """How far what the voice draws is from the recordings, in nepers; null before it has begun."""
    held_out_loss: float | None
    """The same of stretches that nothing is learned from."""
    eta_seconds: float | None
    """How long the rest takes at this pace."""
    curve: list[TrainingPoint]
    """Every ten steps."""
    tests: list[TrainingTest]
    """What the voice sounds like, after the first checkpoint and every hundred steps; of a job that fails or is
    cancelled they go."""
    recordings: list[TrainingRecording]
    keep_recordings: bool
    consent: Consent
    review: bool
    """Whether nobody can use the voice before an operator has enabled it."""
    stage: Literal["queued", "decoding", "effects", "inference", "encoding", "done"]
    progress: float
    """Share of the whole job in per cent."""
    queue_position: int | None
    """Its place among the waiting jobs of its kind; 1 is next."""
    error: JobFailure | None
    metadata: dict[str, str] | None
    """Your own notes."""
    priority: int
    retry_of: int | None
    """The job that this one tries again."""
    webhook_url: str | None
    """Where its end is told."""
    timings: Timings | None
    """What it took; null before its end."""
    provider: str | None
    models: list[str] | None
    """The ids of the packages that ran, the voice that it started from among them."""
    models_used: list[ModelUsed] | None
    warnings: list[JobWarning]
    """What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw
    it, and when the job is done all of it; and voices that took the places of earlier ones."""


@dataclass(frozen=True, kw_only=True)
class LatencyMs(Record):
    """How late sound comes out, in milliseconds; the time of computing comes on top."""

    block: int
    look_ahead: int
    effects: int
    """Of its effects, known once the stream is open."""
    resampling: int
    """Of the way between rates, known once the stream is open."""
    total: int


@dataclass(frozen=True, kw_only=True)
class BlockMs(Record):
    """The time of computing of a block."""

    median: float | None
    p99: float | None


@dataclass(frozen=True, kw_only=True)
class LiveConversion(Record):
    id: int
    type: Literal["live-conversion"]
    status: Literal["waiting", "running", "ended"]
    """`waiting` until its stream is opened, within 30 seconds."""
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    end_reason: Literal["stopped", "idle", "minutes", "disconnected", "workerLost", "protocol", "cancelled", "expired", "serverStopped", None]
    """Why it ended."""
    voice_model_id: int
    model: VoiceModel
    """The voice as it is now; one that is gone has its number, the title that it had, and nothing else."""
    pitch_shift: float
    conversion_strength: float
    model_volume_mix: float
    seed: int
    pre: list[EffectUsed]
    post: list[EffectUsed]
    latency: Literal["low", "balanced", "best"]
    latency_ms: LatencyMs
    """How late sound comes out, in milliseconds; the time of computing comes on top."""
    sample_rate: int
    sample_format: Literal["s16le", "f32le"]
    """How samples are written both ways: mono, little-endian, whole numbers of 16 bits or floats of 32."""
    max_minutes: int
    record: Literal["none", "output", "both"]
    """What is kept: nothing, what comes out, or what is said, too."""
    input_file_url: str | None
    """What was said, as a WAV file; null while it runs, where it was not kept, and once it is as old as results may
    be."""
    output_file_url: str | None
    """What came out, likewise; what was dropped is silence."""
    input_level_rms: float | None
    """The level of the speaker over what sounded: given with the next one, it is right from the first word on."""
    seconds: float
    """Sound that was heard."""
    dropped_ms: float
    """Sound that was dropped because the server or the client was behind."""
    starved_ms: float
    """Time in which no sound came."""
    late_blocks: int
    """Blocks that took longer to compute than they last."""
    block_ms: BlockMs
    """The time of computing of a block."""
    stream_url: str | None
    """Where the stream is opened, as a WebSocket; null once it ended."""
    ticket: str | None = None
    """Opens the stream, once, within 30 seconds. Only in the answer to the request that made it."""


@dataclass(frozen=True, kw_only=True)
class Source(Record):
    package_id: str
    name: str
    version: str
    share: float
    """Its share in the blend."""
    license: str
    """An SPDX expression, or words."""
    attribution: str
    """Who must be named."""
    trained_on: str
    consent: str
    """How the owner of the voice agreed, or why nobody has to."""
    source_url: str | None


@dataclass(frozen=True, kw_only=True)
class Terms(Record):
    license: str
    """An SPDX expression, or words."""
    attribution: str
    """Who must be named."""
    trained_on: str
    consent: str
    """How the owner of the voice agreed, or why nobody has to."""
    source_url: str | None
    created: str
    """The day of its making."""
    sources: list[Source]
    """Of a blend, the voices that it was made of."""


@dataclass(frozen=True, kw_only=True)
class VoiceModelWithTerms(Record):
    id: int
    title: str
    tags: list[str]
    image_url: str | None
    demo_url: str | None
    twitter_link: str | None
    instagram_link: str | None
    tiktok_link: str | None
    spotify_link: str | None
    youtube_link: str | None
    is_usable: bool
    """Its package is whole, and a blend has succeeded."""
    unusable_reason: str | None
    """Why it cannot be used, if it cannot."""
    terms: Terms | None


@dataclass(frozen=True, kw_only=True)
class ImportedVoiceModel(Record):
    id: int
    title: str
    tags: list[str]
    image_url: str | None
    demo_url: str | None
    twitter_link: str | None
    instagram_link: str | None
    tiktok_link: str | None
    spotify_link: str | None
    youtube_link: str | None
    is_usable: bool
    """Its package is whole, and a blend has succeeded."""
    unusable_reason: str | None
    """Why it cannot be used, if it cannot."""
    family: str
    found: list[str]
    """What was found, a sentence each."""


@dataclass(frozen=True, kw_only=True)
class Layout(Record):
    inputs: int
    outputs: int


@dataclass(frozen=True, kw_only=True)
class Option(Record):
    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Parameter(Record):
    id: str
    name: str
    group: str
    summary: str
    type: Literal["number", "toggle", "choice"]
    default: float | bool | str
    advanced: bool
    min: float | None = None
    max: float | None = None
    step: float | None = None
    """Distance between values, from the smallest on; 0 is continuous."""
    unit: str | None = None
    scale: Literal["linear", "logarithmic"] | None = None
    options: list[Option] | None = None


@dataclass(frozen=True, kw_only=True)
class Preset(Record):
    id: str
    name: str
    settings: dict[str, float | bool | str]


@dataclass(frozen=True, kw_only=True)
class Effect(Record):
    id: str
    """Stable and globally unique."""
    name: str
    version: str
    vendor: str
    summary: str
    tags: list[str]
    layouts: list[Layout]
    """Channels in and out, best first; none for any number of channels."""
    parameters: list[Parameter]
    presets: list[Preset]
    alias: str | None
    """Its short name in `pre` and `post`."""
    digest: str
    """SHA-256 of its component."""


class ListedEffect(TypedDict, total=False):
    effect: Required[str]
    """An id or a name of `/effects`, with `@` and a version if need be."""
    params: dict[str, float | bool | str] | bool | None
    """Its parameters; false leaves the effect out."""


EffectList = list[ListedEffect | str]


@dataclass(frozen=True, kw_only=True)
class Pipeline(Record):
    name: str
    shared: bool
    """Whether everybody may use it."""
    is_mine: bool
    chain: EffectList
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class Webhook(Record):
    id: int
    url: str | None
    for_jobs: bool
    """It signs what goes to the `webhookUrl` of jobs."""
    events: list[Literal["job.success", "job.error", "job.cancelled"]]
    """None means all."""
    description: str
    enabled: bool
    disabled_reason: str | None
    """Why the server gave up."""
    created_at: datetime
    last_success_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Attempt(Record):
    at: datetime
    duration_ms: float
    status: int | None
    """What the receiver answered."""
    error: str | None
    answer: str | None
    """How its answer began."""


@dataclass(frozen=True, kw_only=True)
class WebhookDelivery(Record):
    id: int
    webhook_id: int
    message_id: str
    """The header `webhook-id` of every try."""
    event: Literal["job.success", "job.error", "job.cancelled", "webhook.test"]
    job_id: int | None
    state: Literal["pending", "delivered", "failed"]
    created_at: datetime
    ended_at: datetime | None
    next_attempt_at: datetime | None
    attempts: list[Attempt]


@dataclass(frozen=True, kw_only=True)
class Channel(Record):
    min: list[float]
    max: list[float]


@dataclass(frozen=True, kw_only=True)
class Peaks(Record):
    file: str
    sample_rate: int
    frames: int
    points: int
    channels: list[Channel]


@dataclass(frozen=True, kw_only=True)
class MeUser(Record):
    id: int
    name: str


@dataclass(frozen=True, kw_only=True)
class MeKey(Record):
    id: str
    """The part of the key before the dot."""
    label: str
    scopes: list[Literal["read", "write", "admin"]]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    """To the minute."""


@dataclass(frozen=True, kw_only=True)
class Create(Record):
    per_minute: int
    remaining: int


@dataclass(frozen=True, kw_only=True)
class Read(Record):
    per_minute: int
    remaining: int


@dataclass(frozen=True, kw_only=True)
class RateLimits(Record):
    create: Create | None
    read: Read | None


@dataclass(frozen=True, kw_only=True)
class Me(Record):
    user: MeUser
    key: MeKey
    rate_limits: RateLimits


@dataclass(frozen=True, kw_only=True)
class Storage(Record):
    bytes: int
    quota_bytes: int | None
    """null when there is none."""


@dataclass(frozen=True, kw_only=True)
class Audio(Record):
    days: int
    """The days that are counted, today among them."""
    minutes: float
    quota_minutes: int | None
    """null when there is none."""
    jobs: int
    """Jobs that were accepted in these days."""


@dataclass(frozen=True, kw_only=True)
class ByKind(Record):
    running: int
    success: int
    error: int
    cancelled: int


@dataclass(frozen=True, kw_only=True)
class Jobs(Record):
    running: int
    max_running: int
    queued: int
    max_queued: int
    by_kind: dict[str, ByKind]
    """Jobs whose records are there."""


@dataclass(frozen=True, kw_only=True)
class Usage(Record):
    storage: Storage
    audio: Audio
    jobs: Jobs
    rate_limits: RateLimits


@dataclass(frozen=True, kw_only=True)
class Spoken(Record):
    required: bool
    """Whether a training needs it."""
    sentence: str
    """What the person whose voice it is says in `consentRecording`: another one each time."""
    number: str
    """Its number, four digits."""
    token: str
    """To be sent with the recording, as `consent.token`."""
    expires_at: datetime
    """Until when."""


@dataclass(frozen=True, kw_only=True)
class ConsentStatement(Record):
    version: int
    statement: str
    """To be shown to whoever declares it, and sent back word for word."""
    by: list[Literal["self", "owner-agreed", "licence"]]
    """What a declaration can be founded on."""
    training: Literal["off", "admins", "users", "review"]
    """Who may train voices on this server."""
    allowed: bool
    """Whether you may."""
    spoken: Spoken


@dataclass(frozen=True, kw_only=True)
class WebhookWithSecret(Record):
    id: int
    url: str | None
    for_jobs: bool
    """It signs what goes to the `webhookUrl` of jobs."""
    events: list[Literal["job.success", "job.error", "job.cancelled"]]
    """None means all."""
    description: str
    enabled: bool
    disabled_reason: str | None
    """Why the server gave up."""
    created_at: datetime
    last_success_at: datetime | None
    secret: str
    """Signs what is sent; it is never shown again."""


class NoiseGate(TypedDict, total=False):
    threshold_db: float
    ratio: float
    attack_ms: float
    release_ms: float


class HighPassFilter(TypedDict, total=False):
    cutoff_frequency_hz: float


class LowPassFilter(TypedDict, total=False):
    cutoff_frequency_hz: float


class Compressor(TypedDict, total=False):
    threshold_db: float
    ratio: float
    attack_ms: float
    release_ms: float


class Chorus(TypedDict, total=False):
    rate_hz: float
    depth: float
    centre_delay_ms: float
    feedback: float
    mix: float


class Delay(TypedDict, total=False):
    delay_seconds: float
    feedback: float
    mix: float


class Reverb(TypedDict, total=False):
    room_size: float
    damping: float
    wet_level: float
    dry_level: float
    width: float
    freeze_mode: float


class EffectsByName(TypedDict, total=False):
    """By name, in a set order: `noiseGate`, `highPassFilter`, `lowPassFilter`, `compressor` before; `compressor`,
    `chorus`, `delay`, `reverb` after."""

    noiseGate: NoiseGate | bool | None
    highPassFilter: HighPassFilter | bool | None
    lowPassFilter: LowPassFilter | bool | None
    compressor: Compressor | bool | None
    chorus: Chorus | bool | None
    delay: Delay | bool | None
    reverb: Reverb | bool | None


class SavedChain(TypedDict, total=False):
    """A chain that was saved under a name."""

    pipeline: Required[str]


Chain = Union["EffectsByName", "EffectList", "SavedChain", "None"]


class ConversionOptions(TypedDict, total=False):
    """Convert a recording to another voice: what may be given."""

    backing_sound_file: FileInput
    """Goes under the converted voice; formats and size as of `soundFile`."""
    conversion_strength: float
    """How much of the model's accent is taken."""
    model_volume_mix: float
    """0 keeps the input's dynamics, 1 takes the model's loudness."""
    pitch_shift: float
    """In semitones; fractions are fine."""
    auto_pitch: bool
    """Moves the pitch into the voice's register as well, by `suggestedPitchShift`."""
    seed: int
    """Up to 2^53 - 1."""
    isolate_vocals: bool
    """Whether what is sung is taken out of the recording, converted, and put over the rest of it again; `pre` and
    `post` act on the voice alone. Not together with `backingSoundFile`."""
    clean: list[Literal["lead", "dereverb", "deecho", "denoise"]]
    """What is taken out of the voice before it is converted, and before `pre`: `lead` the voices behind the lead,
    `dereverb` its room, `deecho` its echo, `denoise` noise; in this order, whatever the order here. A list with
    commas is fine, too. With `isolateVocals` the voices behind the lead stay in the backing; everything else that
    is taken out is dropped. A step for which no model is installed is refused."""
    f0_method: str
    """How the pitch is found: `auto` as the voice says, `pyin`, which needs no model, or the id of an installed F0
    estimator."""
    protect: float
    """Of voices of RVC: how much of what retrieval changed reaches unvoiced frames; 0.5 protects nothing. As the voice
    says without it."""
    speaker_id: int
    """Of voices of RVC: number of the speaker. As the voice says without it."""
    silence_gate: bool
    """Whether the voice is shut off where the recording is silent. Without it voices of RVC are not, as in RVC, and
    others are."""
    pre: Chain
    """Effects on the input."""
    post: Chain
    """Effects on the output."""
    strict_input: bool
    """Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record
    has `warnings`."""
    metadata: dict[str, str] | None
    """Your own notes, which every record of the job repeats."""
    priority: int
    """Your jobs of a higher one go first."""
    webhook_url: str
    """Where the job's end is told, beside your webhooks; http or https, and not inside a private network."""
    output_format: Literal["wav16", "wav24", "wav32f", "flac", "mp3", "opus"]
    """What the main files are; the MP3 goes along."""
    output_loudness: float
    """In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share
    one gain, by which they add up to that."""
    lossy: Literal["with-job", "on-demand"]
    """When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the
    server is set without it; always with the job where the main files are lossy themselves."""
    output_bitrate: Literal[64, 96, 128, 160, 192, 224, 256, 320]
    """In kbit/s, for `mp3` and `opus`, each with some of these."""


class SeparationOptions(TypedDict, total=False):
    """Take what is sung out of a recording: what may be given."""

    pre: Chain
    """Effects on the mix."""
    post: Chain
    """Effects on each file."""
    strict_input: bool
    """Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record
    has `warnings`."""
    metadata: dict[str, str] | None
    """Your own notes, which every record of the job repeats."""
    priority: int
    """Your jobs of a higher one go first."""
    webhook_url: str
    """Where the job's end is told, beside your webhooks; http or https, and not inside a private network."""
    stems: list[Literal["vocals", "harmony", "reverb", "backing"]]
    """Which stems to make; all without it."""
    output_format: Literal["wav16", "wav24", "wav32f", "flac", "mp3", "opus"]
    """What the main files are; the MP3 goes along."""
    output_loudness: float
    """In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share
    one gain, by which they add up to that."""
    lossy: Literal["with-job", "on-demand"]
    """When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the
    server is set without it; always with the job where the main files are lossy themselves."""
    output_bitrate: Literal[64, 96, 128, 160, 192, 224, 256, 320]
    """In kbit/s, for `mp3` and `opus`, each with some of these."""


class SplitOptions(TypedDict, total=False):
    """Split a recording into its instruments: what may be given."""

    pre: Chain
    """Effects on the mix."""
    post: Chain
    """Effects on each file."""
    strict_input: bool
    """Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record
    has `warnings`."""
    metadata: dict[str, str] | None
    """Your own notes, which every record of the job repeats."""
    priority: int
    """Your jobs of a higher one go first."""
    webhook_url: str
    """Where the job's end is told, beside your webhooks; http or https, and not inside a private network."""
    stems: list[Literal["vocals", "drums", "bass", "other", "backing"]]
    """Which stems to make; all without it."""
    output_format: Literal["wav16", "wav24", "wav32f", "flac", "mp3", "opus"]
    """What the main files are; the MP3 goes along."""
    output_loudness: float
    """In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share
    one gain, by which they add up to that."""
    lossy: Literal["with-job", "on-demand"]
    """When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the
    server is set without it; always with the job where the main files are lossy themselves."""
    output_bitrate: Literal[64, 96, 128, 160, 192, 224, 256, 320]
    """In kbit/s, for `mp3` and `opus`, each with some of these."""


class BlendOptions(TypedDict, total=False):
    """Make a voice out of two to four others: what may be given."""

    model_id3: int | None
    model_id4: int | None
    alpha2: float | None
    """Needed with three voices or more."""
    alpha3: float | None
    """Needed with four voices."""
    title: str | None
    metadata: dict[str, str] | None
    """Your own notes, which every record of the job repeats."""
    priority: int
    """Your jobs of a higher one go first."""
    webhook_url: str
    """Where the job's end is told, beside your webhooks; http or https, and not inside a private network."""


class TrainingOptions(TypedDict, total=False):
    """Train a voice on recordings of it: what may be given."""

    tags: list[str]
    base: Literal["auto"] | int
    """The number of the voice to start from, or `auto`: the nearest of those that come with the server."""
    preset: Literal["quick", "standard", "long"]
    """How long it is trained: 100, 300 or 1,000 steps."""
    seed: int
    """Up to 2^53 - 1."""
    isolate_vocals: bool
    """The recordings are songs: the voice is what is sung in them."""
    clean: list[Literal["lead", "dereverb", "deecho", "denoise"]]
    """What is taken out of the voice first: `lead` the voices behind it, `dereverb` its room, `deecho` its echo,
    `denoise` noise; in this order. A list with commas is fine, too. A step for which no model is installed is
    refused."""
    consent_recording: FileInput
    """The sentence of `GET /voice-trainings/consent`, said by the person whose voice it is within ten minutes, or
    `upload:` and the id of an upload. It is compared with the recordings by a speaker encoder; what is said is not
    transcribed. Some servers ask for it."""
    keep_recordings: bool
    """Whether the recordings are kept as long as those of other jobs; they are deleted with the job's success
    otherwise."""
    metadata: dict[str, str] | None
    """Your own notes, which every record of the job repeats."""
    priority: int
    """Your jobs of a higher one go first."""
    webhook_url: str
    """Where the job's end is told, beside your webhooks; http or https, and not inside a private network."""


class LiveOptions(TypedDict, total=False):
    """Convert a voice while somebody speaks: what may be given."""

    pitch_shift: float
    conversion_strength: float
    model_volume_mix: float
    seed: int
    pre: EffectsByName | EffectList | SavedChain | None
    post: EffectsByName | EffectList | SavedChain | None
    latency: Literal["low", "balanced", "best"]
    """`low` waits 120 ms, `balanced` 160, `best` 480."""
    sample_rate: int
    sample_format: Literal["s16le", "f32le"]
    """How samples are written both ways: mono, little-endian, whole numbers of 16 bits or floats of 32."""
    record: Literal["none", "output", "both"]
    """What is kept: nothing, what comes out, or what is said, too."""
    input_level_rms: float | None
    """The level of the speaker, as an earlier record says it."""
    max_minutes: int


class RenderOptions(TypedDict, total=False):
    """Convert what was said live as a recording: what may be given."""

    voice_model_id: int
    """Without it the voice of the live conversion."""
    conversion_strength: float
    """How much of the model's accent is taken."""
    model_volume_mix: float
    """0 keeps the input's dynamics, 1 takes the model's loudness."""
    pitch_shift: float
    """In semitones; fractions are fine."""
    auto_pitch: bool
    """Moves the pitch into the voice's register as well, by `suggestedPitchShift`."""
    seed: int
    """Up to 2^53 - 1."""
    isolate_vocals: bool
    """Whether what is sung is taken out of the recording, converted, and put over the rest of it again; `pre` and
    `post` act on the voice alone. Not together with `backingSoundFile`."""
    clean: list[Literal["lead", "dereverb", "deecho", "denoise"]]
    """What is taken out of the voice before it is converted, and before `pre`: `lead` the voices behind the lead,
    `dereverb` its room, `deecho` its echo, `denoise` noise; in this order, whatever the order here. A list with
    commas is fine, too. With `isolateVocals` the voices behind the lead stay in the backing; everything else that
    is taken out is dropped. A step for which no model is installed is refused."""
    f0_method: str
    """How the pitch is found: `auto` as the voice says, `pyin`, which needs no model, or the id of an installed F0
    estimator."""
    protect: float
    """Of voices of RVC: how much of what retrieval changed reaches unvoiced frames; 0.5 protects nothing. As the voice
    says without it."""
    speaker_id: int
    """Of voices of RVC: number of the speaker. As the voice says without it."""
    silence_gate: bool
    """Whether the voice is shut off where the recording is silent. Without it voices of RVC are not, as in RVC, and
    others are."""
    pre: Chain
    """Effects on the input."""
    post: Chain
    """Effects on the output."""
    strict_input: bool
    """Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record
    has `warnings`."""
    metadata: dict[str, str] | None
    """Your own notes, which every record of the job repeats."""
    priority: int
    """Your jobs of a higher one go first."""
    webhook_url: str
    """Where the job's end is told, beside your webhooks; http or https, and not inside a private network."""
    output_format: Literal["wav16", "wav24", "wav32f", "flac", "mp3", "opus"]
    """What the main files are; the MP3 goes along."""
    output_loudness: float
    """In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share
    one gain, by which they add up to that."""
    lossy: Literal["with-job", "on-demand"]
    """When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the
    server is set without it; always with the job where the main files are lossy themselves."""
    output_bitrate: Literal[64, 96, 128, 160, 192, 224, 256, 320]
    """In kbit/s, for `mp3` and `opus`, each with some of these."""


class VoiceImport(TypedDict, total=False):
    """Import a voice of your own: what may be given."""

    index_file: FileInput
    """The retrieval index of a voice."""
    model_file2: FileInput
    """What belongs to a model of several files: more graphs or checkpoints, weights of a graph, settings. Where
    several could be meant, each is known by the name that it comes with."""
    model_file3: FileInput
    model_file4: FileInput
    model_file5: FileInput
    model_file6: FileInput
    model_file7: FileInput
    model_file8: FileInput
    title: str
    tags: str
    """With commas between them; may be repeated."""
    package_id: str
    """The id of a package that is no voice."""
    license: str
    attribution: str
    """Who must be named."""
    trained_on: str
    consent: str
    """How the owner of the voice agreed."""
    source_url: str
    answers: dict[str, str]
    """What only a person can know of the model, by the names of the questions."""
    image_file: FileInput
    """A picture: PNG, JPEG or WebP of at most 8 MB and 4,096 pixels a side."""
    demo_file: FileInput
    """A recording: wav, mp3 or flac of at most 20 MB."""


class VoiceChanges(TypedDict, total=False):
    """Give a voice another title, tags, picture or demo: what may be given."""

    title: str
    tags: str
    """With commas between them; may be repeated."""
    image_file: FileInput
    """A picture: PNG, JPEG or WebP of at most 8 MB and 4,096 pixels a side."""
    demo_file: FileInput
    """A recording: wav, mp3 or flac of at most 20 MB."""


class WebhookChanges(TypedDict, total=False):
    """Change a webhook: what may be given."""

    url: str | None
    """http or https, and not inside a private network."""
    events: list[Literal["job.success", "job.error", "job.cancelled"]] | None
    description: str | None
    enabled: bool | None
