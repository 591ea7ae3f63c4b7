use vocalhost_effects::{Effect, EffectHost, EffectLimits, PluginError};

use super::report::{Identity, Report, Verdict};

const ID: &str = "loads";
const MEANING: &str = "is a component of this world that loads and describes itself";

/// Loads the component as the host does, without keeping anything of it.
pub(super) fn load(
    component: &[u8],
    limits: EffectLimits,
) -> Result<(Report, Option<Effect>), PluginError> {
    let host = EffectHost::open(None, limits)?;
    let mut verdict = Verdict::default();
    let effect = match host.load(component) {
        Ok(effect) => Some(effect),
        Err(error) => {
            verdict.fault("", &error);
            None
        }
    };
    let identity = effect.as_ref().map(|effect| {
        let descriptor = effect.descriptor();
        Identity {
            id: descriptor.id.clone(),
            name: descriptor.name.clone(),
            version: descriptor.version.clone(),
            vendor: descriptor.vendor.clone(),
        }
    });
    let report = Report {
        identity,
        bytes: component.len(),
        digest: EffectHost::digest(component),
        findings: vec![verdict.into_finding(ID, MEANING)],
    };
    Ok((report, effect))
}
