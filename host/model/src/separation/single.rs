use vocalhost_audio::Spool;

use super::super::{ModelError, Package, Runtime};
use super::bag;
use super::check::residual;
use super::estimates::{Estimates, Mean};
use super::network::{Network, NetworkPlan};
use super::pieces::Cutter;
use super::sections::{LevelNormalization, SeparatorFacts};
use super::stream::{Asking, Stream, peak_magnitude};
use super::task::Task;

/// Keeps a standard deviation above zero, as in Demucs.
const LEAST_DEVIATION: f64 = 1e-8;

/// A separator with graphs of its own, unlike an ensemble.
pub(super) struct Single {
    facts: SeparatorFacts,
    sample_rate_hz: u32,
    estimated: Vec<&'static str>,
    residual: &'static str,
    /// The graphs, and the weights of each for every estimated stem.
    networks: Vec<(Network, Vec<f64>)>,
    cutter: Cutter,
    /// For each graph, the samples of silence before the recording in each pass.
    leads: Vec<Vec<u64>>,
    threads: usize,
}

impl Single {
    /// Loads the graphs of a package, for its own task or for another whose stems it has; its further stems stay in the residual.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        task: Option<Task>,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let missing = |key: &'static str| ModelError::Dependency {
            path: package.folder().to_owned(),
            key,
            reason: "is missing: this package is no separator".to_owned(),
        };
        let facts = manifest.separator.ok_or_else(|| missing("separator"))?;
        let task = task.unwrap_or(facts.task);
        let stems = manifest.stems.as_ref().ok_or_else(|| missing("stems"))?;
        let chunk = manifest.chunk.ok_or_else(|| missing("chunk"))?;
        let samples = chunk
            .piece_samples(manifest.stft.as_ref())
            .ok_or_else(|| missing("chunk.samples"))?;
        let step = chunk
            .step_samples(samples)
            .ok_or_else(|| missing("chunk.step"))?;
        let left = if task == facts.task {
            residual(stems, task)
        } else {
            task.usual_residual()
        };
        let (residuals, estimated): (Vec<&str>, Vec<&str>) =
            task.stems().iter().partition(|stem| **stem == left);
        let wanted = estimated
            .iter()
            .filter_map(|stem| stems.names.iter().position(|name| name == stem));
        let wanted: Vec<usize> = wanted.collect();
        let graphs = bag::graphs(manifest);
        // The graphs of a bag take turns, including those for its stems: none may keep its working memory while others run.
        let files: usize = graphs.iter().map(|(files, _)| files.len()).sum();
        let runtime = match files {
            1 => runtime.clone(),
            _ => runtime.giving_back(),
        };
        let mut networks = Vec::new();
        for (graphs, weights) in graphs {
            let weights: Vec<f64> = wanted.iter().map(|stem| weights[*stem]).collect();
            // A graph whose weights are zero for all wanted stems need not run.
            if weights.iter().all(|weight| *weight == 0.0) {
                continue;
            }
            let plan = NetworkPlan {
                graphs: &graphs,
                samples,
                wanted: wanted.clone(),
                threads,
            };
            networks.push((Network::load(&runtime, package, plan)?, weights));
        }
        let max_shift = manifest.audio.sample_rate_hz / 2;
        Ok(Self {
            facts,
            sample_rate_hz: manifest.audio.sample_rate_hz,
            residual: residuals
                .first()
                .copied()
                .ok_or_else(|| missing("stems.residual"))?,
            leads: leads(networks.len(), chunk.shifts, max_shift),
            networks,
            cutter: Cutter::new(&chunk, samples, step),
            estimated,
            threads: threads.max(1),
        })
    }

    pub(super) fn sample_rate_hz(&self) -> u32 {
        self.sample_rate_hz
    }

    pub(super) fn estimated(&self) -> &[&'static str] {
        &self.estimated
    }

    pub(super) fn residual(&self) -> &'static str {
        self.residual
    }

    /// The estimates for a recording of one or two channels at the separator's rate.
    pub(super) fn estimates<'a>(
        &'a self,
        source: &'a Spool,
    ) -> Result<Box<dyn Estimates + 'a>, ModelError> {
        let asking = self.asking(source)?;
        let rows = self.estimated.len() * source.channels();
        let mut passes: Vec<(Box<dyn Estimates + 'a>, Vec<f64>)> = Vec::new();
        for ((network, weights), leads) in self.networks.iter().zip(&self.leads) {
            let weights = weights.iter();
            let weights: Vec<f64> = weights
                .flat_map(|weight| vec![*weight; source.channels()])
                .collect();
            for lead in leads {
                let stream = Stream::new(
                    network,
                    &self.cutter,
                    (source, *lead),
                    asking,
                    (rows, self.threads),
                );
                passes.push((Box::new(stream), weights.clone()));
            }
        }
        match passes.pop() {
            Some((single, _)) if passes.is_empty() => Ok(single),
            last => {
                passes.extend(last);
                Ok(Box::new(Mean::new(passes)))
            }
        }
    }

    fn asking(&self, source: &Spool) -> Result<Asking, ModelError> {
        let (offsets, back, scale) = match self.facts.normalize {
            // The peak magnitude depends on the graph's transforms: see below.
            LevelNormalization::None | LevelNormalization::PeakMagnitude => ([0.0; 2], 0.0, 1.0),
            LevelNormalization::MeanStdMono => {
                let (mean, deviation) = mono_level(source)?;
                ([mean; 2], mean, deviation)
            }
            LevelNormalization::MeanOut => (means(source)?, 0.0, 1.0),
        };
        let mut asking = Asking {
            offsets,
            back,
            scale,
            compensate: self.facts.compensate as f32,
            denoise: self.facts.denoise,
        };
        if self.facts.normalize == LevelNormalization::PeakMagnitude
            && let Some((network, _)) = self.networks.first()
        {
            let heard = (network, &self.cutter);
            asking.scale = peak_magnitude(heard, source, asking, self.threads)?;
        }
        Ok(asking)
    }
}

