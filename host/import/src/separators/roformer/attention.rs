//! Attention that encodes positions by rotating its queries and keys ("`RoFormer`: Enhanced Transformer with Rotary Position
//! Embedding", Su and others 2021), with a gate for each head.

use crate::drawing::{Attribute, DataType, DrawFault, Edge};
use crate::torch::Values;

use super::network::{Roformer, normalised};

/// The angle per place gets smaller from pair to pair of channels, by this factor in all.
const SLOWEST: f64 = 10_000.0;

/// Cosines and sines of the angles that pairs of channels are turned by, `[length, head / 2]` each.
#[derive(Debug, Clone)]
struct Turn {
    cosines: Edge,
    sines: Edge,
}

/// How queries are turned, which are scaled as well, and how keys are.
#[derive(Debug, Clone)]
struct Rotation {
    queries: Turn,
    keys: Turn,
}

/// The rotations that there are so far: layers of an axis have the same.
#[derive(Debug, Default)]
pub(super) struct Rotations(Vec<(u64, Vec<f32>, Rotation)>);

impl Rotations {
    /// The rotation of the attention at `prefix` along `length` places.
    fn of(
        &mut self,
        net: &mut Roformer<'_>,
        prefix: &str,
        length: u64,
    ) -> Result<Rotation, DrawFault> {
        let half = net.architecture.sizes.head / 2;
        let key = format!("{prefix}.rotary_embed.freqs");
        let speeds = if net.weights.find(&key).is_some() {
            net.values(&key, &[half])?.singles()
        } else {
            let pairs = (0..half).map(|pair| pair as f64 / half as f64);
            pairs.map(|part| SLOWEST.powf(-part) as f32).collect()
        };
        let known = self
            .0
            .iter()
            .find(|(places, found, _)| *places == length && *found == speeds);
        if let Some((_, _, rotation)) = known {
            return Ok(rotation.clone());
        }
        let scale = 1.0 / (net.architecture.sizes.head as f64).sqrt();
        let number = self.0.len();
        let mut turn = |which: &str, scale: f64| {
            let mut table = |name: &str, function: fn(f64) -> f64| {
                let angles = (0..length)
                    .flat_map(|place| speeds.iter().map(move |speed| place as f32 * speed));
                let values = angles.map(|angle| (function(f64::from(angle)) * scale) as f32);
                let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
                let name = format!("rotation.{number}.{which}.{name}");
                net.network
                    .initializer(&name, DataType::F32, &[length, half], &bytes)
            };
            Turn {
                cosines: table("cosines", f64::cos),
                sines: table("sines", f64::sin),
            }
        };
        let rotation = Rotation {
            queries: turn("queries", scale),
            keys: turn("keys", 1.0),
        };
        self.0.push((length, speeds, rotation.clone()));
        Ok(rotation)
    }
}

/// Attention along the axis before the last, `[…, length, dim]`.
pub(super) fn attention(
    net: &mut Roformer<'_>,
    prefix: &str,
    x: &Edge,
    length: u64,
    rotations: &mut Rotations,
) -> Result<Edge, DrawFault> {
    let sizes = &net.architecture.sizes;
    let (dim, heads, head) = (sizes.dim, sizes.heads, sizes.head);
    let inner = heads * head;
    let rotation = rotations.of(net, prefix, length)?;
    let x = normalised(net, &format!("{prefix}.norm"), x, dim)?;
    let key = format!("{prefix}.to_qkv.weight");
    let weight = net.values(&key, &[3 * inner, dim])?;
    let mut parts = [("queries", 0), ("keys", 1), ("values", 2)].map(|(name, part)| {
        let first = part * inner;
        // Pairs that are turned are neighbours there. Here they are halves of a head, in queries and keys alike.
        let weight = if part < 2 {
            in_halves(&weight, (first, heads, head), dim)
        } else {
            rows(&weight, first..first + inner, dim)
        };
        let factor = net.turned(&format!("{key}.{name}"), &weight, dim, 0..inner);
        let part = net.network.apply("MatMul", &[&x, &factor]);
        let part = net.reshaped(&part, &[0, 0, heads as i64, head as i64]);
        net.transposed(&part, &[0, 2, 1, 3])
    });
    parts[0] = turned(net, &parts[0], &rotation.queries);
    parts[1] = turned(net, &parts[1], &rotation.keys);
    let [queries, keys, values] = &parts;
    let equation = [("equation", Attribute::Text("bhid,bhjd->bhij"))];
    let scores = net
        .network
        .apply_with("Einsum", &[queries, keys], &equation);
    let shares = net.network.softmax(&scores);
    let heard = net.network.apply("MatMul", &[&shares, values]);
    let heard = net.transposed(&heard, &[0, 2, 1, 3]);
    let gates = net.connected(&format!("{prefix}.to_gates"), &x, (dim, heads))?;
    let gates = net.network.apply("Sigmoid", &[&gates]);
    let gates = net.reshaped(&gates, &[0, 0, heads as i64, 1]);
    let heard = net.network.apply("Mul", &[&heard, &gates]);
    let heard = net.reshaped(&heard, &[0, 0, inner as i64]);
    let factor = net.factor(&format!("{prefix}.to_out.0.weight"), (inner, dim))?;
    Ok(net.network.apply("MatMul", &[&heard, &factor]))
}

/// Vectors whose halves are turned against each other by the angle of their place.
fn turned(net: &mut Roformer<'_>, x: &Edge, turn: &Turn) -> Edge {
    let half = net.architecture.sizes.head / 2;
    let (first, second) = net.network.halves(x, 3, half);
    let mut product = |a: &Edge, b: &Edge| net.network.apply("Mul", &[a, b]);
    let (kept, crossed) = (
        product(&first, &turn.cosines),
        product(&second, &turn.sines),
    );
    let (raised, added) = (
        product(&second, &turn.cosines),
        product(&first, &turn.sines),
    );
    let first = net.network.apply("Sub", &[&kept, &crossed]);
    let second = net.network.apply("Add", &[&raised, &added]);
    let axis = [("axis", Attribute::Int(3))];
    net.network.apply_with("Concat", &[&first, &second], &axis)
}

/// The rows of all heads from `first` on, in each head first those with even numbers, then the others.
fn in_halves(weight: &Values, (first, heads, head): (u64, u64, u64), width: u64) -> Values {
    let order = (0..heads).flat_map(|number| {
        let begin = first + number * head;
        let even = (0..head).step_by(2);
        even.clone()
            .chain(even.map(|row| row + 1))
            .map(move |row| begin + row)
    });
    rows(weight, order, width)
}

/// Some rows of a matrix.
fn rows(weight: &Values, order: impl IntoIterator<Item = u64>, width: u64) -> Values {
    let pick = |bytes: &[u8], each: u64| {
        let row_bytes = (width * each) as usize;
        let mut picked = Vec::new();
        for row in order {
            let start = row as usize * row_bytes;
            picked.extend_from_slice(&bytes[start..start + row_bytes]);
        }
        picked
    };
    match weight {
        Values::F16(bytes) => Values::F16(pick(bytes, 2)),
        Values::F32(bytes) => Values::F32(pick(bytes, 4)),
    }
}
