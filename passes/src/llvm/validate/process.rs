//! Processes of their own for code that may do anything, and the page that they share with who started them.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end.
    Good,
    /// It was still running when its time was over.
    Late,
    /// By a signal, or with an error.
    Bad,
}

/// Signals that LLVM's tools handle, which must end these processes silently.
const SIGNALS: [libc::c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGALRM];

/// Does some work in a process of its own, for some seconds at most, and waits for its end.
pub fn fork(seconds: u32, work: impl FnOnce()) -> End {
    // SAFETY: the child uses memory of its own and ends without running anything of the parent's.
    unsafe {
        match libc::fork() {
            -1 => End::Bad,
            0 => {
                SIGNALS.iter().for_each(|signal| {
                    libc::signal(*signal, libc::SIG_DFL);
                });
                libc::alarm(seconds);
                work();
                libc::_exit(0)
            }
            child => {
                let mut status = 0;
                while libc::waitpid(child, &raw mut status, 0) == -1 {
                    if *libc::__errno_location() != libc::EINTR {
                        return End::Bad;
                    }
                }
                match status {
                    0 => End::Good,
                    _ if libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGALRM => End::Late,
                    _ => End::Bad,
                }
            }
        }
    }
}

/// Ends this process at once.
pub fn leave() -> ! {
    // SAFETY: ends the process without running anything else.
    unsafe { libc::_exit(0) }
}

/// Numbers that a process shares with those that it forks. All are 0 at first.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    cells: &'static [AtomicU64],
}

impl Shared {
    /// So many numbers; nothing if there is no memory.
    pub fn new(count: usize) -> Option<Self> {
        let size = count * size_of::<AtomicU64>();
        // SAFETY: new memory, which is never unmapped, zero and aligned for numbers.
        unsafe {
            let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
            let start = libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            (start != libc::MAP_FAILED)
                .then(|| Self { cells: std::slice::from_raw_parts(start.cast::<AtomicU64>(), count) })
        }
    }

    /// A number.
    pub fn get(self, index: usize) -> u64 {
        self.cells[index].load(Ordering::Relaxed)
    }

    /// Sets a number.
    pub fn set(self, index: usize, value: u64) {
        self.cells[index].store(value, Ordering::Relaxed);
    }

    /// Adds to a number.
    pub fn add(self, index: usize, value: u64) {
        self.cells[index].fetch_add(value, Ordering::Relaxed);
    }
}
