use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use ort::session::{Session as OrtSession, SessionInputValue, SessionOutputs};
use ort::value::Outlet;

use super::execution::{Making, NotMade, make};
use super::outside::check_all_inside;
use super::profile::main_provider;
use super::provider::Provider;
use super::{ModelError, Runtime};
use vocalhost_system::work::{Part, thread_time};

/// A graph that is ready to run, whatever package it came from.
pub(super) struct Engine {
    // The binding needs exclusive access to run, so there is one copy per thread.
    lanes: Vec<Mutex<Lane>>,
    /// What it is expected to run on.
    expected: Provider,
    /// What its first run did most of its work on; holds `None` when that cannot be told.
    seen: OnceLock<Option<Provider>>,
}

/// Why a run failed.
#[derive(Debug)]
pub(super) enum RunFault {
    /// The graph failed; the text is ONNX Runtime's.
    Failed(String),
    /// It ran on something that the choice does not allow.
    Elsewhere(Provider),
}

impl Engine {
    /// Makes the graph in `bytes` ready for `threads` concurrent threads; `path` is for messages. On a provider other than the processor
    /// there is one copy, since the provider has threads, or a device, of its own. A graph for the processor alone gets our operators where
    /// they are faster.
    pub(super) fn load(
        runtime: &Runtime,
        path: &Path,
        mut bytes: Vec<u8>,
        threads: usize,
    ) -> Result<Self, ModelError> {
        check_all_inside(&bytes).map_err(|reason| ModelError::Graph {
            path: path.to_owned(),
            reason,
        })?;
        let (first, providers) = first_lane(runtime, path, &mut bytes, threads)?;
        let expected = providers.first().copied().unwrap_or(Provider::Cpu);
        let mut lanes = vec![Mutex::new(first)];
        let copies = if expected.is_apart() { 1 } else { threads };
        while lanes.len() < copies {
            let lane = Lane::make(runtime, &bytes, &providers, threads);
            lanes.push(Mutex::new(lane.map_err(|fault| fault.into_error(path))?));
        }
        Ok(Self {
            lanes,
            expected,
            seen: OnceLock::new(),
        })
    }

    /// What it ran on; before its first run, what it is expected to run on.
    pub(super) fn provider(&self) -> Provider {
        self.seen.get().copied().flatten().unwrap_or(self.expected)
    }

    /// Copies of the graph in memory.
    pub(super) fn copies(&self) -> usize {
        self.lanes.len()
    }

    /// Lets `look` see the graph's inputs and outputs.
    pub(super) fn look<R>(&self, look: impl FnOnce(&[Outlet], &[Outlet]) -> R) -> R {
        let lane = self.free_lane();
        look(lane.session.inputs(), lane.session.outputs())
    }

