use clap::Args;
use serde_json::{Value, json};

use super::output::print_json;
use super::{Chosen, CliError};
use vocalhost_config::Settings;
use vocalhost_model::{ModelError, Provider, ProviderChoice, Runtime};

/// `vocalhost providers`.
#[derive(Debug, Args)]
pub struct ProvidersArguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// A provider, whether the settings name it, and whether it works here.
struct Seen {
    provider: Provider,
    is_chosen: bool,
    is_offered: bool,
    /// Why it does not work.
    fault: Option<String>,
}

/// Lists every provider. With `provider_strict`, one that is chosen and does not work makes the command fail, as it makes jobs.
pub fn run(arguments: &ProvidersArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let library = Runtime::locate(settings.onnxruntime.as_deref())?;
    let runtime = Runtime::load(Some(&library))?.on(ProviderChoice {
        gpu: settings.provider_choice().gpu,
        ..ProviderChoice::default()
    });
    let seen: Vec<Seen> = Provider::ALL
        .into_iter()
        .map(|provider| look(&runtime, provider, &settings))
        .collect();
    if arguments.json {
        let providers: Vec<Value> = seen.iter().map(record).collect();
        print_json(&json!({
            "library": library,
            "strict": settings.provider_strict,
            "providers": providers,
        }));
    } else {
        say_line!("ONNX Runtime: {}", library.display());
        for provider in &seen {
            say_line!("{}", line(provider));
        }
    }
    let broken = seen
        .into_iter()
        .find(|seen| seen.is_chosen && seen.fault.is_some());
    match broken {
        Some(Seen {
            provider,
            fault: Some(reason),
            ..
        }) if settings.provider_strict => Err(ModelError::Provider { provider, reason }.into()),
        _ => Ok(()),
    }
}

fn look(runtime: &Runtime, provider: Provider, settings: &Settings) -> Seen {
    let is_offered = runtime.offers(provider);
    let fault = if is_offered {
        let tried = runtime.try_out(provider);
        tried.err().map(|error| match error {
            ModelError::Provider { reason, .. } => reason,
            other => other.to_string(),
        })
    } else {
        Some("the ONNX Runtime library was built without it".to_owned())
    };
    Seen {
        provider,
        is_chosen: settings.providers.contains(&provider),
        is_offered,
        fault,
    }
}

fn line(seen: &Seen) -> String {
    let chosen = if seen.is_chosen { "*" } else { " " };
    let state = match &seen.fault {
        None => "works",
        Some(reason) => reason,
    };
    format!("{chosen} {:<9} {state}", seen.provider.as_str())
}

fn record(seen: &Seen) -> Value {
    json!({
        "name": seen.provider.as_str(),
        "isChosen": seen.is_chosen,
        "isOffered": seen.is_offered,
        "works": seen.fault.is_none(),
        "fault": seen.fault,
    })
}
