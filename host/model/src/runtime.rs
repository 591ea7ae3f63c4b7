use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::RunOptions;
use ort::value::Tensor;

use super::ModelError;
use super::cache::{Cache, CacheFigures};
use super::engine::{Engine, RunFault};
use super::execution::is_offered;
use super::provider::{Journal, Provider, ProviderChoice};

/// The release of ONNX Runtime that the set-up installs and that the suite runs with.
const ONNX_RUNTIME_VERSION: &str = "1.31.1";

/// The library name searched for in the system's folders when nothing names one.
const SYSTEM_LIBRARY: &str = "libonnxruntime.so";

/// Where packages of distributions put the library.
const SYSTEM_FOLDERS: [&str; 5] = [
    "/usr/local/lib",
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
];

/// The only environment of the process: ONNX Runtime allows no second.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// The loaded inference library, where models are to run, and the cache of loaded models. Cheap to clone, and clones share all of it; there
/// is one library per process, and the first one loaded stays.
#[derive(Clone)]
pub struct Runtime {
    environment: Environment,
    choice: Arc<ProviderChoice>,
    /// Which providers of the choice, apart from the processor, the library offers, and which not.
    offered: Arc<(Vec<Provider>, Vec<Provider>)>,
    cache: Arc<Cache>,
    journal: Arc<Journal>,
    gives_back: bool,
}

impl Runtime {
    /// Loads the library: `library` if given, else the one that `ORT_DYLIB_PATH` names, else the one that the set-up installed, else the
    /// system's. If a named library does not work, that is an error, and the search ends.
    ///
    /// Models run on the processor, and nothing stays loaded, unless [`Runtime::on`] and [`Runtime::keeping`] say otherwise.
    pub fn load(library: Option<&Path>) -> Result<Self, ModelError> {
        let mut environment = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = environment.as_ref() {
            return Ok(Self::of(environment.clone()));
        }
        let path = Self::locate(library)?;
        let unusable = |reason: String| ModelError::LibraryUnusable {
            path: path.clone(),
            reason,
        };
        let made = ort::init_from(&path)
            .map_err(|error| unusable(error.to_string()))?
            .with_name("vocalhost")
            .with_telemetry(false)
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        *environment = Some(made.clone());
        Ok(Self::of(made))
    }

    fn of(environment: Environment) -> Self {
        Self {
            environment,
            choice: Arc::default(),
            offered: Arc::default(),
            cache: Arc::default(),
            journal: Arc::default(),
            gives_back: false,
        }
    }

    /// The same library, with models that free their working memory after each run. It is for models that take turns: otherwise each would
    /// keep all that it needs.
    pub(super) fn giving_back(&self) -> Self {
        Self {
            gives_back: true,
            ..self.clone()
        }
    }

    /// The options of a run.
    pub(super) fn run_options(&self) -> Result<RunOptions, String> {
        let mut options = RunOptions::new().map_err(|error| error.to_string())?;
        if self.gives_back {
            let set = options.set("memory.enable_memory_arena_shrinkage", "cpu:0");
            set.map_err(|error| error.to_string())?;
        }
        Ok(options)
    }

    /// The same library with models running where the choice says. Providers that the library lacks are left out with a warning; in strict
    /// mode every model fails to load instead.
    #[must_use]
    pub fn on(self, choice: ProviderChoice) -> Self {
        let wanted = choice.beside_cpu();
        let (offered, missing): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|p| is_offered(*p));
        for provider in &missing {
            tracing::warn!(%provider, strict = choice.strict, "ONNX Runtime does not offer an execution provider");
        }
        Self {
            choice: Arc::new(choice),
            offered: Arc::new((offered, missing)),
            // The cached models were loaded for other providers.
            cache: Arc::new(Cache::new(self.cache.limit_bytes())),
            ..self
        }
    }

    /// The same library, which keeps up to so many bytes of models loaded for their next use.
    #[must_use]
    pub fn keeping(self, limit_bytes: u64) -> Self {
        Self {
            cache: Arc::new(Cache::new(limit_bytes)),
            ..self
        }
    }

    /// The same, with a new record of what models run on.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self {
            journal: Arc::default(),
            ..self.clone()
        }
    }

    /// What models ran on since the record began, such as `cpu` or `cuda+cpu`; what they would run on when none did.
    #[must_use]
    pub(crate) fn ran_on(&self) -> String {
        let first = self.offered.0.first();
        self.journal.text(first.copied().unwrap_or(Provider::Cpu))
    }

    /// Evicts the least recently used models while this process holds more memory than models may. Meant to be called between jobs.
    pub fn settle(&self) {
        self.cache.settle();
    }

    /// How often models were found in the cache, and what they take up.
    #[must_use]
    pub fn cache_figures(&self) -> CacheFigures {
        self.cache.figures()
    }

    /// Runs a small graph on a provider alone, on the chosen GPU.
    ///
    /// # Errors
    /// When the library was built without the provider, when it finds no device or lacks a library of its own, and when it leaves the graph
    /// to the processor.
    pub fn try_out(&self, provider: Provider) -> Result<(), ModelError> {
        let alone = self.clone().on(ProviderChoice {
            providers: vec![provider],
            gpu: self.choice.gpu,
            strict: true,
        });
        let trial = Engine::load(&alone, Path::new("trial.onnx"), TRIAL_GRAPH.to_vec(), 1)?;
        let faulty = |reason: String| ModelError::Provider { provider, reason };
        let input = Tensor::from_array(([1, 1, 4, 4], vec![1.5_f32; 16]));
        let input = input.map_err(|error| faulty(error.to_string()))?;
        let doubled = trial.run(&alone, vec![("x", input.into())], |outputs| {
            let output = outputs.get("y")?.try_extract_tensor::<f32>().ok()?;
            Some(output.1.iter().all(|value| (value - 3.0).abs() < 1e-3))
        });
        match doubled {
            Ok(Some(true)) => Ok(()),
            Ok(_) => Err(faulty("it computed something else".to_owned())),
            Err(RunFault::Failed(reason)) => Err(faulty(reason)),
            Err(RunFault::Elsewhere(other)) => Err(faulty(format!("it left the work to {other}"))),
        }
    }

    /// Whether the library was built with a provider. Whether the provider finds its device is found out by [`Runtime::try_out`].
    #[must_use]
    pub fn offers(&self, provider: Provider) -> bool {
        is_offered(provider)
    }

    /// Where `load` would find the library, without loading it.
    pub fn locate(library: Option<&Path>) -> Result<PathBuf, ModelError> {
        find(library)
    }

    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(super) fn choice(&self) -> &ProviderChoice {
        &self.choice
    }

    pub(super) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The providers, other than the processor, that graphs are made with.
    pub(super) fn providers(&self) -> Result<&[Provider], ModelError> {
        let (offered, missing) = &*self.offered;
        match missing.first() {
            Some(provider) if self.choice.strict => Err(ModelError::ProviderMissing(*provider)),
            _ => Ok(offered),
        }
    }
}

