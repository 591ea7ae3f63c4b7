/// Has the system kill this process when its parent dies, so that a killed server leaves no worker behind. The worker
/// calls it first of all; on systems without this feature it ends when its stream of orders is closed.
///
/// The signal comes when the *thread* that started this process ends, so the server must start its workers from
/// threads that live as long as it does, as the threads of its runtime do.
pub(super) fn die_with_parent() {
    #[cfg(target_os = "linux")]
    if let Err(error) =
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
    {
        tracing::warn!(%error, "a worker may outlive its server");
    }
}
