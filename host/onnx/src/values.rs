use super::{Element, Initializer, Node};

impl<'a> Node<'a> {
    /// The value of a `Constant` node.
    #[must_use]
    pub fn constant(&self) -> Option<&Initializer<'a>> {
        let value = self.attribute("value");
        let value = value.filter(|_| self.is_standard("Constant"));
        value?.tensors.first()
    }
}

impl Initializer<'_> {
    /// The values of a weight or a constant of whole numbers.
    #[must_use]
    pub fn whole_numbers(&self) -> Option<Vec<i64>> {
        let values = self.raw.filter(|_| self.element == Element::I64)?;
        let (numbers, rest) = values.as_chunks::<8>();
        let numbers = numbers.iter().map(|number| i64::from_le_bytes(*number));
        rest.is_empty().then(|| numbers.collect())
    }
}
