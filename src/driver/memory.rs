//! What is remembered from one region to the next: anything by a text.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// No more than so many bytes are kept.
const MOST_BYTES: usize = 32 << 20;

/// What is remembered. All threads share it.
#[derive(Default)]
pub struct Memory {
    kept: Mutex<Kept>,
    /// What is remembered of all functions, where this is about one.
    all: Option<Arc<Memory>>,
}

#[derive(Default)]
struct Kept {
    /// What, and the bytes that it counts as.
    all: HashMap<String, (Arc<dyn Any + Send + Sync>, usize)>,
    bytes: usize,
}

impl Memory {
    /// What is remembered of one function, and through it of all.
    pub fn of_function(all: &Arc<Memory>) -> Memory {
        Memory { all: Some(all.clone()), ..Memory::default() }
    }

    /// What is remembered of all functions; nothing else, where this is not about one.
    pub(super) fn of_all(&self) -> &Memory {
        self.all.as_deref().unwrap_or(self)
    }

    /// This is about one function.
    pub(super) fn is_of_function(&self) -> bool {
        self.all.is_some()
    }

    /// What was kept under a text.
    pub(super) fn find<T: Any + Send + Sync>(&self, key: &str) -> Option<Arc<T>> {
        let found = self.kept().all.get(key).map(|(found, _)| found.clone());
        found.and_then(|found| found.downcast().ok())
    }

    /// Keeps something of so many bytes under a text, in place of what was there, as long as there is room.
    pub(super) fn keep<T: Any + Send + Sync>(&self, key: String, bytes: usize, what: T) {
        let mut kept = self.kept();
        let own = key.len() + bytes;
        let bytes = kept.bytes - kept.all.get(&key).map_or(0, |(_, before)| *before) + own;
        if bytes <= MOST_BYTES {
            kept.bytes = bytes;
            kept.all.insert(key, (Arc::new(what), own));
        }
    }

    /// How many things are kept.
    pub fn count(&self) -> usize {
        self.kept().all.len()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Memory {
    /// Without what is in it, which changes no answer and is no part of what options are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_while_there_is_room() {
        let memory = Memory::default();
        memory.keep("a".to_owned(), 8, 1_u64);
        memory.keep("large".to_owned(), MOST_BYTES, 2_u64);
        assert_eq!(memory.find::<u64>("a").as_deref(), Some(&1));
        assert!(memory.find::<u32>("a").is_none() && memory.find::<u64>("large").is_none());
        assert_eq!((memory.count(), format!("{memory:?}")), (1, "Memory".to_owned()));
        // What is kept again takes the place of what was there.
        for _ in 0..3 {
            memory.keep("large".to_owned(), MOST_BYTES / 2, 3_u64);
        }
        assert_eq!(memory.find::<u64>("large").as_deref(), Some(&3));
        memory.keep("other".to_owned(), MOST_BYTES / 3, 4_u64);
        assert_eq!(memory.find::<u64>("other").as_deref(), Some(&4));
    }
}
