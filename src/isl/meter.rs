//! The meters: how many operations isl has counted for a context, and how many it may; how many bytes it has allocated
//! in this thread and not freed, and how many it may.
//!
//! isl counts operations but does not say how many, so that one bound could not be set inside of another. The two
//! numbers are read, and the count is raised, where isl keeps them: in its structure of the version in `Cargo.toml`.

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};

/// `struct isl_hash_table` (`isl/hash.h`).
#[repr(C)]
struct HashTable {
    bits: c_int,
    entries: c_int,
    table: *mut c_void,
}

/// `struct isl_blk` (`isl_blk.h`).
#[repr(C)]
struct Block {
    size: usize,
    data: *mut c_void,
}

/// `struct isl_ctx` (`isl_ctx_private.h`), with integers as imath-32 has them.
#[repr(C)]
struct Context {
    references: c_int,
    statistics: *mut c_void,
    allocated_options: c_int,
    options: *mut c_void,
    user_options: *mut c_void,
    user_arguments: *mut c_void,
    constants: [u64; 4],
    divisor: u64,
    cached: c_int,
    missed: c_int,
    cache: [Block; 20],
    ids: HashTable,
    error: c_int,
    message: *const c_char,
    file: *const c_char,
    line: c_int,
    abort: c_int,
    operations: c_ulong,
    most: c_ulong,
}

unsafe extern "C" {
    /// Added to isl by `cmake/isl-meter.sh`. Where the linker does not find it, isl was built by an earlier version of
    /// the files there: `cargo clean --release -p isl-rs` and build again.
    #[link_name = concat!("isl_settle_", env!("ISL_METER"))]
    fn isl_settle(ctx: *mut c_void);
    fn isl_memory_used() -> c_long;
    fn isl_memory_most_used(most: c_long) -> c_long;
    fn isl_memory_allow(bytes: c_long) -> c_long;
    fn isl_counted_free(memory: *mut c_void);
}

// A library that has no such function must not link.
std::arch::global_asm!(concat!(".hidden isl_settle_", env!("ISL_METER")));

/// Charges the context with the numbers that isl went through since its last operation, which is no other context's
/// work as long as this is called before another one is used.
///
/// # Safety
/// The context is alive.
pub(super) unsafe fn settle(ctx: *mut c_void) {
    // SAFETY: no call into isl is going on, and only this thread uses the context.
    unsafe { isl_settle(ctx) }
}

/// The operations counted since the context was made.
///
/// # Safety
/// The context is alive.
pub(super) unsafe fn operations(ctx: *mut c_void) -> u64 {
    // SAFETY: the structure has this layout.
    unsafe {
        settle(ctx);
        (*ctx.cast::<Context>()).operations
    }
}

/// Counts so many operations more.
///
/// # Safety
/// The context is alive.
pub(super) unsafe fn count(ctx: *mut c_void, operations: u64) {
    // SAFETY: the structure has this layout, and no call into isl is going on.
    unsafe {
        let counter = &raw mut (*ctx.cast::<Context>()).operations;
        *counter = (*counter).saturating_add(operations);
    }
}

/// Frees what isl allocated for its caller.
///
/// # Safety
/// It was, and nobody uses it any more.
pub(super) unsafe fn free(memory: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { isl_counted_free(memory) }
}

/// A bound on the bytes that isl has allocated in this thread, which ends when this is dropped, panics included. Once
/// it refused something, it refuses everything until [`see_shortage`].
pub(super) struct MemoryGuard {
    former: c_long,
}

impl MemoryGuard {
    /// So many bytes more than now, but no more than are allowed already.
    pub fn new(bytes: u64) -> Self {
        let more = c_long::try_from(bytes).unwrap_or(c_long::MAX);
        // SAFETY: these read and write numbers of this thread.
        unsafe {
            let allowed = isl_memory_used().saturating_add(more);
            let former = isl_memory_allow(allowed);
            isl_memory_allow(allowed.min(former));
            Self { former }
        }
    }

    /// No bound.
    pub fn none() -> Self {
        // SAFETY: this writes a number of this thread.
        Self { former: unsafe { isl_memory_allow(c_long::MAX) } }
    }
}

