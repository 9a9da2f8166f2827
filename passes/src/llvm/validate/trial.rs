//! The runs of an original and its rewritten form, each in a process of its own.

use std::ffi::c_void;
use std::mem;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use llvm_sys::prelude::LLVMMemoryBufferRef;

use super::jit::Jit;
use super::memory::{Arena, MemoryBlock, Object, mix, size};
use super::process::{End, Shared, fork, leave};
use super::verdict::Verdict;

/// How many runs there are.
const RUNS: u64 = 8;
/// The seconds of a run of the original.
const ORIGINAL: u32 = 2;
/// Those of its rewritten form, which is compiled with care for large sizes.
const REWRITTEN: u32 = 20;
/// Those of all runs together, and of compilation.
const ALL: u32 = 120;
/// The bytes of all memory. Functions with more are not run.
const BYTES: usize = 1 << 28;
/// The bytes of an argument in memory; `slotBytes` of `passes/host/llvm_trial.cpp`.
const SLOT: usize = 64;
/// The bytes before a variable, and behind it; `moat` of that file.
const MOAT: usize = 1 << 16;
/// The bytes of a result.
const RESULT: usize = 256;
/// The bytes of the stack below a function that is called, as far as it may use them.
const STACK: u64 = 8 << 20;
/// The blocks of memory that are told apart.
const BLOCKS: usize = 500;

/// The numbers that processes share: how far things went, then the digests of a run.
mod cell {
    /// The runs that count.
    pub const RUNS: usize = 0;
    /// Those that called new code.
    pub const REACHED: usize = 1;
    /// 1 and the number of a run that differs.
    pub const DIFFERS: usize = 2;
    /// The difference: one of `What`, or a block.
    pub const WHAT: usize = 3;
    /// The calls of new code in a run.
    pub const CALLS: usize = 4;
    /// Why there are no runs: 1, and `failure`'s number.
    pub const FAILURE: usize = 5;
    /// The runs of an original that depend on what is undefined.
    pub const UNDEFINED: usize = 6;
    /// 1 once a run told its digests.
    pub const TOLD: usize = 7;
    /// The digests of the original's run.
    pub const ORIGINAL: usize = 16;
    /// Those of the run of another form of it.
    pub const OTHER: usize = ORIGINAL + super::BLOCKS;
}

/// How the run of the rewritten form may end otherwise than the original's, besides blocks of memory.
const CRASHED: u64 = 1 << 32;
const ENDLESS: u64 = CRASHED + 1;
/// Why there are no runs.
const FAILURES: [&str; 4] = [
    "it cannot be compiled for this machine",
    "it has too much memory",
    "it has too many variables",
    "there is no memory",
];

/// The state that a function under trial tells and is told.
struct Run {
    shared: Shared,
    digests: usize,
    blocks: Vec<MemoryBlock>,
    /// Where the function has its variables.
    stack: Range<u64>,
    calls: AtomicU64,
}

static RUN: OnceLock<Run> = OnceLock::new();

/// Runs both functions of a module for trials.
pub fn run(code: LLVMMemoryBufferRef, objects: &[Object]) -> Verdict {
    let Some(shared) = Shared::new(cell::OTHER + BLOCKS) else {
        return Verdict::NotValidated("there is no memory".to_owned());
    };
    let end = fork(ALL, || {
        if let Err(failure) = run_all(code, objects, shared) {
            shared.set(cell::FAILURE, failure + 1);
        }
    });
    let (runs, reached) = (shared.get(cell::RUNS), shared.get(cell::REACHED));
    let failure = usize::try_from(shared.get(cell::FAILURE)).unwrap_or(0);
    match (shared.get(cell::DIFFERS), end) {
        (1.., _) => Verdict::Differs(difference(shared, objects)),
        (0, _) if failure > 0 => Verdict::NotValidated(FAILURES[failure - 1].to_owned()),
        (0, _) if runs > 0 => Verdict::Agrees { runs, reached },
        (0, End::Good) if shared.get(cell::UNDEFINED) > 0 => {
            Verdict::NotValidated("what the original does is undefined on random memory".to_owned())
        }
        (0, End::Good) => Verdict::NotValidated("no run of the original came to its end in time".to_owned()),
        (0, End::Late) => Verdict::NotValidated("it takes too long".to_owned()),
        (0, End::Bad) => Verdict::NotValidated("the process of the trial failed".to_owned()),
    }
}

