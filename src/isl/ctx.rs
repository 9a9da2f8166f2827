//! The isl context: lifetime, error capture, counted bounds and deadline.

use super::error::{Error, ErrorKind, Result};
use super::macros::Ret;
use super::meter::{self, MemoryGuard};
use super::moment::Moment;
use super::watchdog::Watchdog;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::rc::Rc;

// The crate is linked for the static isl that its build script makes; its own wrappers are not used.
use isl_rs as _;

unsafe extern "C" {
    fn isl_ctx_alloc() -> *mut c_void;
    fn isl_ctx_free(ctx: *mut c_void);
    fn isl_options_set_on_error(ctx: *mut c_void, value: c_int) -> c_int;
    fn isl_ctx_last_error(ctx: *mut c_void) -> c_int;
    fn isl_ctx_last_error_msg(ctx: *mut c_void) -> *const c_char;
    fn isl_ctx_reset_error(ctx: *mut c_void);
    fn isl_ctx_set_max_operations(ctx: *mut c_void, max: c_ulong);
    fn isl_ctx_get_max_operations(ctx: *mut c_void) -> c_ulong;
    fn isl_ctx_abort(ctx: *mut c_void);
    fn isl_ctx_resume(ctx: *mut c_void);
    fn isl_ctx_aborted(ctx: *mut c_void) -> c_int;
    fn isl_malloc_or_die(ctx: *mut c_void, size: usize) -> *mut c_void;
}

/// isl also prints its errors.
const ISL_ON_ERROR_WARN: c_int = 0;
const ISL_ON_ERROR_CONTINUE: c_int = 1;
/// isl prints an error and ends the program.
const ISL_ON_ERROR_ABORT: c_int = 2;
const ISL_ERROR_QUOTA: c_int = 6;
const ISL_ERROR_INVALID: c_int = 5;
const ISL_ERROR_UNSUPPORTED: c_int = 7;

/// A reference-counted isl context. Cloning makes another handle to the same context.
#[derive(Clone)]
pub struct Ctx(Rc<CtxInner>);

struct CtxInner {
    ptr: *mut c_void,
    deadline: Cell<Option<Moment>>,
    watchdog: RefCell<Option<Watchdog>>,
}

impl Drop for CtxInner {
    fn drop(&mut self) {
        // The thread must be gone before the context is.
        self.watchdog.take();
        // What is left now is a reference that isl itself lost on the way out of some failing call. isl then keeps the
        // context, and with `ISL_ON_ERROR_CONTINUE` it would do so in silence.
        let leftovers = if cfg!(debug_assertions) { ISL_ON_ERROR_ABORT } else { ISL_ON_ERROR_WARN };
        // SAFETY: every object holds an `Rc` to this, so none of ours is left when the last handle goes.
        unsafe {
            isl_options_set_on_error(self.ptr, leftovers);
            isl_ctx_free(self.ptr)
        }
    }
}

impl Default for Ctx {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Ctx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ctx")
    }
}

impl Ctx {
    /// A fresh context that reports errors only through return values (isl prints nothing).
    pub fn new() -> Self {
        // SAFETY: allocation has no precondition; the option call gets the fresh, valid context.
        let ptr = unsafe {
            let ptr = isl_ctx_alloc();
            assert!(!ptr.is_null(), "out of memory while making an isl context");
            isl_options_set_on_error(ptr, ISL_ON_ERROR_CONTINUE);
            ptr
        };
        Ctx(Rc::new(CtxInner { ptr, deadline: Cell::new(None), watchdog: RefCell::new(None) }))
    }

    /// Two handles are the same context.
    pub fn same(&self, other: &Ctx) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Runs `work` with at most `operations` operations (0 means unbounded), but not more than are left of the bound
    /// that this is inside of; then that one holds again, less by what `work` took.
    ///
    /// When they run out, the pending call and all later ones inside `work` return an error of kind
    /// [`ErrorKind::Quota`].
    pub fn with_quota<T>(&self, operations: u64, work: impl FnOnce() -> T) -> T {
        let guard = QuotaGuard::new(self, operations);
        let result = work();
        drop(guard);
        result
    }

    /// Runs `work` with at most so many bytes more than isl has allocated in this thread now, or less if a bound around
    /// this one has less left. When they run out, the pending call returns an error of kind [`ErrorKind::Quota`]; later
    /// ones may succeed, as it gives back what it took.
    pub fn with_memory<T>(&self, bytes: u64, work: impl FnOnce() -> T) -> T {
        let guard = MemoryGuard::new(bytes);
        let result = work();
        drop(guard);
        result
    }

