//! The memory of a run: arguments, what pointers point to, and global variables, filled with numbers from a seed.

use std::ops::Range;
use std::ptr;

use fastrand::Rng;

/// An object that the functions can be given and can change, as `passes/host/llvm_trial.cpp` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// An argument that is a number, or a few.
    Number(Pattern),
    /// An argument that points to memory.
    Memory(Pattern),
    /// A global variable, of so many bytes.
    Variable(usize, Pattern),
}

/// The numbers that some memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `double`.
    Double,
    /// `float`.
    Float,
    /// Integers of so many bytes.
    Integer(usize),
    /// Small numbers in all bytes.
    Bytes,
    /// It holds pointers, and stays as it is.
    Keep,
}

/// Reads the table of a module for trials; nothing if it is malformed.
pub fn parse(table: &str) -> Option<Vec<Object>> {
    let objects = table.lines().map(|line| match *line.split(' ').collect::<Vec<_>>() {
        ["argument", "number", pattern] => Some(Object::Number(Pattern::parse(pattern)?)),
        ["argument", "memory", pattern] => Some(Object::Memory(Pattern::parse(pattern)?)),
        ["variable", size, pattern] => Some(Object::Variable(size.parse().ok()?, Pattern::parse(pattern)?)),
        _ => None,
    });
    objects.collect()
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "f64" => Pattern::Double,
            "f32" => Pattern::Float,
            "bytes" => Pattern::Bytes,
            "keep" => Pattern::Keep,
            _ => match text.strip_prefix('i')?.parse::<usize>().ok()? {
                bits @ (8 | 16 | 32 | 64) => Pattern::Integer(bits / 8),
                _ => Pattern::Bytes,
            },
        })
    }

    /// The bytes of one number.
    fn bytes(self) -> usize {
        match self {
            Pattern::Double => 8,
            Pattern::Float => 4,
            Pattern::Integer(bytes) => bytes,
            Pattern::Bytes | Pattern::Keep => 1,
        }
    }

    /// Fills memory: floating-point numbers are sevenths, so that hardly any operation on them is exact and the order
    /// of operations shows; integers are small, as those that are sizes or subscripts.
    pub fn fill(self, memory: &mut [u8], numbers: &mut Rng) {
        if self == Pattern::Keep {
            return;
        }
        for element in memory.chunks_exact_mut(self.bytes()) {
            let whole = numbers.i32(-100..=100);
            match self {
                Pattern::Double => element.copy_from_slice(&(f64::from(whole) / 7.0).to_le_bytes()),
                Pattern::Float => element.copy_from_slice(&(f64::from(whole) as f32 / 7.0).to_le_bytes()),
                Pattern::Integer(bytes) => element.copy_from_slice(&i64::from(whole / 8).to_le_bytes()[..bytes]),
                Pattern::Bytes | Pattern::Keep => element[0] = whole.to_le_bytes()[0] & 7,
            }
        }
    }
}

/// A size, as an argument: mostly small, sometimes 0, negative or a little larger.
pub fn size(numbers: &mut Rng) -> i64 {
    match numbers.u32(..12) {
        0 => 0,
        1 => -1,
        2 => 33,
        3 => 1,
        _ => numbers.i64(1..=18),
    }
}

/// Memory that a pointer points into the middle of, between pages that must not be touched.
#[derive(Clone, Copy, Debug)]
pub struct Arena {
    start: *mut u8,
}

/// The bytes before an argument's address that are its memory.
const BEFORE: usize = 1 << 18;
/// Those behind.
const BEHIND: usize = 3 << 18;
/// A page, or some.
const GUARD: usize = 1 << 16;

