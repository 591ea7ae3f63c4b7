"""Has a job of each kind done by the client that was generated from the server's own description, and looks at what comes back.
Arguments: the API's root, a key, a recording."""

import concurrent.futures
import io
import sys

import httpx
from vocalhost_client import AuthenticatedClient, Client
from vocalhost_client.api.jobs import list_jobs
from vocalhost_client.api.stem_splits import create_stem_split, get_stem_split
from vocalhost_client.api.vocal_separations import create_vocal_separation, get_vocal_separation
from vocalhost_client.api.voice_blender import create_voice_blend, get_voice_blend
from vocalhost_client.api.voice_conversions import create_voice_conversion, get_voice_conversion
from vocalhost_client.api.voice_models import get_voice_model, list_voice_models
from vocalhost_client import models
from vocalhost_client.types import File

PATIENT = "wait=60"


def check(holds, what):
    if not holds:
        raise SystemExit(f"generated client: {what!r}")


def fetched(url):
    answer = httpx.get(url, timeout=90)
    check(answer.status_code == 200, url)
    return answer.content[:4]


def main():
    root, key, path = sys.argv[1:]
    client = AuthenticatedClient(base_url=root, token=key, timeout=httpx.Timeout(90))
    with open(path, "rb") as recording:
        sound = recording.read()

    def file():
        return File(payload=io.BytesIO(sound), file_name="speech.flac")

    def ended(job, read):
        """The record of a job once it has ended, however long that takes."""
        check(hasattr(job, "status"), job)
        while job.status == "running":
            job = read.sync(job.id, client=client, prefer=PATIENT)
        check(job.status == "success", job)
        return job

    voices = list_voice_models.sync(client=client, per_page=2).data
    check(len(voices) == 2, voices)
    first, second = (voice.id for voice in voices)

    def conversion():
        body = models.CreateVoiceConversionBody(
            voice_model_id=first,
            sound_file=file(),
            pitch_shift=-2.5,
            auto_pitch=True,
            pre=models.EffectsByName(noise_gate=models.EffectsByNameNoiseGateType0(threshold_db=-60)),
            post=["reverb", models.ListedEffect(effect="compressor")],
            seed=7,
        )
        job = create_voice_conversion.sync(client=client, body=body, prefer=PATIENT)
        job = ended(job, get_voice_conversion)
        check((job.pitch_shift, job.auto_pitch, job.seed) == (-2.5, True, 7), job)
        effects = [effect.id.removeprefix("vocalhost.") for effect in job.effects]
        check(effects == ["noise-gate", "reverb", "compressor"], effects)
        check([model.id for model in job.models_used] == job.models != [], job)
        check(fetched(job.output_file_url) == b"RIFF", job)
        check(job.model.id == first and "input" in job.loudness.additional_properties, job)

    def separation():
        body = models.CreateVocalSeparationBody(
            input_file=file(), output_format=models.CreateVocalSeparationBodyOutputFormat.FLAC
        )
        job = create_vocal_separation.sync(client=client, body=body, prefer=PATIENT)
        job = ended(job, get_vocal_separation)
        stems = [stem.instrument for stem in job.stem_file_urls]
        check(stems == ["vocals", "harmony", "reverb", "backing"], stems)
        check(fetched(job.vocal_audio_file_url) == b"fLaC", job)
        check(fetched(job.backing_audio_file_url) == b"fLaC", job)

    def split():
        stem = models.CreateStemSplitBodyStemsItem
        body = models.CreateStemSplitBody(input_file=file(), stems=[stem.DRUMS, stem.BASS])
        job = create_stem_split.sync(client=client, body=body, prefer=PATIENT)
        job = ended(job, get_stem_split)
        check([stem.instrument for stem in job.stem_file_urls] == ["drums", "bass"], job)
        check(fetched(job.stem_file_urls[0].url) == b"RIFF", job)

    def blend():
        body = models.CreateVoiceBlendBody(
            model_id_1=first, model_id_2=second, alpha=0.25, title="Generated"
        )
        job = create_voice_blend.sync(client=client, body=body, prefer=PATIENT)
        job = ended(job, get_voice_blend)
        check(job.alpha2 == 0.75, job)
        voice = get_voice_model.sync(job.output_model_id, client=client)
        check(voice.title == "Generated" and voice.is_usable, voice)
        check(len(voice.terms.sources) == 2, voice)

    def refusals():
        body = models.CreateVoiceBlendBody(model_id_1=first, model_id_2=second, alpha=2)
        wrong = create_voice_blend.sync(client=client, body=body)
        check(wrong.code == "E_VALIDATION_FAILURE", wrong)
        check("alpha" in [mistake.field for mistake in wrong.errors], wrong)
        refused = list_jobs.sync(client=Client(base_url=root))
        check(refused.code == "E_UNAUTHORIZED_ACCESS", refused)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        deeds = [conversion, separation, split, blend, refusals]
        for done in [pool.submit(deed) for deed in deeds]:
            done.result()
    jobs = list_jobs.sync(client=client, status=models.ListJobsStatus.SUCCESS)
    check(len({job.kind for job in jobs.data}) == 4, jobs)


main()
