//! The steps of a training: from its initial weights to its final ones.

use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::super::PipelineError;
use super::checkpoint::State;
use vocalhost_job::TrainingStep;
use vocalhost_model::{Given, Runtime, Steps};
use vocalhost_training::{Batch, Batches, Order, Spread};

/// The highest learning rate; it falls to zero towards the end.
const RATE: f64 = 6e-4;
/// Steps over which it rises at the beginning.
const RISE: f64 = 20.0;
/// A training ends after this many evaluations of the held-out stretches without a gain.
const PATIENCE: u32 = 3;
/// How many batches are held out at most.
const HELD_OUT_BATCHES: usize = 6;
/// From how many batches at most the spread of the curves is measured: four minutes.
const RECORDED_BATCHES: usize = 12;
/// Steps between two reports.
const REPORTED: u32 = 10;
/// Steps and time between two checkpoints.
const KEPT_STEPS: u32 = 100;
const KEPT: Duration = Duration::from_mins(1);

/// What happens while weights are learned.
pub enum Learned<'a> {
    /// Some steps were taken.
    Step(TrainingStep),
    /// It can go on from here: the weights as they are.
    Kept(&'a State),
}

/// Evaluates sets of weights, one after the other, on the held-out stretches.
pub struct Judge {
    steps: Steps,
    held_out: Vec<Batch>,
    order: Order,
}

impl Judge {
    /// Draws and loads what tells losses.
    pub fn new(
        runtime: &Runtime,
        order: &Order,
        batches: &Batches<'_>,
    ) -> Result<Self, PipelineError> {
        Ok(Self {
            steps: Steps::load(runtime, &order.trial()?)?,
            held_out: batches.held_out(HELD_OUT_BATCHES),
            order: order.clone(),
        })
    }

    /// The mean loss of a frame that is held out.
    pub fn loss(&mut self, weights: &[f32]) -> Result<f32, PipelineError> {
        let (mut sum, mut count) = (0.0, 0);
        for batch in &self.held_out {
            let mut given = given(&self.order, batch.clone());
            given.push(now(weights));
            let loss = f64::from(self.steps.step(given, "loss")?);
            sum += loss * batch.counted as f64;
            count += batch.counted;
        }
        Ok((sum / count.max(1) as f64) as f32)
    }
}

/// Adjusts weights so that their curves have the same spread as the recorded ones.
pub struct Widening {
    steps: Steps,
    recorded: Vec<Batch>,
    order: Order,
}

impl Widening {
    /// Draws and loads what tells curves.
    pub fn new(
        runtime: &Runtime,
        order: &Order,
        batches: &Batches<'_>,
    ) -> Result<Self, PipelineError> {
        Ok(Self {
            steps: Steps::load(runtime, &order.curves()?)?,
            recorded: batches.recorded(RECORDED_BATCHES),
            order: order.clone(),
        })
    }

    /// The weights to give away.
    pub fn widened(&mut self, weights: &[f32]) -> Result<Vec<f32>, PipelineError> {
        let mut spread = Spread::default();
        for batch in &self.recorded {
            let (batch_size, frames) = (self.order.batch as usize, self.order.frames as usize);
            let features = Given {
                name: "features",
                shape: vec![batch_size, vocalhost_training::FEATURES as usize, frames],
                values: batch.features.clone(),
            };
            let given = vec![features, now(weights)];
            let drawn = self.steps.output_of(given, "harmonic")?;
            spread.add(batch, &drawn, frames);
        }
        Ok(spread.widened(&self.order.sizes, weights))
    }
}

/// A training of weights.
pub struct Learning<'a> {
    /// What is drawn.
    pub order: &'a Order,
    /// What it learns from.
    pub batches: &'a Batches<'a>,
    /// Where chance begins.
    pub seed: u64,
    /// Steps at most.
    pub steps: u32,
    /// What it stands for in checkpoints.
    pub key: [u8; 32],
}

