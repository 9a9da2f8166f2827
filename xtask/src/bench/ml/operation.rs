//! The operations of test/ml/operations, and the programs that measure them.

use anyhow::{Context, Result, ensure};
use std::fmt::Write;

/// An operation: a function by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub name: String,
    pub text: String,
    arguments: Vec<Argument>,
    /// The products of matrices that it consists of, each [how often..., rows, columns, depth].
    pub products: Vec<Vec<u64>>,
    /// How many multiply-adds it has, where that is known.
    pub multiply_adds: Option<u64>,
}

/// An array.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Argument {
    sizes: Vec<u64>,
    element: String,
}

/// What the comments before a function say.
#[derive(Default)]
struct Notes {
    sizes: Option<Vec<Vec<u64>>>,
    products: Vec<Vec<u64>>,
    multiply_adds: Option<u64>,
}

impl Notes {
    /// Takes in a line of comment.
    fn read(&mut self, line: &str) -> Result<()> {
        let lists = |text: &str| text.split(' ').map(numbers).collect::<Result<Vec<_>>>();
        if let Some(shapes) = line.strip_prefix("// sizes: ") {
            self.sizes = Some(lists(shapes)?);
        } else if let Some(products) = line.strip_prefix("// products: ") {
            self.products = lists(products)?;
            ensure!(self.products.iter().all(|one| one.len() >= 3), "a product has three sizes: `{line}`");
            self.multiply_adds = Some(self.products.iter().map(|one| one.iter().product::<u64>()).sum());
        } else if let Some(extents) = line.strip_prefix("// multiply-adds: ") {
            self.multiply_adds = Some(numbers(extents)?.iter().product());
        }
        Ok(())
    }
}

impl Operation {
    /// The functions of a file.
    ///
    /// # Errors
    /// When a comment or an argument cannot be read.
    pub fn all(text: &str) -> Result<Vec<Operation>> {
        let mut found = Vec::new();
        let mut notes = Notes::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            notes.read(line)?;
            if !line.starts_with("func.func @") {
                continue;
            }
            let mut head = line.to_owned();
            while !head.ends_with(" {") {
                head = head + " " + lines.next().context("a function without a body")?.trim_start();
            }
            let mut body = String::new();
            for line in lines.by_ref() {
                body += line;
                body.push('\n');
                if line == "}" {
                    break;
                }
            }
            found.push(Self::new(&head, &body, std::mem::take(&mut notes))?);
        }
        Ok(found)
    }

    /// The function with this first line and the lines after it.
    fn new(head: &str, body: &str, notes: Notes) -> Result<Operation> {
        let (name, rest) = head.trim_start_matches("func.func @").split_once('(').context("no arguments")?;
        let types = rest.split("memref<").skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
        let arguments = types.enumerate().map(|(position, shape)| {
            let (known, element) = shape.rsplit_once('x').unwrap_or(("", shape));
            let given = notes.sizes.as_ref().and_then(|given| given.get(position));
            let sizes = given.map_or_else(|| numbers(known), |given| Ok(given.clone()));
            Ok(Argument { sizes: sizes.with_context(|| name.to_owned())?, element: element.to_owned() })
        });
        let arguments: Vec<Argument> = arguments.collect::<Result<_>>()?;
        ensure!(!arguments.is_empty(), "`{name}` has no arrays");
        let head = head.replace(") {", ") attributes {llvm.emit_c_interface} {");
        let text = format!("{head}\n{body}");
        let Notes { products, multiply_adds, .. } = notes;
        Ok(Operation { name: name.to_owned(), text, arguments, products, multiply_adds })
    }

    /// The type of what is multiplied.
    pub fn element(&self) -> &str {
        &self.arguments[0].element
    }

    /// The program that measures it.
    ///
    /// # Errors
    /// When an array has elements that C has no type for.
    pub fn driver(&self) -> Result<String> {
        let (mut types, mut made, mut summed) = (String::new(), String::new(), String::new());
        for (number, argument) in self.arguments.iter().enumerate() {
            let (rank, c) = (argument.sizes.len(), argument.c_type()?);
            let shape = if rank == 0 { String::new() } else { format!(", size[{rank}], step[{rank}]") };
            writeln!(types, "typedef struct {{ {c} *base, *data; long start{shape}; }} A{number};")?;
            let count: u64 = argument.sizes.iter().product();
            writeln!(made, "  A{number} a{number} = {{0}};")?;
            writeln!(
                made,
                "  a{number}.base = a{number}.data = aligned_alloc(64, (sizeof({c}) * {count} + 63) / 64 * 64);"
            )?;
            let mut step = count;
            for (dimension, size) in argument.sizes.iter().enumerate() {
                step /= size;
                writeln!(made, "  a{number}.size[{dimension}] = {size}; a{number}.step[{dimension}] = {step};")?;
            }
            let value = argument.value();
            writeln!(made, "  for (long i = 0; i < {count}; i++) a{number}.data[i] = {value};")?;
            writeln!(summed, "  add(a{number}.data, {count} * sizeof *a{number}.data);")?;
        }
        let name = &self.name;
        let list = |text: &dyn Fn(usize) -> String| (0..self.arguments.len()).map(text).collect::<Vec<_>>().join(", ");
        let (parameters, call) = (list(&|number| format!("A{number} *")), list(&|number| format!("&a{number}")));
        Ok(DRIVER
            .replace("TYPES", &format!("{types}void _mlir_ciface_{name}({parameters});"))
            .replace("ARRAYS", made.trim_end())
            .replace("CALL", &format!("_mlir_ciface_{name}({call})"))
            .replace("SUMS", summed.trim_end()))
    }
}

