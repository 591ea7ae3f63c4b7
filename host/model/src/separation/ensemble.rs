use vocalhost_audio::Spool;

use super::super::{Catalog, ModelError, Package, Runtime};
use super::bag::EnsembleFacts;
use super::check::residual;
use super::combine::Combiner;
use super::estimates::{Abreast, Estimates, Rows, frames};
use super::members::{check_members, fault};
use super::single::Single;

/// Separators of one task, whose estimates are combined into one. If the task is vocals, members that split into stems contribute their
/// vocals.
pub(super) struct Ensemble {
    facts: EnsembleFacts,
    estimated: Vec<&'static str>,
    residual: &'static str,
    members: Vec<Single>,
}

impl Ensemble {
    /// Loads the members of an ensemble's package, which were checked when the catalogue was made.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        catalog: &Catalog,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let (Some(facts), Some(task), Some(stems)) = (
            manifest.ensemble.clone(),
            manifest.separator.map(|facts| facts.task),
            manifest.stems.as_ref(),
        ) else {
            return Err(fault(package, "is no ensemble".to_owned()));
        };
        let left = residual(stems, task);
        let (residuals, estimated): (Vec<&str>, Vec<&str>) =
            task.stems().iter().partition(|stem| **stem == left);
        let members = check_members(package, |id| catalog.find(id))?;
        let runtime = match members.len() {
            1 => runtime.clone(),
            _ => runtime.giving_back(),
        };
        let members = members
            .into_iter()
            .map(|member| Single::load(&runtime, member, Some(task), threads));
        Ok(Self {
            facts,
            estimated,
            residual: residuals.first().copied().unwrap_or_default(),
            members: members.collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn estimated(&self) -> &[&'static str] {
        &self.estimated
    }

    pub(super) fn residual(&self) -> &'static str {
        self.residual
    }

    pub(super) fn sample_rate_hz(&self) -> u32 {
        self.members.first().map_or(0, Single::sample_rate_hz)
    }

    /// The combined estimates of the members for a recording.
    pub(super) fn estimates<'a>(
        &'a self,
        source: &'a Spool,
    ) -> Result<Box<dyn Estimates + 'a>, ModelError> {
        let members = self.members.iter();
        let members = members
            .map(|member| member.estimates(source))
            .collect::<Result<Vec<_>, _>>()?;
        let even = vec![1.0; self.members.len()];
        let weights = self.facts.weights.as_ref().unwrap_or(&even);
        let combiner = || {
            Combiner::new(
                self.facts.method,
                self.facts.domain,
                weights,
                source.frames(),
            )
        };
        let rows = self.estimated.len() * source.channels();
        Ok(Box::new(Together {
            ensemble: self,
            source,
            abreast: Abreast::new(members),
            combiners: (0..rows).map(|_| combiner()).collect(),
            heard: 0,
        }))
    }
}

/// The members' estimates of a recording, combined stem by stem.
struct Together<'a> {
    ensemble: &'a Ensemble,
    source: &'a Spool,
    abreast: Abreast<'a>,
    combiners: Vec<Combiner>,
    heard: u64,
}

impl Together<'_> {
    /// A member's rows in the order of the ensemble's. A stem that the member does not estimate is what its other stems leave of the
    /// recording.
    fn arranged(&self, member: &Single, rows: &Rows) -> Result<Rows, ModelError> {
        let channels = self.source.channels();
        let left = || -> Result<Rows, ModelError> {
            let count = frames(rows);
            let mix = self.source.read(self.heard as i64, count)?;
            let left = (0..channels).map(|channel| {
                let mut left = mix.channel(channel).to_vec();
                for row in rows.iter().skip(channel).step_by(channels) {
                    for (left, sample) in left.iter_mut().zip(row) {
                        *left -= sample;
                    }
                }
                left
            });
            Ok(left.collect())
        };
        let mut arranged = Rows::new();
        for stem in &self.ensemble.estimated {
            let place = member.estimated().iter().position(|other| other == stem);
            match place {
                Some(place) => {
                    arranged.extend(rows[place * channels..][..channels].iter().cloned());
                }
                None => arranged.extend(left()?),
            }
        }
        Ok(arranged)
    }
}

impl Estimates for Together<'_> {
    fn next(&mut self) -> Result<Option<Rows>, ModelError> {
        while let Some(all) = self.abreast.next()? {
            let count = all.first().map_or(0, frames);
            let members = self.ensemble.members.iter().zip(all);
            let all = members
                .map(|(member, rows)| self.arranged(member, &rows))
                .collect::<Result<Vec<Rows>, _>>()?;
            self.heard += count as u64;
            let combined: Rows = self
                .combiners
                .iter_mut()
                .enumerate()
                .map(|(row, combiner)| {
                    let sounds: Vec<&[f32]> = all.iter().map(|rows| &rows[row][..]).collect();
                    combiner.push(&sounds)
                })
                .collect();
            if frames(&combined) > 0 {
                return Ok(Some(combined));
            }
        }
        Ok(None)
    }
}
