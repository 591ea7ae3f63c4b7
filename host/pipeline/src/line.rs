use vocalhost_audio::{Block, Stage, StageError};

/// Stages in the order in which sound runs through them.
#[derive(Default)]
pub struct Line {
    stages: Vec<Box<dyn Stage>>,
}

impl Line {
    /// Appends a stage.
    pub fn push(&mut self, stage: impl Stage + 'static) {
        self.stages.push(Box::new(stage));
    }

    /// Sends a block through all stages and gives what comes out to `sink`.
    pub fn process<E: From<StageError>>(
        &mut self,
        block: Block,
        sink: &mut dyn FnMut(Block) -> Result<(), E>,
    ) -> Result<(), E> {
        self.process_from(0, block, sink)
    }

    /// Flushes the stages, first to last, each through those after it.
    pub fn finish<E: From<StageError>>(
        &mut self,
        sink: &mut dyn FnMut(Block) -> Result<(), E>,
    ) -> Result<(), E> {
        for index in 0..self.stages.len() {
            let rest = self.stages[index].flush()?;
            self.process_from(index + 1, rest, sink)?;
        }
        Ok(())
    }

    fn process_from<E: From<StageError>>(
        &mut self,
        first: usize,
        mut block: Block,
        sink: &mut dyn FnMut(Block) -> Result<(), E>,
    ) -> Result<(), E> {
        for stage in &mut self.stages[first..] {
            if block.is_empty() {
                return Ok(());
            }
            block = stage.process(block)?;
        }
        if block.is_empty() {
            Ok(())
        } else {
            sink(block)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds everything back by one block.
    #[derive(Default)]
    struct Late(Option<Block>);

    impl Stage for Late {
        fn process(&mut self, block: Block) -> Result<Block, StageError> {
            Ok(self.0.replace(block).unwrap_or_default())
        }

        fn flush(&mut self) -> Result<Block, StageError> {
            Ok(self.0.take().unwrap_or_default())
        }
    }

    #[test]
    fn what_two_late_stages_hold_back_comes_out_once_and_in_order() {
        let mut line = Line::default();
        line.push(Late::default());
        line.push(Late::default());
        let mut out = Vec::new();
        let mut sink = |block: Block| -> Result<(), StageError> {
            out.extend_from_slice(block.as_planar());
            Ok(())
        };
        for value in 0..5u8 {
            let block = Block::from_planar(1, vec![f32::from(value)]);
            line.process(block, &mut sink).expect("processes");
        }
        line.finish(&mut sink).expect("finishes");
        assert_eq!(out, [0.0, 1.0, 2.0, 3.0, 4.0]);
    }
}
