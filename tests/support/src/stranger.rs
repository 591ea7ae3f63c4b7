//! Effects of strangers.

use crate::guests::HOSTILE_COMPONENT;

/// The component of an effect that some stranger made: it hands sound on as it is, or misbehaves when a job tells it to.
/// It is the suite's hostile effect with other words in its binary, each as long as the one in its place.
#[derive(Debug, Clone)]
#[must_use]
pub struct Stranger {
    component: Vec<u8>,
}

/// Its id, unless it is given another one.
const ID: &str = "org.example.hostile";

impl Stranger {
    /// Version 1.0.0 of the effect `org.example.NAME`, by the vendor `Example`; the name has seven letters.
    pub fn named(name: &str) -> Self {
        let plain = Self {
            component: HOSTILE_COMPONENT.clone(),
        };
        plain.with(ID, &format!("org.example.{name}"))
    }

    /// With the text `new` wherever the binary has `old`.
    pub fn with(&self, old: &str, new: &str) -> Self {
        assert_eq!(old.len(), new.len(), "{old:?} and {new:?}");
        let mut component = self.component.clone();
        let mut found = false;
        let places = 0..=component.len() - old.len();
        for place in places {
            let window = &mut component[place..place + old.len()];
            if window == old.as_bytes() {
                window.copy_from_slice(new.as_bytes());
                found = true;
            }
        }
        assert!(found, "the binary has {old:?}");
        Self { component }
    }

    /// Another version.
    pub fn version(&self, version: &str) -> Self {
        self.with("1.0.0", version)
    }

    /// Doing something when it is asked what it is.
    pub fn describing(&self, deed: &str) -> Self {
        let mark = |deed: &str| format!("when describing: {deed:.<11}");
        self.with(&mark(""), &mark(deed))
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.component.clone()
    }
}
