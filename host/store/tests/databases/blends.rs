use vocalhost_job::{
    BlendPart, BlendSpec, Failure, FailureCode, FileRole, JobKind, JobResult, JobSpec, ResultFile,
};
use vocalhost_store::{
    Actor, CancelOutcome, CatalogModel, Claim, ClaimedJob, JobRecord, Lease, ModelChange,
    ModelChanged, ModelLinks, ModelQuery, NewJob, NewVoice, OwnVoice, StoreError,
    StoredPackageFile,
};

use super::{Bench, LEASE_US, S, content, lease, new_job, result};

fn new_blend(user_id: i64) -> (NewJob, NewVoice) {
    let spec = BlendSpec {
        title: "Blend".to_owned(),
        parts: [(1, 0.25), (2, 0.75)]
            .map(|(model_id, share)| BlendPart {
                model_id,
                title: None,
                tags: None,
                share,
            })
            .to_vec(),
        successions: Vec::new(),
        output_model_id: 0,
        output_package_id: "blend.1".to_owned(),
    };
    let new = NewJob {
        spec: JobSpec::VoiceBlend(spec),
        input: None,
        ..new_job(user_id)
    };
    let voice = NewVoice {
        package_id: "blend.1".to_owned(),
        title: "Blend".to_owned(),
        tags: vec!["Warm".to_owned()],
        instrument: false,
    };
    (new, voice)
}

fn output_id(record: &JobRecord) -> i64 {
    let JobSpec::VoiceBlend(spec) = &record.spec else {
        panic!("it is a blend");
    };
    spec.output_model_id
}

async fn sync(bench: &Bench) {
    let voices = ["a.alto", "a.bass"].map(|id| CatalogModel {
        package_id: id.to_owned(),
        title: id.to_owned(),
        tags: Vec::new(),
        instrument: false,
        fault: None,
        links: ModelLinks::default(),
    });
    bench.store.sync_models(&voices, S).await.expect("answers");
}

/// A store with two public voices and a blend of them, accepted.
async fn accepted() -> (Bench, i64, JobRecord) {
    let bench = Bench::new().await;
    sync(&bench).await;
    let user = bench.user("ann").await;
    let (new, voice) = new_blend(user);
    let record = bench.store.create_voice(&new, &voice, 2 * S).await;
    (bench, user, record.expect("the queue has room"))
}

async fn claim(bench: &Bench, token: &str, now_us: i64) -> Option<ClaimedJob> {
    let claim = Claim {
        kind: JobKind::VoiceBlend,
        lease_token: token.to_owned(),
        lease_us: LEASE_US,
        max_running_per_user: 2,
    };
    let claimed = bench.store.claim(&claim, now_us).await;
    claimed.expect("the store answers")
}

fn package_key(lease: &Lease) -> String {
    format!("voices/{}/{}/decoder.onnx", lease.job_id, lease.token)
}

fn blended(lease: &Lease) -> JobResult {
    JobResult {
        files: vec![ResultFile {
            role: FileRole::Package,
            key: package_key(lease),
            content: Some(content(12, "33")),
        }],
        ..result(lease)
    }
}

async fn mine(bench: &Bench, user_id: i64) -> Vec<i64> {
    let query = ModelQuery {
        user_id,
        mine: true,
        page: 1,
        per_page: 10,
        ..ModelQuery::default()
    };
    let page = bench.store.models(&query).await.expect("answers");
    page.rows.iter().map(|voice| voice.id).collect()
}

#[tokio::test]
async fn a_voice_is_not_published_before_it_is_made() {
    let (bench, _, record) = accepted().await;
    let id = output_id(&record);
    let somebody = Actor::server();
    for public in [true, false] {
        let changes = [ModelChange::Publish(public)];
        let changed = bench.store.change_model(id, &changes, &somebody, 3 * S);
        let changed = changed.await.expect("the store answers");
        assert_eq!(changed, ModelChanged::InTheMaking);
    }
}

