use std::collections::BTreeMap;

use vocalhost_store::{Actor, CatalogModel, FOLDER_GONE, ModelLinks, ModelQuery, VoiceOwner};

use super::{Bench, S, new_job};

fn voice(package_id: &str, title: &str, tags: &[&str]) -> CatalogModel {
    CatalogModel {
        package_id: package_id.to_owned(),
        title: title.to_owned(),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        instrument: tags.contains(&"instrument"),
        fault: None,
        links: ModelLinks {
            youtube: Some("https://example.org/alto".to_owned()),
            ..ModelLinks::default()
        },
    }
}

fn list() -> ModelQuery {
    ModelQuery {
        user_id: 1,
        page: 1,
        per_page: 10,
        ..ModelQuery::default()
    }
}

async fn titles(bench: &Bench, query: &ModelQuery) -> Vec<String> {
    let page = bench.store.models(query).await.expect("the store answers");
    assert_eq!(page.total, page.rows.len() as u64);
    page.rows.into_iter().map(|model| model.title).collect()
}

async fn three() -> Bench {
    let bench = Bench::new().await;
    let voices = [
        voice("a.alto", "Alto 100%", &["Alto", "warm"]),
        voice("a.bass", "Bäss", &["bass"]),
        voice("a.cello", "Cello", &["instrument", "warm"]),
    ];
    bench
        .store
        .sync_models(&voices, S)
        .await
        .expect("the store answers");
    bench
}

#[tokio::test]
async fn a_later_generation_takes_the_number_of_the_one_that_is_gone() {
    let bench = Bench::new().await;
    let sync = async |ids: &[&str]| {
        let voices: Vec<CatalogModel> = ids.iter().map(|id| voice(id, id, &[])).collect();
        let synced = bench.store.sync_models(&voices, S).await;
        synced.expect("the store answers");
        let rows = bench.store.models(&list()).await.expect("answers").rows;
        let rows = rows.into_iter();
        rows.map(|row| (row.id, row.package_id, row.usable))
            .collect::<Vec<_>>()
    };
    let usable = |id, package: &str| (id, package.to_owned(), true);
    sync(&["a.alto-1", "a.bass-1"]).await;
    // Both generations side by side are two voices.
    let both = sync(&["a.alto-1", "a.alto-2", "a.bass-1"]).await;
    assert!(both.contains(&usable(1, "a.alto-1")) && both.contains(&usable(3, "a.alto-2")));
    // One that skips a generation takes the place, too; one that was there before keeps its own number.
    let later = sync(&["a.alto-2", "a.bass-3"]).await;
    assert!(later.contains(&usable(2, "a.bass-3")) && later.contains(&usable(3, "a.alto-2")));
    assert!(later.contains(&(1, "a.alto-1".to_owned(), false)));
    assert_eq!(sync(&["a.alto-2", "a.bass-3"]).await, later);
}

#[tokio::test]
async fn a_voice_keeps_its_number_whatever_happens_to_the_catalogue() {
    let bench = three().await;
    let before = bench.store.models(&list()).await.expect("answers").rows;
    let changed = [
        voice("a.new", "New", &[]),
        voice("a.cello", "Old cello", &["string"]),
    ];
    bench
        .store
        .sync_models(&changed, 2 * S)
        .await
        .expect("answers");
    let bench = bench.reopen().await;
    for model in &before {
        let after = bench.store.model(model.id).await.expect("answers");
        let after = after.expect("a voice never goes");
        assert_eq!(after.package_id, model.package_id);
        let is_there = model.package_id == "a.cello";
        assert_eq!(after.usable, is_there);
        let reason = after.unusable_reason();
        assert_eq!(reason, (!is_there).then_some(FOLDER_GONE));
        assert_eq!(after.created_at_us, S);
    }
    let cello = bench.store.model(before[2].id).await.expect("answers");
    let cello = cello.expect("a voice never goes");
    assert_eq!(cello.title, "Old cello");
    assert_eq!(cello.tags, ["string"]);
    assert_eq!(
        titles(
            &bench,
            &ModelQuery {
                tag: Some("warm".to_owned()),
                ..list()
            }
        )
        .await,
        ["Alto 100%"]
    );
}

