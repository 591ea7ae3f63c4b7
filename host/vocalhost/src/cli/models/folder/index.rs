//! Which index of an installation belongs to which voice. RVC keeps them in folders of their own, `logs/NAME`, Applio beside the voice.

use std::path::{Path, PathBuf};

/// The index that belongs to the voice `model`, if exactly one may. Its name or that of its folder has the name of the voice, where of
/// several the one beside the voice counts; or it is the only one beside the only voice of a folder.
pub fn index_of<'w>(
    model: &Path,
    models: &[PathBuf],
    indexes: &'w [PathBuf],
) -> Option<&'w PathBuf> {
    let name = name_of(model);
    let is_named = |index: &&PathBuf| {
        let folder = index.parent().and_then(Path::file_name);
        let folder = folder.map(|folder| folder.to_string_lossy().to_lowercase());
        has_word(&stem(index), &name) || folder.is_some_and(|folder| folder == name)
    };
    let is_beside = |index: &&PathBuf| index.parent() == model.parent();
    let named: Vec<_> = indexes.iter().filter(is_named).collect();
    let beside: Vec<_> = indexes.iter().filter(is_beside).collect();
    if let Some(one) = only(named.iter().copied().filter(is_beside)) {
        return Some(one);
    }
    if let Some(one) = only(named.into_iter()) {
        return Some(one);
    }
    let is_alone = models
        .iter()
        .filter(|other| other.parent() == model.parent())
        .all(|other| name_of(other) == name);
    if is_alone {
        return only(beside.into_iter());
    }
    None
}

fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

/// The name of a voice without what training writes behind it: `anna_e100_s2000` of RVC, `anna_100e_2000s` of Applio.
fn name_of(model: &Path) -> String {
    let stem = stem(model);
    let mut name = stem.as_str();
    while let Some((before, last)) = name.rsplit_once('_') {
        let is_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|one| one.is_ascii_digit());
        let is_counted = |letter: char| {
            let rest = last.strip_prefix(letter).or(last.strip_suffix(letter));
            rest.is_some_and(is_digits)
        };
        if before.is_empty()
            || !(is_counted('e') || is_counted('s') || last == "best" || last == "epoch")
        {
            break;
        }
        name = before;
    }
    name.to_owned()
}

/// Whether `text` has `word` with neither letters nor digits around it.
fn has_word(text: &str, word: &str) -> bool {
    if word.is_empty() {
        return false;
    }
    let is_free = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    text.match_indices(word).any(|(at, found)| {
        is_free(text[..at].chars().next_back()) && is_free(text[at + found.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_found_by_the_name_of_its_voice_and_never_guessed() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let models = paths(&[
            "weights/Anna_e100_s2000.pth",
            "weights/Ann.pth",
            "logs/Berta/Berta_200e_3000s_best_epoch.pth",
            "logs/Berta/Berta_300e_4500s.pth",
            "packs/one/model.pth",
            "packs/two/a.pth",
            "packs/two/b.pth",
            "logs/Clara/Clara.pth",
        ]);
        let indexes = paths(&[
            "logs/anna/added_IVF10_Flat_nprobe_1.index",
            "logs/x/added_IVF10_Flat_nprobe_1_Ann_v2.index",
            "logs/Berta/added_Berta_v2.index",
            "elsewhere/added_Berta_v1.index",
            "packs/one/voice.index",
            "packs/two/voice.index",
            "logs/Clara/added_first_v1.index",
            "logs/Clara/added_second_v2.index",
        ]);
        let found = |model: &str| {
            let found = index_of(Path::new(model), &models, &indexes);
            found.map(|index| index.display().to_string())
        };
        for (model, wanted) in [
            (0, Some(0)),
            (1, Some(1)),
            (2, Some(2)),
            (3, Some(2)),
            (4, Some(4)),
            (5, None),
            (6, None),
            (7, None),
        ] {
            let model = models[model].display().to_string();
            let wanted = wanted.map(|at: usize| indexes[at].display().to_string());
            assert_eq!(found(&model), wanted, "{model}");
        }
    }
}
