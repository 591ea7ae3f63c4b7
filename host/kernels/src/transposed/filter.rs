use super::super::vector::Instructions;

/// The filter of a transposed convolution, laid out in the order in which products read it.
pub(super) struct Filter {
    pub(super) instructions: Instructions,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Results between one input and the next, half of the filter's length.
    pub(super) stride: usize,
    /// Block by line by row of the block. A row is one of an output's results between two inputs. A line is one of the inputs or the bias;
    /// first come all inputs for the later half of the filter, which applies to the previous input. The last block is filled up with zeros.
    pub(super) values: Vec<f32>,
}

impl Filter {
    /// Lays out a filter whose values are input by output by tap.
    ///
    /// # Panics
    /// When the lengths do not match.
    pub(super) fn new(
        instructions: Instructions,
        [inputs, outputs, stride]: [usize; 3],
        values: &[f32],
        bias: Option<&[f32]>,
    ) -> Self {
        let taps = 2 * stride;
        assert_eq!(
            values.len(),
            inputs * outputs * taps,
            "a filter has its values"
        );
        let mut filter = Self {
            instructions,
            inputs,
            outputs,
            stride,
            values: Vec::new(),
        };
        let (block, lines) = (instructions.outputs(), filter.lines());
        filter.values = vec![0.0; filter.rows().div_ceil(block) * lines * block];
        for row in 0..filter.rows() {
            let (output, result) = (row / stride, row % stride);
            let mut put = |line: usize, value: f32| {
                filter.values[(row / block * lines + line) * block + row % block] = value;
            };
            for input in 0..inputs {
                let filter = &values[(input * outputs + output) * taps..][..taps];
                put(input, filter[stride + result]);
                put(inputs + input, filter[result]);
            }
            put(2 * inputs, bias.map_or(0.0, |bias| bias[output]));
        }
        filter
    }

    /// Rows: the results of all outputs between two inputs.
    pub(super) fn rows(&self) -> usize {
        self.outputs * self.stride
    }

    /// Lines of a block.
    pub(super) fn lines(&self) -> usize {
        2 * self.inputs + 1
    }
}
