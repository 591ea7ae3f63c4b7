//! What a training needs beyond other jobs: several recordings, reports on the way, and checkpoints to go on from.

use vocalhost_job::{
    By, Consent, FileRole, JobKind, JobSpec, Preset, ResultFile, TrainingSpec, TrainingStep,
};
use vocalhost_store::{
    Actor, AuditQuery, Checkpoint, Claim, ClaimedJob, Handled, JobDeed, JobRecord, NewJob,
    NewVoice, QueueLimits, StoreError, StoredInput, TrainingNews,
};

use super::{Bench, LEASE_US, S, content, lease, new_job, result};

const FOLDER: &str = "inputs/voice";

fn part(place: usize, seconds: f64) -> StoredInput {
    StoredInput {
        key: format!("{FOLDER}/{place}.wav"),
        bytes: 100,
        sha256: "00".repeat(32),
        format: "wav".to_owned(),
        channels: 1,
        sample_rate_hz: 44_100,
        duration_s: Some(seconds),
        backing: None,
        warnings: Vec::new(),
        parts: Vec::new(),
    }
}

fn new_training(user_id: i64, name: &str, review: bool) -> (NewJob, NewVoice) {
    let spec = TrainingSpec {
        title: "Anna".to_owned(),
        tags: vec!["Warm".to_owned()],
        base: None,
        bases: vec![1],
        successions: Vec::new(),
        preset: Preset::Quick,
        seed: 0,
        isolate_vocals: false,
        clean: Vec::new(),
        consent: Consent::to_statement(By::OwnerAgreed, Some("Anna".to_owned())),
        keep_recordings: false,
        recordings: vec!["one.wav".to_owned(), "two.wav".to_owned()],
        review,
        output_model_id: 0,
        output_package_id: format!("trained.{name}"),
    };
    let voice = NewVoice {
        package_id: spec.output_package_id.clone(),
        title: spec.title.clone(),
        tags: spec.tags.clone(),
        instrument: false,
    };
    let new = NewJob {
        spec: JobSpec::VoiceTraining(spec),
        input: StoredInput::folder(FOLDER, vec![part(0, 20.0), part(1, 40.0)]),
        deed: Some(JobDeed {
            actor: Actor::server(),
            operation: "createVoiceTraining",
            collection: "/api/v1/voice-trainings".to_owned(),
        }),
        ..new_job(user_id)
    };
    (new, voice)
}

async fn accepted(bench: &Bench, user: i64, name: &str, review: bool) -> JobRecord {
    let (new, voice) = new_training(user, name, review);
    let record = bench.store.create_voice(&new, &voice, 2 * S).await;
    record.expect("the queue has room")
}

async fn claim(bench: &Bench, token: &str, now_us: i64) -> ClaimedJob {
    let claim = Claim {
        kind: JobKind::VoiceTraining,
        lease_token: token.to_owned(),
        lease_us: LEASE_US,
        max_running_per_user: 2,
    };
    let claimed = bench.store.claim(&claim, now_us).await;
    claimed.expect("the store answers").expect("it is due")
}

fn step(step: u32) -> TrainingNews {
    TrainingNews::Step(TrainingStep {
        step,
        steps: 100,
        loss: 1.0 / f64::from(step),
        held_out_loss: None,
        eta_s: 1.0,
    })
}

fn checkpoint(id: i64, step: u32) -> TrainingNews {
    TrainingNews::Checkpoint(Checkpoint {
        step,
        key: format!("training/{id}/{step}"),
        content: content(3, "aa"),
    })
}

#[tokio::test]
async fn several_recordings_are_one_input_that_goes_as_a_whole() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let first = accepted(&bench, user, "1", false).await;
    let input = first.input.as_ref().expect("it has one");
    assert_eq!((input.bytes, input.duration_s), (200, Some(60.0)));
    assert_eq!(input.parts, [part(0, 20.0), part(1, 40.0)]);
    let usage = bench.store.usage(user, 3 * S).await.expect("answers");
    assert_eq!((usage.storage_bytes, usage.audio_s), (200, 60.0));
    for place in 0..2 {
        let key = part(place, 1.0).key;
        assert!(bench.store.needs_input(&key).await.expect("answers"));
    }
    // One that tries it again needs the same files.
    let cancel = |id: i64| bench.store.cancel(JobKind::VoiceTraining, id, 4 * S);
    cancel(first.id).await.expect("answers");
    let (mut again, voice) = new_training(user, "2", false);
    again.retry_of = Some(first.id);
    let second = bench.store.create_voice(&again, &voice, 4 * S).await;
    let second = second.expect("it is accepted").id;
    let gone = bench.store.forget_recordings(first.id, 5 * S).await;
    assert_eq!(gone.expect("answers"), Vec::<String>::new());
    let running = bench.store.forget_recordings(second, 5 * S).await;
    assert_eq!(running.expect("answers"), Vec::<String>::new(), "it runs");
    cancel(second).await.expect("answers");
    let gone = bench.store.forget_recordings(second, 6 * S).await;
    let wanted = [part(0, 1.0).key, part(1, 1.0).key];
    assert_eq!(gone.expect("answers"), wanted);
    assert!(!bench.store.needs_input(&wanted[0]).await.expect("answers"));
}