impl Argument {
    fn c_type(&self) -> Result<&'static str> {
        Ok(match self.element.as_str() {
            "f32" => "float",
            "f64" => "double",
            "f16" => "_Float16",
            // Its bits: arithmetic on it is not for every machine.
            "bf16" => "unsigned short",
            "i8" => "signed char",
            "i16" => "short",
            "i32" => "int",
            other => anyhow::bail!("no C type for `{other}`"),
        })
    }

    /// The next value to fill it with.
    fn value(&self) -> &'static str {
        match self.element.as_str() {
            "f32" | "f64" => "next() / 64.0",
            "f16" => "(_Float16)(next() / 64.0f)",
            "bf16" => "bits(next() / 64.0f)",
            _ => "next()",
        }
    }
}

/// Sizes with an `x` between them.
fn numbers(text: &str) -> Result<Vec<u64>> {
    let sizes = text.split('x').filter(|_| !text.is_empty());
    sizes.map(|size| size.parse().with_context(|| format!("`{size}` is no size"))).collect()
}

/// Small numbers that are sums of powers of two, whatever the type. All arrays count in the sum, those between
/// operations too.
const DRIVER: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
TYPES
static int next(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return (int)(state >> 24) - 128;
}
static inline unsigned short bits(float value) {
  unsigned all;
  memcpy(&all, &value, sizeof all);
  return all >> 16;
}
static unsigned long sum = 1469598103934665603ul;
static void add(const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211ul;
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void) {
ARRAYS
  CALL;
SUMS
  double best = 1e9, start = now();
  for (int run = 0; run < 2 || (now() - start < 0.3 && run < 1000); run++) {
    double before = now();
    CALL;
    double seconds = now() - before;
    if (seconds < best) best = seconds;
  }
  printf(\"%.9f %016lx\\n\", best, sum);
}
";

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn functions_are_operations() {
        let text = "// sizes: 2x3 4\nfunc.func @f(%a: memref<?x?xf32>, %b: memref<?xi8>) {\n  return\n}\n\n\
                    func.func @g(%a: memref<5xf64>,\n    %b: memref<bf16>) {\n  return\n}\n";
        let found = Operation::all(text).unwrap();
        let sizes: Vec<_> = found.iter().flat_map(|one| one.arguments.iter().map(|one| one.sizes.clone())).collect();
        assert_eq!(sizes, [vec![2, 3], vec![4], vec![5], vec![]]);
        let head = "func.func @g(%a: memref<5xf64>, %b: memref<bf16>) attributes {llvm.emit_c_interface} {";
        assert!(found[1].text.starts_with(head), "{}", found[1].text);
        let driver = found[0].driver().unwrap();
        assert!(driver.contains("_mlir_ciface_f(&a0, &a1)") && driver.contains("a0.step[0] = 3"), "{driver}");
        let scalar = found[1].driver().unwrap();
        assert!(scalar.contains("unsigned short *base, *data; long start; } A1"), "{scalar}");
        assert!(scalar.contains("i < 1; i++) a1.data[i] = bits("), "{scalar}");
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let bad = ["func.func @f(%a: memref<?xf32>) {\n}\n", "func.func @f(%a: i32) {\n}\n", "// products: 2x3\n"];
        for text in bad {
            assert!(Operation::all(text).is_err(), "{text}");
        }
        assert!(Operation::all("func.func @f(%a: memref<4xf80>) {\n}\n").unwrap()[0].driver().is_err());
    }

    #[test]
    fn multiply_adds_are_counted() {
        let function = "func.func @f(%a: memref<4xbf16>) {\n}\n";
        let read = |notes: &str| Operation::all(&format!("{notes}{function}")).unwrap().remove(0);
        assert_eq!(read("").multiply_adds, None);
        assert_eq!(read("// multiply-adds: 4x5\n").multiply_adds, Some(20));
        let products = read("// products: 2x3x4x5 1x2x3\n");
        assert_eq!((products.multiply_adds, products.products.len(), products.element()), (Some(126), 2, "bf16"));
    }
}