impl Learning<'_> {
    /// Takes the steps, starting from a checkpoint if there is one of this very training, else from `weights`. The result does not depend
    /// on where the training was interrupted and resumed.
    pub fn run(
        &self,
        runtime: &Runtime,
        judge: &mut Judge,
        (weights, checkpoint): (Vec<f32>, Option<&Path>),
        report: &mut dyn FnMut(Learned<'_>) -> Result<(), PipelineError>,
    ) -> Result<State, PipelineError> {
        let count = weights.len();
        let earlier = checkpoint.and_then(|path| State::read(path, &self.key, count));
        let mut state = match earlier {
            Some(state) => state,
            None => Self::begin(judge, weights)?,
        };
        let mut steps = Steps::load(runtime, &self.order.step()?)?;
        Self::keep(&mut steps, &state)?;
        let (began, first) = (Instant::now(), state.step);
        let (mut kept_at, mut losses) = (Instant::now(), Vec::new());
        while state.step < self.steps && state.without_gain < PATIENCE {
            losses.push(self.step(&mut steps, state.step)?);
            state.step += 1;
            let is_last = state.step == self.steps;
            let held_out = if state.step.is_multiple_of(self.look_every()) || is_last {
                Some(Self::look(&mut state, judge, steps.kept("weights_now")?)?)
            } else {
                None
            };
            if state.step.is_multiple_of(REPORTED) || is_last {
                let pace = began.elapsed().as_secs_f64() / f64::from(state.step - first);
                report(Learned::Step(TrainingStep {
                    step: state.step,
                    steps: self.steps,
                    loss: losses.iter().sum::<f64>() / losses.len().max(1) as f64,
                    held_out_loss: held_out.map(f64::from),
                    eta_s: pace * f64::from(self.steps - state.step),
                }))?;
                losses.clear();
            }
            if state.step.is_multiple_of(KEPT_STEPS) || kept_at.elapsed() >= KEPT {
                Self::take(&steps, &mut state)?;
                report(Learned::Kept(&state))?;
                kept_at = Instant::now();
            }
        }
        Self::take(&steps, &mut state)?;
        Ok(state)
    }

    /// Steps between two evaluations of the held-out stretches: ten evaluations in all.
    fn look_every(&self) -> u32 {
        (self.steps / 10).max(1)
    }

    fn begin(judge: &mut Judge, weights: Vec<f32>) -> Result<State, PipelineError> {
        let loss = judge.loss(&weights)?;
        let nothing = vec![0.0; weights.len()];
        Ok(State {
            step: 0,
            best_step: 0,
            without_gain: 0,
            losses: [loss, loss],
            rows: [weights.clone(), nothing.clone(), nothing, weights],
        })
    }

    fn keep(steps: &mut Steps, state: &State) -> Result<(), PipelineError> {
        for (name, row) in ["weights", "mean", "square"].into_iter().zip(&state.rows) {
            steps.keep(&format!("{name}_now"), name, row.clone())?;
        }
        Ok(())
    }

    /// The step behind `done` others; its loss before it.
    fn step(&self, steps: &mut Steps, done: u32) -> Result<f64, PipelineError> {
        let batch = self.batches.of_step(self.seed, done);
        let progress = f64::from(done) / f64::from(self.steps);
        let rate = RATE * (f64::from(done + 1) / RISE).min(1.0) * (1.0 - progress).max(0.01);
        let pace = self.order.optimiser.pace(done + 1, rate);
        let mut given = given(self.order, batch);
        for (name, value) in [
            ("kept", pace.kept),
            ("rate", pace.rate),
            ("root", pace.root),
        ] {
            given.push(Given {
                name,
                shape: Vec::new(),
                values: vec![value],
            });
        }
        Ok(f64::from(steps.step(given, "loss")?))
    }

    /// Evaluates the held-out stretches, and keeps the weights if they are better than all before them.
    fn look(state: &mut State, judge: &mut Judge, weights: Vec<f32>) -> Result<f32, PipelineError> {
        let loss = judge.loss(&weights)?;
        if loss < state.losses[1] {
            state.losses[1] = loss;
            state.best_step = state.step;
            state.without_gain = 0;
            state.rows[3] = weights;
        } else {
            state.without_gain += 1;
        }
        Ok(loss)
    }

    fn take(steps: &Steps, state: &mut State) -> Result<(), PipelineError> {
        for (name, row) in ["weights", "mean", "square"]
            .into_iter()
            .zip(&mut state.rows)
        {
            *row = steps.kept(&format!("{name}_now"))?;
        }
        Ok(())
    }
}

/// The sum of all that a training depends on.
pub fn key(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// All weights in one row, for a graph that does not keep them.
fn now(weights: &[f32]) -> Given<'static> {
    Given {
        name: "weights_now",
        shape: vec![weights.len()],
        values: weights.to_vec(),
    }
}

fn given(order: &Order, batch: Batch) -> Vec<Given<'static>> {
    let shape = |width: usize| vec![order.batch as usize, width, order.frames as usize];
    let given = |name, width, values| Given {
        name,
        shape: shape(width),
        values,
    };
    let bands = vocalhost_training::BANDS as usize;
    vec![
        given(
            "features",
            vocalhost_training::FEATURES as usize,
            batch.features,
        ),
        given("wanted_harmonic", bands, batch.wanted_harmonic),
        given("wanted_noise", bands, batch.wanted_noise),
        given("pitched", 1, batch.pitched),
        given("weight", bands, batch.weight),
    ]
}
