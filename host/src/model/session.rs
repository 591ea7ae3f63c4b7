use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ort::logging::LogLevel;
use ort::session::{Session as OrtSession, SessionInputValue};
use ort::value::{Outlet, Tensor, TensorElementType};

use super::manifest::{
    Dimension, Direction, ElementType, FileRole, Manifest, TensorRole, TensorSpec,
};
use super::{ModelError, Package, Runtime};

/// Nanoseconds that all sessions of this process have run. A worker does one job at a time, so that the growth over a job
/// is the job's.
static RUN_NS: AtomicU64 = AtomicU64::new(0);

/// Time that models have run since this process started; those that run beside each other count each for itself.
#[must_use]
pub fn time_spent() -> Duration {
    Duration::from_nanos(RUN_NS.load(Ordering::Relaxed))
}

/// The provider that every session runs on.
pub(super) const PROVIDER: &str = "cpu";

/// Values for an input, row-major.
pub(super) enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I64(Vec<i64>),
}

/// An input: its role, its dimensions and its values.
pub(super) struct Input {
    pub(super) role: TensorRole,
    pub(super) shape: Vec<usize>,
    pub(super) values: Values,
}

/// An output: its dimensions and its values, row-major.
#[derive(Debug, PartialEq)]
pub(super) struct Output {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

/// An output while the graph's own memory holds it: its role, its dimensions and its values, row-major.
pub(super) struct View<'v> {
    pub(super) role: TensorRole,
    pub(super) shape: Vec<usize>,
    pub(super) values: &'v [f32],
}

/// A package's graph, ready to run. Inputs and outputs are addressed by role; the manifest knows the names.
pub(super) struct Session {
    package: String,
    inputs: Vec<TensorSpec>,
    outputs: Vec<TensorSpec>,
    // The binding wants exclusive access to run, so there is one copy per thread.
    lanes: Vec<Mutex<OrtSession>>,
}

impl Session {
    /// Loads the package's graph and compares its inputs and outputs with the manifest's tensors.
    ///
    /// `threads` threads may run it at a time. Each run stays on its caller's thread: ONNX Runtime splits sums by its
    /// number of threads, which changes the last bits (measured with 1.31.1). Memory patterns are off, because segments
    /// differ in length and each length would be planned anew.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        threads: usize,
    ) -> Result<Self, ModelError> {
        Self::of(runtime, package, package.read(FileRole::Graph)?, threads)
    }

    /// As [`Session::load`], of a package with several graphs the one in the file `name`.
    pub(super) fn load_file(
        runtime: &Runtime,
        package: &Package,
        name: &str,
        threads: usize,
    ) -> Result<Self, ModelError> {
        Self::of(runtime, package, package.read_file(name)?, threads)
    }

    fn of(
        runtime: &Runtime,
        package: &Package,
        (path, bytes): (PathBuf, Vec<u8>),
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let mut lanes = Vec::with_capacity(threads);
        for _ in 0..threads.max(1) {
            let session = build(runtime, &bytes).map_err(|error| graph_fault(&path, error))?;
            compare(&path, manifest, Direction::In, session.inputs())?;
            compare(&path, manifest, Direction::Out, session.outputs())?;
            lanes.push(Mutex::new(session));
        }
        let tensors = |io| {
            let of_direction = move |tensor: &&TensorSpec| tensor.io == io;
            manifest.tensors.iter().filter(of_direction).cloned()
        };
        let outputs: Vec<TensorSpec> = tensors(Direction::Out).collect();
        if outputs.is_empty() {
            return Err(graph_fault(&path, "has no output"));
        }
        Ok(Self {
            package: manifest.id.clone(),
            inputs: tensors(Direction::In).collect(),
            outputs,
            lanes,
        })
    }

    /// Runs a graph with one output. Inputs of roles that the graph does not have are left out; one that it has and that
    /// is not given is an error.
    pub(super) fn run(&self, inputs: Vec<Input>) -> Result<Output, ModelError> {
        self.run_with(inputs, |outputs| match outputs {
            [output, ..] => Ok(Output {
                shape: output.shape.clone(),
                values: output.values.to_vec(),
            }),
            [] => Err(self.fault("gave no output")),
        })
    }

    /// As [`Session::run`], for any number of outputs, which `read` sees in the manifest's order. Large outputs are not
    /// copied.
    pub(super) fn run_with<R>(
        &self,
        inputs: Vec<Input>,
        read: impl FnOnce(&[View<'_>]) -> Result<R, ModelError>,
    ) -> Result<R, ModelError> {
        let mut feed = Vec::with_capacity(self.inputs.len());
        for input in inputs {
            if let Some(tensor) = self.inputs.iter().find(|tensor| tensor.role == input.role) {
                feed.push((tensor.name.as_str(), self.value(tensor, input)?));
            }
        }
        let mut session = self.free_lane();
        let began = Instant::now();
        let outputs = session.run(feed);
        RUN_NS.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let outputs = outputs.map_err(|error| self.fault(error))?;
        let mut views = Vec::with_capacity(self.outputs.len());
        for tensor in &self.outputs {
            let value = outputs
                .get(&tensor.name)
                .ok_or_else(|| self.fault("gave no output"))?;
            let (shape, values) = value
                .try_extract_tensor::<f32>()
                .map_err(|error| self.fault(error))?;
            if let Some(bad) = values.iter().find(|value| !value.is_finite()) {
                return Err(self.fault(format!("gave the value {bad}")));
            }
            views.push(View {
                role: tensor.role,
                shape: shape.iter().map(|length| *length as usize).collect(),
                values,
            });
        }
        read(&views)
    }

    /// Whether the graph takes an input of this role.
    pub(super) fn takes(&self, role: TensorRole) -> bool {
        self.inputs.iter().any(|tensor| tensor.role == role)
    }

    /// The error of an answer that is not what was promised.
    pub(super) fn fault(&self, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Inference {
            package: self.package.clone(),
            reason: reason.to_string(),
        }
    }

    fn free_lane(&self) -> MutexGuard<'_, OrtSession> {
        let free = self.lanes.iter().find_map(|lane| lane.try_lock().ok());
        free.unwrap_or_else(|| {
            let lane = self.lanes.first().expect("there is a lane per thread");
            lane.lock().unwrap_or_else(PoisonError::into_inner)
        })
    }

    fn value(
        &self,
        tensor: &TensorSpec,
        input: Input,
    ) -> Result<SessionInputValue<'static>, ModelError> {
        let shape = input.shape;
        let made = match (tensor.dtype, input.values) {
            (ElementType::F32, Values::F32(values)) => {
                Tensor::from_array((shape, values)).map(Into::into)
            }
            (ElementType::F32, Values::F64(values)) => {
                let values: Vec<f32> = values.iter().map(|value| *value as f32).collect();
                Tensor::from_array((shape, values)).map(Into::into)
            }
            (ElementType::F64, Values::F64(values)) => {
                Tensor::from_array((shape, values)).map(Into::into)
            }
            (ElementType::I64, Values::I64(values)) => {
                Tensor::from_array((shape, values)).map(Into::into)
            }
            _ => return Err(self.fault(format!("{} has an unexpected type", tensor.name))),
        };
        made.map_err(|error| self.fault(error))
    }
}

