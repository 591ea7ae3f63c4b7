//! Writing a [`Descriptor`] in a few lines.

use crate::{
    Choice, ChoiceOption, Descriptor, Kind, Layout, Number, Parameter, Preset, Scale, Setting,
    Value,
};

impl Descriptor {
    /// An effect without parameters that runs with any number of channels.
    #[must_use]
    pub fn new(id: &str, name: &str, version: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            vendor: String::new(),
            summary: String::new(),
            tags: Vec::new(),
            layouts: Vec::new(),
            parameters: Vec::new(),
            presets: Vec::new(),
        }
    }

    /// Who made it.
    #[must_use]
    pub fn vendor(mut self, vendor: &str) -> Self {
        vendor.clone_into(&mut self.vendor);
        self
    }

    /// One sentence: what it does to the sound.
    #[must_use]
    pub fn summary(mut self, summary: &str) -> Self {
        summary.clone_into(&mut self.summary);
        self
    }

    /// Adds a search word.
    #[must_use]
    pub fn tag(mut self, tag: &str) -> Self {
        self.tags.push(tag.to_owned());
        self
    }

    /// Adds a channel layout; the first one added is the preferred one.
    #[must_use]
    pub fn layout(mut self, inputs: u32, outputs: u32) -> Self {
        self.layouts.push(Layout { inputs, outputs });
        self
    }

    /// Adds a parameter.
    #[must_use]
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Adds a preset: the parameters that differ from their default, each by its id.
    ///
    /// Values of one type are written as they are; where numbers, toggles and choices
    /// mix, each becomes a [`Value`]:
    ///
    /// ```
    /// use vocalhost_effect::{Descriptor, Value};
    ///
    /// let descriptor = Descriptor::new("com.example.pulse", "Pulse", "1.0.0")
    ///     .preset("slow", "Slow", &[("rate_hz", 0.5), ("depth", 0.3)])
    ///     .preset(
    ///         "chopped",
    ///         "Chopped",
    ///         &[("shape", Value::from("square")), ("rate_hz", 8.0.into())],
    ///     );
    /// assert_eq!(descriptor.presets.len(), 2);
    /// ```
    #[must_use]
    pub fn preset<V>(mut self, id: &str, name: &str, settings: &[(&str, V)]) -> Self
    where
        V: Into<Value> + Clone,
    {
        self.presets.push(Preset {
            id: id.to_owned(),
            name: name.to_owned(),
            settings: settings
                .iter()
                .map(|(id, value)| Setting::new(id, value.clone()))
                .collect(),
        });
        self
    }

    /// Whether the effect runs with `layout`.
    #[must_use]
    pub fn supports(&self, layout: Layout) -> bool {
        let same = |own: &Layout| own.inputs == layout.inputs && own.outputs == layout.outputs;
        layout.inputs > 0
            && if self.layouts.is_empty() {
                layout.inputs == layout.outputs
            } else {
                self.layouts.iter().any(same)
            }
    }
}

impl Parameter {
    /// A number.
    #[must_use]
    pub fn number(id: &str, name: &str, number: Number) -> Self {
        Self::of_kind(id, name, Kind::Number(number))
    }

    /// An on/off switch.
    #[must_use]
    pub fn toggle(id: &str, name: &str, default: bool) -> Self {
        Self::of_kind(id, name, Kind::Toggle(default))
    }

    /// One of several options, each given as (id, name); the first is the default
    /// unless [`default_option`](Self::default_option) says otherwise.
    ///
    /// # Panics
    /// Without any option.
    #[must_use]
    pub fn choice(id: &str, name: &str, options: &[(&str, &str)]) -> Self {
        let default = options.first().expect("a choice has options").0.to_owned();
        let options = options
            .iter()
            .map(|&(id, name)| ChoiceOption {
                id: id.to_owned(),
                name: name.to_owned(),
            })
            .collect();
        Self::of_kind(id, name, Kind::Choice(Choice { options, default }))
    }

    /// Sets the default option of a choice.
    ///
    /// # Panics
    /// When the parameter is no choice, or has no option of that id: a mistake in the
    /// effect.
    #[must_use]
    pub fn default_option(mut self, id: &str) -> Self {
        let Kind::Choice(choice) = &mut self.kind else {
            panic!("the parameter `{}` is not a choice", self.id);
        };
        assert!(
            choice.options.iter().any(|option| option.id == id),
            "the parameter `{}` has no option `{id}`",
            self.id
        );
        id.clone_into(&mut choice.default);
        self
    }

    /// Help text.
    #[must_use]
    pub fn summary(mut self, summary: &str) -> Self {
        summary.clone_into(&mut self.summary);
        self
    }

    /// The panel heading it belongs under.
    #[must_use]
    pub fn group(mut self, group: &str) -> Self {
        group.clone_into(&mut self.group);
        self
    }

    /// Leaves it out of a first, simple panel.
    #[must_use]
    pub fn advanced(mut self) -> Self {
        self.advanced = true;
        self
    }

    fn of_kind(id: &str, name: &str, kind: Kind) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            group: String::new(),
            summary: String::new(),
            kind,
            advanced: false,
        }
    }
}

impl Number {
    /// A continuous number whose slider moves evenly.
    #[must_use]
    pub fn linear(min: f64, max: f64, default: f64) -> Self {
        Self {
            min,
            max,
            default,
            step: 0.0,
            unit: String::new(),
            scale: Scale::Linear,
        }
    }

    /// A continuous number whose slider moves by equal ratios; `min` is above 0.
    #[must_use]
    pub fn logarithmic(min: f64, max: f64, default: f64) -> Self {
        Self {
            scale: Scale::Logarithmic,
            ..Self::linear(min, max, default)
        }
    }

    /// What is printed after the value.
    #[must_use]
    pub fn unit(mut self, unit: &str) -> Self {
        unit.clone_into(&mut self.unit);
        self
    }

    /// Distance between legal values, counted from the minimum.
    #[must_use]
    pub fn step(mut self, step: f64) -> Self {
        self.step = step;
        self
    }
}