fn difference(shared: Shared, objects: &[Object]) -> String {
    let run = shared.get(cell::DIFFERS) - 1;
    let what = match shared.get(cell::WHAT) {
        CRASHED => "the rewritten function crashes or ends the program".to_owned(),
        ENDLESS => "the rewritten function does not end".to_owned(),
        0 => "what is returned differs".to_owned(),
        1 => "the calls of other functions differ".to_owned(),
        block => {
            let number = usize::try_from(block).unwrap_or(0) - 2;
            let memory = objects.iter().filter(|object| !matches!(object, Object::Number(_)));
            match memory.enumerate().nth(number) {
                Some((_, Object::Variable(size, _))) => format!("a variable of {size} bytes differs (block {number})"),
                _ => format!("the memory of an argument differs (block {number})"),
            }
        }
    };
    format!("{what} in run {run}")
}

/// The compiled functions, and the memory they work on.
struct Stage {
    original: Function,
    /// The original with its variables elsewhere.
    moved: Function,
    rewritten: Function,
    /// For each object its memory: of a number, its slot.
    blocks: Vec<MemoryBlock>,
    slots: Vec<u8>,
}

type Function = unsafe extern "C" fn(*const u8, *mut u8);

fn run_all(code: LLVMMemoryBufferRef, objects: &[Object], shared: Shared) -> Result<(), u64> {
    let functions: [(&str, *const c_void); 4] = [
        ("poly.trial.note", note as *const c_void),
        ("poly.trial.value", value as *const c_void),
        ("poly.trial.stop", stop as *const c_void),
        ("poly.trial.reached", reached as *const c_void),
    ];
    let jit = Jit::new(code, &functions).map_err(log)?;
    let mut stage = Stage::new(&jit, objects)?;
    for number in 0..RUNS {
        stage.fill(objects, &mut Rng::with_seed(number));
        if stage.run(stage.original, shared, cell::ORIGINAL, ORIGINAL) != End::Good {
            continue;
        }
        // What depends on where variables are, or on what was there before, is undefined and says nothing.
        match stage.run(stage.moved, shared, cell::OTHER, ORIGINAL) {
            End::Good if other(shared).is_none() => {}
            End::Late => continue,
            End::Good | End::Bad => {
                shared.add(cell::UNDEFINED, 1);
                continue;
            }
        }
        let end = stage.run(stage.rewritten, shared, cell::OTHER, REWRITTEN);
        shared.add(cell::RUNS, 1);
        shared.add(cell::REACHED, u64::from(shared.get(cell::CALLS) > 0));
        let what = match end {
            End::Good => other(shared),
            End::Late => Some(ENDLESS),
            End::Bad => Some(CRASHED),
        };
        if let Some(what) = what {
            shared.set(cell::WHAT, what);
            shared.set(cell::DIFFERS, number + 1);
            return Ok(());
        }
    }
    Ok(())
}

/// The first digest of the last run that is not the original's.
fn other(shared: Shared) -> Option<u64> {
    let same = |index: &usize| shared.get(cell::ORIGINAL + index) == shared.get(cell::OTHER + index);
    (0..BLOCKS).find(|index| !same(index)).map(|index| index as u64)
}

fn log(error: String) -> u64 {
    tracing::debug!(error, "no trial");
    0
}

impl Stage {
    fn new(jit: &Jit, objects: &[Object]) -> Result<Self, u64> {
        let function = |name: &str| -> Result<Function, u64> {
            let address = jit.address(name).map_err(log)?;
            // SAFETY: the wrappers of `passes/host/llvm_trial.cpp` are functions of this type.
            Ok(unsafe { mem::transmute::<*mut u8, Function>(address) })
        };
        let (original, moved) = (function("poly.trial.original")?, function("poly.trial.moved")?);
        let rewritten = function("poly.trial.rewritten")?;
        let arguments = objects.iter().filter(|object| !matches!(object, Object::Variable(..))).count();
        let mut stage = Self { original, moved, rewritten, blocks: Vec::new(), slots: vec![0; (arguments + 1) * SLOT] };
        let (mut variables, mut position, mut bytes) = (0, 0, 0);
        for object in objects {
            let block = match object {
                Object::Variable(size, _) => {
                    let start = jit.address(&format!("poly.trial.variable.{variables}"));
                    variables += 1;
                    // One that no function needs went away.
                    start.map_or(MemoryBlock::new(stage.slots.as_mut_ptr(), 0), |start| {
                        MemoryBlock::new(start.wrapping_add(MOAT), *size)
                    })
                }
                Object::Number(_) => MemoryBlock::new(stage.slots[position..].as_mut_ptr(), SLOT),
                Object::Memory(_) => {
                    let arena = Arena::new().ok_or(3_u64)?;
                    let address = arena.middle().expose_provenance() as u64;
                    stage.slots[position..position + 8].copy_from_slice(&address.to_le_bytes());
                    arena.block()
                }
            };
            position += if matches!(object, Object::Variable(..)) { 0 } else { SLOT };
            bytes += block.size;
            stage.blocks.push(block);
        }
        if bytes > BYTES {
            return Err(1);
        }
        (stage.blocks.len() + 2 <= BLOCKS).then_some(stage).ok_or(2)
    }