    /// Runs the graph and lets `read` see what comes out.
    pub(super) fn run<R>(
        &self,
        runtime: &Runtime,
        feed: Vec<(&str, SessionInputValue<'static>)>,
        read: impl FnOnce(&SessionOutputs<'_>) -> R,
    ) -> Result<R, RunFault> {
        self.is_allowed(runtime)?;
        let options = runtime.run_options().map_err(RunFault::Failed)?;
        let (began, worked) = (Instant::now(), thread_time());
        let mut lane = self.free_lane();
        let outputs = lane.session.run_with_options(feed, &options);
        let worked = thread_time().saturating_sub(worked);
        Part::Network.add(worked);
        if self.expected.is_apart() {
            Part::Wait.add(began.elapsed().saturating_sub(worked));
        }
        let outputs = outputs.map_err(|error| RunFault::Failed(error.to_string()))?;
        let result = read(&outputs);
        drop(outputs);
        if let Some(seen) = lane.first_run() {
            match &seen {
                Ok(provider) => {
                    tracing::info!(%provider, expected = %self.expected, "a model ran for the first time");
                }
                Err(reason) => tracing::warn!(reason, "it cannot be told what a model ran on"),
            }
            // All copies behave alike, so the first result stands for all.
            let _ = self.seen.set(seen.ok());
            self.is_allowed(runtime)?;
        }
        runtime.journal().note(self.provider());
        Ok(result)
    }

    /// In strict mode, a graph does not run again once it was seen to run elsewhere, or if nobody could tell where it ran.
    fn is_allowed(&self, runtime: &Runtime) -> Result<(), RunFault> {
        match self.seen.get() {
            Some(Some(provider)) if !runtime.choice().allows(*provider) => {
                Err(RunFault::Elsewhere(*provider))
            }
            Some(None) if runtime.choice().strict => Err(RunFault::Failed(
                "it cannot be told what it ran on".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    fn free_lane(&self) -> MutexGuard<'_, Lane> {
        let free = self.lanes.iter().find_map(|lane| lane.try_lock().ok());
        free.unwrap_or_else(|| {
            let lane = self.lanes.first().expect("there is a lane per thread");
            lane.lock().unwrap_or_else(PoisonError::into_inner)
        })
    }
}

/// A copy of a graph.
struct Lane {
    session: OrtSession,
    /// Where the first run writes what it ran on, if that is in question: providers take what they can of a graph, and only a run shows how
    /// much that is.
    profile: Option<tempfile::TempDir>,
}

impl Lane {
    fn make(
        runtime: &Runtime,
        bytes: &[u8],
        providers: &[Provider],
        threads: usize,
    ) -> Result<Self, NotMade> {
        let profile = if providers.is_empty() {
            None
        } else {
            let folder = tempfile::tempdir();
            Some(folder.map_err(|error| NotMade::Graph(format!("no temporary folder: {error}")))?)
        };
        let prefix: Option<PathBuf> = profile.as_ref().map(|folder| folder.path().join("run"));
        let making = Making {
            bytes,
            providers,
            threads,
            profile: prefix.as_deref(),
        };
        let session = make(runtime, &making)?;
        Ok(Self { session, profile })
    }

    /// What the first run ran on, or why that cannot be told; `None` for later runs, and when nobody asked.
    fn first_run(&mut self) -> Option<Result<Provider, String>> {
        let _folder = self.profile.take()?;
        Some(self.ran_on())
    }

    fn ran_on(&mut self) -> Result<Provider, String> {
        let written = self.session.end_profiling().map_err(|e| e.to_string())?;
        let profile = fs::read_to_string(written).map_err(|error| error.to_string())?;
        main_provider(&profile).ok_or_else(|| "the profile of its run names no provider".to_owned())
    }
}

/// The first copy of a graph, and the providers that it could be made with: all that are wanted or, if that is allowed, those that work.
/// When none is left, the graph in `bytes` is replaced by one with our operators.
fn first_lane(
    runtime: &Runtime,
    path: &Path,
    bytes: &mut Vec<u8>,
    threads: usize,
) -> Result<(Lane, Vec<Provider>), ModelError> {
    let mut wanted = runtime.providers()?.to_vec();
    loop {
        if wanted.is_empty()
            && let Some(with_ours) = vocalhost_kernels::rewritten(bytes)
        {
            *bytes = with_ours;
        }
        let fault = match Lane::make(runtime, bytes, &wanted, threads) {
            Ok(lane) => return Ok((lane, wanted)),
            Err(fault) => fault,
        };
        let Some(first) = wanted.first().copied() else {
            return Err(fault.into_error(path));
        };
        if runtime.choice().strict && matches!(fault, NotMade::Graph(_)) {
            // If the processor does not take the graph either, the graph is at fault.
            Lane::make(runtime, bytes, &[], threads).map_err(|fault| fault.into_error(path))?;
        }
        let (provider, reason) = match fault {
            NotMade::Provider(provider, reason) => (provider, reason),
            NotMade::Graph(reason) => (first, reason),
        };
        if runtime.choice().strict {
            return Err(ModelError::Provider { provider, reason });
        }
        tracing::warn!(%provider, reason, graph = %path.display(), "an execution provider does not work");
        wanted.retain(|other| *other != provider);
    }
}

impl NotMade {
    fn into_error(self, path: &Path) -> ModelError {
        match self {
            Self::Provider(provider, reason) => ModelError::Provider { provider, reason },
            Self::Graph(reason) => ModelError::Graph {
                path: path.to_owned(),
                reason,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use ort::value::Tensor;

    use super::*;
    use crate::ProviderChoice;
    use crate::runtime::TRIAL_GRAPH;
    use vocalhost_onnx::wire::{fields, put_bytes};

    fn runtime() -> Runtime {
        Runtime::load(None).expect("the set-up has installed the library")
    }

    fn feed() -> Vec<(&'static str, SessionInputValue<'static>)> {
        let input = Tensor::from_array(([1, 1, 4, 4], vec![1.0_f32; 16])).expect("a tensor");
        vec![("x", input.into())]
    }

    #[test]
    fn the_profile_of_a_run_names_what_it_ran_on() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let prefix = folder.path().join("run");
        let making = Making {
            bytes: TRIAL_GRAPH,
            providers: &[],
            threads: 1,
            profile: Some(&prefix),
        };
        let mut lane = Lane {
            session: make(&runtime(), &making).ok().expect("it loads"),
            profile: Some(folder),
        };
        lane.session.run(feed()).expect("it runs");
        assert_eq!(lane.first_run(), Some(Ok(Provider::Cpu)));
        assert_eq!(lane.first_run(), None, "only the first run is looked at");
    }

    #[test]
    fn what_was_seen_to_run_elsewhere_does_not_run_in_strict_mode() {
        let engine =
            Engine::load(&runtime(), Path::new("trial"), TRIAL_GRAPH.to_vec(), 2).expect("loads");
        assert_eq!((engine.copies(), engine.provider()), (2, Provider::Cpu));
        engine.seen.set(Some(Provider::Cuda)).expect("it never ran");
        let run = |strict| {
            let choice = ProviderChoice {
                strict,
                ..ProviderChoice::default()
            };
            let runtime = runtime().on(choice);
            let ran = engine.run(&runtime, feed(), |_| ());
            (ran, runtime.ran_on())
        };
        let (refused, _) = run(true);
        assert!(matches!(refused, Err(RunFault::Elsewhere(Provider::Cuda))));
        let (ran, on) = run(false);
        assert!(ran.is_ok() && on == "cuda", "{on}");
    }

    #[test]
    fn what_nobody_could_see_run_does_not_run_in_strict_mode() {
        let mut engine =
            Engine::load(&runtime(), Path::new("trial"), TRIAL_GRAPH.to_vec(), 1).expect("loads");
        // It writes no profile, as if the disk were full.
        let lane = engine.lanes[0].get_mut().expect("nobody has failed");
        lane.profile = Some(tempfile::tempdir().expect("a temporary folder"));
        let run = |strict| {
            let choice = ProviderChoice {
                strict,
                ..ProviderChoice::default()
            };
            engine.run(&runtime().on(choice), feed(), |_| ())
        };
        for _ in 0..2 {
            assert!(matches!(run(true), Err(RunFault::Failed(_))));
        }
        assert!(run(false).is_ok());
    }

    /// The trial's graph with one more weight.
    fn with_weight(weight: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in fields(TRIAL_GRAPH).flatten() {
            match (field.number, field.bytes()) {
                (7, Ok(graph)) => {
                    let mut graph = graph.to_vec();
                    put_bytes(&mut graph, 5, weight);
                    put_bytes(&mut bytes, 7, &graph);
                }
                _ => bytes.extend_from_slice(field.encoded),
            }
        }
        bytes
    }

    fn refused(weight: &[u8]) -> String {
        let error = Engine::load(&runtime(), Path::new("graph.onnx"), with_weight(weight), 1).err();
        error.expect("refused").to_string()
    }

    #[test]
    fn a_graph_with_values_in_another_file_is_not_loaded() {
        // A weight `s` that lies in `../secret`.
        let error = refused(b"\x10\x01B\x01sj\x15\x0a\x08location\x12\x09../secretp\x01");
        let expected = "graph.onnx: keeps values outside of its own file";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn a_graph_that_hides_fields_behind_bits_that_the_library_drops_is_not_loaded() {
        // The same weight; the tags of where it lies have a bit more than 32.
        let error = refused(
            b"\x10\x01B\x01s\xea\x80\x80\x80\x10\x15\x0a\x08location\x12\x09../secret\xf0\x80\x80\x80\x10\x01",
        );
        assert!(error.starts_with("graph.onnx: is damaged"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_graph_are_refused() {
        let error = Engine::load(&runtime(), Path::new("broken.onnx"), b"broken".to_vec(), 1).err();
        let error = error.expect("refused");
        assert!(matches!(error, ModelError::Graph { .. }), "{error}");
    }
}
