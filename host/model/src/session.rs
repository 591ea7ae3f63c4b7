use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::f16;
use ort::session::{SessionInputValue, SessionOutputs};
use ort::value::{Outlet, Tensor, TensorElementType};

use super::engine::{Engine, RunFault};
use super::manifest::{
    Dimension, Direction, ElementType, FileRole, Manifest, TensorRole, TensorSpec,
};
use super::{ModelError, Package, Runtime};

/// Values for an input, row-major. A graph that wants floats of another width gets them rounded to the nearest.
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

/// An output in the graph's own memory: its role, its dimensions and its values, row-major.
pub(super) struct View<'v> {
    pub(super) role: TensorRole,
    pub(super) shape: Vec<usize>,
    pub(super) values: &'v [f32],
}

/// An output as single floats.
struct Floats<'o> {
    shape: Vec<usize>,
    values: Cow<'o, [f32]>,
}

/// A package's graph, ready to run. Inputs and outputs are addressed by role; the manifest knows the names.
pub(super) struct Session {
    package: String,
    inputs: Vec<TensorSpec>,
    outputs: Vec<TensorSpec>,
    runtime: Runtime,
    engine: Arc<Engine>,
}

impl Session {
    /// Loads the package's graph, unless it is loaded already, and compares its inputs and outputs with the manifest's tensors.
    ///
    /// `threads` threads may run it at a time. Each run stays on its caller's thread.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let Some((name, _)) = package.manifest().file(FileRole::Graph) else {
            return Err(graph_fault(package.folder(), "lists no graph"));
        };
        Self::load_file(runtime, package, name, threads)
    }

    /// As [`Session::load`], with the graph in the file `name`, for a package with several graphs.
    pub(super) fn load_file(
        runtime: &Runtime,
        package: &Package,
        name: &str,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let engine = engine(runtime, package, name, threads.max(1))?;
        let path = package.folder().join(name);
        engine.look(|inputs, outputs| {
            compare(&path, manifest, Direction::In, inputs)?;
            compare(&path, manifest, Direction::Out, outputs)
        })?;
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
            runtime: runtime.clone(),
            engine,
        })
    }

    /// Runs a graph with one output. Inputs whose roles the graph does not have are ignored; a missing input is an error.
    pub(super) fn run(&self, inputs: Vec<Input>) -> Result<Output, ModelError> {
        self.run_with(inputs, |outputs| match outputs {
            [output, ..] => Ok(Output {
                shape: output.shape.clone(),
                values: output.values.to_vec(),
            }),
            [] => Err(self.fault("gave no output")),
        })
    }

    /// As [`Session::run`], for any number of outputs, which `read` gets in the manifest's order. Outputs are not copied, except for half
    /// floats, which are widened.
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
        let result = self.engine.run(&self.runtime, feed, |outputs| {
            let values = self.floats_of(outputs)?;
            let views = values.iter().zip(&self.outputs);
            let views = views.map(|(floats, tensor)| View {
                role: tensor.role,
                shape: floats.shape.clone(),
                values: &floats.values,
            });
            read(&views.collect::<Vec<_>>())
        });
        result.map_err(|fault| match fault {
            RunFault::Failed(reason) => self.fault(reason),
            RunFault::Elsewhere(provider) => ModelError::Elsewhere {
                package: self.package.clone(),
                provider,
            },
        })?
    }

    /// Dimensions and values of every output, in the manifest's order, all of them finite.
    fn floats_of<'o>(
        &self,
        outputs: &'o SessionOutputs<'_>,
    ) -> Result<Vec<Floats<'o>>, ModelError> {
        let found = self.outputs.iter().map(|tensor| {
            let value = outputs
                .get(&tensor.name)
                .ok_or_else(|| self.fault("gave no output"))?;
            let (shape, values) = if tensor.dtype == ElementType::F16 {
                let (shape, halves) = value
                    .try_extract_tensor::<f16>()
                    .map_err(|error| self.fault(error))?;
                let widened = halves.iter().map(|half| half.to_f32());
                (shape, Cow::Owned(widened.collect()))
            } else {
                let (shape, values) = value
                    .try_extract_tensor::<f32>()
                    .map_err(|error| self.fault(error))?;
                (shape, Cow::Borrowed(values))
            };
            if let Some(bad) = not_finite(&values) {
                return Err(self.fault(format!("gave the value {bad}")));
            }
            let shape = shape.iter().map(|length| *length as usize).collect();
            Ok(Floats { shape, values })
        });
        found.collect()
    }

    /// Whether it runs on a device other than the processor, which takes one run at a time.
    pub(super) fn is_apart(&self) -> bool {
        self.engine.provider().is_apart()
    }

    /// Whether the graph takes an input of this role.
    pub(super) fn takes(&self, role: TensorRole) -> bool {
        self.inputs.iter().any(|tensor| tensor.role == role)
    }

    /// The error for an output that does not match the manifest.
    pub(super) fn fault(&self, reason: impl std::fmt::Display) -> ModelError {
        ModelError::Inference {
            package: self.package.clone(),
            reason: reason.to_string(),
        }
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
            (ElementType::F16, Values::F32(values)) => {
                let values: Vec<f16> = values.iter().map(|value| f16::from_f32(*value)).collect();
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

/// A graph of the package, ready to run. It is shared with another package that has the very same graph, if that is still loaded. Loaded
/// graphs were made from bytes of the digest that the manifest names, so the file need not be read again.
fn engine(
    runtime: &Runtime,
    package: &Package,
    name: &str,
    threads: usize,
) -> Result<Arc<Engine>, ModelError> {
    let entry = package.manifest().files.get(name);
    let digest = entry.map_or("", |entry| entry.sha256.as_str());
    runtime
        .cache()
        .part(&format!("graph {digest} {threads}"), || {
            let (path, bytes) = package.read_file(name)?;
            let length = bytes.len() as u64;
            let engine = Engine::load(runtime, &path, bytes, threads)?;
            let least_bytes = length * engine.copies() as u64;
            Ok((engine, least_bytes))
        })
}

/// Checks that every tensor of the manifest is in the graph with the same type and dimensions, and that the graph needs nothing else.
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

/// The first value that is not finite. Whole chunks are checked without an early exit, which compiles to vector code: value by value the
/// check took 0.6 % of a vocal separation.
fn not_finite(values: &[f32]) -> Option<f32> {
    let has = |chunk: &&[f32]| {
        !chunk
            .iter()
            .fold(true, |all, value| all & value.is_finite())
    };
    let chunk = values.chunks(1024).find(has)?;
    chunk.iter().copied().find(|value| !value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_finite_is_found_wherever_it_lies() {
        assert_eq!(not_finite(&[0.0; 3_000]), None);
        for place in [0, 1_023, 1_024, 2_999] {
            let mut values = vec![1.0; 3_000];
            values[place] = f32::INFINITY;
            assert_eq!(not_finite(&values), Some(f32::INFINITY), "{place}");
        }
    }
}
