//! Single functions in C with loops (`test/loops`), and the programs that call them.
//!
//! Each function stands below two comments: `// sizes: N=4096 / N=37` are macros that it may use, for measurements and
//! for tests; `// arguments: N, float[N], int[N]%N` says what it is called with: values, and arrays with C expressions
//! as lengths. What follows `]` is applied to each of the small random numbers that the array is filled with; after a
//! `%` they are large and not negative. `name=float[N]` is a global array, which lies between the comments and the
//! function and is no argument.

use crate::project::files;
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::path::Path;

/// Macros and their values.
pub type Sizes = Vec<(String, u64)>;

/// A function by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The sizes of measurements.
    pub large: Sizes,
    /// The sizes of tests.
    pub small: Sizes,
    text: String,
    /// All up to the body.
    signature: String,
    /// Empty for `void`.
    result: String,
    arguments: Vec<Argument>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Argument {
    Value(String),
    Array {
        /// The name of a global array.
        global: Option<String>,
        element: String,
        length: String,
        /// What is applied to each number.
        then: String,
    },
}

impl Argument {
    fn parse(text: &str) -> Argument {
        let Some((head, rest)) = text.split_once('[') else { return Argument::Value(text.to_owned()) };
        let (length, then) = rest.split_once(']').unwrap_or((rest, ""));
        let (global, element) = head.split_once('=').map_or((None, head), |(name, element)| (Some(name), element));
        let [element, length, then] = [element, length, then].map(str::to_owned);
        Argument::Array { global: global.map(str::to_owned), element, length, then }
    }
}

impl Function {
    /// The functions of all files of a folder, in order.
    ///
    /// # Errors
    /// When a file cannot be read or a function's comments are not understood.
    pub fn read_all(folder: &Path) -> Result<Vec<Function>> {
        let mut all = Vec::new();
        for file in files(folder, "c")? {
            let text = std::fs::read_to_string(&file)?;
            all.extend(Function::all(&text).with_context(|| file.display().to_string())?);
        }
        Ok(all)
    }

    /// The functions of a file.
    fn all(text: &str) -> Result<Vec<Function>> {
        let mut found = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(sizes) = line.strip_prefix("// sizes: ") else { continue };
            let (large, small) = sizes.split_once(" / ").context("sizes without those of tests")?;
            let arguments = lines.next().and_then(|line| line.strip_prefix("// arguments: "));
            let arguments = arguments.with_context(|| format!("no arguments below `{line}`"))?;
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            let end = body.iter().position(|line| line.ends_with(") {")).context("no function below its sizes")?;
            let start = body[..=end].iter().rposition(|line| !line.starts_with(' ')).unwrap_or(end);
            let signature = body[start..=end].join("\n").trim_end_matches(" {").to_owned();
            let (head, _) = signature.split_once('(').context("a function without parameters")?;
            let (result, name) = head.rsplit_once(' ').context("a function without a type")?;
            found.push(Function {
                name: name.to_owned(),
                large: read_sizes(large)?,
                small: read_sizes(small)?,
                result: if result == "void" { String::new() } else { result.to_owned() },
                arguments: arguments.split(", ").map(Argument::parse).collect(),
                text: format!("{}\n}}\n", body.join("\n")),
                signature,
            });
        }
        Ok(found)
    }

    /// The file of the function.
    pub fn source(&self, sizes: &Sizes) -> String {
        format!("{}{}", head(sizes), self.text)
    }

    /// The file that calls it: the program prints the seconds that a call takes, and a sum of all bits after the first.
    /// With any argument it makes one call and prints the sum alone.
    ///
    /// # Errors
    /// When there is nothing that a sum could be of.
    pub fn driver(&self, sizes: &Sizes) -> Result<String> {
        let (mut made, mut sums, mut globals, mut given) = (String::new(), String::new(), String::new(), Vec::new());
        for (number, argument) in self.arguments.iter().enumerate() {
            match argument {
                Argument::Value(value) => given.push(value.clone()),
                Argument::Array { global, element, length, then } => {
                    let name = global.clone().unwrap_or_else(|| format!("a{number}"));
                    let random = if then.starts_with('%') { "wide()" } else { "narrow()" };
                    let scale = if matches!(element.as_str(), "float" | "double") { " / 64.0" } else { "" };
                    if global.is_some() {
                        writeln!(globals, "extern {element} {name}[{length}];")?;
                    } else {
                        writeln!(made, "  {element} *{name} = space(sizeof({element}) * ({length}));")?;
                        given.push(format!("(void *){name}"));
                    }
                    writeln!(
                        made,
                        "  for (long i = 0; i < {length}; i++) {name}[i] = ({element})(({random}{scale}) {then});"
                    )?;
                    writeln!(sums, "  sum = sum_of(sum, {name}, sizeof({element}) * ({length}));")?;
                }
            }
        }
        let (mut variable, mut call) = (String::new(), format!("{}({})", self.name, given.join(", ")));
        if !self.result.is_empty() {
            variable = format!("static {} result;\n", self.result);
            call = format!("result = {call}");
            sums.push_str("  sum = sum_of(sum, &result, sizeof result);\n");
        }
        ensure!(!sums.is_empty(), "`{}` has no results", self.name);
        Ok(DRIVER
            .replace("HEAD\n", &head(sizes))
            .replace("SUM_AND_CLOCK\n", SUM_AND_CLOCK)
            .replace("FUNCTION\n", &format!("{globals}{variable}{};\n", self.signature))
            .replace("ARRAYS\n", &made)
            .replace("SUMS\n", &sums)
            .replace("CALL", &call))
    }
}

