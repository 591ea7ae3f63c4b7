//! Generations of one package: ids that differ only in the number after the last hyphen, such as `vocalhost.oak-8` and `vocalhost.oak-9`. A
//! later one replaces one that is gone. Voices that were made for an earlier content encoder or F0 estimator accept a later generation of
//! it.

/// The common name of an id's generations, and the number of this one; `None` for an id without such a number.
pub(super) fn generation(id: &str) -> Option<(&str, u32)> {
    let (name, number) = id.rsplit_once('-')?;
    let is_plain = number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0');
    let number = number.parse().ok().filter(|_| is_plain)?;
    (!name.is_empty()).then_some((name, number))
}

/// Whether two ids name the same package, or generations of one.
pub(super) fn are_generations(one: &str, other: &str) -> bool {
    let name = |id| generation(id).map(|(name, _)| name);
    one == other || name(one).is_some_and(|own| name(other) == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_behind_a_hyphen_tells_generations_apart() {
        assert_eq!(generation("a.alto-12"), Some(("a.alto", 12)));
        for id in [
            "vocalhost.amber",
            "amber-",
            "-2",
            "amber-02",
            "amber-2a",
            "amber-+2",
            "amber-0",
        ] {
            assert_eq!(generation(id), None, "{id}");
        }
        assert!(are_generations("a.content-2", "a.content-3"));
        assert!(are_generations("a.content", "a.content"));
        assert!(!are_generations("a.content", "a.content-2"));
        assert!(!are_generations("a.content-2", "a.other-2"));
    }
}