    /// Runs `work`, and says how many bytes more than before it isl had allocated at a time.
    pub fn memory_of<T>(&self, work: impl FnOnce() -> T) -> (T, u64) {
        meter::memory_of(work)
    }

    /// The operations counted since the context was made.
    pub fn operations(&self) -> u64 {
        // SAFETY: the context is alive.
        unsafe { meter::operations(self.ptr()) }
    }

    /// The operations that are left of the innermost bound; `u64::MAX` where there is none.
    pub fn remaining(&self) -> u64 {
        // SAFETY: the context is alive.
        match unsafe { isl_ctx_get_max_operations(self.ptr()) } {
            0 => u64::MAX,
            most => most.saturating_sub(self.operations()),
        }
    }

    /// Counts work that is not isl's, in operations: about 50 nanoseconds each.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::Quota`] when nothing is left of a bound; calls into isl then fail, too.
    pub fn charge(&self, operations: u64) -> Result<()> {
        // SAFETY: the context is alive.
        unsafe { meter::count(self.ptr(), operations) };
        if self.remaining() == 0 { Err(Error::quota()) } else { Ok(()) }
    }

    /// Sets or clears the deadline, on the processor time of this thread. A call into isl that has not returned by then
    /// is stopped; it and all later ones return an error of kind [`ErrorKind::Deadline`] until another deadline is set
    /// or this one cleared.
    ///
    /// isl stops at the next operation that it counts. While a deadline is set a thread waits for it; clear it when the
    /// work is done.
    pub fn set_deadline(&self, deadline: Option<Moment>) {
        // The former thread is gone after this, so nothing sets the flag any more when it is cleared.
        self.0.watchdog.take();
        // SAFETY: the context is alive.
        unsafe { isl_ctx_resume(self.ptr()) };
        self.0.deadline.set(deadline);
        if deadline.is_some_and(Moment::is_over) {
            // SAFETY: the context is alive.
            unsafe { isl_ctx_abort(self.ptr()) };
        }
        // SAFETY: the context is freed in `CtxInner::drop`, after the watchdog was dropped.
        *self.0.watchdog.borrow_mut() = deadline.map(|end| unsafe { Watchdog::start(self.ptr(), end) });
    }

    pub(super) fn ptr(&self) -> *mut c_void {
        self.0.ptr
    }

    /// The deadline, if there is one.
    pub fn deadline(&self) -> Option<Moment> {
        self.0.deadline.get()
    }

    /// `Err` once the deadline has passed and the watchdog has seen it.
    pub fn check_deadline(&self) -> Result<()> {
        let Some(end) = self.0.deadline.get() else { return Ok(()) };
        // To read a thread's clock takes longer than most calls into isl, and the watchdog does it.
        let is_watched = self.0.watchdog.borrow().as_ref().is_some_and(Watchdog::is_watching);
        let is_over = self.aborted() || (!is_watched && end.is_over());
        if is_over { Err(Error::deadline()) } else { Ok(()) }
    }

    /// What a call into isl returned. If a bound struck inside of the call it is an error, also where isl went on and
    /// returned something.
    pub(super) fn returned<R: Ret>(&self, raw: R::Raw) -> Result<R> {
        let value = R::from_raw(raw, self)?;
        // SAFETY: the context is alive.
        let struck = unsafe { isl_ctx_last_error(self.ptr()) == ISL_ERROR_QUOTA } || self.aborted();
        if struck { Err(self.take_error()) } else { Ok(value) }
    }

    /// Repeats, free of bounds, what cannot fail and needs next to nothing, after a bound stopped it: a few objects are
    /// copied by making another.
    pub(super) fn unbounded<T>(&self, work: impl Fn() -> Option<T>) -> Option<T> {
        // The flag is only lowered where it is up, as it is not raised again then. The deadline may pass in between.
        self.without_bounds(&work).or_else(|| self.without_bounds(&work))
    }

    fn without_bounds<T>(&self, work: impl Fn() -> T) -> T {
        let aborted = self.aborted();
        let _no_bound = MemoryGuard::none();
        // SAFETY: the context is alive.
        unsafe {
            let operations = isl_ctx_get_max_operations(self.ptr());
            isl_ctx_set_max_operations(self.ptr(), 0);
            if aborted {
                isl_ctx_resume(self.ptr());
            }
            let result = work();
            if aborted {
                isl_ctx_abort(self.ptr());
            }
            isl_ctx_set_max_operations(self.ptr(), operations);
            isl_ctx_reset_error(self.ptr());
            result
        }
    }

