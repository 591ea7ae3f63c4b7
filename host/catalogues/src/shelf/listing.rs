use super::ShelfError;
use vocalhost_effects::{Catalog, Descriptor};
use vocalhost_store::{EffectOrigin, EffectRecord};

/// The effects as they were at one moment.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    effects: Vec<ListedEffect>,
}

/// An effect that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedEffect {
    /// What it is.
    pub descriptor: Descriptor,
    /// The name that requests of the v1 API use for it.
    pub alias: Option<&'static str>,
    /// What is stored of it: digest, origin, limits, whether it is enabled.
    pub record: EffectRecord,
}

impl ListedEffect {
    /// Its id with its version, which is unique: `org.example.echo@1.0.0`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.descriptor.id, self.descriptor.version)
    }
}

impl Listing {
    /// The effects of these rows. A row that this release cannot read is left out; the others still work. A built-in effect is this
    /// program's own; of one that only other releases have, the last row is used.
    #[must_use]
    pub(super) fn new(records: Vec<EffectRecord>) -> Self {
        Self::of_program(records, |digest| Catalog::carried(digest).is_some())
    }

    fn of_program(records: Vec<EffectRecord>, is_ours: impl Fn(&str) -> bool) -> Self {
        let mut effects: Vec<ListedEffect> = Vec::with_capacity(records.len());
        for effect in records.into_iter().filter_map(listed) {
            let is_of = |other: &&mut ListedEffect| {
                let origins = [effect.record.origin, other.record.origin];
                origins == [EffectOrigin::BuiltIn; 2] && effect.descriptor.id == other.descriptor.id
            };
            match effects.iter_mut().find(is_of) {
                Some(other) if is_ours(&other.record.effect.digest) => {}
                Some(other) => *other = effect,
                None => effects.push(effect),
            }
        }
        Self { effects }
    }

    /// Every effect, by id and in the order of installing.
    #[must_use]
    pub fn all(&self) -> &[ListedEffect] {
        &self.effects
    }

    /// The effects that new jobs may name.
    pub fn enabled(&self) -> impl Iterator<Item = &ListedEffect> {
        self.effects.iter().filter(|effect| effect.record.enabled)
    }

    /// The effect that a new job means by `name`: an id, an id with a version, or a name of the v1 API. Without a version
    /// it is the newest one that is enabled.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&ListedEffect> {
        vocalhost_effects::named(self.enabled(), name, |effect| &effect.descriptor)
    }

    /// The effect that an operator wants to look at, enabled or not; without a version the newest one.
    pub fn look_up(&self, name: &str) -> Result<&ListedEffect, ShelfError> {
        vocalhost_effects::named(self.effects.iter(), name, |effect| &effect.descriptor)
            .ok_or_else(|| ShelfError::Missing(name.to_owned()))
    }

    /// The effect that an operator wants to change, enabled or not. Where there are several versions the name must say
    /// which.
    pub(crate) fn single_out(&self, name: &str) -> Result<&ListedEffect, ShelfError> {
        let meant = self.look_up(name)?;
        let id = &meant.descriptor.id;
        let versions: Vec<String> = self
            .effects
            .iter()
            .filter(|effect| effect.descriptor.id == *id)
            .map(ListedEffect::full_name)
            .collect();
        if versions.len() > 1 && !name.contains('@') {
            let id = id.clone();
            return Err(ShelfError::SeveralVersions { id, versions });
        }
        Ok(meant)
    }
}

