//! Whether a content encoder is a re-export of an installed one: by another program, with other names, as half floats.

use std::collections::BTreeMap;

use super::blend::weights_digest;
use super::manifest::{Direction, FileRole, Kind, Manifest, TensorRole};
use super::sections::Content;
use super::session::{Input, Session, Values};
use super::{Catalog, ModelError, Package, Runtime};

/// Samples of the test sound: 50 vectors of an encoder whose windows lie inside, and a quarter of a window.
const SAMPLES: usize = 16_080;
/// The largest relative difference of two encoders' vectors that still counts as equal: half floats cause thousandths, other weights more
/// than 1.
const MOST_APART: f64 = 0.1;
/// Layers that voices of RVC ask for, tried on encoders that take the number of the layer.
const TOLD_LAYERS: [u32; 2] = [9, 12];

/// An installed content encoder that is the same network.
#[derive(Debug, Clone, Copy)]
pub struct Twin<'c> {
    /// Its package.
    pub package: &'c Package,
    /// Whether its weights are the same to the bit; otherwise only its vectors of a test sound agree.
    pub same_weights: bool,
}

/// The first content encoder of a catalogue that is the same network as a new one: one with the same weights or, where the weights were
/// changed by the export, one that gives the same vectors for the same sound. Encoders that cannot be read or run are skipped.
///
/// # Errors
/// When the new one does not run.
pub fn twin<'c>(
    runtime: &Runtime,
    new: &Package,
    models: &'c Catalog,
) -> Result<Option<Twin<'c>>, ModelError> {
    let others = models.packages().iter().filter(|package| {
        let manifest = package.manifest();
        manifest.kind == Kind::Content && manifest.id != new.manifest().id
    });
    let others: Vec<&Package> = others.collect();
    if others.is_empty() {
        return Ok(None);
    }
    if let Some(weights) = weights(new)? {
        let same = |other: &&&Package| weights_of(other) == Some(weights.clone());
        if let Some(package) = others.iter().find(same) {
            return Ok(Some(Twin {
                package,
                same_weights: true,
            }));
        }
    }
    let given = vectors(runtime, new)?;
    let same = |other: &&&Package| {
        let common = comparable(new.manifest(), other.manifest());
        common && vectors(runtime, other).is_ok_and(|others| alike(&given, &others))
    };
    Ok(others.iter().find(same).map(|package| Twin {
        package,
        same_weights: false,
    }))
}

/// A digest of all weights of an encoder, whatever their names; `None` where they cannot be read.
fn weights(package: &Package) -> Result<Option<Vec<u8>>, ModelError> {
    let (_, file) = package.read(FileRole::Graph)?;
    Ok(weights_digest(&file))
}

fn weights_of(package: &Package) -> Option<Vec<u8>> {
    weights(package).ok().flatten()
}

/// Whether both take sound unchanged and frame it in the same way.
fn comparable(one: &Manifest, other: &Manifest) -> bool {
    let plain = |manifest: &Manifest| {
        let content = manifest.content.as_ref();
        let framing = content.map(|content| content.framing);
        framing.filter(|_| manifest.normalize.is_none())
    };
    plain(one).is_some_and(|framing| plain(other) == Some(framing))
}

/// An encoder's vectors for the sound, by layer and channels: the differences from the mean vector, frame after frame.
type Vectors = BTreeMap<(u32, u32), Vec<f64>>;