impl Arena {
    /// New memory; nothing if there is none.
    pub fn new() -> Option<Self> {
        // SAFETY: new memory, which is never unmapped; the parts are within it.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let whole = libc::mmap(ptr::null_mut(), BEFORE + BEHIND + 2 * GUARD, libc::PROT_NONE, flags, -1, 0);
            if whole == libc::MAP_FAILED {
                return None;
            }
            let start = whole.cast::<u8>().add(GUARD);
            let done = libc::mprotect(start.cast(), BEFORE + BEHIND, libc::PROT_READ | libc::PROT_WRITE);
            (done == 0).then_some(Self { start })
        }
    }

    /// Where the argument points to.
    pub fn middle(self) -> *mut u8 {
        self.start.wrapping_add(BEFORE)
    }

    /// All of it.
    pub fn block(self) -> MemoryBlock {
        MemoryBlock::new(self.start, BEFORE + BEHIND)
    }
}

/// Some memory that functions of a trial may change.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBlock {
    /// The address of its first byte, as a number: blocks are known to all threads of a run.
    start: usize,
    /// Its bytes.
    pub size: usize,
}

impl MemoryBlock {
    /// So many bytes at an address.
    pub fn new(start: *mut u8, size: usize) -> Self {
        Self { start: start.expose_provenance(), size }
    }

    /// Where it starts.
    pub fn start(self) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.start)
    }

    /// Fills it.
    pub fn fill(self, pattern: Pattern, numbers: &mut Rng) {
        // SAFETY: memory of this process that nobody else uses while no function of a trial runs.
        pattern.fill(unsafe { std::slice::from_raw_parts_mut(self.start(), self.size) }, numbers);
    }

    /// A number that is another for other contents. Addresses on the stack all count as one: a function may leave those
    /// of its variables, which lie elsewhere when it is compiled in another way, and nobody may use them any more.
    pub fn digest(self, stack: &Range<u64>) -> u64 {
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(self.start(), self.size) };
        let (words, rest) = bytes.as_chunks::<8>();
        let sum = words.iter().map(|word| u64::from_le_bytes(*word)).fold(1, |sum, word| {
            let word = if stack.contains(&word) { u64::MAX } else { word };
            mix(sum, word)
        });
        rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
    }
}

/// A number that depends on two, and on their order.
pub fn mix(sum: u64, next: u64) -> u64 {
    (sum.rotate_left(5) ^ next).wrapping_mul(0x517c_c1b7_2722_0a95)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        let objects = parse("variable 800 f64\nargument number i32\nargument memory keep\n").expect("a good table");
        let expected = [
            Object::Variable(800, Pattern::Double),
            Object::Number(Pattern::Integer(4)),
            Object::Memory(Pattern::Keep),
        ];
        assert_eq!(objects, expected);
        assert_eq!(parse("variable f64\n"), None);
    }

    #[test]
    fn contents_and_their_order_change_the_digest() {
        let digest = |bytes: &mut [u8]| MemoryBlock::new(bytes.as_mut_ptr(), bytes.len()).digest(&(0..0));
        let mut memory: Vec<u8> = (0..35).collect();
        let before = digest(&mut memory);
        memory.swap(3, 33);
        assert_ne!(before, digest(&mut memory));
        memory.swap(3, 33);
        assert_eq!(before, digest(&mut memory));
    }

    #[test]
    fn addresses_on_the_stack_are_all_the_same() {
        let digest = |value: u64| {
            let mut bytes = value.to_le_bytes();
            MemoryBlock::new(bytes.as_mut_ptr(), bytes.len()).digest(&(1000..2000))
        };
        assert_eq!(digest(1000), digest(1999));
        assert_ne!(digest(1000), digest(2001));
        assert_ne!(digest(999), digest(2001));
    }

    #[test]
    fn a_seed_gives_the_same_numbers() {
        let fill = |seed| {
            let mut memory = vec![0; 64];
            Pattern::Double.fill(&mut memory, &mut Rng::with_seed(seed));
            memory
        };
        assert_eq!(fill(3), fill(3));
        assert_ne!(fill(3), fill(4));
    }
}
