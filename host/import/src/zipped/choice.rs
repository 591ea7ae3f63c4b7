//! Which files of an archive are the model.

use super::listing::Listed;
use super::names;

/// What files of a model are called. Only here do endings count: what is behind them is looked at like any other file.
const MODELS: [&str; 3] = ["pth", "pt", "onnx"];
const INDEX: &str = "index";

/// What archives are called: inside another they are not opened.
const ARCHIVES: [&str; 7] = ["zip", "vmp", "7z", "rar", "gz", "xz", "tar"];

/// The files of a model in an archive.
#[derive(Debug)]
pub(super) struct Choice<'l> {
    pub(super) model: &'l Listed,
    pub(super) index: Option<&'l Listed>,
    /// What is passed over; folders are nothing.
    pub(super) others: Vec<&'l Listed>,
}

impl<'l> Choice<'l> {
    /// The files that are unpacked, the model first.
    pub(super) fn taken(&self) -> impl Iterator<Item = &'l Listed> {
        std::iter::once(self.model).chain(self.index)
    }
}

/// Chooses one model and its index; the error says why there is none.
pub(super) fn choose(listed: &[Listed]) -> Result<Choice<'_>, String> {
    let files: Vec<&Listed> = listed.iter().filter(|one| !one.is_folder).collect();
    if files.iter().any(|one| one.base() == "package.toml") {
        return Err(
            "is an archive of the folder of a package; unpack it and give the folder".to_owned(),
        );
    }
    let (mut models, mut indexes, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for one in files {
        match ending(one) {
            Some(ending) if MODELS.contains(&ending.as_str()) => models.push(one),
            Some(ending) if ending == INDEX => indexes.push(one),
            _ => others.push(one),
        }
    }
    let model = match models.as_slice() {
        [model] => *model,
        [] => return Err(without_model(&indexes, &others)),
        several => {
            return Err(format!(
                "is an archive of several models, {}; they are imported one by one: unpack it and give the files of one",
                names(several)
            ));
        }
    };
    if indexes.len() > 1 {
        return Err(format!(
            "is an archive of several indexes, {}; a voice has one: unpack it and give the voice with the index that belongs to it",
            names(&indexes)
        ));
    }
    Ok(Choice {
        model,
        index: indexes.first().copied(),
        others,
    })
}

fn without_model(indexes: &[&Listed], others: &[&Listed]) -> String {
    let all: Vec<&Listed> = indexes.iter().chain(others).copied().collect();
    let is_packed =
        |one: &&Listed| ending(one).is_some_and(|ending| ARCHIVES.contains(&ending.as_str()));
    let hint = if others.iter().any(is_packed) {
        "; archives inside an archive are not opened: unpack it and give what is in it"
    } else {
        ""
    };
    format!(
        "is an archive without a model (.pth or .onnx); in it {} {}{hint}",
        if all.len() == 1 { "is" } else { "are" },
        names(&all)
    )
}

/// The ending of a file's name in small letters. The files that Macs put beside others, with `._` in front of the name, have none.
fn ending(listed: &Listed) -> Option<String> {
    let base = listed.base();
    if base.starts_with("._") || listed.name.starts_with("__MACOSX/") {
        return None;
    }
    let (_, ending) = base.rsplit_once('.')?;
    Some(ending.to_ascii_lowercase())
}