/// The silences in front of the recording for each graph's passes.
///
/// For each graph, Demucs draws `shifts` positions from a window of `max_shift` samples. Here the positions of all graphs together are
/// spread evenly over it, which serves the purpose better than chance and gives the same samples every time.
fn leads(graphs: usize, shifts: u32, max_shift: u32) -> Vec<Vec<u64>> {
    if shifts == 0 {
        return vec![vec![0]; graphs];
    }
    let all = 2 * graphs as u64 * u64::from(shifts);
    let lead = |graph: usize, shift: u32| {
        let place = 2 * (u64::from(shift) * graphs as u64 + graph as u64) + 1;
        u64::from(max_shift) - u64::from(max_shift) * place / all
    };
    (0..graphs)
        .map(|graph| (0..shifts).map(|shift| lead(graph, shift)).collect())
        .collect()
}

/// The mean of each channel.
fn means(source: &Spool) -> std::io::Result<[f32; 2]> {
    let mut sums = [0.0; 2];
    for block in source.blocks() {
        let block = block?;
        for (channel, sum) in (0..block.channels()).zip(&mut sums) {
            *sum += block
                .channel(channel)
                .iter()
                .copied()
                .map(f64::from)
                .sum::<f64>();
        }
    }
    Ok(sums.map(|sum| (sum / (source.frames() as f64).max(1.0)) as f32))
}

/// Mean and standard deviation of the mono mix; sums in f64, two passes, so that a long recording loses nothing.
fn mono_level(source: &Spool) -> std::io::Result<(f32, f32)> {
    let over_all = |value: &dyn Fn(f64) -> f64| -> std::io::Result<f64> {
        let mut sum = 0.0;
        for block in source.blocks() {
            let block = block?;
            for frame in 0..block.frames() {
                let channels = (0..block.channels()).map(|at| f64::from(block.channel(at)[frame]));
                sum += value(channels.sum::<f64>() / block.channels() as f64);
            }
        }
        Ok(sum)
    };
    let frames = source.frames() as f64;
    let mean = over_all(&|sample| sample)? / frames.max(1.0);
    let squares = over_all(&|sample| (sample - mean).powi(2))?;
    let deviation = (squares / (frames - 1.0).max(1.0)).sqrt();
    Ok((mean as f32, (deviation + LEAST_DEVIATION) as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_spread_over_half_a_second() {
        assert_eq!(leads(2, 0, 100), [[0], [0]]);
        assert_eq!(leads(1, 1, 100), [[50]]);
        assert_eq!(leads(1, 2, 100), [[75, 25]]);
        assert_eq!(leads(2, 2, 80), [[70, 30], [50, 10]]);
    }
}
