use vocalhost_job::{
    LiveEnd, LiveFigures, LiveFile, LiveKnobs, LivePace, LiveRecorded, LiveRecording, LiveSpec,
    LiveState, SampleFormat,
};
use vocalhost_store::{LIVE_TICKET_US, LiveKey, LiveLimits, LiveRecord, NewLive, StoreError};

use super::{Bench, S};

/// Two at a time, and a minute of audio.
const LIMITS: LiveLimits = LiveLimits {
    at_a_time: 2,
    audio_minutes_quota: 1,
    storage_quota_bytes: 3_600,
};

fn new(user_id: i64, ticket: &str) -> NewLive {
    NewLive {
        user_id,
        spec: LiveSpec {
            voice_model_id: 1,
            voice_title: "Amber".to_owned(),
            knobs: LiveKnobs {
                conversion_strength: 0.5,
                model_volume_mix: 0.5,
                pitch_shift: -2.5,
            },
            seed: 7,
            pre: Vec::new(),
            post: Vec::new(),
            pace: LivePace::Low,
            sample_rate_hz: 44_100,
            sample_format: SampleFormat::F32le,
            input_rms: None,
            max_minutes: 5,
            record: LiveRecording::Both,
        },
        ticket: ticket.to_owned(),
    }
}

async fn made(bench: &Bench, user_id: i64, now_us: i64) -> Result<LiveRecord, StoreError> {
    let new = new(user_id, "ticket");
    bench.store.create_live(&new, LIMITS, now_us).await
}

fn heard(seconds: f64) -> LiveFigures {
    LiveFigures {
        seconds,
        late_blocks: 3,
        ..LiveFigures::default()
    }
}

#[tokio::test]
async fn a_ticket_opens_a_stream_once_and_in_time() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let live = made(&bench, ann, S).await.expect("there is room");
    assert_eq!((live.state, live.spec.seed), (LiveState::Waiting, 7));
    let open = async |key, now_us| {
        let opened = bench.store.open_live(live.id, key, now_us).await;
        opened.expect("answers").map(|live| live.state)
    };
    let late = S + LIVE_TICKET_US;
    assert_eq!(open(LiveKey::Ticket("guess"), 2 * S).await, None);
    assert_eq!(open(LiveKey::User(ann + 1), 2 * S).await, None);
    assert_eq!(open(LiveKey::Ticket("ticket"), late).await, None);
    let running = Some(LiveState::Running);
    assert_eq!(open(LiveKey::Ticket("ticket"), 2 * S).await, running);
    assert_eq!(open(LiveKey::User(ann), 2 * S).await, None, "it is open");
}

#[tokio::test]
async fn what_was_heard_counts_as_the_users_minutes_and_ends_what_they_may_have() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let live = made(&bench, ann, S).await.expect("there is room");
    let key = LiveKey::User(ann);
    let opened = bench.store.open_live(live.id, key, S).await;
    opened.expect("answers").expect("it waits");
    for seconds in [10.0, 10.0, 25.5] {
        let noted = bench.store.note_live(live.id, &heard(seconds), 2 * S).await;
        assert!(noted.expect("answers"));
    }
    let spec = LiveSpec {
        seed: 8,
        ..live.spec.clone()
    };
    let end = (LiveEnd::Stopped, &heard(60.0), &spec);
    let ended = bench.store.end_live(live.id, end, 3 * S).await;
    let ended = ended.expect("answers").expect("it is there");
    assert_eq!(
        (ended.state, ended.why),
        (LiveState::Ended, Some(LiveEnd::Stopped))
    );
    assert_eq!((ended.figures, ended.spec.seed), (heard(60.0), 8));
    // What has ended stays as it is.
    let again = (LiveEnd::Idle, &heard(90.0), &live.spec);
    let again = bench.store.end_live(live.id, again, 4 * S).await;
    assert_eq!(again.expect("answers"), Some(ended.clone()));
    let noted = bench.store.note_live(live.id, &heard(90.0), 4 * S).await;
    assert!(!noted.expect("answers"));
    let used = bench.store.usage(ann, 4 * S).await.expect("answers");
    assert!((used.audio_s - 60.0).abs() < 1e-9, "{}", used.audio_s);
    assert_eq!(used.jobs_accepted, 1);
    let more = made(&bench, ann, 5 * S).await;
    assert!(matches!(
        more,
        Err(StoreError::AudioQuota { minutes: 1, .. })
    ));
    let page = bench
        .store
        .lives(ann, (true, 1, 10))
        .await
        .expect("answers");
    assert_eq!((page.rows, page.total), (vec![ended], 1));
}

