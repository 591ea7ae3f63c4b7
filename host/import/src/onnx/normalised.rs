use super::gates::cut;
use vocalhost_onnx::{Element, Initializer, Node, Nodes, Ties, whole_attribute, wholes_attribute};

/// The least ratio of output channels to input channels at which it pays to work the weights out for each item.
const LEAST_WIDENING: u64 = 2;

/// A convolution of single frames, `[N, in, T]` to `[N, out, T]`, all of whose values are normalised together, item by item
/// (`GroupNorm(1, out)` of `PyTorch`, as its exporter writes it).
pub(super) struct Normalised<'f, 'a> {
    /// Convolution, shaping, normalisation, shaping, gains, offsets, and what asks for the convolution's shape.
    pub(super) places: Vec<usize>,
    input: &'a str,
    weights: &'f Initializer<'a>,
    bias: &'a str,
    gains: &'a str,
    offsets: &'a str,
    epsilon: f32,
}

impl<'f, 'a> Normalised<'f, 'a> {
    /// What makes `channels`, if it is such a one.
    pub(super) fn making(ties: &Ties<'f, 'a>, channels: &'a str) -> Option<Self> {
        let add = ties.own_maker(channels, "Add")?;
        let (scaled, offsets) = with_weight(ties, ties.node(add))?;
        let multiply = ties.own_maker(scaled, "Mul")?;
        let (shaped, gains) = with_weight(ties, ties.node(multiply))?;
        let back = ties.own_maker(shaped, "Reshape")?;
        let normalised = *ties.node(back).inputs.first()?;
        let normalise = ties.own_maker(normalised, "InstanceNormalization")?;
        let node = ties.node(normalise);
        let [row, ones, zeros] = node.inputs[..] else {
            return None;
        };
        let is_plain = is_one(ties, ones, 1.0) && is_one(ties, zeros, 0.0);
        let shape = ties.own_maker(row, "Reshape").filter(|_| is_plain)?;
        let [convolved, lengths] = ties.node(shape).inputs[..] else {
            return None;
        };
        // An item stays an item, and all of its values become one channel.
        let allows_zero = ties.node(shape).attribute("allowzero");
        let keeps_zeros = allows_zero.is_some_and(|allows| allows.int != Some(0));
        if keeps_zeros || ties.whole_numbers(lengths)? != [0, 1, -1] {
            return None;
        }
        let convolve = ties.maker(convolved)?;
        let (taker, asked) = ties.taker_beside_shape(convolved)?;
        if taker != shape || !ties.node(convolve).is_standard("Conv") {
            return None;
        }
        let [input, weights, bias] = ties.node(convolve).inputs[..] else {
            return None;
        };
        let weights = ties.weight(weights)?;
        let [out, taken, 1] = weights.dims[..] else {
            return None;
        };
        // Exporters restore items, channels and frames as they were, by asking for them or in numbers.
        let restored = *ties.node(back).inputs.get(1)?;
        let is_restored = match asked {
            Some(asked) => restored == asked && ties.only_taker(asked) == Some(back),
            None => matches!(
                ties.whole_numbers(restored)?[..],
                [first, channels, _] if first >= 0 && channels == out as i64
            ),
        };
        let is_wide = out % 2 == 0 && taken > 0 && out >= LEAST_WIDENING * taken;
        let is_along = |name: &str| is_along_channels(ties, name, out);
        let fits = is_wide && is_restored && is_along(gains) && is_along(offsets);
        let is_biased = !bias.is_empty();
        let is_pointwise = is_pointwise(ties.node(convolve));
        let asking = asked.and_then(|asked| ties.maker(asked));
        let places = [convolve, shape, normalise, back, multiply, add];
        (fits && is_biased && is_pointwise && weights.element == Element::F32).then_some(Self {
            places: places.into_iter().chain(asking).collect(),
            input,
            weights,
            bias,
            gains,
            offsets,
            // The default of the operator.
            epsilon: node
                .attribute("epsilon")
                .map_or(Some(1e-5), |epsilon| epsilon.float)?,
        })
    }

