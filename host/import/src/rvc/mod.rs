//! Voices of RVC and of Applio as torch has saved them, made into graphs.
//!
//! The graph is drawn here from our own description of the architecture (`encoder`, `flow`; `decoder`, `mrf` and `refine`), with the dimensions
//! that the weights have, and the weights keep their names. It gives what the original's `infer` gives, with two differences:
//! its random numbers are inputs, so that results repeat, and the attention's relative positions take half the memory.

mod architecture;
mod checkpoint;
mod decoder;
mod decoders;
mod encoder;
mod flow;
mod layers;
mod mrf;
mod package;
mod refine;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use super::torch::TorchFile;
use super::{ImportError, ImportRequest, Imported};
use crate::drawing::{DataType, DrawFault, Length, Network, Weights};
use architecture::Architecture;
use checkpoint::Checkpoint;
use decoders::DecoderKind;
use layers::Layers;

/// Says why the checkpoint at `path` is no voice, if it is none.
pub(super) fn look(request: &ImportRequest<'_>, path: &Path) -> Result<(), ImportError> {
    let look = || -> Result<_, DrawFault> {
        let file = TorchFile::open(path)?;
        Checkpoint::read(&file, &request.answers.facts)
    };
    look().map(drop).map_err(|fault| fault.of(path))
}

/// What the checkpoint at `path` is called by its maker, if it is a voice and has such a name; the inner error says what else it is.
pub(super) fn glance(path: &Path) -> Result<Result<Option<String>, String>, ImportError> {
    let look = || -> Result<_, DrawFault> {
        let file = TorchFile::open(path)?;
        let checkpoint = Checkpoint::read(&file, &BTreeMap::new())?;
        Ok(checkpoint.facts.name)
    };
    match look() {
        Ok(name) => Ok(Ok(name)),
        Err(DrawFault::Other(reason)) => Ok(Err(reason)),
        Err(fault) => Err(fault.of(path)),
    }
}

/// Makes a package of the checkpoint at `path`, with the index of FAISS at `index` if there is one.
pub(super) fn import(
    request: &ImportRequest<'_>,
    path: &Path,
    index: Option<&Path>,
) -> Result<Imported, ImportError> {
    let made = || -> Result<_, DrawFault> {
        let mut file = TorchFile::open(path)?;
        let checkpoint = Checkpoint::read(&file, &request.answers.facts)?;
        let architecture = Architecture::of(&checkpoint.weights, &checkpoint.declared)?;
        let facts = checkpoint.facts;
        let network = draw(&mut file, checkpoint.weights, &architecture)?;
        Ok((facts, architecture, network))
    };
    let (facts, architecture, network) = made().map_err(|fault| fault.of(path))?;
    package::write(request, (path, index), &facts, (&architecture, &network))
}

/// Draws the graph of a voice. Every weight of the checkpoint has its place in it, or the checkpoint is of another
/// architecture.
fn draw(
    file: &mut TorchFile,
    weights: Weights,
    architecture: &Architecture,
) -> Result<Network, DrawFault> {
    let mut net = Layers::new(file, weights, architecture);
    let (frames, samples) = (Length::Any("T"), Length::Any("N"));
    let one = Length::Fixed(1);
    let network = &mut net.network;
    let content = [one, frames, Length::Fixed(architecture.content)];
    let content = network.input("phone", DataType::F32, &content);
    let length = network.input("phone_lengths", DataType::I64, &[one]);
    let pitched = architecture.pitch.then(|| {
        let coarse = network.input("pitch", DataType::I64, &[one, frames]);
        (
            coarse,
            network.input("pitchf", DataType::F32, &[one, frames]),
        )
    });
    let speaker = network.input("ds", DataType::I64, &[one]);
    let prior = [one, Length::Fixed(architecture.inter), frames];
    let prior = network.input("rnd", DataType::F32, &prior);
    let noise = architecture
        .pitch
        .then(|| network.input("nsf_noise", DataType::F32, &[one, samples, one]));

    let table = [architecture.speakers, architecture.speaker];
    let table = net.weight("emb_g.weight", &table)?;
    let speaker = net.network.apply("Gather", &[&table, &speaker]);
    let speaker = net.reshaped(&speaker, &[1, -1, 1]);
    let heard = encoder::Heard {
        content: &content,
        length: &length,
        pitch: pitched.as_ref().map(|(coarse, _)| coarse),
    };
    let encoded = encoder::encode(&mut net, &heard)?;
    let network = &mut net.network;
    let deviation = network.apply("Exp", &[&encoded.log_deviation]);
    let away = network.apply("Mul", &[&deviation, &prior]);
    let sample = network.apply("Add", &[&encoded.mean, &away]);
    let sample = network.apply("Mul", &[&sample, &encoded.mask]);
    let x = flow::reverse(&mut net, &sample, &speaker, &encoded.mask)?;
    let x = net.network.apply("Mul", &[&x, &encoded.mask]);
    let pitched = pitched.as_ref().zip(noise.as_ref());
    let pitched = pitched.map(|((_, pitch), noise)| decoder::Pitched { pitch, noise });
    let audio = match (architecture.decoder, pitched.as_ref()) {
        (DecoderKind::HiFi, pitched) => decoder::decode(&mut net, &x, &speaker, pitched)?,
        (DecoderKind::Mrf, Some(pitched)) => mrf::decode(&mut net, &x, &speaker, pitched)?,
        (DecoderKind::Refine, Some(pitched)) => refine::decode(&mut net, &x, &speaker, pitched)?,
        (_, None) => {
            let reason = "has a decoder that needs the pitch, and is not told it";
            return Err(DrawFault::refused(reason.to_owned()));
        }
    };
    net.network.output(&audio, "audio", &[one, one, samples]);
    match net.weights.left_over() {
        None => Ok(net.network),
        Some(left) => Err(DrawFault::refused(format!(
            "has the weight {left:?}, which RVC's architecture has not; it comes from another program or a fork"
        ))),
    }
}
