//! No statement that a request or a job causes walks through a whole table: with many jobs stored, each takes as long as
//! with few.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use sqlx::{AssertSqlSafe, Row};

use super::harness::{Server, tone};

/// What is no table of a user's things, as the statements call it: no table at all, the users with waiting jobs and the one whose turn
/// it is (subqueries that indexes answer), and the installed effects, of which there are few.
const HARMLESS: [&str; 6] = [
    "CONSTANT ROW",
    "w",
    "turn",
    "e",
    "effects",
    "effects_revision",
];

/// What the log says of where a statement belongs: to a request, or to a job. The server's own sweeps go through whole tables now
/// and then, when they like.
const JUDGED: [&str; 3] = ["request", "claim", "attempt"];

/// What has to be logged for that: statements, and the spans that they lie in.
const LOGGED: &str =
    "warn,vocalhost_api::rules::layers=info,vocalhost_work::scheduler=debug,sqlx::query=debug";

#[test]
fn every_statement_of_a_request_uses_an_index() {
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let output = log.reopen().expect("it can be opened twice");
    let flags = ["--log", LOGGED, "--log-format", "json"];
    let server = Server::start_logging(&flags, output.into());
    // What a start does, it does once.
    server.get("/voice-models");
    let started = std::fs::metadata(log.path()).expect("it is there").len();
    let job = server.accepted(tone());
    server.ended(job);
    for path in [
        "/voice-conversions?order=desc&page=2&perPage=3",
        "/voice-conversions?status=success",
        "/vocal-separations?status=running",
        "/stem-splits",
        "/voice-blender",
        "/voice-trainings",
        "/voice-models?myModels=true",
        "/voice-models?q=a&tag=alto&instruments=0&order=desc",
        "/voice-models/1",
        "/effects",
        "/pipelines?myPipelines=1",
        "/pipelines",
    ] {
        server.get(path);
    }
    let statements = statements(log.path(), started);
    assert!(statements.len() > 20, "{statements:#?}");
    // One of a request, one of a claim and one of an attempt: none of them is passed over unseen.
    for part in [" pipelines", "WITH waiting", "lease_token IS NOT"] {
        let is_judged = statements.iter().any(|statement| statement.contains(part));
        assert!(is_judged, "{part}: {statements:#?}");
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let walks = runtime
        .expect("a runtime starts")
        .block_on(walks(&server.data().join("vocalhost.sqlite"), statements));
    assert!(walks.is_empty(), "{walks:#?}");
}

/// The statements of requests and jobs in a log, from a byte on, that read rows.
fn statements(log: &Path, from: u64) -> BTreeSet<String> {
    let text = std::fs::read_to_string(log).expect("the log is text");
    let text = &text[usize::try_from(from).expect("it fits")..];
    let events = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["target"] == "sqlx::query")
        .filter(|event| {
            let spans = event["spans"].as_array();
            let mut spans = spans.into_iter().flatten();
            spans.any(|span| JUDGED.iter().any(|name| span["name"] == *name))
        })
        .filter_map(|event| {
            // What is short stands in the summary.
            let whole = event["db.statement"]
                .as_str()
                .filter(|text| !text.is_empty());
            Some(whole.or(event["summary"].as_str())?.trim().to_owned())
        })
        .filter(|statement| {
            ["SELECT", "UPDATE", "DELETE", "WITH"]
                .iter()
                .any(|word| statement.starts_with(word))
        })
        .filter(|statement| !statement.contains("_sqlx_migrations"))
        .collect()
}

/// Where the plan of a statement walks through a table.
async fn walks(database: &Path, statements: BTreeSet<String>) -> Vec<String> {
    let options = SqliteConnectOptions::new()
        .filename(database)
        .read_only(true);
    let pool = SqlitePool::connect_with(options)
        .await
        .expect("the database is there");
    let mut walks = Vec::new();
    for statement in statements {
        let plan = format!("EXPLAIN QUERY PLAN {statement}");
        let steps = sqlx::query(AssertSqlSafe(plan)).fetch_all(&pool).await;
        for step in steps.expect("what ran can be explained") {
            let step: String = step.get("detail");
            let table = step.strip_prefix("SCAN ").unwrap_or_default();
            let by_index = step.contains(" USING ");
            if !table.is_empty() && !by_index && !HARMLESS.contains(&table) {
                walks.push(format!("{step}: {statement}"));
            }
        }
    }
    pool.close().await;
    walks
}