#[tokio::test]
async fn a_blend_gives_its_voice_a_number_that_only_the_owner_sees() {
    let (bench, user, record) = accepted().await;
    let id = output_id(&record);
    let voice = bench.store.model(id).await.expect("answers");
    let voice = voice.expect("the voice is there");
    assert_eq!((voice.owner_id, voice.usable), (Some(user), false));
    let reason = voice.unusable_reason();
    assert_eq!(reason, Some("a blend is still making it"));
    assert_eq!(
        (voice.title.as_str(), &voice.tags[..]),
        ("Blend", &["Warm".to_owned()][..])
    );
    assert_eq!(voice.package, []);
    assert_eq!(mine(&bench, user).await, [id]);
    let other = bench.user("bob").await;
    assert_eq!(mine(&bench, other).await, [0; 0]);
    let actor = Actor::command_line(None);
    let removed = bench.store.remove_voice(id, None, &actor, 2 * S).await;
    assert_eq!(removed.expect("answers"), OwnVoice::InTheMaking);
    let job = claim(&bench, "a", 3 * S).await.expect("the blend is due");
    assert_eq!(job.record.input, None);
    let packages: Vec<_> = job.packages.into_iter().collect();
    assert_eq!(
        packages,
        [(1, "a.alto".to_owned()), (2, "a.bass".to_owned())]
    );
}

#[tokio::test]
async fn a_voice_is_usable_from_the_success_on_and_outlives_its_job() {
    let (bench, _, record) = accepted().await;
    let lease = lease(record.id, "a");
    claim(&bench, "a", 3 * S).await.expect("the blend is due");
    let key = package_key(&lease);
    let needed = bench.store.needs_package_file(record.id, &key).await;
    assert!(needed.expect("answers"), "it may be published any moment");
    let done = bench.store.complete(&lease, &blended(&lease), 4 * S).await;
    done.expect("answers");
    // A restart syncs the catalogue of the model folders, which must leave a blend alone.
    let bench = bench.reopen().await;
    sync(&bench).await;
    let expired = bench.store.expire_results(9 * S, 100, 10 * S).await;
    assert_eq!(expired.expect("answers").len(), 1);
    let expired = bench.store.expire_records(9 * S, 100).await;
    assert_eq!(expired.expect("answers").len(), 1);
    let voice = bench
        .store
        .model(output_id(&record))
        .await
        .expect("answers");
    let voice = voice.expect("the voice stays");
    assert_eq!((voice.usable, voice.unusable_reason()), (true, None));
    let file = StoredPackageFile {
        name: "decoder.onnx".to_owned(),
        key: key.clone(),
        bytes: 12,
        sha256: "33".repeat(32),
    };
    assert_eq!(voice.package, [file]);
    let stored = bench.store.stored_voices().await.expect("answers");
    assert_eq!(stored, std::slice::from_ref(&voice));
    let fault = Some("it has gone bad");
    let told = bench.store.set_fault(voice.id, fault).await;
    told.expect("answers");
    let after = bench.store.model(voice.id).await.expect("answers");
    let after = after.expect("the voice stays");
    assert_eq!((after.usable, after.unusable_reason()), (false, fault));
    for (key, needed) in [(key.as_str(), true), ("voices/1/other/decoder.onnx", false)] {
        let found = bench.store.needs_package_file(record.id, key).await;
        assert_eq!(found.expect("answers"), needed, "{key}");
    }
}

#[tokio::test]
async fn the_voice_goes_when_the_job_fails_or_is_cancelled() {
    for cancelled in [false, true] {
        let (bench, user, record) = accepted().await;
        if cancelled {
            let kind = JobKind::VoiceBlend;
            let outcome = bench.store.cancel(kind, record.id, 3 * S).await;
            assert!(matches!(outcome, Ok(CancelOutcome::Accepted(_))));
        } else {
            claim(&bench, "a", 3 * S).await.expect("the blend is due");
            let failure = Failure::new(FailureCode::ModelsDiffer, "they differ");
            let failed = bench
                .store
                .fail(&lease(record.id, "a"), &failure, 4 * S)
                .await;
            failed.expect("answers");
        }
        let voice = bench.store.model(output_id(&record)).await;
        assert_eq!(voice.expect("answers"), None, "cancelled: {cancelled}");
        assert_eq!(mine(&bench, user).await, [0; 0]);
    }
}

#[tokio::test]
async fn an_attempt_that_is_tried_again_keeps_the_voice() {
    let (bench, user, record) = accepted().await;
    claim(&bench, "a", 3 * S).await.expect("the blend is due");
    let lease = lease(record.id, "a");
    bench.store.hand_back(&lease, 4 * S).await.expect("answers");
    assert_eq!(mine(&bench, user).await, [output_id(&record)]);
}

#[tokio::test]
async fn a_full_queue_leaves_no_voice() {
    let (bench, user, _) = accepted().await;
    let (mut new, mut voice) = new_blend(user);
    new.limits.max_queue = 1;
    voice.package_id = "blend.2".to_owned();
    let refused = bench.store.create_voice(&new, &voice, 3 * S).await;
    assert!(matches!(refused, Err(StoreError::QueueFull)));
    assert_eq!(mine(&bench, user).await.len(), 1);
}