#[tokio::test]
async fn what_is_not_opened_or_not_heard_of_any_more_ends_by_itself() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let waiting = made(&bench, ann, S).await.expect("there is room");
    let running = made(&bench, ann, S).await.expect("there is room");
    let third = made(&bench, ann, 2 * S).await;
    assert!(matches!(third, Err(StoreError::LiveQuota { most: 2 })));
    let key = LiveKey::Ticket("ticket");
    let opened = bench.store.open_live(running.id, key, 2 * S).await;
    opened.expect("answers").expect("it waits");
    let noted = bench.store.note_live(running.id, &heard(1.0), 20 * S).await;
    assert!(noted.expect("answers"));
    assert_eq!(bench.store.settle_lives(31 * S).await.expect("answers"), 1);
    let why = async |id| {
        bench
            .store
            .live(id)
            .await
            .expect("answers")
            .and_then(|live| live.why)
    };
    assert_eq!(why(waiting.id).await, Some(LiveEnd::Expired));
    assert_eq!(why(running.id).await, None);
    // A request must not decide whether its server is gone, for example after an outage of the database.
    let next = made(&bench, ann, 50 * S).await.expect("there is room");
    assert_eq!(why(running.id).await, None);
    assert_eq!(bench.store.settle_lives(50 * S).await.expect("answers"), 1);
    assert_eq!(why(running.id).await, Some(LiveEnd::ServerStopped));
    for id in [next.id, next.id] {
        let keys = bench.store.delete_live(id).await.expect("answers");
        assert_eq!(keys, Vec::<String>::new());
        assert_eq!(bench.store.live(id).await.expect("answers"), None);
    }
    let keys = bench.store.forget_lives(40 * S).await.expect("answers");
    assert_eq!(keys, Vec::<String>::new());
    assert_eq!(bench.store.live(running.id).await.expect("answers"), None);
}

#[tokio::test]
async fn what_was_recorded_counts_as_stored_until_it_goes() {
    let bench = Bench::new().await;
    let ann = bench.user("ann").await;
    let ended = async |name: &str, at_us| {
        let live = made(&bench, ann, at_us).await.expect("there is room");
        let opened = bench.store.open_live(live.id, LiveKey::User(ann), at_us);
        opened.await.expect("answers").expect("it waits");
        let end = (LiveEnd::Stopped, &heard(1.0), &live.spec);
        bench
            .store
            .end_live(live.id, end, at_us)
            .await
            .expect("answers");
        let file = |side: &str, bytes| {
            Some(LiveFile {
                key: format!("live/{}/{name}-{side}.wav", live.id),
                bytes,
                sha256: "ab".to_owned(),
            })
        };
        let recorded = LiveRecorded {
            input: file("in", 1_000),
            output: file("out", 200),
        };
        let kept = bench.store.keep_live_files(live.id, &recorded).await;
        let kept = kept.expect("answers").expect("it is there");
        assert_eq!(kept.recorded, recorded);
        (live.id, recorded)
    };
    let keys = |recorded: &LiveRecorded| -> Vec<String> {
        recorded.files().map(|file| file.key.clone()).collect()
    };
    let stored = async || {
        let usage = bench.store.usage(ann, 9 * S).await.expect("answers");
        usage.storage_bytes
    };
    let (first, of_first) = ended("a", S).await;
    let (second, of_second) = ended("b", 2 * S).await;
    let (third, of_third) = ended("c", 3 * S).await;
    assert_eq!(stored().await, 3_600);
    let full = made(&bench, ann, 4 * S).await;
    assert!(matches!(full, Err(StoreError::StorageQuota { .. })));
    let needs = async |id, key: &String| {
        let needs = bench.store.needs_live_file(id, key).await;
        needs.expect("answers")
    };
    assert!(needs(first, &keys(&of_first)[1]).await);
    assert!(!needs(second, &keys(&of_first)[1]).await);
    let old = bench.store.expire_live_files(2 * S, 100).await;
    assert_eq!(old.expect("answers"), keys(&of_first));
    let live = bench.store.live(first).await.expect("answers");
    assert_eq!(
        live.expect("the record stays").recorded,
        LiveRecorded::default()
    );
    assert!(!needs(first, &keys(&of_first)[1]).await);
    assert_eq!(stored().await, 2_400);
    let gone = bench.store.delete_live(second).await.expect("answers");
    assert_eq!(gone, keys(&of_second));
    let lost = bench.store.keep_live_files(second, &of_second).await;
    assert_eq!(lost.expect("answers"), None, "its files may go");
    let gone = bench.store.forget_lives(4 * S).await.expect("answers");
    assert_eq!(gone, keys(&of_third));
    assert!(!needs(third, &gone[0]).await);
    assert_eq!(stored().await, 0);
}
