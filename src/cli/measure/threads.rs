//! What threads take to start on a parallel loop and to wait for each other at its end.

use super::clock::{Times, time};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that is alone in its lines: neighbours that others write would be waited for, and some processors fetch
/// lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Alone(AtomicU64);

impl Alone {
    /// Waits actively until the number is at least this.
    fn wait(&self, least: u64) -> u64 {
        loop {
            let number = self.0.load(Ordering::Acquire);
            if number >= least {
                return number;
            }
            spin_loop();
        }
    }
}

/// What one thread that helps is told, and tells.
#[derive(Debug, Default)]
struct Helper {
    /// The loop that it is to work on, counted from 1; [`END`] after the last.
    go: Alone,
    /// The last loop that it has finished.
    done: Alone,
}

const END: u64 = u64::MAX;

/// The nanoseconds that a parallel loop usually takes to start and to end on so many threads; nothing for less than two.
///
/// The threads wait actively, as those of OpenMP do (`OMP_WAIT_POLICY=active`, and for a while without it). What its
/// runtime does besides handing over the loop, which is the same for any number of threads, is not measured but taken
/// from one machine, as no such runtime belongs to this command: on two cores of a Zen 4 a hand-over took 0.1
/// microseconds, and an empty loop of OpenMP 0.8 with LLVM's runtime and 0.5 with gcc's, at least, beside other
/// programs.
pub fn start(threads: u32) -> Option<Times> {
    const RUNTIME: f64 = 7.0;
    /// Threads are made anew each time, as where the system lets them run makes a difference.
    const TEAMS: usize = 6;
    if threads < 2 {
        return None;
    }
    let usual = |threads| Times::of(TEAMS, || hand_over(threads).median()).low();
    let pair = usual(2);
    let all = if threads > 2 { usual(threads) } else { pair };
    Some(Times::of(1, || all + RUNTIME * pair))
}

/// The nanoseconds until so many threads have got something to do, have done nothing, and have said so. All get what
/// to do from one place, and say that they have done it in a place of their own.
fn hand_over(threads: u32) -> Times {
    // Few, so that most batches are over before the system gives a core to something else.
    const LOOPS: u64 = 100;
    let helpers: Vec<Helper> = (1..threads).map(|_| Helper::default()).collect();
    let task = Alone::default();
    std::thread::scope(|scope| {
        for helper in &helpers {
            scope.spawn(|| help(helper, &task));
        }
        let mut number = 0;
        let times = Times::of(100, || {
            let batch = time(|| (0..LOOPS).for_each(|_| run(&helpers, &task, &mut number)));
            batch / LOOPS as f64
        });
        helpers.iter().for_each(|helper| helper.go.0.store(END, Ordering::Release));
        times
    })
}

/// One parallel loop: the threads are told, and waited for.
fn run(helpers: &[Helper], task: &Alone, number: &mut u64) {
    *number += 1;
    task.0.store(*number, Ordering::Relaxed);
    helpers.iter().for_each(|helper| helper.go.0.store(*number, Ordering::Release));
    helpers.iter().for_each(|helper| {
        helper.done.wait(*number);
    });
}

/// What a thread does that helps.
fn help(helper: &Helper, task: &Alone) {
    let mut next = 1;
    while helper.go.wait(next) != END {
        next = std::hint::black_box(task.0.load(Ordering::Relaxed)) + 1;
        helper.done.0.store(next - 1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_finish_each_loop_and_end() {
        let (helpers, task) = ([Helper::default(), Helper::default()], Alone::default());
        std::thread::scope(|scope| {
            helpers.iter().for_each(|helper| {
                scope.spawn(|| help(helper, &task));
            });
            let mut number = 0;
            (0..3).for_each(|_| run(&helpers, &task, &mut number));
            assert!(helpers.iter().all(|helper| helper.done.0.load(Ordering::Relaxed) == 3));
            helpers.iter().for_each(|helper| helper.go.0.store(END, Ordering::Release));
        });
        assert!(start(0).is_none() && start(1).is_none());
    }
}
