//! Whether two dumps of arrays agree. Benchmarks let every compiler contract multiply-adds, so the last bits may
//! differ.

use crate::suite::kernel::Element;
use anyhow::{Context, Result, bail};

/// One array of a dump: its name and the bits of its values; none is a NaN.
struct Array {
    name: String,
    values: Vec<Option<u64>>,
}

/// The arrays that a program dumped.
pub struct Dump {
    arrays: Vec<Array>,
}

impl Dump {
    /// Reads what `--dump=bits` prints, and the seconds that `--time` prints.
    ///
    /// # Errors
    /// When a line is none of those, or there is no value.
    pub fn parse(text: &str) -> Result<(Self, f64)> {
        let mut arrays: Vec<Array> = Vec::new();
        let mut seconds = None;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("array ") {
                arrays.push(Array { name: name.to_owned(), values: Vec::new() });
            } else if let Some(time) = line.strip_prefix("time: ") {
                seconds = Some(time.parse().with_context(|| format!("not a time: {time}"))?);
            } else {
                let array = arrays.last_mut().context("a value before the first array")?;
                array.values.push(match line {
                    "nan" => None,
                    bits => Some(u64::from_str_radix(bits, 16).with_context(|| format!("not a value: {bits}"))?),
                });
            }
        }
        if arrays.iter().all(|array| array.values.is_empty()) {
            bail!("the program dumped no value");
        }
        Ok((Self { arrays }, seconds.context("the program printed no time")?))
    }

    /// The largest difference of a value, relative to the largest value of its array in `self`; integers must be equal.
    ///
    /// # Errors
    /// When the dumps have different arrays, an integer differs, or only one side of a value is a NaN or infinite.
    pub fn distance(&self, other: &Self, element: Element) -> Result<f64> {
        let shape = |dump: &Self| -> Vec<(String, usize)> {
            dump.arrays.iter().map(|array| (array.name.clone(), array.values.len())).collect()
        };
        if shape(self) != shape(other) {
            bail!("not the same arrays: {:?} and {:?}", shape(self), shape(other));
        }
        let mut largest = 0.0_f64;
        for (one, two) in self.arrays.iter().zip(&other.arrays) {
            let decode = |bits: &Option<u64>| bits.map(|bits| value(bits, element));
            let scale = one.values.iter().filter_map(decode).map(f64::abs).fold(0.0, f64::max);
            for (position, (a, b)) in one.values.iter().zip(&two.values).enumerate() {
                if a == b {
                    continue;
                }
                let distance = match (decode(a), decode(b)) {
                    (Some(a), Some(b)) if is_float(element) && (a - b).is_finite() => (a - b).abs() / scale,
                    (a, b) => bail!("value {position} of {}: {a:?} and {b:?}", one.name),
                };
                // A scale of zero makes the quotient infinite, which is no agreement either.
                largest = largest.max(distance);
            }
        }
        Ok(largest)
    }
}

/// The largest distance that counts as the same result.
pub fn tolerance(element: Element) -> f64 {
    match element {
        Element::F64 => 1e-6,
        Element::F32 => 1e-3,
        Element::I32 | Element::I64 => 0.0,
    }
}

fn is_float(element: Element) -> bool {
    matches!(element, Element::F64 | Element::F32)
}

/// The number that a dump's bits stand for. Integers beyond 2^53 lose precision, and are compared by their bits.
fn value(bits: u64, element: Element) -> f64 {
    match element {
        Element::F64 => f64::from_bits(bits),
        // The harness prints an f32's bits with zeros above.
        #[expect(clippy::cast_possible_truncation, reason = "the upper half is zero")]
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        Element::I32 | Element::I64 => bits.cast_signed() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::Dump;
    use crate::suite::kernel::Element;

    fn dump(values: &[f64]) -> Dump {
        let words: String = values.iter().map(|value| format!("{:016x}\n", value.to_bits())).collect();
        Dump::parse(&format!("array A\n{words}time: 0.5\n")).unwrap().0
    }

    #[test]
    fn a_dump_needs_values_and_a_time() {
        assert!(Dump::parse("array A\ntime: 1.0\n").is_err());
        assert!(Dump::parse("array A\n0000000000000001\n").is_err());
        assert!(Dump::parse("0000000000000001\ntime: 1\n").is_err());
        let (_, seconds) = Dump::parse("array A\nnan\ntime: 0.25\n").unwrap();
        assert!((seconds - 0.25).abs() < 1e-12);
    }

    #[test]
    fn distances_are_relative_to_the_array() {
        let distance = dump(&[1.0, -4.0]).distance(&dump(&[1.0, -4.4]), Element::F64).unwrap();
        assert!((distance - 0.1).abs() < 1e-12);
        assert!(dump(&[0.0]).distance(&dump(&[1.0]), Element::F64).unwrap().is_infinite());
    }

    #[test]
    fn what_cannot_be_a_rounding_difference_is_an_error() {
        assert!(dump(&[1.0]).distance(&dump(&[1.0, 2.0]), Element::F64).is_err());
        assert!(dump(&[1.0]).distance(&dump(&[f64::INFINITY]), Element::F64).is_err());
        let nan = Dump::parse("array A\nnan\ntime: 0\n").unwrap().0;
        assert!(dump(&[1.0]).distance(&nan, Element::F64).is_err());
        assert!(dump(&[1.0]).distance(&dump(&[2.0]), Element::I64).is_err());
    }
}
