//! What a server does among several, and the list of them. Servers that really are several are in `tests/machines`.

use reqwest::Method;
use serde_json::{Value, json};

use super::harness::{problem, shared, until, vocalhost};

#[test]
fn a_server_with_its_database_in_a_file_does_everything() {
    let data = tempfile::tempdir().expect("a temporary folder");
    for (flags, wanted) in [
        (["--role", "api"], "`role` must be all"),
        (["--role", "worker"], "`role` must be all"),
        (["--queues", "stem-split"], "`queues` must be left out"),
        (["--role", "idle"], "is not `all`, `api` or `worker`"),
        (["--queues", "singing"], "is not `voice-conversion`"),
    ] {
        let output = vocalhost(data.path(), &[&["serve"], &flags[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(wanted), "{flags:?}: {said}");
    }
    assert!(!data.path().join("vocalhost.sqlite").exists());
}

#[test]
fn an_operator_sees_the_server_and_what_it_does() {
    let server = shared();
    let list = until("the server to say that it is there", || {
        let list = server.get("/admin/nodes");
        (list["meta"]["total"] == 1).then_some(list)
    });
    let node = &list["data"][0];
    let kinds = json!([
        "voice-conversion",
        "vocal-separation",
        "stem-split",
        "voice-blend",
        "voice-training"
    ]);
    assert_eq!((&node["role"], &node["queues"]), (&json!("all"), &kinds));
    assert_eq!(node["release"], env!("CARGO_PKG_VERSION"));
    for flag in ["isSilent", "isDraining"] {
        assert_eq!(node[flag], Value::Bool(false), "{flag}: {node:#}");
    }
    for text in ["id", "name", "startedAt", "lastSeenAt"] {
        let filled = node[text].as_str().is_some_and(|text| !text.is_empty());
        assert!(filled, "{text}: {node:#}");
    }
    let key = server.key_of("no-operator", &[]);
    let url = server.url("/admin/nodes");
    let refused = server.anonymous(Method::GET, &url).bearer_auth(key).send();
    let (status, code, _) = problem(refused.expect("the server answers"));
    assert_eq!((status, code.as_str()), (403, "E_FORBIDDEN_EXCEPTION"));
}
