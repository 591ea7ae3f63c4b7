use std::ops::ControlFlow;

use vocalhost_audio::{BLOCK_FRAMES, Block, Spool};

use super::super::{Catalog, ModelError, Package, PackageVersion, Runtime};
use super::ensemble::Ensemble;
use super::estimates::{Estimates, Rows, frames};
use super::single::Single;

/// A separator, loaded and ready.
///
/// It estimates all stems of its task but one: the residual is what the others leave of the recording, and the caller, who has the
/// recording, takes the difference. A recording is processed in overlapping pieces of fixed length, so memory does not depend on its
/// length. Digitally silent pieces skip the graph: their stems are silent.
pub struct Separator {
    packages: Vec<PackageVersion>,
    what: What,
    runtime: Runtime,
}

enum What {
    Single(Single),
    Ensemble(Ensemble),
}

impl Separator {
    /// Loads a separator. `separate` works on `threads` pieces side by side, and memory grows with their number; the
    /// samples do not depend on it. The members of an ensemble are found in `catalog`.
    pub fn load(
        runtime: &Runtime,
        package: &Package,
        catalog: &Catalog,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let what = if manifest.ensemble.is_some() {
            What::Ensemble(Ensemble::load(runtime, package, catalog, threads)?)
        } else {
            What::Single(Single::load(runtime, package, None, threads)?)
        };
        let members = manifest.ensemble.iter().flat_map(|facts| &facts.members);
        let members = members.filter_map(|id| catalog.find(id));
        let packages = std::iter::once(package)
            .chain(members)
            .map(|package| package.manifest().package_version())
            .collect();
        Ok(Self {
            packages,
            what,
            runtime: runtime.clone(),
        })
    }

    /// The packages that separate: its own, and those of an ensemble's members.
    #[must_use]
    pub fn packages(&self) -> &[PackageVersion] {
        &self.packages
    }

    /// The rate that `separate` wants its source at.
    #[must_use]
    pub fn sample_rate_hz(&self) -> u32 {
        match &self.what {
            What::Single(single) => single.sample_rate_hz(),
            What::Ensemble(ensemble) => ensemble.sample_rate_hz(),
        }
    }

    /// The stems that are estimated, in the order in which `separate` gives them.
    #[must_use]
    pub fn estimated(&self) -> &[&'static str] {
        match &self.what {
            What::Single(single) => single.estimated(),
            What::Ensemble(ensemble) => ensemble.estimated(),
        }
    }

    /// The stem that the others leave of the recording.
    #[must_use]
    pub fn residual(&self) -> &'static str {
        match &self.what {
            What::Single(single) => single.residual(),
            What::Ensemble(ensemble) => ensemble.residual(),
        }
    }

    /// What the graph ran on, such as `cpu` or `cuda+cpu`; before the first run, what it is to run on.
    #[must_use]
    pub fn provider(&self) -> String {
        self.runtime.ran_on()
    }

    /// Separates a recording of one or two channels. `sink` gets a block of each estimated stem at a time, with the source's channels;
    /// together they have the source's frames, aligned to it. A mono source is used for both channels, and the two channels of a stem are
    /// averaged. `progress` gets the share that is done.
    ///
    /// # Panics
    /// When the source has another rate than [`Separator::sample_rate_hz`], or more than two channels.
    pub fn separate<E: From<ModelError>>(
        &self,
        source: &Spool,
        sink: &mut dyn FnMut(Vec<Block>) -> Result<(), E>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), E> {
        assert_eq!(
            source.sample_rate_hz(),
            self.sample_rate_hz(),
            "the rate fits"
        );
        assert!((1..=2).contains(&source.channels()), "one or two channels");
        let mut estimates: Box<dyn Estimates + '_> = match &self.what {
            What::Single(single) => single.estimates(source)?,
            What::Ensemble(ensemble) => ensemble.estimates(source)?,
        };
        let (mut done, mut passed) = (0, Ok(()));
        estimates.each(&mut |rows| {
            done += frames(&rows) as u64;
            passed = pass_on(&rows, source.channels(), sink);
            progress(done as f64 / source.frames() as f64);
            match passed {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        passed
    }
}

fn pass_on<E>(
    rows: &Rows,
    channels: usize,
    sink: &mut dyn FnMut(Vec<Block>) -> Result<(), E>,
) -> Result<(), E> {
    let frames = frames(rows);
    for start in (0..frames).step_by(BLOCK_FRAMES) {
        let end = (start + BLOCK_FRAMES).min(frames);
        let block = |stem: &[Vec<f32>]| {
            let sides: Vec<&[f32]> = stem.iter().map(|side| &side[start..end]).collect();
            Block::from_planar(channels, sides.concat())
        };
        sink(rows.chunks_exact(channels).map(block).collect())?;
    }
    Ok(())
}
