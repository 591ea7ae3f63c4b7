//! Where the server keeps things, and where it listens.

use std::net::TcpListener;

use super::finding::Finding;
use crate::app::{database_address, file_store};
use vocalhost_config::Settings;
use vocalhost_store::{DatabaseAddress, ServerLook, Store};
use vocalhost_system::{disk, token};
use vocalhost_work::scheduler::FolderLock;

/// Whether the data folder can be written, and whether enough of its disk is free.
pub fn disk(settings: &Settings) -> Vec<Finding> {
    const CHECK: &str = "disk";
    let folder = &settings.data_dir;
    // Where it is not there yet it will be made beside what is.
    let mut there = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
    while !there.is_dir() && there.pop() {}
    let mut findings = Vec::new();
    if let Err(error) = tempfile::tempfile_in(&there) {
        let text = format!("{} cannot be written: {error}", there.display());
        findings.push(Finding::problem(CHECK, text));
    }
    let Some(free) = disk::free_bytes(&there) else {
        findings.push(Finding::warning(
            CHECK,
            "the system does not say how much is free",
        ));
        return findings;
    };
    let text = format!("{} MB are free for {}", free / 1_000_000, folder.display());
    findings.push(if free < settings.min_free_bytes.max(1) {
        let least = settings.min_free_bytes / 1_000_000;
        Finding::problem(
            CHECK,
            format!("{text}, and `min_free_bytes` wants {least} MB: no jobs are taken"),
        )
    } else {
        Finding::fine(CHECK, text)
    });
    findings
}

/// The oldest `PostgreSQL` that everything is tried on.
const OLDEST_SERVER: i64 = 15;

/// Connections that one process of ours may have, and those that a server keeps for its own operator.
const CONNECTIONS_OF_ONE: i64 = 16 + 3;

/// By how much two clocks may differ without anybody wondering about times in logs, in microseconds.
const SAME_TIME_US: i64 = 2_000_000;

/// Whether the database can be used. Nothing in it is changed.
pub async fn database(settings: &Settings) -> Vec<Finding> {
    match database_address(settings) {
        DatabaseAddress::File(_) => vec![file_of_database(settings).await],
        DatabaseAddress::Server(address) => server_of_database(&address).await,
    }
}

async fn server_of_database(address: &str) -> Vec<Finding> {
    const CHECK: &str = "database";
    let place = DatabaseAddress::Server(address.to_owned());
    let look = match ServerLook::at(address).await {
        Ok(look) => look,
        Err(error) => return vec![Finding::problem(CHECK, format!("{place}: {error}"))],
    };
    let schema = match look.schema {
        None => "is empty: the first start makes its tables",
        Some(_) if look.is_up_to_date() => "has the schema of this release",
        Some(_) => "has an earlier schema: the next start brings it up to date",
    };
    let text = format!("{place} (PostgreSQL {}) {schema}", look.version);
    let mut findings = vec![Finding::fine(CHECK, text)];
    if look.major < OLDEST_SERVER {
        let text = format!("PostgreSQL {OLDEST_SERVER} or newer is needed");
        findings.push(Finding::problem("database.version", text));
    }
    if !look.may_create && !look.is_up_to_date() {
        let text = "the user may not make tables, which the next start has to";
        findings.push(Finding::problem("database.rights", text));
    }
    if !look.is_durable {
        let text = "`fsync` or `synchronous_commit` is off: when the server loses power, accepted jobs may be gone";
        findings.push(Finding::warning("database.durability", text));
    }
    if look.max_connections < CONNECTIONS_OF_ONE {
        let text = format!(
            "`max_connections` is {}; one server of ours takes up to {CONNECTIONS_OF_ONE}",
            look.max_connections
        );
        findings.push(Finding::warning("database.connections", text));
    }
    if look.ahead_us.abs() > SAME_TIME_US {
        let text = format!(
            "its clock differs from this machine's by {} s: jobs go by the database's, the log by this one",
            look.ahead_us / 1_000_000
        );
        findings.push(Finding::warning("database.clock", text));
    }
    findings
}

/// Whether the database's file can be opened; one that is not there is made by the first start.
async fn file_of_database(settings: &Settings) -> Finding {
    const CHECK: &str = "database";
    let file = settings.database_path();
    if !file.is_file() {
        return Finding::fine(CHECK, "is made when the server starts for the first time");
    }
    let store = match Store::open(&file).await {
        Ok(store) => store,
        Err(error) => return Finding::problem(CHECK, error.to_string()),
    };
    let asked = store.queue_states().await;
    store.close().await;
    match asked {
        Ok(_) => Finding::fine(CHECK, file.display().to_string()),
        Err(error) => Finding::problem(CHECK, error.to_string()),
    }
}

/// Whether files can be kept: a bucket is written to, read and deleted from.
pub async fn store(settings: &Settings) -> Finding {
    const CHECK: &str = "files";
    // Looking makes nothing where no server has been yet.
    if settings.files.is_none() && !settings.database_path().is_file() {
        return Finding::fine(CHECK, "will lie in the data folder");
    }
    let name = match token::draw() {
        Ok(name) => name,
        Err(error) => {
            return Finding::problem(CHECK, format!("there are no random names: {error}"));
        }
    };
    let files = match file_store(settings) {
        Ok(files) => files,
        Err(error) => return Finding::problem(CHECK, error.to_string()),
    };
    match files.check(&name).await {
        Ok(()) => Finding::fine(CHECK, files.elsewhere().unwrap_or("lie in the data folder")),
        Err(error) => Finding::problem(CHECK, error.to_string()),
    }
}

/// Whether the server could listen, unless it does already.
pub fn ports(settings: &Settings) -> Vec<Finding> {
    let is_running = FolderLock::is_taken(&settings.data_dir);
    let main = settings.main_listen();
    let name = if main == settings.listen {
        "listen"
    } else {
        "admin_listen"
    };
    let operators = settings.operators_listen();
    [(name, Some(main)), ("admin_listen", operators)]
        .into_iter()
        .filter_map(|(name, address)| Some(port(name, address?, is_running)))
        .collect()
}

fn port(name: &str, address: &str, is_running: bool) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::fine(name, format!("{address} is free")),
        Err(error) if is_running && error.kind() == std::io::ErrorKind::AddrInUse => Finding::fine(
            name,
            format!("{address} is served: a server uses the data folder"),
        ),
        Err(error) => Finding::problem(name, format!("{address} cannot be listened on: {error}")),
    }
}
