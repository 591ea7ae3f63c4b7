//! What a server does by its role: which jobs, how many at a time, and where it listens.

use super::check::Mistakes;
use super::role::Role;
use super::settings::Settings;
use vocalhost_job::JobKind;

/// Longer names would break tables.
const MAX_NAME_CHARACTERS: usize = 64;

impl Settings {
    /// The kinds of job that this server runs, in the order of [`JobKind::ALL`]; none when it runs no jobs.
    #[must_use]
    pub fn kinds(&self) -> Vec<JobKind> {
        let is_ours = |kind: &JobKind| {
            self.role.works() && (self.queues.is_empty() || self.queues.contains(kind))
        };
        JobKind::ALL.into_iter().filter(is_ours).collect()
    }

    /// How many jobs run here at a time.
    #[must_use]
    pub fn jobs_at_a_time(&self) -> usize {
        if self.role.works() {
            self.worker_count()
        } else {
            0
        }
    }

    /// The address of the health checks, and of the API if this server answers clients.
    #[must_use]
    pub fn main_listen(&self) -> &str {
        match &self.admin_listen {
            Some(address) if !self.role.answers() => address,
            _ => &self.listen,
        }
    }

    /// The address for operators, if they have one of their own.
    #[must_use]
    pub fn operators_listen(&self) -> Option<&str> {
        let address = self.admin_listen.as_deref();
        address.filter(|_| self.role.answers())
    }

    pub(super) fn check_role(&self, mistakes: &mut Mistakes) {
        let shared = self.database.is_some();
        mistakes.unless_plain(
            shared || self.role == Role::All,
            "`role` must be all while the database is a file of this machine, for no other server could do the rest: name a PostgreSQL server by `database` to share it between several",
        );
        mistakes.unless_plain(
            shared || self.queues.is_empty(),
            "`queues` must be left out while the database is a file of this machine, for nobody else would run the other jobs: name a PostgreSQL server by `database` to share it between several",
        );
        let is_name = |name: &String| {
            let plain = !name.trim().is_empty() && !name.contains(char::is_control);
            plain && name.chars().count() <= MAX_NAME_CHARACTERS
        };
        mistakes.unless(self.node_name.as_ref().is_none_or(is_name), || {
            format!(
                "`node_name` must be 1 to {MAX_NAME_CHARACTERS} characters without control characters"
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(role: Role) -> Settings {
        Settings {
            role,
            database: Some("postgres://db/sounds".to_owned()),
            ..Settings::default()
        }
    }

    #[test]
    fn a_server_runs_all_kinds_unless_it_says_which() {
        assert_eq!(shared(Role::All).kinds(), JobKind::ALL);
        assert_eq!(shared(Role::Worker).kinds(), JobKind::ALL);
        assert!(shared(Role::Api).kinds().is_empty());
        assert_eq!(shared(Role::Api).jobs_at_a_time(), 0);
        let some = Settings {
            queues: vec![JobKind::VoiceBlend, JobKind::VoiceConversion],
            workers: 3,
            ..shared(Role::Worker)
        };
        assert_eq!(
            some.kinds(),
            [JobKind::VoiceConversion, JobKind::VoiceBlend]
        );
        assert_eq!((some.jobs_at_a_time(), some.check()), (3, Ok(())));
    }

    #[test]
    fn a_worker_listens_for_nothing_but_how_it_is() {
        let listens = |role, admin_listen: Option<&str>| {
            let settings = Settings {
                admin_listen: admin_listen.map(str::to_owned),
                ..shared(role)
            };
            let main = settings.main_listen().to_owned();
            (main, settings.operators_listen().map(str::to_owned))
        };
        let (clients, operators) = ("127.0.0.1:8080", "127.0.0.1:8081");
        for role in Role::ALL {
            assert_eq!(listens(role, None), (clients.to_owned(), None));
        }
        let both = (clients.to_owned(), Some(operators.to_owned()));
        assert_eq!(listens(Role::Api, Some(operators)), both);
        let one = (operators.to_owned(), None);
        assert_eq!(listens(Role::Worker, Some(operators)), one);
    }

    #[test]
    fn a_server_with_its_database_in_a_file_does_everything() {
        for role in [Role::Api, Role::Worker] {
            assert_eq!(shared(role).check(), Ok(()));
            let alone = Settings {
                role,
                ..Settings::default()
            };
            let mistakes = alone.check().expect_err("nobody does the rest");
            assert_eq!(mistakes.len(), 1, "{mistakes:?}");
            assert!(
                mistakes[0].starts_with("`role` must be all"),
                "{mistakes:?}"
            );
        }
        let alone = Settings {
            queues: vec![JobKind::StemSplit],
            node_name: Some(" ".to_owned()),
            ..Settings::default()
        };
        let mistakes = alone.check().expect_err("nobody does the rest");
        assert!(mistakes[0].starts_with("`queues` must be left out"));
        assert!(mistakes[1].starts_with("`node_name` must be 1 to 64"));
    }
}