fn vectors(runtime: &Runtime, package: &Package) -> Result<Vectors, ModelError> {
    let session = Session::load(runtime, package, 1)?;
    let manifest = package.manifest();
    let mut found = Vectors::new();
    let Some(content) = &manifest.content else {
        return Ok(found);
    };
    let told: &[u32] = if session.takes(TensorRole::Layer) {
        &TOLD_LAYERS
    } else {
        &[0]
    };
    for told in told {
        session.run_with(heard(manifest, *told), |views| {
            for (place, (layer, dim)) in outputs(manifest, content, *told).into_iter().enumerate() {
                let (Some(view), Some(layer)) = (views.get(place), layer) else {
                    continue;
                };
                let channels_last = view.shape.last() == Some(&(dim as usize));
                found.insert(
                    (layer, dim),
                    centred(view.values, dim as usize, channels_last),
                );
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Layer and channels of each output of the graph, in the manifest's order; no layer where it is not known.
fn outputs(manifest: &Manifest, content: &Content, told: u32) -> Vec<(Option<u32>, u32)> {
    let tensors = manifest.tensors.iter();
    let tensors = tensors.filter(|tensor| tensor.io == Direction::Out);
    let of = |name: &str| {
        let mut named = content
            .outputs
            .iter()
            .filter(|output| output.tensor == name);
        match named.next() {
            Some(output) => (
                output.layer.or(Some(told).filter(|told| *told > 0)),
                output.dim,
            ),
            None => (content.layer, content.dim),
        }
    };
    tensors.map(|tensor| of(&tensor.name)).collect()
}

/// A second of sound that excites every layer: a gliding voice, and hiss.
fn heard(manifest: &Manifest, layer: u32) -> Vec<Input> {
    let rank = |role| {
        let tensor = manifest.tensor(Direction::In, role);
        tensor.map_or(0, |tensor| tensor.shape.len())
    };
    let mut phase = 0.0_f64;
    let sound = (0..SAMPLES).map(|place| {
        let time = place as f64 / 16_000.0;
        phase += (140.0 + 90.0 * (5.0 * time).sin()) / 16_000.0;
        let voice: f64 = (1..12)
            .map(|partial| {
                (std::f64::consts::TAU * phase * f64::from(partial)).sin() / f64::from(partial)
            })
            .sum();
        // Any numbers without a pattern will do, as long as they are always the same.
        let hiss = (place as f64 * 12.9898).sin() * 43_758.545_3;
        (0.1 * voice * (3.0 * time).cos() + 0.05 * (hiss - hiss.floor() - 0.5)) as f32
    });
    let shape = |rank: usize| [vec![1; rank.saturating_sub(1)], vec![SAMPLES]].concat();
    vec![
        Input {
            role: TensorRole::SourceWave,
            shape: shape(rank(TensorRole::SourceWave)),
            values: Values::F32(sound.collect()),
        },
        Input {
            role: TensorRole::Mask,
            shape: vec![1, SAMPLES],
            values: Values::I64(vec![1; SAMPLES]),
        },
        Input {
            role: TensorRole::Layer,
            shape: vec![1; rank(TensorRole::Layer)],
            values: Values::I64(vec![layer.into()]),
        },
    ]
}

/// The vectors, frame after frame, less each channel's mean.
fn centred(values: &[f32], dim: usize, channels_last: bool) -> Vec<f64> {
    let frames = values.len() / dim.max(1);
    let at = |frame: usize, channel: usize| {
        let place = if channels_last {
            frame * dim + channel
        } else {
            channel * frames + frame
        };
        f64::from(values[place])
    };
    let mean = |channel: usize| {
        let sum: f64 = (0..frames).map(|frame| at(frame, channel)).sum();
        sum / frames.max(1) as f64
    };
    let means: Vec<f64> = (0..dim).map(mean).collect();
    (0..frames)
        .flat_map(|frame| (0..dim).map(move |channel| (frame, channel)))
        .map(|(frame, channel)| at(frame, channel) - means[channel])
        .collect()
}

/// Whether two encoders agree in every layer that both give, and have at least one in common.
fn alike(one: &Vectors, other: &Vectors) -> bool {
    let common = one.iter().filter_map(|(key, a)| Some((a, other.get(key)?)));
    let mut common = common.peekable();
    common.peek().is_some() && common.all(|(a, b)| apart(a, b) <= MOST_APART)
}

/// The square root of the energy of the difference over that of the whole.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let energy =
        |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
    let difference = energy(&mut a.iter().zip(b).map(|(a, b)| a - b));
    let whole = energy(&mut a.iter().copied()).min(energy(&mut b.iter().copied()));
    // A constant does not tell encoders apart.
    if whole > 0.0 {
        (difference / whole).sqrt()
    } else {
        f64::INFINITY
    }
}
