//! What the machine and its system have.

use std::time::{Duration, SystemTime};

use super::finding::{Finding, State};
use vocalhost_config::Settings;
use vocalhost_model::{Provider, ProviderChoice, Runtime};
use vocalhost_sandbox::{LayerState, Report, Sandbox};
use vocalhost_work::worker::walls;

/// How far a clock may be behind what was written by it before: copies between machines are off by seconds.
const CLOCK_SLACK: Duration = Duration::from_mins(10);

/// Which layers of the sandbox stand, as a child finds that raises them.
pub async fn sandbox(settings: &Settings) -> Vec<Finding> {
    const CHECK: &str = "sandbox";
    if settings.sandbox == Sandbox::Off {
        let text = "is off: whoever takes a worker over can read everything that the server can";
        return vec![Finding::warning(CHECK, text)];
    }
    let missing = match settings.sandbox {
        Sandbox::Required => State::Problem,
        Sandbox::Auto | Sandbox::Off => State::Warning,
    };
    match report().await {
        Err(reason) => {
            let text = format!("it cannot be looked at: {reason}");
            vec![Finding::problem(CHECK, text)]
        }
        Ok(report) => {
            let finding = |state: &LayerState| {
                let check = format!("{CHECK}.{}", state.layer);
                let remark = &state.remark;
                match (state.holds, report.stand_in(state.layer)) {
                    (true, _) if remark.is_empty() => Finding::fine(check, "stands"),
                    (true, _) => Finding::fine(check, format!("stands; {remark}")),
                    (false, Some(other)) => {
                        let text = format!("is missing, and {other} stands in for it: {remark}");
                        Finding::fine(check, text)
                    }
                    (false, None) => Finding::new(check, missing, format!("is missing: {remark}")),
                }
            };
            report.layers.iter().map(finding).collect()
        }
    }
}

async fn report() -> Result<Report, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    walls::check_in_child(&program, folder.path()).await
}

/// Whether the clock goes on from where it was when the program and the database were written: keys, links and queues go by it.
pub fn clock(settings: &Settings) -> Finding {
    const CHECK: &str = "clock";
    let database = settings.database_path();
    let program = std::env::current_exe().ok();
    let written = program.iter().chain([&database]);
    let latest = written
        .filter_map(|path| path.metadata().ok()?.modified().ok())
        .max();
    let now = SystemTime::now();
    match latest {
        Some(latest) if latest > now + CLOCK_SLACK => {
            let behind = latest.duration_since(now).unwrap_or_default().as_secs();
            let text = format!(
                "is {behind} s behind the last change of the program or the database: links expire late, and sign-ins fail"
            );
            Finding::problem(CHECK, text)
        }
        _ => Finding::fine(CHECK, "goes on from what was written before"),
    }
}

/// The ONNX Runtime library, and whether what models are to run on works.
pub fn library(settings: &Settings) -> Vec<Finding> {
    const CHECK: &str = "onnxruntime";
    let library = match Runtime::locate(settings.onnxruntime.as_deref()) {
        Ok(library) => library,
        Err(error) => return vec![Finding::problem(CHECK, error.to_string())],
    };
    let runtime = match Runtime::load(Some(&library)) {
        Ok(runtime) => runtime,
        Err(error) => return vec![Finding::problem(CHECK, error.to_string())],
    };
    let runtime = runtime.on(ProviderChoice {
        gpu: settings.provider_choice().gpu,
        ..ProviderChoice::default()
    });
    let mut findings = vec![Finding::fine(CHECK, library.display().to_string())];
    let chosen = settings.providers.iter();
    findings.extend(chosen.map(|provider| tried(&runtime, *provider, settings)));
    findings
}

fn tried(runtime: &Runtime, provider: Provider, settings: &Settings) -> Finding {
    let check = format!("provider.{provider}");
    // What a provider does not take runs on the processor, unless that is not wanted.
    let without = if settings.provider_strict || provider == Provider::Cpu {
        State::Problem
    } else {
        State::Warning
    };
    if !runtime.offers(provider) {
        return Finding::new(check, without, "the library was built without it");
    }
    match runtime.try_out(provider) {
        Ok(()) => Finding::fine(check, "works"),
        Err(error) => Finding::new(check, without, error.to_string()),
    }
}
