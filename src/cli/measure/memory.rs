//! What lines of memory take: in long walks, at the start of short rows, and where memory was just allocated.

use super::clock::{Difference, Times, time};
use std::hint::black_box;

/// The elements of all arrays here; their size divides that of a line.
type Element = u32;

/// An array that was written before, from the start of a line on: what was never written need not be anywhere.
#[derive(Debug)]
pub struct Array {
    elements: Vec<Element>,
    /// Where the first line begins.
    start: usize,
    /// The elements of a line.
    line: usize,
}

impl Array {
    /// An array of about so many bytes, in lines of so many.
    pub fn new(bytes: u64, line_bytes: u32) -> Array {
        let line = (line_bytes as usize / size_of::<Element>()).max(1);
        let elements = vec![1; bytes as usize / size_of::<Element>()];
        // Where that is not known, rows are a line longer than they are taken to be.
        let start = elements.as_ptr().align_offset(line * size_of::<Element>()).min(line);
        Array { elements, start, line }
    }

    fn lines(&self) -> &[Element] {
        self.elements.get(self.start..).unwrap_or_default()
    }
}

/// The nanoseconds for each line of a long walk: one element of each is read, so that nothing but memory is waited for.
pub fn line(array: &Array) -> Times {
    Times::of(30, || walk(array))
}

/// What a line of an array takes beyond one of another array, which a core's own cache holds.
pub fn line_beyond(array: &Array, near: &Array) -> Difference {
    let in_own_cache = || {
        walk(near);
        walk(near)
    };
    Difference::of(30, &mut (), |()| walk(array), |()| in_own_cache())
}

/// The nanoseconds for each line of a walk through an array.
fn walk(array: &Array) -> f64 {
    let (lines, line) = (array.lines(), array.line);
    let count = (lines.len() / line).max(1);
    let walk = || black_box(lines).iter().step_by(line).fold(0, |sum: Element, each| sum.wrapping_add(*each));
    time(walk) / count as f64
}

/// The nanoseconds that a row of a tile takes besides its lines: a matrix of about so many bytes, which begins where the
/// array does and has rows of 175 lines, is read in tiles that are 2 lines wide, down its rows and, for comparison,
/// along them.
pub fn row(array: &Array, bytes: u64) -> Difference {
    let lines = array.lines();
    let elements = &lines[..lines.len().min(bytes as usize / size_of::<Element>())];
    let mut matrix = Matrix { elements, pitch: 175 * array.line, width: 2 * array.line };
    let each = 1.0 / matrix.parts() as f64;
    Difference::of(
        10,
        &mut matrix,
        |matrix| time(|| matrix.read_down_rows()) * each,
        |matrix| time(|| matrix.read_along_rows()) * each,
    )
}

/// Rows of so many elements, cut into parts of so many.
#[derive(Debug, Clone, Copy)]
struct Matrix<'a> {
    elements: &'a [Element],
    pitch: usize,
    width: usize,
}

impl Matrix<'_> {
    fn rows(&self) -> usize {
        self.elements.len() / self.pitch
    }

    fn columns(&self) -> usize {
        self.pitch / self.width
    }

    /// The parts of all rows, at least one.
    fn parts(&self) -> usize {
        (self.rows() * self.columns()).max(1)
    }

    fn read_along_rows(&self) -> Element {
        let parts = (0..self.rows()).flat_map(|row| (0..self.columns()).map(move |column| (row, column)));
        parts.fold(0, |sum, (row, column)| sum.wrapping_add(self.read(row, column)))
    }

    fn read_down_rows(&self) -> Element {
        let parts = (0..self.columns()).flat_map(|column| (0..self.rows()).map(move |row| (row, column)));
        parts.fold(0, |sum, (row, column)| sum.wrapping_add(self.read(row, column)))
    }

    #[inline(never)]
    fn read(&self, row: usize, column: usize) -> Element {
        let start = row * self.pitch + column * self.width;
        self.elements[start..start + self.width].iter().fold(0, |sum: Element, each| sum.wrapping_add(*each))
    }
}

/// The nanoseconds for each line that is written in memory that was just allocated, more than in the same memory again.
pub fn fresh_line(line_bytes: u32) -> Difference {
    // More than any allocator keeps for the next one that asks: glibc keeps up to 32 MiB.
    const BYTES: usize = 64 << 20;
    const ELEMENTS: usize = BYTES / size_of::<Element>();
    let each = f64::from(line_bytes.max(1)) / BYTES as f64;
    let write = |elements: &mut Vec<Element>| {
        let fill = || {
            elements.clear();
            elements.resize(ELEMENTS, black_box(1));
            black_box(&mut elements[..]);
        };
        time(fill) * each
    };
    let mut old = Vec::with_capacity(ELEMENTS);
    write(&mut old);
    Difference::of(10, &mut old, |_| write(&mut Vec::with_capacity(ELEMENTS)), write)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_read_the_same() {
        let elements: Vec<Element> = (0..1000).collect();
        let matrix = Matrix { elements: &elements, pitch: 70, width: 32 };
        assert_eq!((matrix.rows(), matrix.columns(), matrix.parts()), (14, 2, 28));
        let sum = (0..14).flat_map(|row| (0..64).map(move |column| row * 70 + column)).sum::<Element>();
        assert_eq!((matrix.read_along_rows(), matrix.read_down_rows()), (sum, sum));
    }

    #[test]
    fn arrays_begin_with_a_line() {
        let array = Array::new(1 << 16, 64);
        assert!(array.line == 16 && array.lines().len() > (1 << 14) - 16);
        assert_eq!(array.lines().as_ptr().align_offset(64), 0);
        assert_eq!(Array::new(0, 64).lines(), &[] as &[Element]);
    }
}
