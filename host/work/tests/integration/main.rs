//! Workers that misbehave, and what becomes of their jobs. The worker here is a few lines of shell that speak the
//! protocol as far as the fault to be shown needs it.

#![cfg(unix)]

mod attempt;
mod bucket;
mod cleanup;
mod effects;
mod inspect;
mod lossy;
mod probe;
mod scheduler;
mod supervisor;

use std::time::Duration;

use vocalhost_work::worker::{SupervisorSettings, WorkerCommand};

/// Words for the scripts: `frame TEXT` sends a message; `order` waits for one and sets `scratch`, or ends the worker
/// when there will be none.
const WORDS: &str = r#"
frame() {
    printf "\\$(printf %03o $((${#1} % 256)))\\$(printf %03o $((${#1} / 256)))\\000\\000%s" "$1"
}
order() {
    order=$(dd bs=65536 count=1 2>/dev/null | tail -c +5)
    [ -n "$order" ] || exit 0
    scratch=$(printf %s "$order" | sed 's/.*"scratch":"\([^"]*\)".*/\1/')
}
ready() { frame '{"report":"ready"}'; }
progress() { frame '{"report":"progress","stage":"inference","percent":40.0}'; }
done_with() {
    frame '{"report":"done","files":[{"role":"output","key":"'"$1"'","bytes":5,"sha256":"00"}],"effects":[],"provider":"cpu","gain_db":null,"duration_s":1.0}'
}
"#;

/// Does every job at once; its result is five bytes.
const HONEST: &str = r#"
ready
while order; do
    progress
    printf sound > "$scratch/output.wav"
    done_with output.wav
done
"#;

/// Takes a job and never says another word.
const HANGING: &str = "ready; order; exec sleep 1000";

/// Takes a job and dies of it.
const CRASHING: &str = "ready; order; progress; kill -9 $$";

fn settings(script: &str) -> SupervisorSettings {
    SupervisorSettings {
        command: WorkerCommand {
            program: "sh".into(),
            arguments: vec!["-c".into(), format!("{WORDS}{script}").into()],
            temporary: std::env::temp_dir(),
            // Only what hangs takes so long.
            start_limit: Duration::from_mins(2),
        },
        memory_bytes: 1 << 30,
        free_bytes: 0,
        jobs_per_worker: 100,
        gives_way: false,
    }
}
