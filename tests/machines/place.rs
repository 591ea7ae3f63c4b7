//! What several servers share.

use std::path::{Path, PathBuf};
use std::process::Command;

use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use tempfile::TempDir;
use vocalhost_testing::postgres::{Postgres, programs};
use vocalhost_testing::process::program;
use vocalhost_testing::s3::{ACCESS_KEY, BUCKET, S3Server, SECRET_KEY};

use super::node::Node;

/// Where in the bucket they keep their files.
pub const PREFIX: &str = "of/all";

/// A database and a bucket of one's own.
pub struct Place {
    pub postgres: Postgres,
    pub s3: S3Server,
    /// A key of a user, once a server has started.
    pub key: String,
    /// How long leases hold, in seconds.
    pub lease_s: u32,
    folder: TempDir,
}

impl Place {
    /// Both, empty. What the database has committed is on the disk.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let of_postgres = folder.path().join("postgres");
        std::fs::create_dir(&of_postgres).expect("a folder");
        passable(folder.path());
        let postgres = Postgres::start(&programs(), &of_postgres, &["max_connections=200"]);
        let text = format!(
            "[default]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n"
        );
        std::fs::write(folder.path().join("credentials"), text).expect("written");
        let place = Self {
            postgres: postgres.expect("PostgreSQL starts"),
            s3: S3Server::start(),
            key: String::new(),
            lease_s: 6,
            folder,
        };
        place.with_key()
    }

    /// A key that may do everything, made before any server starts.
    fn with_key(mut self) -> Self {
        let data = tempfile::tempdir().expect("a temporary folder");
        let output = Command::new(program())
            .args([
                "keys",
                "create",
                "--user",
                "ann",
                "--scope",
                "read,write,admin",
                "--database",
                &self.postgres.address,
            ])
            .arg("--data-dir")
            .arg(data.path())
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        let key = String::from_utf8(output.stdout).expect("a key is text");
        key.trim().clone_into(&mut self.key);
        self
    }

    /// Flags of a server that reaches the database at `database`.
    pub fn flags(&self, database: &str) -> Vec<String> {
        let credentials = self.folder.path().join("credentials");
        [
            ("--database", database.to_owned()),
            ("--files", format!("s3://{BUCKET}/{PREFIX}")),
            ("--s3-endpoint", self.s3.endpoint()),
            ("--s3-credentials-file", credentials.display().to_string()),
            ("--s3-silence-s", "2".to_owned()),
            ("--lease-s", self.lease_s.to_string()),
            ("--max-running-per-user", "10".to_owned()),
        ]
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect()
    }

    /// The address of a new, empty database of this name.
    pub fn database(&self, name: &str) -> String {
        self.run(&format!("CREATE DATABASE {name}"));
        self.postgres.address_by(&self.postgres.place(), name)
    }

    /// A file with this text.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    /// A settings file that names the database and the bucket.
    pub fn settings(&self, name: &str, database: &str) -> PathBuf {
        let flags = self.flags(database);
        let lines = flags.chunks(2).map(|pair| {
            let name = pair[0].trim_start_matches('-').replace('-', "_");
            match pair[1].parse::<u32>() {
                Ok(number) => format!("{name} = {number}\n"),
                Err(_) => format!("{name} = {:?}\n", pair[1]),
            }
        });
        self.file(name, &lines.collect::<String>())
    }

    /// A server.
    pub fn node(&self) -> Node {
        Node::start(self.flags(&self.postgres.address))
    }

    /// The answer of the database to a question with one number.
    pub fn ask(&self, question: &str) -> i64 {
        self.with_connection(async |connection| {
            let question = sqlx::AssertSqlSafe(question.to_owned());
            sqlx::query_scalar(question).fetch_one(connection).await
        })
    }

    /// All rows of a question with texts.
    pub fn texts(&self, question: &str) -> Vec<String> {
        self.with_connection(async |connection| {
            let question = sqlx::AssertSqlSafe(question.to_owned());
            sqlx::query_scalar(question).fetch_all(connection).await
        })
    }

    /// Does something to the database behind the servers' backs.
    pub fn run(&self, statement: &str) {
        self.with_connection(async |connection| {
            let statement = sqlx::AssertSqlSafe(statement.to_owned());
            sqlx::query(statement).execute(connection).await
        });
    }

    fn with_connection<T>(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let done = runtime.expect("a thread").block_on(async {
            let mut connection = PgConnection::connect(&self.postgres.address).await?;
            let done = work(&mut connection).await?;
            connection.close().await?;
            Ok::<_, sqlx::Error>(done)
        });
        done.expect("the database does as it is told")
    }
}

/// Lets the database's user through to its own folder.
fn passable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let all_may_pass = std::fs::Permissions::from_mode(0o711);
    std::fs::set_permissions(folder, all_may_pass).expect("the folder is ours");
}