/// Whoever asked knows that something was refused: what is asked for next is looked at anew.
pub(super) fn see_shortage() {
    // SAFETY: these write numbers of this thread.
    unsafe {
        let allowed = isl_memory_allow(c_long::MAX);
        isl_memory_allow(allowed);
    }
}

impl Drop for MemoryGuard {
    fn drop(&mut self) {
        // SAFETY: this writes a number of this thread.
        unsafe { isl_memory_allow(self.former) };
    }
}

/// Bytes that isl has allocated in this thread and not freed; less than that where others freed them.
#[cfg(test)]
pub(super) fn memory_used() -> u64 {
    // SAFETY: this reads a number of this thread.
    u64::try_from(unsafe { isl_memory_used() }).unwrap_or(0)
}

/// How many bytes more than before isl had allocated in this thread at a time while `work` was done, which may ask the
/// same of a part of it.
pub(super) fn memory_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    // SAFETY: these read and write numbers of this thread.
    unsafe {
        let before = isl_memory_used();
        let former = isl_memory_most_used(before);
        let result = work();
        let most = isl_memory_most_used(former);
        isl_memory_most_used(former.max(most));
        (result, u64::try_from(most.saturating_sub(before)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ctx, Set};

    unsafe extern "C" {
        fn isl_ctx_set_max_operations(ctx: *mut c_void, max: c_ulong);
        fn isl_ctx_reset_operations(ctx: *mut c_void);
    }

    #[test]
    fn the_layout_is_that_of_isl() {
        let ctx = Ctx::new();
        // SAFETY: the context is alive.
        unsafe {
            isl_ctx_set_max_operations(ctx.ptr(), 0x0123_4567_89ab_cdef);
            assert_eq!((*ctx.ptr().cast::<Context>()).most, 0x0123_4567_89ab_cdef);
            assert_eq!((*ctx.ptr().cast::<Context>()).abort, 0);
            let before = operations(ctx.ptr());
            let set = Set::parse(&ctx, "[n] -> { A[i, j] : 0 <= i < n and i <= j < 2n }").unwrap();
            let parsed = operations(ctx.ptr()) - before;
            assert!((10..10_000).contains(&parsed), "{parsed}");
            count(ctx.ptr(), 1 << 40);
            assert_eq!(operations(ctx.ptr()), before + parsed + (1 << 40));
            drop(set);
            isl_ctx_reset_operations(ctx.ptr());
            assert_eq!(operations(ctx.ptr()), 0);
        }
    }

    /// Divisors of numbers of one, two, three and more words, in both places: (10^j + 1) 10^k and 10^j 10^k have 10^k in common.
    #[test]
    fn rows_are_divided_by_what_their_numbers_have_in_common() {
        let ctx = Ctx::new();
        let zeros = |count: usize| "0".repeat(count);
        for (j, k) in (1..32).flat_map(|j| (0..32).map(move |k| (j, k))) {
            let odd = format!("1{}1", zeros(j - 1));
            for (a, b) in [(odd.clone(), format!("-1{}", zeros(j))), (format!("-1{}", zeros(j)), odd)] {
                let times = |number: &str| format!("{number}{}", zeros(k));
                let large = Set::parse(&ctx, &format!("{{ [x, y] : {}x + {}y = 0 }}", times(&a), times(&b))).unwrap();
                let small = Set::parse(&ctx, &format!("{{ [x, y] : {a}x + {b}y = 0 }}")).unwrap();
                assert_eq!(large.to_string(), small.to_string(), "{a} {b} {k}");
            }
        }
    }

    /// Small memory that is freed is kept; none of it counts, and all of it is gone with the last context of the thread.
    #[test]
    fn what_is_kept_does_not_count() {
        let before = memory_used();
        let ctx = Ctx::new();
        let own = memory_used();
        for count in [1, 1000, 10] {
            let sets: Vec<Set> = (0..count).map(|_| Set::parse(&ctx, "{ A[i, j] : 0 <= i < 9 }").unwrap()).collect();
            assert!(memory_used() > own);
            drop(sets);
            let kept_by_isl = memory_used() - own;
            assert!(kept_by_isl < 20_000, "{kept_by_isl}");
        }
        drop(ctx);
        assert_eq!(memory_used(), before);
    }
}