#[tokio::test]
async fn voices_are_found_by_title_tag_and_kind() {
    let bench = three().await;
    let all = ["Alto 100%", "Bäss", "Cello"];
    assert_eq!(titles(&bench, &list()).await, all);
    let found = async |query: ModelQuery| titles(&bench, &query).await;
    let q = |part: &str| ModelQuery {
        q: Some(part.to_owned()),
        ..list()
    };
    assert_eq!(found(q("ALTO")).await, ["Alto 100%"]);
    assert_eq!(found(q("BÄ")).await, ["Bäss"]);
    assert_eq!(found(q("0%")).await, ["Alto 100%"]);
    assert_eq!(found(q("%0")).await, [""; 0]);
    assert_eq!(found(q("_")).await, [""; 0]);
    let tag = |tag: &str| ModelQuery {
        tag: Some(tag.to_owned()),
        ..list()
    };
    assert_eq!(found(tag("alto")).await, ["Alto 100%"]);
    assert_eq!(found(tag("war")).await, [""; 0]);
    let instruments = ModelQuery {
        instruments: true,
        descending: true,
        ..list()
    };
    assert_eq!(found(instruments).await, ["Cello"]);
    let mine = ModelQuery {
        mine: true,
        ..list()
    };
    assert_eq!(found(mine).await, [""; 0]);
}

#[tokio::test]
async fn pages_of_voices_count_all_of_them() {
    let bench = three().await;
    let query = ModelQuery {
        page: 2,
        per_page: 2,
        descending: true,
        ..list()
    };
    let page = bench.store.models(&query).await.expect("answers");
    assert_eq!(page.total, 3);
    assert_eq!(page.rows.len(), 1);
    assert_eq!(page.rows[0].title, "Alto 100%");
    assert_eq!(
        page.rows[0].links.youtube.as_deref(),
        Some("https://example.org/alto")
    );
}

#[tokio::test]
async fn looking_at_the_catalogue_again_uses_up_no_numbers() {
    let bench = three().await;
    let mut voices = vec![
        voice("a.alto", "Alto", &[]),
        voice("a.bass", "Bass", &[]),
        voice("a.cello", "Cello", &[]),
    ];
    for _ in 0..3 {
        let synced = bench.store.sync_models(&voices, S).await;
        synced.expect("the store answers");
    }
    voices.push(voice("a.drum", "Drum", &[]));
    let synced = bench.store.sync_models(&voices, S).await;
    synced.expect("the store answers");
    let rows = bench.store.models(&list()).await.expect("answers").rows;
    let ids: Vec<i64> = rows.iter().map(|model| model.id).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_claim_names_the_package_of_a_usable_voice() {
    let bench = three().await;
    let user = bench.user("ann").await;
    let id = bench.store.models(&list()).await.expect("answers").rows[0].id;
    let mut job = new_job(user);
    let vocalhost_job::JobSpec::VoiceConversion(spec) = &mut job.spec else {
        panic!("it is a conversion");
    };
    spec.voice_model_id = id;
    for _ in 0..2 {
        bench
            .store
            .create_job(&job, S)
            .await
            .expect("there is room");
    }
    let first = bench.claim("a", S).await.expect("a job is due");
    assert_eq!(first.packages, [(id, "a.alto".to_owned())].into());
    bench.store.sync_models(&[], S).await.expect("answers");
    let second = bench.claim("b", S).await.expect("a job is due");
    assert!(second.packages.is_empty());
}

/// A voice that was everybody's when the job was made, and is somebody's own now.
#[tokio::test]
async fn a_claim_names_no_package_of_a_voice_that_was_taken_back() {
    let bench = Bench::new().await;
    let (ann, otto) = (bench.user("ann").await, bench.user("otto").await);
    let own = super::imports::voice("import.1", VoiceOwner::User(otto));
    let made = bench
        .store
        .create_imported(&own, None, &Actor::server(), S)
        .await;
    let id = made.expect("there is room").id;
    for (user, packages) in [
        (ann, BTreeMap::new()),
        (otto, BTreeMap::from([(id, "import.1".to_owned())])),
    ] {
        let mut job = new_job(user);
        if let vocalhost_job::JobSpec::VoiceConversion(spec) = &mut job.spec {
            spec.voice_model_id = id;
        }
        let made = bench.store.create_job(&job, S).await;
        made.expect("there is room");
        let claimed = bench.claim("a", S).await.expect("a job is due");
        assert_eq!(claimed.packages, packages, "user {user}");
    }
}