    fn fill(&mut self, objects: &[Object], numbers: &mut Rng) {
        for (object, block) in objects.iter().zip(&self.blocks) {
            match object {
                Object::Number(super::memory::Pattern::Integer(_)) => {
                    let bytes = size(numbers).to_le_bytes();
                    // SAFETY: a slot is larger than that.
                    unsafe { std::slice::from_raw_parts_mut(block.start(), bytes.len()) }.copy_from_slice(&bytes);
                }
                Object::Number(pattern) | Object::Memory(pattern) | Object::Variable(_, pattern) => {
                    block.fill(*pattern, numbers);
                }
            }
        }
    }

    /// Calls a function in a process of its own, for some seconds at most. A good end is one that told its digests.
    fn run(&self, function: Function, shared: Shared, digests: usize, seconds: u32) -> End {
        shared.set(cell::CALLS, 0);
        shared.set(cell::TOLD, 0);
        match fork(seconds, || self.call(function, shared, digests)) {
            End::Good if shared.get(cell::TOLD) == 0 => End::Bad,
            end => end,
        }
    }

    /// Calls a function and tells what came of it. Ends the process.
    fn call(&self, function: Function, shared: Shared, digests: usize) {
        let mut blocks = vec![MemoryBlock::new(Box::leak(Box::new([0_u8; RESULT])).as_mut_ptr(), RESULT)];
        blocks.extend(self.blocks.iter().filter(|block| block.size != SLOT || !self.is_slot(**block)));
        let result = blocks[0].start();
        let top = (&raw const result).expose_provenance() as u64;
        let stack = top.saturating_sub(STACK)..top;
        let _ = RUN.set(Run { shared, digests, blocks, stack, calls: AtomicU64::new(1) });
        // SAFETY: may do anything, and has a process of its own for it.
        unsafe { function(self.slots.as_ptr(), result) }
        finish()
    }

    fn is_slot(&self, block: MemoryBlock) -> bool {
        self.slots.as_ptr_range().contains(&block.start().cast_const())
    }
}

/// The end of a run: its digests are what counts.
fn finish() -> ! {
    if let Some(run) = RUN.get() {
        let mut digests = run.blocks.iter().map(|block| block.digest(&run.stack));
        run.shared.set(run.digests, digests.next().unwrap_or(0));
        run.shared.set(run.digests + 1, run.calls.load(Ordering::Relaxed));
        for (index, digest) in digests.enumerate() {
            run.shared.set(run.digests + 2 + index, digest);
        }
        run.shared.set(cell::TOLD, 1);
    }
    leave()
}

/// A function of another module was called, with this among what it was given.
extern "C" fn note(number: u64) {
    if let Some(run) = RUN.get() {
        run.calls.store(mix(run.calls.load(Ordering::Relaxed), number), Ordering::Relaxed);
    }
}

/// The result of a function of another module: a small number that follows from the calls so far.
extern "C" fn value() -> u64 {
    RUN.get().map_or(0, |run| (run.calls.load(Ordering::Relaxed) >> 40) % 7)
}

/// A function of another module that does not return was called.
extern "C" fn stop() {
    finish()
}