pub(super) fn listed(record: EffectRecord) -> Option<ListedEffect> {
    let effect = &record.effect;
    match serde_json::from_value::<Descriptor>(effect.descriptor.clone()) {
        Ok(descriptor) => Some(ListedEffect {
            alias: vocalhost_effects::alias(&descriptor.id),
            descriptor,
            record,
        }),
        Err(error) => {
            let (effect, version) = (&effect.effect_id, &effect.version);
            tracing::error!(effect, version, %error, "an effect is left out: its row cannot be read");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use vocalhost_store::{EffectOrigin, EffectOverrides, NewEffect};

    fn record(id: &str, version: &str, enabled: bool) -> EffectRecord {
        let descriptor = json!({
            "id": id, "name": "Echo", "version": version, "vendor": "Example", "summary": "",
            "tags": [], "layouts": [], "parameters": [], "presets": []
        });
        EffectRecord {
            effect: NewEffect {
                digest: format!("{id} {version}"),
                effect_id: id.to_owned(),
                version: version.to_owned(),
                vendor: "Example".to_owned(),
                descriptor,
                bytes: 1,
                overrides: EffectOverrides::default(),
            },
            origin: EffectOrigin::Installed,
            enabled,
            installed_at_us: 0,
            installed_by: None,
        }
    }

    fn listing() -> Listing {
        Listing::new(vec![
            record("org.example.echo", "1.0.0", true),
            record("org.example.echo", "1.10.0", true),
            record("org.example.echo", "1.9.0", true),
            record("org.example.echo", "2.0.0", false),
            record("vocalhost.reverb", "1.0.0", true),
        ])
    }

    fn version(listing: &Listing, name: &str) -> Option<String> {
        let found = listing.find(name);
        found.map(|effect| effect.descriptor.version.clone())
    }

    #[test]
    fn a_job_gets_the_newest_version_that_is_enabled_unless_it_names_one() {
        let listing = listing();
        assert_eq!(
            version(&listing, "org.example.echo").as_deref(),
            Some("1.10.0")
        );
        assert_eq!(
            version(&listing, "org.example.echo@1.9.0").as_deref(),
            Some("1.9.0")
        );
        assert_eq!(version(&listing, "org.example.echo@2.0.0"), None);
        assert_eq!(version(&listing, "Reverb@1.0.0").as_deref(), Some("1.0.0"));
    }

    #[test]
    fn an_operator_sees_disabled_effects_and_must_say_which_version_to_change() {
        let listing = listing();
        let newest = listing.look_up("org.example.echo").expect("it is there");
        assert_eq!(newest.full_name(), "org.example.echo@2.0.0");
        let error = listing
            .single_out("org.example.echo")
            .expect_err("there are four");
        assert!(error.to_string().contains("org.example.echo@1.9.0"));
        listing
            .single_out("org.example.echo@2.0.0")
            .expect("one is named");
        listing.single_out("reverb").expect("there is only one");
    }

    #[test]
    fn of_a_built_in_effect_there_is_that_of_this_program_or_the_last_one() {
        let builtin = |id: &str, version: &str| EffectRecord {
            origin: EffectOrigin::BuiltIn,
            ..record(id, version, true)
        };
        let records = vec![
            builtin("vocalhost.gain", "1.0.0"),
            builtin("vocalhost.gain", "1.1.0"),
            record("org.example.echo", "1.0.0", true),
            record("org.example.echo", "1.1.0", true),
            builtin("vocalhost.reverb", "1.0.0"),
            builtin("vocalhost.reverb", "1.1.0"),
        ];
        let of_program = |ours: &str| {
            let listing = Listing::of_program(records.clone(), |digest| digest == ours);
            let names = listing.all().iter().map(ListedEffect::full_name);
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            of_program("vocalhost.reverb 1.0.0"),
            "vocalhost.gain@1.1.0 org.example.echo@1.0.0 org.example.echo@1.1.0 vocalhost.reverb@1.0.0"
        );
        assert!(of_program("vocalhost.reverb 1.1.0").ends_with("vocalhost.reverb@1.1.0"));
    }

    #[test]
    fn a_row_that_cannot_be_read_hides_no_other() {
        let mut broken = record("org.example.other", "1.0.0", true);
        broken.effect.descriptor = json!({ "id": 7 });
        let listing = Listing::new(vec![broken, record("org.example.echo", "1.0.0", true)]);
        assert_eq!(listing.all().len(), 1);
    }
}