    fn aborted(&self) -> bool {
        // SAFETY: the context is alive.
        unsafe { isl_ctx_aborted(self.ptr()) != 0 }
    }

    /// The error that the last failing call left behind, which is then cleared.
    pub(super) fn take_error(&self) -> Error {
        // SAFETY: the context is alive; the message is NULL or a NUL-terminated string owned by isl.
        unsafe {
            // isl may go on from a bound that struck to an error of its own (its parser says "syntax error"). Asking
            // for memory, which is what isl counts, lets the bound strike again.
            meter::free(isl_malloc_or_die(self.ptr(), 1));
            let code = isl_ctx_last_error(self.ptr());
            let message = isl_ctx_last_error_msg(self.ptr());
            let message = if message.is_null() {
                "a call failed without a message".to_owned()
            } else {
                CStr::from_ptr(message).to_string_lossy().into_owned()
            };
            isl_ctx_reset_error(self.ptr());
            meter::see_shortage();
            // Whatever isl makes of being stopped.
            if self.aborted() {
                return Error::deadline();
            }
            let kind = match code {
                ISL_ERROR_QUOTA if message.contains("memory") => return Error::memory(),
                ISL_ERROR_QUOTA => return Error::quota(),
                ISL_ERROR_INVALID => ErrorKind::Invalid,
                ISL_ERROR_UNSUPPORTED => ErrorKind::Unsupported,
                _ => ErrorKind::Internal,
            };
            Error { kind, message }
        }
    }
}

/// Restores the context's former operation bound on drop, panics included.
struct QuotaGuard<'c> {
    ctx: &'c Ctx,
    former: c_ulong,
}

impl<'c> QuotaGuard<'c> {
    fn new(ctx: &'c Ctx, operations: u64) -> Self {
        // SAFETY: the context is alive for as long as the guard.
        unsafe {
            let former = isl_ctx_get_max_operations(ctx.ptr());
            if operations > 0 {
                let most = ctx.operations().saturating_add(operations);
                isl_ctx_set_max_operations(ctx.ptr(), if former == 0 { most } else { most.min(former) });
            }
            Self { ctx, former }
        }
    }
}

