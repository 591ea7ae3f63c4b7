"""The five kinds of job, through the library and a running server."""

from __future__ import annotations

import asyncio
import concurrent.futures
import datetime
import tempfile
import unittest
import zipfile
from pathlib import Path

import support
from vocalhost import AsyncClient, Client, JobCancelled, Problem


class Jobs(unittest.TestCase):
    """One server does all of it."""

    def setUp(self) -> None:
        self.client = support.client()
        self.addCleanup(self.client.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.voices = [voice.id for voice in self.client.voices.list()]

    def test_a_conversion_has_its_settings_and_its_file(self) -> None:
        seen: list[tuple[float, str]] = []
        job = self.client.conversions.create(
            support.SOUND,
            self.voices[0],
            pitch_shift=-2.5,
            auto_pitch=True,
            pre={"noiseGate": {"threshold_db": -60}},
            post=["reverb", {"effect": "compressor", "params": {"ratio": 3}}],
            metadata={"take": "1"},
            seed=7,
        )
        self.assertEqual(job.status, "running")
        job = self.client.conversions.wait(job, on_progress=lambda percent, stage: seen.append((percent, stage)))
        self.assertEqual((job.status, job.pitch_shift, job.auto_pitch, job.seed), ("success", -2.5, True, 7))
        self.assertEqual(job.metadata, {"take": "1"})
        assert job.effects is not None and job.loudness is not None and job.output_file_url is not None
        self.assertEqual([one.id.partition(".")[2] for one in job.effects], ["noise-gate", "reverb", "compressor"])
        self.assertEqual(job.model.id, self.voices[0])
        self.assertIsInstance(job.loudness["input"].integrated_lufs, float)
        self.assertIsInstance(job.created_at, datetime.datetime)
        self.assertEqual(seen[-1], (100, "done"))
        told: list[tuple[int, int | None]] = []
        path = self.folder / "converted.wav"
        saved = self.client.download(job.output_file_url, path, on_progress=lambda done, of: told.append((done, of)))
        self.assertEqual(saved.read_bytes()[:4], b"RIFF")
        self.assertEqual(told[-1], (saved.stat().st_size, saved.stat().st_size))
        self.assertEqual(self.client.conversions.peaks(job, file="output", points=8).points, 8)
        self.assertEqual(self.client.conversions.spectrogram(job)[1:4], b"PNG")
        with zipfile.ZipFile(self.client.conversions.save_all(job, self.folder / "all.zip")) as archive:
            self.assertIn("wav", " ".join(archive.namelist()))

    def test_vocals_and_music_come_apart(self) -> None:
        job = self.client.separations.create(support.SOUND, output_format="flac")
        job = self.client.separations.wait(job)
        stems = [stem.instrument for stem in job.stem_file_urls]
        self.assertEqual(stems, ["vocals", "harmony", "reverb", "backing"])
        assert job.vocal_audio_file_url is not None
        path = self.client.download(job.vocal_audio_file_url, self.folder / "vocals.flac")
        self.assertEqual(path.read_bytes()[:4], b"fLaC")

    def test_a_split_gives_the_stems_that_were_asked_for(self) -> None:
        with support.SOUND.open("rb") as recording:
            job = self.client.splits.create(recording, stems=["drums", "bass"])
        job = self.client.splits.wait(job)
        self.assertEqual([stem.instrument for stem in job.stem_file_urls], ["drums", "bass"])

    def test_a_blend_is_a_voice(self) -> None:
        job = self.client.blends.create(self.voices[0], self.voices[1], 0.25, title="By the library")
        job = self.client.blends.wait(job)
        self.assertEqual(job.alpha2, 0.75)
        voice = self.client.voices.get(job.output_model_id)
        self.assertTrue(voice.is_usable)
        assert voice.terms is not None
        self.assertEqual((voice.title, len(voice.terms.sources)), ("By the library", 2))
        self.assertEqual(self.client.voices.change(voice.id, title="Renamed").title, "Renamed")
        self.client.voices.delete(voice.id)
        with self.assertRaises(Problem) as gone:
            self.client.voices.get(voice.id)
        self.assertEqual(gone.exception.status, 404)

    def test_a_voice_is_trained_on_several_recordings(self) -> None:
        told = self.client.trainings.statement()
        self.assertTrue(told.allowed)
        job = self.client.trainings.create(
            [support.SOUND, support.SOUND], "By the library", told.statement, "licence", name="Nobody", tags=["warm", "low"], seed=3
        )
        self.addCleanup(self.client.trainings.delete, job)
        self.assertEqual([one.name for one in job.recordings], [support.SOUND.name] * 2)
        self.assertEqual((job.title, job.tags, job.base, job.consent.name), ("By the library", ["warm", "low"], "auto", "Nobody"))
        # Two sentences are no voice.
        job = self.client.trainings.wait(job, check=False)
        assert job.error is not None
        self.assertEqual(job.error.code, "recordings_unfit")

    def test_a_job_that_is_cancelled_says_so_and_can_be_done_again(self) -> None:
        job = self.client.splits.create(support.long_recording(60))
        found = self.client.splits.cancel(job)
        with self.assertRaises(JobCancelled) as cancelled:
            self.client.splits.wait(found)
        self.assertEqual(cancelled.exception.job.id, job.id)
        names = [event.event for event in self.client.splits.events(job)]
        self.assertEqual((names[0], names[-1]), ("created", "ended"))
        again = self.client.splits.retry(job)
        self.assertEqual(again.retry_of, job.id)
        with self.assertRaises(TimeoutError):
            self.client.splits.wait(again, timeout=0.2)
        self.client.splits.wait(self.client.splits.cancel(again), check=False)
        self.client.splits.delete(again)
        self.assertNotIn(again.id, [one.id for one in self.client.splits.list(status="cancelled")])

    def test_what_is_wrong_with_a_request_is_told_by_field(self) -> None:
        with self.assertRaises(Problem) as wrong:
            self.client.conversions.create(support.SOUND, self.voices[0], pitch_shift=100, conversion_strength=2)
        problem = wrong.exception
        self.assertEqual((problem.status, problem.code), (422, "E_VALIDATION_FAILURE"))
        self.assertEqual({one.field for one in problem.errors}, {"pitchShift", "conversionStrength"})
        shift = next(one for one in problem.errors if one.field == "pitchShift")
        self.assertEqual((shift.rule, shift.args["max"]), ("range", 24))
        self.assertTrue(problem.request_id)
        with self.assertRaises(Problem) as damaged:
            self.client.conversions.create(support.SOUND.read_bytes()[:20_000], self.voices[0], strict_input=True)
        self.assertEqual([(one.field, one.rule) for one in damaged.exception.errors], [("soundFile", "decode")])
        with Client(support.URL, "no.key") as stranger, self.assertRaises(Problem) as refused:
            stranger.me()
        self.assertEqual(refused.exception.code, "E_UNAUTHORIZED_ACCESS")

    def test_a_request_that_is_sent_twice_makes_one_job(self) -> None:
        def make() -> int:
            return self.client.conversions.create(support.SOUND, self.voices[0], idempotency_key=f"k{self.folder.name}").id

        with concurrent.futures.ThreadPoolExecutor() as pool:
            ids = {found.result() for found in [pool.submit(make), pool.submit(make)]}
        self.assertEqual(len(ids), 1)
        self.assertIn(ids.pop(), [job.id for job in self.client.jobs(kind="voice-conversion")])

    def test_the_account_the_effects_and_the_pipelines_have_types(self) -> None:
        self.assertIn("write", self.client.me().key.scopes)
        self.assertGreaterEqual(self.client.usage().jobs.max_running, 1)
        compressor = next(effect for effect in self.client.effects() if effect.alias == "compressor")
        self.assertIn("ratio", [parameter.id for parameter in compressor.parameters])
        saved = self.client.pipelines.create("by-the-library", ["reverb"])
        self.assertEqual(self.client.pipelines.replace(saved.name, ["chorus"]).chain, ["chorus"])
        self.client.pipelines.delete(saved.name)
        self.assertEqual(self.client.request("GET", "/usage")["jobs"]["maxRunning"], self.client.usage().jobs.max_running)

    def test_the_same_goes_without_blocking(self) -> None:
        async def convert() -> None:
            async with AsyncClient() as client:
                voices = [voice.id async for voice in client.voices.list()]
                job = await client.conversions.create(support.SOUND, voices[0])
                other = await client.conversions.create(support.SOUND, voices[1])
                done = await asyncio.gather(client.conversions.wait(job), client.conversions.wait(other))
                self.assertEqual([one.status for one in done], ["success", "success"])
                events = [event.event async for event in client.conversions.events(job)]
                self.assertEqual(events[-1], "ended")
                for one in done:
                    assert one.output_file_url is not None
                    path = await client.download(one.output_file_url, self.folder / f"{one.id}.wav")
                    self.assertEqual(path.read_bytes()[:4], b"RIFF")

        asyncio.run(convert())


if __name__ == "__main__":
    unittest.main()