/// New code is called.
extern "C" fn reached() {
    if let Some(run) = RUN.get() {
        run.shared.add(cell::CALLS, 1);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::ffi::CString;
    use std::ptr;
    use std::sync::Once;

    use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
    use llvm_sys::core::{LLVMContextCreate, LLVMCreateMemoryBufferWithMemoryRangeCopy};
    use llvm_sys::ir_reader::LLVMParseIRInContext2;
    use llvm_sys::target::{
        LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo, LLVMInitializeX86TargetMC,
    };

    use super::super::memory::parse;
    use super::*;

    const TABLE: &str = "argument number i32\nargument memory f64\n";

    fn compile(text: &str) -> LLVMMemoryBufferRef {
        static TARGET: Once = Once::new();
        // SAFETY: a target is initialized once; buffers, context and module stay until the process ends.
        unsafe {
            TARGET.call_once(|| {
                LLVMInitializeX86TargetInfo();
                LLVMInitializeX86Target();
                LLVMInitializeX86TargetMC();
                LLVMInitializeX86AsmPrinter();
            });
            let text = CString::new(text).expect("no zero in it");
            let size = text.as_bytes().len();
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.as_ptr(), size, c"test".as_ptr());
            let (mut module, mut message) = (ptr::null_mut(), ptr::null_mut());
            let failed = LLVMParseIRInContext2(LLVMContextCreate(), buffer, &raw mut module, &raw mut message);
            assert_eq!(failed, 0, "{text:?}");
            LLVMWriteBitcodeToMemoryBuffer(module)
        }
    }

    /// The verdict on two functions of a size and an array, given as what stands between their entry and their return.
    fn verdict(original: &str, rewritten: &str) -> Verdict {
        verdict_beside(original, original, rewritten)
    }

    /// The same where the original with its variables elsewhere is something else.
    fn verdict_beside(original: &str, moved: &str, rewritten: &str) -> Verdict {
        let function = |name: &str, body: &str| {
            format!(
                "define void @poly.trial.{name}(ptr %slots, ptr %result) {{\n %n = load i32, ptr %slots\n \
                 %at = getelementptr i8, ptr %slots, i64 64\n %a = load ptr, ptr %at\n {body}\n ret void\n}}\n"
            )
        };
        let text = format!(
            "target triple = \"x86_64-pc-linux-gnu\"\n{}{}{}declare void @poly.trial.note(i64)\n\
             declare void @poly.trial.stop()\ndeclare void @poly.trial.reached()\ndeclare void @_exit(i32)\n",
            function("original", original),
            function("moved", moved),
            function("rewritten", rewritten)
        );
        run(compile(&text), &parse(TABLE).expect("a good table"))
    }

    const ADD: &str = "%x = load double, ptr %a\n %y = fadd double %x, 1.0\n store double %y, ptr %a";

    #[test]
    fn equal_functions_agree() {
        let rewritten = format!("call void @poly.trial.reached()\n {ADD}");
        assert_eq!(verdict(ADD, &rewritten), Verdict::Agrees { runs: RUNS, reached: RUNS });
    }

    #[test]
    fn another_operation_on_memory_differs() {
        let Verdict::Differs(text) = verdict(ADD, &ADD.replace("fadd", "fsub")) else { panic!("no difference") };
        assert!(text.contains("memory of an argument"), "{text}");
    }

    #[test]
    fn another_result_differs() {
        let store = "store i32 %n, ptr %result";
        let Verdict::Differs(text) = verdict(store, "") else { panic!("no difference") };
        assert!(text.contains("returned"), "{text}");
    }

    #[test]
    fn another_call_differs_up_to_where_the_program_ends() {
        let call = "call void @poly.trial.note(i64 3)";
        let Verdict::Differs(text) = verdict(call, "") else { panic!("no difference") };
        assert!(text.contains("calls"), "{text}");
        let ended = |number| format!("call void @poly.trial.stop()\n call void @poly.trial.note(i64 {number})");
        assert_eq!(verdict(&ended(1), &ended(2)), Verdict::Agrees { runs: RUNS, reached: 0 });
    }

    #[test]
    fn a_crash_differs_unless_the_original_crashes() {
        let wild = "store volatile i32 1, ptr inttoptr (i64 8 to ptr)";
        let Verdict::Differs(text) = verdict(ADD, wild) else { panic!("no difference") };
        assert!(text.contains("crashes"), "{text}");
        assert!(matches!(verdict(wild, ADD), Verdict::NotValidated(_)));
    }

    #[test]
    fn an_end_that_tells_nothing_is_no_good_end() {
        let Verdict::Differs(text) = verdict(ADD, "call void @_exit(i32 0)") else { panic!("no difference") };
        assert!(text.contains("ends the program"), "{text}");
    }

    #[test]
    fn what_depends_on_the_stack_says_nothing() {
        let Verdict::NotValidated(text) = verdict_beside(ADD, &ADD.replace("1.0", "2.0"), &ADD.replace("fadd", "fsub"))
        else {
            panic!("validated")
        };
        assert!(text.contains("undefined"), "{text}");
    }

    #[test]
    fn what_does_not_link_is_not_validated() {
        let text = "target triple = \"x86_64-pc-linux-gnu\"";
        assert!(matches!(run(compile(text), &[]), Verdict::NotValidated(_)));
    }
}
