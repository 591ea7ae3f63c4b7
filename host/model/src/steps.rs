//! Runs a graph of our own repeatedly, each time on the previous outputs: the steps of a training.

use std::path::PathBuf;

use ort::session::{Session as OrtSession, SessionInputValue};
use ort::value::{DynValue, Tensor};

use super::execution::{Making, NotMade, make};
use super::{ModelError, Runtime};

/// A row of numbers that each step takes and returns changed.
struct Kept {
    input: String,
    output: String,
    value: DynValue,
}

/// An input of a step: its name, its dimensions and its values, row-major.
pub struct Given<'n> {
    /// The name that the graph has for it.
    pub name: &'n str,
    /// Length of each axis; empty for a single number.
    pub shape: Vec<usize>,
    /// The values.
    pub values: Vec<f32>,
}

/// A graph and the values that it keeps from step to step. It runs on its caller's thread, or on the first execution provider that works.
pub struct Steps {
    session: OrtSession,
    runtime: Runtime,
    kept: Vec<Kept>,
}

impl Steps {
    /// Loads a graph that the program has built itself.
    ///
    /// # Errors
    /// When ONNX Runtime does not take it.
    pub fn load(runtime: &Runtime, graph: &[u8]) -> Result<Self, ModelError> {
        let making = Making {
            bytes: graph,
            providers: runtime.providers()?,
            threads: 1,
            profile: None,
        };
        let session = make(runtime, &making).map_err(|fault| match fault {
            NotMade::Provider(provider, reason) => ModelError::Provider { provider, reason },
            NotMade::Graph(reason) => ModelError::Graph {
                path: PathBuf::from(WHAT),
                reason,
            },
        })?;
        Ok(Self {
            session,
            runtime: runtime.clone(),
            kept: Vec::new(),
        })
    }

    /// Feeds the `output` of each step into the `input` of the next one; the first takes `values`.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn keep(&mut self, input: &str, output: &str, values: Vec<f32>) -> Result<(), ModelError> {
        let value = Tensor::from_array(([values.len()], values)).map_err(failed)?;
        self.kept.retain(|kept| kept.input != input);
        self.kept.push(Kept {
            input: input.to_owned(),
            output: output.to_owned(),
            value: value.into_dyn(),
        });
        Ok(())
    }

    /// Runs a step, and returns its output `wanted`, a single number.
    ///
    /// # Errors
    /// When an input is missing or wrong, and when the graph fails.
    pub fn step(&mut self, given: Vec<Given<'_>>, wanted: &str) -> Result<f32, ModelError> {
        let values = self.output_of(given, wanted)?;
        values.first().copied().ok_or_else(|| missing(wanted))
    }

    /// Runs a step, and returns all values of one of its outputs.
    ///
    /// # Errors
    /// As [`Steps::step`].
    pub fn output_of(
        &mut self,
        given: Vec<Given<'_>>,
        wanted: &str,
    ) -> Result<Vec<f32>, ModelError> {
        let mut feed: Vec<(&str, SessionInputValue<'_>)> = Vec::new();
        for Given {
            name,
            shape,
            values,
        } in given
        {
            let value = Tensor::from_array((shape, values)).map_err(failed)?;
            feed.push((name, value.into()));
        }
        for kept in &self.kept {
            feed.push((&kept.input, (&kept.value).into()));
        }
        let options = self.runtime.run_options().map_err(failed)?;
        let outputs = self.session.run_with_options(feed, &options);
        let mut outputs = outputs.map_err(failed)?;
        let values = outputs.get(wanted).ok_or_else(|| missing(wanted))?;
        let (_, values) = values.try_extract_tensor::<f32>().map_err(failed)?;
        let values = values.to_vec();
        let mut next = Vec::new();
        for kept in &self.kept {
            let given = outputs.remove(&kept.output);
            next.push(given.ok_or_else(|| missing(&kept.output))?);
        }
        drop(outputs);
        for (kept, value) in self.kept.iter_mut().zip(next) {
            kept.value = value;
        }
        Ok(values)
    }

    /// The value that the next step takes as `input`.
    ///
    /// # Errors
    /// When nothing is kept for it.
    pub fn kept(&self, input: &str) -> Result<Vec<f32>, ModelError> {
        let kept = self.kept.iter().find(|kept| kept.input == input);
        let kept = kept.ok_or_else(|| missing(input))?;
        let (_, values) = kept.value.try_extract_tensor::<f32>().map_err(failed)?;
        Ok(values.to_vec())
    }
}

/// The graph's name in messages.
const WHAT: &str = "training";

fn failed(error: impl std::fmt::Display) -> ModelError {
    ModelError::Inference {
        package: WHAT.to_owned(),
        reason: error.to_string(),
    }
}

fn missing(name: &str) -> ModelError {
    failed(format!("there is no {name}"))
}
