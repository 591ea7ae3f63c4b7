//! Separators of one purpose, as UVR's users have them: karaoke, and without reverb, echo, noise or crowd.

use vocalhost_model::Task;

/// What a task of one purpose takes apart. What it is about has a word of its own in every tool; the rest is called by what it lacks
/// (`No Reverb`, `noreverb`), or `other`.
struct Purpose {
    task: Task,
    /// The stem that the task is about.
    about: &'static str,
    /// The word for the rest that says of which task it is.
    without: &'static str,
}

const PURPOSES: [Purpose; 5] = [
    purpose(Task::Karaoke, "lead", "no-lead"),
    purpose(Task::Dereverb, "reverb", "no-reverb"),
    purpose(Task::Deecho, "echo", "no-echo"),
    purpose(Task::Denoise, "noise", "no-noise"),
    purpose(Task::Crowd, "crowd", "no-crowd"),
];

const fn purpose(task: Task, about: &'static str, without: &'static str) -> Purpose {
    Purpose {
        task,
        about,
        without,
    }
}

impl Purpose {
    /// The stem that is all but what the task is about.
    fn rest(&self) -> &'static str {
        let rest = self.task.stems().iter().find(|stem| **stem != self.about);
        rest.copied().unwrap_or_default()
    }

    /// The stem of a name, beside another one that says what the task is.
    fn stem(&self, name: &str) -> Option<&'static str> {
        let is_rest = name == self.without
            || name == self.rest()
            || matches!(name, "dry" | "clean" | "other");
        if name == self.about {
            Some(self.about)
        } else {
            is_rest.then(|| self.rest())
        }
    }
}

/// The task and the stems of one or two names, where they are those of a separator of one purpose.
pub(super) fn of_names(names: &[&str]) -> Option<(Task, Vec<&'static str>)> {
    let names: Vec<String> = names.iter().map(|name| usual(name)).collect();
    let says = |purpose: &&Purpose| {
        let mut said = names.iter();
        said.any(|name| name == purpose.about || name == purpose.without)
    };
    let purpose = PURPOSES.iter().find(says)?;
    let stems: Option<Vec<_>> = names.iter().map(|name| purpose.stem(name)).collect();
    let stems = stems?;
    let fits = matches!(&stems[..], [_]) || matches!(&stems[..], [one, two] if one != two);
    fits.then_some((purpose.task, stems))
}

/// The words that [`of_names`] reads as these stems of a task, where the names alone would be those of another.
pub(super) fn words(task: Task, names: &[String]) -> Option<String> {
    let purpose = PURPOSES.iter().find(|purpose| purpose.task == task)?;
    let [name] = names else { return None };
    (name == purpose.rest()).then(|| purpose.without.to_owned())
}

/// One spelling of the words that tools have. Configurations of karaoke models call the lead `karaoke`.
fn usual(name: &str) -> String {
    let plain: String = name
        .to_lowercase()
        .chars()
        .filter(|letter| !matches!(letter, ' ' | '-' | '_'))
        .collect();
    let without = |purpose: &&Purpose| purpose.without.replace('-', "") == plain;
    if let Some(purpose) = PURPOSES.iter().find(without) {
        return purpose.without.to_owned();
    }
    match plain.as_str() {
        "karaoke" | "leadvocals" => "lead".to_owned(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_tools_are_stems_of_one_purpose() {
        for (names, task, stems) in [
            (
                &["karaoke", "other"][..],
                Task::Karaoke,
                &["lead", "backing"][..],
            ),
            (&["lead"], Task::Karaoke, &["lead"]),
            (&["No Lead"], Task::Karaoke, &["backing"]),
            (&["noreverb", "reverb"], Task::Dereverb, &["dry", "reverb"]),
            (&["Reverb"], Task::Dereverb, &["reverb"]),
            (&["dry", "echo"], Task::Deecho, &["dry", "echo"]),
            (&["No Echo"], Task::Deecho, &["dry"]),
            (&["dry", "noise"], Task::Denoise, &["clean", "noise"]),
            (&["no_noise"], Task::Denoise, &["clean"]),
            (&["crowd", "other"], Task::Crowd, &["crowd", "clean"]),
            (&["No Crowd", "Crowd"], Task::Crowd, &["clean", "crowd"]),
        ] {
            assert_eq!(of_names(names), Some((task, stems.to_vec())), "{names:?}");
        }
        // Dry of what, nobody can tell; and these are of other tasks.
        for names in [
            &["dry"][..],
            &["dry", "other"],
            &["lead", "harmony"],
            &["lead", "harmony", "reverb"],
            &["vocals", "reverb"],
            &["reverb", "reverb"],
            &["vocals", "backing"],
            &[],
        ] {
            assert_eq!(of_names(names), None, "{names:?}");
        }
    }

    #[test]
    fn what_is_said_of_stems_is_read_as_the_same_stems() {
        for purpose in &PURPOSES {
            for stem in purpose.task.stems() {
                let names = vec![(*stem).to_owned()];
                let said = words(purpose.task, &names).unwrap_or_else(|| names.join(","));
                let read = of_names(&[&said]);
                assert_eq!(read, Some((purpose.task, vec![*stem])), "{said}");
            }
        }
    }
}