fn build(runtime: &Runtime, bytes: &[u8]) -> Result<OrtSession, String> {
    // Each setter has its own error type, so they are turned into text one by one.
    OrtSession::builder(runtime.environment())
        .map_err(|error| error.to_string())?
        .with_log_level(LogLevel::Error)
        .map_err(|error| error.to_string())?
        .with_intra_threads(1)
        .map_err(|error| error.to_string())?
        .with_inter_threads(1)
        .map_err(|error| error.to_string())?
        .with_parallel_execution(false)
        .map_err(|error| error.to_string())?
        .with_memory_pattern(false)
        .map_err(|error| error.to_string())?
        .with_deterministic_compute(true)
        .map_err(|error| error.to_string())?
        .commit_from_memory(bytes)
        .map_err(|error| error.to_string())
}

/// Every tensor of the manifest is in the graph with the same type and dimensions, and the graph wants nothing else.
fn compare(
    path: &Path,
    manifest: &Manifest,
    io: Direction,
    outlets: &[Outlet],
) -> Result<(), ModelError> {
    let word = match io {
        Direction::In => "input",
        Direction::Out => "output",
    };
    for outlet in outlets.iter().filter(|_| io == Direction::In) {
        let declared = |tensor: &TensorSpec| tensor.io == io && tensor.name == outlet.name();
        if !manifest.tensors.iter().any(declared) {
            let reason = format!("has an {word} {} that the manifest lacks", outlet.name());
            return Err(graph_fault(path, reason));
        }
    }
    for tensor in manifest.tensors.iter().filter(|tensor| tensor.io == io) {
        let name = &tensor.name;
        let Some(outlet) = outlets.iter().find(|outlet| outlet.name() == name) else {
            return Err(graph_fault(
                path,
                format!("has no {word} {name} (tensor.{name})"),
            ));
        };
        let wanted = match tensor.dtype {
            ElementType::F16 => TensorElementType::Float16,
            ElementType::F32 => TensorElementType::Float32,
            ElementType::F64 => TensorElementType::Float64,
            ElementType::I64 => TensorElementType::Int64,
        };
        let (Some(found), Some(shape)) =
            (outlet.dtype().tensor_type(), outlet.dtype().tensor_shape())
        else {
            return Err(graph_fault(path, format!("{word} {name} is not a tensor")));
        };
        if found != wanted {
            let reason = format!("{word} {name} is {found}, tensor.{name}.dtype says {wanted}");
            return Err(graph_fault(path, reason));
        }
        // Batch is often symbolic in the graph; a fixed number in the manifest is what the host will feed.
        let agrees = |(graph, manifest): (&i64, &Dimension)| match (u32::try_from(*graph), manifest)
        {
            (Err(_), _) => true,
            (Ok(graph), Dimension::Fixed(manifest)) => graph == *manifest,
            (Ok(_), Dimension::Symbol(_)) => false,
        };
        if shape.len() != tensor.shape.len() || !shape.iter().zip(&tensor.shape).all(agrees) {
            let reason = format!(
                "{word} {name} has the shape {:?}, which is not tensor.{name}.shape",
                &**shape
            );
            return Err(graph_fault(path, reason));
        }
    }
    Ok(())
}

fn graph_fault(path: &Path, reason: impl std::fmt::Display) -> ModelError {
    ModelError::Graph {
        path: PathBuf::from(path),
        reason: reason.to_string(),
    }
}
