use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{Library, LibraryError};

/// The most imports of one user that are under way or wait. Models are inspected one at a time, so more of them would
/// only make everybody else wait, and their files take up room meanwhile.
const MOST_OF_A_USER: usize = 2;

/// The most imports of all users under way or waiting: the last one waits some minutes, and clients not for ever.
const MOST_IN_ALL: usize = 8;

/// How many imports of each user are under way or wait; users without any are left out.
#[derive(Default)]
pub(super) struct Places(Mutex<BTreeMap<i64, usize>>);

/// The place of one import, given back on drop.
pub struct Place {
    library: Library,
    user_id: i64,
}

impl Library {
    /// Takes a place for an import of this user, unless all are taken.
    pub fn take_place(&self, user_id: i64) -> Result<Place, LibraryError> {
        self.0.places.take(user_id)?;
        Ok(Place {
            library: self.clone(),
            user_id,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.library.0.places.give_back(self.user_id);
    }
}

impl Places {
    fn take(&self, user_id: i64) -> Result<(), LibraryError> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&user_id).copied().unwrap_or_default();
        if own >= MOST_OF_A_USER {
            return Err(LibraryError::Crowded(format!(
                "You have {own} imports under way, as many as one user may have."
            )));
        }
        if taken.values().sum::<usize>() >= MOST_IN_ALL {
            let detail = "As many imports wait as may; try again in a moment.";
            return Err(LibraryError::Crowded(detail.to_owned()));
        }
        taken.insert(user_id, own + 1);
        Ok(())
    }

    fn give_back(&self, user_id: i64) {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&user_id) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                taken.remove(&user_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_more_places_than_two_and_all_together_eight() {
        let places = Places::default();
        let take = |user_id| places.take(user_id);
        let refused = |user_id| match take(user_id) {
            Err(LibraryError::Crowded(detail)) => detail,
            _ => String::new(),
        };
        for user_id in [1, 1] {
            take(user_id).expect("free");
        }
        assert!(refused(1).contains("one user"));
        for user_id in 2..8 {
            take(user_id).expect("free");
        }
        assert!(refused(9).contains("try again"));
        places.give_back(1);
        take(9).expect("one was given back");
        assert!(refused(1).contains("try again"));
        for user_id in 1..10 {
            places.give_back(user_id);
        }
        assert!(places.0.lock().expect("nobody panicked").is_empty());
    }
}