    fn channels(&self) -> [u64; 2] {
        [self.weights.dims[0], self.weights.dims[1]]
    }

    /// The only node that takes what the node at `place` makes, if it is a product with a number for each channel of a half; and
    /// these.
    pub(super) fn scale_after(
        &self,
        ties: &Ties<'f, 'a>,
        place: usize,
    ) -> Option<(usize, &'a str)> {
        let after = ties.only_taker(ties.node(place).outputs[0])?;
        let node = ties.node(after);
        let (_, scale) = node.is_standard("Mul").then(|| with_weight(ties, node))??;
        is_along_channels(ties, scale, self.channels()[0] / 2).then_some((after, scale))
    }

    /// The first half of the channels, times `scale`, and the second.
    ///
    /// With `u` the input, `W u + b` the convolution and a bar for means over the frames of an item, the mean of all values is that of
    /// `W ū + b` over the channels. Their variance is that of `W ū + b` plus the mean of the diagonal of `W C Wᵀ`, `C` being
    /// the covariance of `u`: as few channels go in, it is found without looking at what comes out. So the weights are divided
    /// by the deviation and what is normalised is made at once.
    pub(super) fn halves(&self, new: &mut Nodes<'_>, scale: Option<&str>) -> [String; 2] {
        let [out, taken] = self.channels();
        let (rows, half) = (out as i64, out as i64 / 2);
        let column = new.wholes(&[rows, 1]);
        let both = new.wholes(&[rows, taken as i64]);
        let [bias, gains, offsets] = [
            ("bias", self.bias),
            ("gains", self.gains),
            ("offsets", self.offsets),
        ]
        .map(|(name, tensor)| new.put("Reshape", &[tensor, &column], name));
        let weights = new.put("Reshape", &[self.weights.name, &both], "weights");
        let mean = new.filled(&[1, out], 1.0 / out as f32);
        let means = new.put("GlobalAveragePool", &[self.input], "means");
        let around = new.put("Sub", &[self.input, &means], "around");
        let level = level(new, (&weights, &bias), (&mean, &means));
        let deviation = self.deviation(new, &weights, (&mean, &level, &around));
        let louder = new.put("Mul", &[&gains, &weights], "louder");
        let sized = new.put("Div", &[&louder, &deviation], "sized");
        let level = new.put("Div", &[&level, &deviation], "level-sized");
        let level = new.put("Mul", &[&level, &gains], "level-louder");
        let level = new.put("Add", &[&level, &offsets], "level-moved");
        // A last channel of ones takes what is added along.
        let joined = [whole_attribute("axis", 2)];
        let factors = new.put_with("Concat", &[&sized, &level], "factors", &joined);
        let ends = new.wholes(&[0, 0, 0, 0, 1, 0]);
        let one = new.filled(&[], 1.0);
        let padded = new.put("Pad", &[&around, &ends, &one], "padded");
        let mut first = cut(new, &factors, (0, half), (1, "first-factors"));
        if let Some(scale) = scale {
            let column = new.wholes(&[half, 1]);
            let scale = new.put("Reshape", &[scale, &column], "scale");
            first = new.put("Mul", &[&first, &scale], "first-scaled");
        }
        let second = cut(new, &factors, (half, rows), (1, "second-factors"));
        [("first", first), ("second", second)]
            .map(|(name, factors)| new.put("MatMul", &[&factors, &padded], name))
    }