impl Drop for QuotaGuard<'_> {
    fn drop(&mut self) {
        // SAFETY: the context is alive for as long as the guard.
        unsafe {
            // What is done next may be for another context.
            meter::settle(self.ctx.ptr());
            isl_ctx_set_max_operations(self.ctx.ptr(), self.former);
            isl_ctx_reset_error(self.ctx.ptr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Aff, ErrorKind, Set, UnionAccessInfo, UnionMap, Val};
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn quota_is_an_error_and_ends_with_its_scope() {
        let ctx = Ctx::new();
        let text = "[n] -> { A[i,j,k] : exists a, b: 0 <= 7a + 3b - i < n and 2j + 5k <= 3a and i + j >= 2k - b }";
        let set = Set::parse(&ctx, text).unwrap();
        let struck = ctx.with_quota(3, || set.clone().complement().and_then(|s| s.lexmin()));
        assert_eq!(struck.unwrap_err().kind, ErrorKind::Quota);
        assert!(!set.is_empty().unwrap());
    }

    #[test]
    fn bounds_are_parts_of_bounds() {
        let ctx = Ctx::new();
        assert_eq!(ctx.remaining(), u64::MAX);
        let set = Set::parse(&ctx, "[n] -> { A[i, j] : 0 <= i < n and 0 <= 3j <= i }").unwrap();
        let solve = || set.clone().lexmin().and_then(|least| least.is_empty());
        ctx.with_quota(100_000, || {
            // What a part takes the whole has less.
            let before = ctx.remaining();
            ctx.with_quota(50_000, || {
                assert_eq!(ctx.remaining(), 50_000);
                solve().unwrap();
            });
            let taken = before - ctx.remaining();
            assert!((10..50_000).contains(&taken), "{taken}");
            // A part that is used up leaves the rest.
            let struck = ctx.with_quota(5, solve);
            assert_eq!(struck.unwrap_err().kind, ErrorKind::Quota);
            solve().unwrap();
            // No part is more than what is left, not even an unbounded one.
            let left = ctx.remaining();
            assert_eq!(ctx.with_quota(1_000_000, || ctx.remaining()), left);
            assert_eq!(ctx.with_quota(0, || ctx.remaining()), left);
            // Other work counts, too, and a part's end is not that of the whole.
            assert!(ctx.with_quota(10, || ctx.charge(20)).is_err());
            assert_eq!(ctx.remaining(), left - 20);
            solve().unwrap();
            assert!(ctx.charge(200_000).is_err());
            assert_eq!(solve().unwrap_err().kind, ErrorKind::Quota);
            assert_eq!(
                ctx.with_quota(1_000, solve).unwrap_err().kind,
                ErrorKind::Quota,
                "nothing is left to take a part of"
            );
        });
        assert_eq!(ctx.remaining(), u64::MAX);
        solve().unwrap();
    }

    #[test]
    fn deadline_in_the_past_strikes_until_cleared() {
        let ctx = Ctx::new();
        let set = Set::parse(&ctx, "{ A[i] : 0 <= i < 10 }").unwrap();
        ctx.set_deadline(Some(Moment::now()));
        assert_eq!(set.is_empty().unwrap_err().kind, ErrorKind::Deadline);
        ctx.set_deadline(None);
        assert!(!set.is_empty().unwrap());
    }

    /// Forty numbers, each 0 or 1, with five given weighted sums (a market split problem): hours of search.
    fn endless(ctx: &Ctx) -> Set {
        let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 100
        };
        let mut constraints: Vec<String> = names.iter().map(|name| format!("0 <= {name} <= 1")).collect();
        for _ in 0..5 {
            let weights: Vec<u64> = names.iter().map(|_| random()).collect();
            let half = weights.iter().sum::<u64>() / 2;
            let terms: Vec<String> =
                weights.iter().zip(&names).map(|(weight, name)| format!("{weight}{name}")).collect();
            constraints.push(format!("{} = {half}", terms.join(" + ")));
        }
        Set::parse(ctx, &format!("{{ A[{}] : {} }}", names.join(", "), constraints.join(" and "))).unwrap()
    }

    #[test]
    fn deadline_strikes_inside_of_a_call() {
        let ctx = Ctx::new();
        let hard = endless(&ctx);
        let easy = Set::parse(&ctx, "{ A[i] : 0 <= i < 10 }").unwrap();
        let begin = Instant::now();
        ctx.set_deadline(Moment::after(Duration::from_millis(50)));
        assert_eq!(hard.is_empty().unwrap_err().kind, ErrorKind::Deadline);
        assert!(begin.elapsed() >= Duration::from_millis(50));
        assert_eq!(easy.is_empty().unwrap_err().kind, ErrorKind::Deadline, "the deadline stays until it is cleared");
        // A deadline that is not reached leaves no trace, and the one before is forgotten.
        ctx.set_deadline(Moment::after(Duration::from_secs(3600)));
        assert!(!easy.is_empty().unwrap());
        ctx.set_deadline(None);
        assert!(!easy.is_empty().unwrap());
    }

    /// isl is built to count bytes (`cmake/isl-memory.h`).
    #[test]
    fn memory_is_bounded() {
        let ctx = Ctx::new();
        // A set of many parts, each of which takes about a kilobyte.
        let parts = |count: usize| {
            let part = |i| format!("A[x, y] : {i} <= x <= 2y + {i} and 3y < {} and x + y > {i}", i * i + 100);
            let text = (1..=count).map(part).collect::<Vec<_>>().join("; ");
            move |ctx: &Ctx| Set::parse(ctx, &format!("{{ {text} }}"))
        };
        let (few, many) = (parts(4), parts(400));
        let ((all, most), outer) = ctx.memory_of(|| ctx.memory_of(|| many(&ctx).unwrap()));
        assert_eq!(most, outer);
        assert!((100_000..5_000_000).contains(&most), "{most}");
        let left = ctx.memory_of(|| drop(all)).1;
        assert!(left < 10_000, "nothing is made: {left}");
        ctx.with_memory(100_000, || {
            let struck = many(&ctx).unwrap_err();
            assert_eq!(
                (struck.kind, struck.to_string()),
                (ErrorKind::Quota, "the memory that may be used ran out".into())
            );
            // It gave back what it took.
            let few = few(&ctx).unwrap();
            // A bound in it is a part of it.
            assert!(ctx.with_memory(1 << 40, || many(&ctx)).is_err());
            assert!(ctx.with_memory(10, || few.clone().complement()).is_err());
            few.complement().unwrap();
        });
        assert!(
            ctx.memory_of(|| many(&ctx).unwrap()).1 <= most + 10_000,
            "strings and failed calls leave nothing behind"
        );
    }

    /// isl is built to count a pivot for its arithmetic (`cmake/isl-pivots.h`).
    #[test]
    fn pivots_count_for_their_arithmetic() {
        let ctx = Ctx::new();
        // Eliminating the numbers x takes a quarter of a second: few operations, on large tableaus of large numbers.
        let mut rows = Vec::new();
        for row in 0..11_i64 {
            let terms = (0..7).map(|k| format!("{}x{k}", (row * 7 + k * k * 3 + row * k) % 19 - 9));
            let sum = terms.collect::<Vec<_>>().join(" + ");
            rows.push(format!("{}a + {}b + {sum} <= {}", row * 5 % 7 - 3, row * 3 % 5 - 2, 100 + row * row));
        }
        let names = (0..7).map(|k| format!("x{k}")).collect::<Vec<_>>().join(", ");
        let shadow = Set::parse(&ctx, &format!("{{ [a, b] : exists {names} : {} }}", rows.join(" and "))).unwrap();
        let eliminate = |quota| ctx.with_quota(quota, || shadow.clone().remove_divs());
        // Pivots as one operation each would make it 4,000 at most.
        assert_eq!(eliminate(50_000).unwrap_err().kind, ErrorKind::Quota);
        eliminate(5_000_000).unwrap();
    }

    /// What a piece of work counts for.
    fn taken(ctx: &Ctx, work: impl FnOnce()) -> u64 {
        let before = ctx.operations();
        work();
        ctx.operations() - before
    }

    /// Compares long rows of numbers, which needs no memory.
    fn rows(ctx: &Ctx) -> impl Fn() {
        let names = (0..160).map(|i| format!("x{i}")).collect::<Vec<_>>();
        let text = format!("{{ A[{}] -> [{}] }}", names.join(", "), names.join(" + "));
        let row = || Aff::parse(ctx, &text).unwrap();
        let (one, other) = (row(), row());
        move || (0..100).for_each(|_| assert!(one.plain_is_equal(&other).unwrap()))
    }

    /// isl is built to count numbers (`cmake/isl-cells.h`), which it does not do of its own.
    #[test]
    fn rows_and_large_numbers_count() {
        let ctx = Ctx::new();
        let operations = taken(&ctx, rows(&ctx));
        assert!((1_000..1_050).contains(&operations), "{operations}");
        let mut number = Val::int(&ctx, 3).unwrap();
        for _ in 0..13 {
            number = number.clone().mul(number).unwrap();
        }
        let operations = taken(&ctx, || drop(number.clone().mul(number.clone()).unwrap()));
        assert!((1_000..10_000).contains(&operations), "{operations}");
    }

    /// What is not charged yet when a bound ends is charged then, and not to the context that is used next.
    #[test]
    fn a_context_is_charged_for_its_own_work() {
        let [one, other] = [Ctx::new(), Ctx::new()];
        let (long, short) = (rows(&one), Set::parse(&other, "{ A[i] : 0 <= i < 10 }").unwrap());
        let solve = || taken(&other, || assert!(!short.clone().lexmin().unwrap().is_empty().unwrap()));
        let alone = [solve(), solve()];
        let former = one.operations();
        one.with_quota(1_000_000, &long);
        assert_eq!([solve(), solve()], [alone[1]; 2]);
        let longer = one.operations() - former;
        assert!((1_000..1_050).contains(&longer), "{longer}");
    }

    #[test]
    fn copies_are_made_when_a_bound_struck() {
        let ctx = Ctx::new();
        let info = UnionAccessInfo::from_sink(UnionMap::parse(&ctx, "{ S[i] -> A[i] : 0 <= i < 9 }").unwrap()).unwrap();
        ctx.with_quota(1, || {
            assert_eq!(info.clone().compute_flow().unwrap_err().kind, ErrorKind::Quota);
            assert_eq!(info.clone().compute_flow().unwrap_err().kind, ErrorKind::Quota, "the bound is still there");
        });
        let hard = endless(&ctx);
        ctx.set_deadline(Moment::after(Duration::from_millis(20)));
        hard.is_empty().unwrap_err();
        let copy = info.clone();
        assert_eq!(copy.clone().compute_flow().unwrap_err().kind, ErrorKind::Deadline);
        ctx.set_deadline(None);
        copy.compute_flow().unwrap().may_dependence().unwrap();
    }
}