/// An ONNX file with one node, a convolution that doubles the 16 values of its input `x` into its output `y`, both of the shape
/// `[1, 1, 4, 4]`: something that every provider can run. IR version 8, operators of version 13.
pub(super) const TRIAL_GRAPH: &[u8] = b"\x08\x08:c\n\x0f\n\x01x\n\x01w\x12\x01y\"\x04Conv\x12\x01t\
    *\x13\x08\x01\x08\x01\x08\x01\x08\x01\x10\x01B\x01wJ\x04\x00\x00\x00@\
    Z\x1b\n\x01x\x12\x16\n\x14\x08\x01\x12\x10\n\x02\x08\x01\n\x02\x08\x01\n\x02\x08\x04\n\x02\x08\x04\
    b\x1b\n\x01y\x12\x16\n\x14\x08\x01\x12\x10\n\x02\x08\x01\n\x02\x08\x01\n\x02\x08\x04\n\x02\x08\x04\
    B\x04\n\x00\x10\r";

impl std::fmt::Debug for Runtime {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Runtime")
    }
}

/// Where the library that ships with the program lies, relative to the program's folder: in the unpacked archive, and in an installed
/// package. It has a folder of its own, because workers may read everything beside it.
const BESIDE_THE_PROGRAM: [&str; 2] = ["lib", "../lib/vocalhost"];

/// Where the library that ships with the program at `program` may be.
fn beside(program: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = program.parent().map(Path::to_owned);
    folder
        .into_iter()
        .flat_map(|folder| BESIDE_THE_PROGRAM.map(|place| folder.join(place).join(SYSTEM_LIBRARY)))
}

/// Where the set-up installs the library: below `VOCALHOST_CACHE_DIR`, or else the user's cache folder. `None` when the
/// environment names no home.
#[must_use]
fn setup_library_path() -> Option<PathBuf> {
    let folder = |variable: &str| {
        std::env::var_os(variable)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let cache = folder("VOCALHOST_CACHE_DIR").or_else(|| {
        folder("XDG_CACHE_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".cache")))
            .map(|cache| cache.join("vocalhost"))
    })?;
    Some(
        cache
            .join(format!("onnxruntime-{ONNX_RUNTIME_VERSION}"))
            .join(SYSTEM_LIBRARY),
    )
}

fn find(library: Option<&Path>) -> Result<PathBuf, ModelError> {
    let named = library.map(Path::to_owned).or_else(|| {
        std::env::var_os("ORT_DYLIB_PATH")
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    });
    let tried: Vec<PathBuf> = match named {
        Some(path) => vec![path],
        None => std::env::current_exe()
            .iter()
            .flat_map(|program| beside(program))
            .chain(setup_library_path())
            .chain(
                SYSTEM_FOLDERS
                    .iter()
                    .map(|folder| Path::new(folder).join(SYSTEM_LIBRARY)),
            )
            .collect(),
    };
    // The loader resolves a relative path against the program, so the path is made absolute here.
    let found = tried.iter().find(|path| path.is_file());
    match found.map(|path| path.canonicalize()) {
        Some(Ok(path)) => Ok(path),
        _ => Err(ModelError::LibraryMissing { tried }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_library_that_is_missing_is_reported_with_the_remedy() {
        let error = find(Some(Path::new("/nowhere/libonnxruntime.so"))).expect_err("is missing");
        let message = error.to_string();
        assert!(message.contains("/nowhere/libonnxruntime.so"), "{message}");
        assert!(message.contains("cargo xtask serve"), "{message}");
    }

    #[test]
    fn a_library_that_came_with_the_program_has_a_folder_of_its_own() {
        let places: Vec<PathBuf> = beside(Path::new("/usr/bin/vocalhost")).collect();
        assert_eq!(
            places,
            [
                Path::new("/usr/bin/lib/libonnxruntime.so"),
                Path::new("/usr/bin/../lib/vocalhost/libonnxruntime.so")
            ]
        );
        for place in places {
            assert_ne!(place.parent(), Some(Path::new("/usr/bin")));
        }
    }

    #[test]
    fn the_set_up_and_the_server_agree_on_the_place() {
        let path = setup_library_path().expect("a home");
        assert!(path.ends_with("onnxruntime-1.31.1/libonnxruntime.so"));
    }
}