#[tokio::test]
async fn what_is_told_on_the_way_needs_the_lease_and_outlives_it() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = accepted(&bench, user, "1", false).await.id;
    claim(&bench, "a", 3 * S).await;
    let tell = async |token: &str, news: TrainingNews| {
        let lease = lease(id, token);
        let told = bench.store.report_training(&lease, news, 4 * S);
        told.await.expect("the store answers")
    };
    for news in [step(10), checkpoint(id, 10), step(20)] {
        assert_eq!(tell("a", news).await, (Handled::Recorded, Vec::new()));
    }
    assert_eq!(tell("b", step(30)).await.0, Handled::LeaseLost);
    let key = format!("training/{id}/10");
    let needed = async || bench.store.needs_training_file(id, &key).await;
    assert!(needed().await.expect("answers"));
    // A death is none any more once the job has got on.
    for (token, at, reached) in [("b", 5, 30), ("c", 60, 40), ("d", 120, 50), ("e", 240, 60)] {
        let before = if token == "b" {
            "a"
        } else {
            ["b", "c", "d"][reached / 10 - 4]
        };
        let died = bench.store.worker_died(&lease(id, before), at * S).await;
        assert_eq!(died.expect("answers"), Handled::Recorded, "{token}");
        let claimed = claim(&bench, token, (at + 50) * S).await;
        let state = claimed.record.training.expect("what was told is there");
        assert_eq!(state.curve[0].step, 10);
        let reached = u32::try_from(reached).expect("it is small");
        let (_, unneeded) = tell(token, checkpoint(id, reached)).await;
        assert!(unneeded.len() <= 1, "{unneeded:?}");
    }
    assert!(
        !needed().await.expect("answers"),
        "two later ones are there"
    );
    let events = bench.store.events(id, 0, 100).await.expect("answers");
    let steps: Vec<u64> = events
        .iter()
        .filter_map(|event| event.detail["step"].as_u64())
        .collect();
    assert_eq!(steps, [10, 20]);
}

#[tokio::test]
async fn tests_are_needed_until_the_training_has_ended_and_then_by_its_result() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = accepted(&bench, user, "1", true).await.id;
    let claimed = claim(&bench, "a", 3 * S).await;
    let heard = ResultFile {
        role: FileRole::Heard(10),
        key: format!("results/{id}/heard/10-a.mp3"),
        content: Some(content(7, "bb")),
    };
    let news = TrainingNews::Heard(heard.clone());
    let told = bench.store.report_training(&claimed.lease, news, 4 * S);
    told.await.expect("the store answers");
    let needed = async |key: &str| bench.store.needs_result(id, key).await;
    assert!(needed(&heard.key).await.expect("answers"));
    let mut result = result(&claimed.lease);
    result.files = vec![
        heard.clone(),
        ResultFile {
            role: FileRole::Package,
            key: format!("voices/{id}/a/decoder.onnx"),
            content: Some(content(12, "33")),
        },
    ];
    let done = bench.store.complete(&claimed.lease, &result, 5 * S).await;
    assert_eq!(done.expect("answers"), Handled::Recorded);
    assert!(needed(&heard.key).await.expect("answers"));
    // Nobody uses the voice before an operator has enabled it.
    let JobSpec::VoiceTraining(spec) = &claimed.record.spec else {
        panic!("it is a training");
    };
    let voice = bench.store.model(spec.output_model_id).await;
    let voice = voice.expect("answers").expect("it is there");
    assert!(!voice.usable && voice.fault.is_none());
    assert!(
        voice
            .unusable_reason()
            .is_some_and(|why| why.contains("operator"))
    );
}

#[tokio::test]
async fn a_user_begins_so_many_trainings_on_a_day_and_each_is_in_the_audit_log() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    accepted(&bench, user, "1", false).await;
    let (mut new, voice) = new_training(user, "2", false);
    new.limits = QueueLimits {
        trainings_per_day: 1,
        ..QueueLimits::default()
    };
    let refused = bench.store.create_voice(&new, &voice, 3 * S).await;
    assert!(matches!(
        refused,
        Err(StoreError::TrainingQuota { most: 1 })
    ));
    let tomorrow = bench.store.create_voice(&new, &voice, 86_400 * S).await;
    assert!(tomorrow.is_ok());
    let asked = AuditQuery {
        action: Some("declareConsent".to_owned()),
        page: 1,
        per_page: 10,
        ..AuditQuery::default()
    };
    let log = bench.store.audit_log(&asked).await.expect("answers");
    let targets: Vec<&str> = log.rows.iter().map(|line| line.target.as_str()).collect();
    assert_eq!(targets.len(), 2);
    assert!(
        targets[0].ends_with("statement 1, owner-agreed, Anna"),
        "{targets:?}"
    );
}
