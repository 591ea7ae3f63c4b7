use super::super::vector::Instructions;

/// A filter that runs along a line, laid out in the order in which products read it.
pub(super) struct Filter {
    pub(super) instructions: Instructions,
    pub(super) inputs: usize,
    /// Channels of the result: half of the outputs if the second half are gates.
    pub(super) results: usize,
    /// The distance from a sample to the one under each tap.
    pub(super) distances: Vec<isize>,
    pub(super) is_gated: bool,
    /// Block by line by row of the block. A row is an output; in the second half of a gated block, it is the gate of the output in the
    /// first. A line is an input under a tap, tap by tap, or the bias. The last block is filled up with zeros.
    pub(super) values: Vec<f32>,
}

/// A filter as its graph describes it.
pub(super) struct Weights<'a> {
    pub(super) outputs: usize,
    pub(super) inputs: usize,
    pub(super) taps: usize,
    pub(super) dilation: usize,
    pub(super) is_gated: bool,
    /// Output by input by tap.
    pub(super) values: &'a [f32],
    pub(super) bias: Option<&'a [f32]>,
}

impl Filter {
    /// Lays out a filter.
    ///
    /// When the lengths do not match.
    /// When the lengths do not agree with each other.
    pub(super) fn new(instructions: Instructions, weights: &Weights<'_>) -> Self {
        let (inputs, taps) = (weights.inputs, weights.taps);
        assert_eq!(
            weights.values.len(),
            weights.outputs * inputs * taps,
            "a filter has its values"
        );
        let reach = (taps / 2) as isize;
        let distances = (0..taps as isize).map(|tap| (tap - reach) * weights.dilation as isize);
        let kinds = if weights.is_gated { 2 } else { 1 };
        let mut filter = Self {
            instructions,
            inputs,
            results: weights.outputs / kinds,
            distances: distances.collect(),
            is_gated: weights.is_gated,
            values: Vec::new(),
        };
        let (block, lines) = (instructions.outputs(), filter.lines());
        let blocks = filter.results.div_ceil(filter.results_of(block));
        filter.values = vec![0.0; blocks * lines * block];
        for output in 0..filter.results * kinds {
            let (result, kind) = (output % filter.results, output / filter.results);
            let in_block = filter.results_of(block);
            let row = kind * in_block + result % in_block;
            let mut put = |line: usize, value: f32| {
                filter.values[(result / in_block * lines + line) * block + row] = value;
            };
            for input in 0..inputs {
                let own = &weights.values[(output * inputs + input) * taps..][..taps];
                for (tap, value) in own.iter().enumerate() {
                    put(tap * inputs + input, *value);
                }
            }
            put(inputs * taps, weights.bias.map_or(0.0, |bias| bias[output]));
        }
        filter
    }

    /// Lines of a block.
    pub(super) fn lines(&self) -> usize {
        self.inputs * self.distances.len() + 1
    }

    /// Results of a block of so many rows.
    pub(super) fn results_of(&self, rows: usize) -> usize {
        if self.is_gated { rows / 2 } else { rows }
    }
}