fn read_sizes(text: &str) -> Result<Sizes> {
    let pairs = text.split_whitespace().map(|pair| {
        let (name, value) = pair.split_once('=').with_context(|| format!("`{pair}` is no size"))?;
        Ok((name.to_owned(), value.parse().with_context(|| format!("`{value}` is no size"))?))
    });
    pairs.collect()
}

/// The lines above all others.
fn head(sizes: &Sizes) -> String {
    let macros = sizes.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect::<String>();
    format!("#include <stdint.h>\n{macros}")
}

/// In C and C++: a sum of the bits of memory, and seconds from some time on.
pub const SUM_AND_CLOCK: &str = "static uint64_t sum_of(uint64_t sum, const void *start, size_t count) {
  const unsigned char *bytes = (const unsigned char *)start;
  for (size_t i = 0; i < count; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
";

const DRIVER: &str = "#include <stdio.h>
#include <stdlib.h>
#include <time.h>
HEAD
FUNCTION
static unsigned wide(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
static int narrow(void) { return (int)(wide() >> 16) - 128; }
static void *space(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }
SUM_AND_CLOCK
int main(int count, char **words) {
ARRAYS
  CALL;
  uint64_t sum = 14695981039346656037u;
SUMS
  double best = 0;
  long calls = 1;
  for (int run = 0; count == 1 && run < 4; run++) {
    double before = now();
    for (long i = 0; i < calls; i++) CALL;
    double seconds = now() - before;
    if (seconds < 0.02) {
      calls = seconds < 0.002 ? calls * 8 : calls * 0.025 / seconds + 1;
      run = -1;
    } else if (best == 0 || seconds / calls < best) {
      best = seconds / calls;
    }
  }
  printf(\"%.12f %016lx\\n\", best, sum);
}
";

#[cfg(test)]
mod tests {
    use super::{Argument, Function, read_sizes};

    const TEXT: &str = "// About it.\n// sizes: N=64 M=3 / N=5 M=2\n// arguments: N, t=int[N], float[N*M]+4, int[N]%N\n\
                        int t[N];\nfloat f(long n, float a[n],\n        int *i) {\n  return 1;\n}\n\n\
                        // sizes: N=1 / N=1\n// arguments: int[N]\nvoid g(int *x) {\n}\n";

    #[test]
    fn functions_stand_below_their_sizes() {
        let found = Function::all(TEXT).unwrap();
        assert_eq!(found.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["f", "g"]);
        assert_eq!(found[0].signature, "float f(long n, float a[n],\n        int *i)");
        assert_eq!(found[0].small, read_sizes("N=5 M=2").unwrap());
        assert_eq!(found[0].arguments[0], Argument::Value("N".to_owned()));
        assert!(found[0].source(&found[0].large).contains("#define M 3\nint t[N];\nfloat f("));
        assert!(Function::all("// sizes: N=1 / N=1\nvoid g(int *x) {\n}\n").is_err(), "arguments are missing");
    }

    #[test]
    fn drivers_call_with_all_arguments() {
        let found = Function::all(TEXT).unwrap();
        let driver = found[0].driver(&found[0].small).unwrap();
        assert!(driver.contains("result = f(N, (void *)a2, (void *)a3);"), "{driver}");
        assert!(driver.contains("a2[i] = (float)((narrow() / 64.0) +4);"), "{driver}");
        assert!(driver.contains("extern int t[N];") && driver.contains("(wide()) %N"), "{driver}");
        assert!(driver.contains("sum_of(sum, t, ") && driver.contains("&result"), "{driver}");
    }
}