    /// The deviation of all values of an item: `[N, 1, 1]`.
    fn deviation(
        &self,
        new: &mut Nodes<'_>,
        weights: &str,
        (mean, level, around): (&str, &str, &str),
    ) -> String {
        let [out, taken] = self.channels();
        let squares = new.put("Mul", &[level, level], "level-squares");
        let of_level = new.put("MatMul", &[mean, &squares], "level-variance");
        // What many channels have in common may be cancelled by the weights: the rest would be lost in single precision.
        let around = new.cast(around, Element::F64, "around-double");
        let weights = new.cast(weights, Element::F64, "weights-double");
        let turned = [wholes_attribute("perm", &[0, 2, 1])];
        let beside = new.put_with("Transpose", &[&around], "around-turned", &turned);
        let products = new.put("MatMul", &[&around, &beside], "products");
        let shape = new.put("Shape", &[self.input], "shape");
        let last = new.wholes(&[2]);
        let frames = new.put("Gather", &[&shape, &last], "frames");
        let frames = new.cast(&frames, Element::F64, "frames-double");
        let covariance = new.put("Div", &[&products, &frames], "covariance");
        // The diagonal of W C Wᵀ adds up to what C and Wᵀ W add up to, multiplied value by value.
        let turned = [wholes_attribute("perm", &[1, 0])];
        let columns = new.put_with("Transpose", &[&weights], "weights-turned", &turned);
        let gram = new.put("MatMul", &[&columns, &weights], "gram");
        let heard = new.put("Mul", &[&covariance, &gram], "heard");
        let row = new.filled(&[1, taken], 1.0);
        let row = new.cast(&row, Element::F64, "row");
        let share = new.filled(&[taken, 1], 1.0 / out as f32);
        let share = new.cast(&share, Element::F64, "share");
        let sums = new.put("MatMul", &[&row, &heard], "heard-sums");
        let of_input = new.put("MatMul", &[&sums, &share], "input-variance");
        let of_input = new.cast(&of_input, Element::F32, "input-variance-single");
        let zero = new.filled(&[], 0.0);
        let of_input = new.put("Max", &[&of_input, &zero], "input-variance-positive");
        let variance = new.put("Add", &[&of_level, &of_input], "variance");
        let epsilon = new.filled(&[], self.epsilon);
        let variance = new.put("Add", &[&variance, &epsilon], "variance-above-zero");
        new.put("Sqrt", &[&variance], "deviation")
    }
}

/// `W ū + b` less its mean over the channels: `[N, out, 1]`.
fn level(
    new: &mut Nodes<'_>,
    (weights, bias): (&str, &str),
    (mean, means): (&str, &str),
) -> String {
    let [weights, bias] = [("weights", weights), ("bias", bias)].map(|(name, of)| {
        let average = new.put("MatMul", &[mean, of], &format!("{name}-average"));
        new.put("Sub", &[of, &average], &format!("{name}-around"))
    });
    let level = new.put("MatMul", &[&weights, means], "level-of-input");
    new.put("Add", &[&level, &bias], "level")
}

/// The inputs of a sum or product: what is no weight, and the weight.
fn with_weight<'a>(ties: &Ties<'_, 'a>, node: &Node<'a>) -> Option<(&'a str, &'a str)> {
    let [first, second] = node.inputs[..] else {
        return None;
    };
    match (ties.weight(first), ties.weight(second)) {
        (None, Some(_)) => Some((first, second)),
        (Some(_), None) => Some((second, first)),
        _ => None,
    }
}

/// Whether a weight has a number for each of `count` channels, along the axis before the last.
fn is_along_channels(ties: &Ties<'_, '_>, name: &str, count: u64) -> bool {
    ties.weight(name).is_some_and(|weight| {
        let fits = matches!(weight.dims[..], [channels, 1] | [1, channels, 1] if channels == count);
        fits && weight.element == Element::F32
    })
}

/// Whether a weight is this number, alone.
fn is_one(ties: &Ties<'_, '_>, name: &str, value: f32) -> bool {
    ties.weight(name).is_some_and(|weight| {
        weight.dims == [1]
            && weight.element == Element::F32
            && weight.raw == Some(&value.to_le_bytes()[..])
    })
}

/// Whether a convolution gives for each frame what it makes of this frame alone.
fn is_pointwise(node: &Node<'_>) -> bool {
    let all = |name: &str, value: i64| {
        let attribute = node.attribute(name);
        attribute.is_none_or(|attribute| attribute.ints.iter().all(|one| *one == value))
    };
    let groups = node.attribute("group").and_then(|groups| groups.int);
    all("strides", 1) && all("pads", 0) && groups.is_none_or(|groups| groups == 1)
}
