//! Programs that call the functions: they fill arrays, call, and print the seconds of the fastest call and a sum of all
//! bits.
//!
//! Arrays that are allocated start at a multiple of 64 bytes, whoever allocates them, so that styles differ by their code and
//! not by where vectors and Fortran's arrays happen to lie. Short calls are made more often.

use super::c_storage::{element_type, nested, parameters, prelude, with_headers};
use super::forms::{Form, Language, Storage};
use super::notation::{Array, Kernel, Type};
use crate::suite::functions::SUM_AND_CLOCK;
use std::fmt::Write;

/// A kernel's sizes in numbers.
#[derive(Clone, Copy)]
pub struct Numbers<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// Those of tests.
    pub small: bool,
}

impl Numbers<'_> {
    /// The sizes as arguments.
    pub fn sizes(&self) -> Vec<String> {
        let number = |size: &super::notation::Size| if self.small { size.small } else { size.large };
        self.kernel.sizes.iter().map(|size| number(size).to_string()).collect()
    }

    /// The extents of an array.
    pub fn extents(&self, array: &Array) -> Vec<i64> {
        let value = |name: &str| {
            let size = self.kernel.sizes.iter().find(|size| size.name == name);
            size.map_or(0, |size| if self.small { size.small } else { size.large })
        };
        let extent = |one: &super::notation::Affine| {
            one.constant + one.terms.iter().map(|(name, factor)| factor * value(name)).sum::<i64>()
        };
        array.extents.iter().map(extent).collect()
    }
}

/// The program for a style of C or C++.
pub fn of_c(numbers: Numbers<'_>, language: Language, form: Form) -> String {
    let kernel = numbers.kernel;
    let mut above = prelude(kernel, language, form, numbers.small);
    if form.storage == Storage::Global {
        above = above.replace("\ndouble ", "\nextern double ").replace("\nuint8_t ", "\nextern uint8_t ");
    }
    let (mut objects, mut loads, mut stores) = (String::new(), String::new(), String::new());
    match form.storage {
        Storage::Members => objects += "static struct problem self;\n",
        Storage::Class => objects += "static Problem self;\n",
        _ => {}
    }
    if !matches!(form.storage, Storage::Class) {
        let _ = writeln!(objects, "void kernel({});", parameters(kernel, language, form));
    }
    for array in &kernel.arrays {
        objects += &object(numbers, array, language, form.storage);
        loads += &copy(numbers, array, language, form.storage, true);
        stores += &copy(numbers, array, language, form.storage, false);
    }
    let call = if matches!(form.storage, Storage::Members | Storage::Class) {
        let sizes = kernel.sizes.iter().map(|size| &size.name).zip(numbers.sizes());
        let values = kernel.values.iter().map(|value| (&value.name, value.number.clone()));
        for (name, number) in sizes.chain(values) {
            let _ = writeln!(loads, "  self.{name} = {number};");
        }
        if form.storage == Storage::Class { "self.kernel()".to_owned() } else { "kernel(&self)".to_owned() }
    } else {
        format!("kernel({})", arguments(numbers, language, form.storage).join(", "))
    };
    let own = format!(
        "{objects}\nstatic void load(void) {{\n{loads}}}\n\nstatic void call(void) {{ {call}; }}\n\n\
         static void store(void) {{\n{stores}}}\n"
    );
    with_headers(language, &(above + &main_program(numbers, language, &own)))
}

fn arguments(numbers: Numbers<'_>, language: Language, storage: Storage) -> Vec<String> {
    let kernel = numbers.kernel;
    let mut all = if super::c_storage::is_constant(storage) { Vec::new() } else { numbers.sizes() };
    all.extend(kernel.values.iter().map(|value| value.number.clone()));
    for array in &kernel.arrays {
        let (name, element) = (&array.name, element_type(array.element, language));
        let extents = numbers.extents(array);
        let listed = extents.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        all.push(match storage {
            Storage::Global => continue,
            Storage::Fixed | Storage::Variable => format!("(void *){name}_data"),
            Storage::Pointer | Storage::Lambda => format!("{name}_data"),
            Storage::Span => format!("{{{name}_data, {}}}", extents.iter().product::<i64>()),
            Storage::View => format!("View<{element}, {}>({name}_data, {listed})", extents.len()),
            _ => name.clone(),
        });
    }
    all
}

/// What the program has of an array besides its first contents.
fn object(numbers: Numbers<'_>, array: &Array, language: Language, storage: Storage) -> String {
    let (name, element) = (&array.name, element_type(array.element, language));
    let extents = numbers.extents(array);
    let (count, rank) = (extents.iter().product::<i64>(), extents.len());
    let listed = |suffix: &str| extents.iter().map(|extent| format!("{extent}{suffix}")).collect::<Vec<_>>().join(", ");
    match storage {
        Storage::Global | Storage::Members | Storage::Class => String::new(),
        Storage::Rows => format!("static {element} {}{name};\n", "*".repeat(rank)),
        Storage::Vector => format!("static std::vector<{element}> {name}({count});\n"),
        Storage::StdArray => format!("static {} {name};\n", nested(array, storage)),
        Storage::Vectors => {
            let (mut value, mut inside) = (String::new(), element.to_owned());
            for extent in extents.iter().rev() {
                inside = format!("std::vector<{inside}>");
                let more = if value.is_empty() { String::new() } else { format!(", {value}") };
                value = format!("{inside}({extent}{more})");
            }
            format!("static auto {name} = {value};\n")
        }
        Storage::Matrix => format!("static Matrix<{element}, {rank}> {name}({});\n", listed("L")),
        Storage::Checked => format!("static Checked<{element}, {rank}> {name}({});\n", listed("")),
        _ => format!("static {element} *{name}_data;\n"),
    }
}

/// Lines that copy an array's first contents to where the style has it, or back.
fn copy(numbers: Numbers<'_>, array: &Array, language: Language, storage: Storage, there: bool) -> String {
    let (name, element) = (&array.name, element_type(array.element, language));
    let extents = numbers.extents(array);
    let count: i64 = extents.iter().product();
    let move_bytes = |place: &str, offset: &str, count: i64| {
        let flat = format!("{name}_flat{offset}");
        let (to, from) = if there { (place, flat.as_str()) } else { (flat.as_str(), place) };
        format!("memcpy((void *)({to}), (void *)({from}), sizeof({element}) * {count});\n")
    };
    let make = |place: &str, kind: &str, count: i64| match there {
        true => format!("if (!{place}) {place} = ({kind} *)space(sizeof({kind}) * {count});\n"),
        false => String::new(),
    };
    match storage {
        Storage::Global | Storage::StdArray => format!("  {}", move_bytes(&format!("&{name}"), "", count)),
        Storage::Vector | Storage::Matrix | Storage::Checked => {
            format!("  {}", move_bytes(&format!("{name}.data()"), "", count))
        }
        Storage::Class => {
            let resize = if there { format!("  self.{name}_.resize({count});\n") } else { String::new() };
            format!("{resize}  {}", move_bytes(&format!("self.{name}_.data()"), "", count))
        }
        Storage::Vectors => format!("  {{ auto *flat = {name}_flat; copy({name}, flat, {there}); }}\n"),
        Storage::Members => {
            let place = format!("self.{name}");
            format!("  {}  {}", make(&place, element, count), move_bytes(&place, "", count))
        }
        Storage::Rows => rows(name, element, &extents, &make, &move_bytes),
        _ => {
            let place = format!("{name}_data");
            format!("  {}  {}", make(&place, element, count), move_bytes(&place, "", count))
        }
    }
}

/// The same for rows.
fn rows(
    name: &str,
    element: &str,
    extents: &[i64],
    make: &dyn Fn(&str, &str, i64) -> String,
    move_bytes: &dyn Fn(&str, &str, i64) -> String,
) -> String {
    let (mut text, mut place, mut offset) = (String::new(), name.to_owned(), "0".to_owned());
    let (last, outer) = extents.split_last().expect("an array has an extent");
    for (position, extent) in outer.iter().enumerate() {
        let kind = format!("{element} {}", "*".repeat(outer.len() - position));
        text += &format!("  {}", make(&place, kind.trim_end(), *extent));
        text += &format!("  for (long i{position} = 0; i{position} < {extent}; i{position}++) {{\n");
        place += &format!("[i{position}]");
        offset = format!("({offset}) * {extent} + i{position}");
    }
    text += &format!(
        "  {}  {}",
        make(&place, element, *last),
        move_bytes(&place, &format!(" + ({offset}) * {last}"), *last)
    );
    text + &"  }\n".repeat(outer.len())
}

/// The program with `load`, `call` and `store` as given.
pub fn main_program(numbers: Numbers<'_>, language: Language, own: &str) -> String {
    let (mut flats, mut fills, mut sums) = (String::new(), String::new(), String::new());
    for array in &numbers.kernel.arrays {
        let (name, element) = (&array.name, element_type(array.element, language));
        let extents = numbers.extents(array);
        let count: i64 = extents.iter().product();
        let _ = writeln!(flats, "static {element} *{name}_flat;");
        let _ = writeln!(fills, "  {name}_flat = ({element} *)space(sizeof({element}) * {count});");
        let _ = match array.element {
            Type::Byte => writeln!(fills, "  fill_bytes({name}_flat, {count});"),
            Type::Int => writeln!(fills, "  fill_numbers({name}_flat, {count});"),
            Type::Double => writeln!(fills, "  fill({name}_flat, {count});"),
            Type::Complex => writeln!(fills, "  fill((double *){name}_flat, 2 * {count});"),
        };
        if let (true, [_, columns]) = (array.diagonal, &extents[..]) {
            let least = extents.iter().min().unwrap_or(columns);
            let _ =
                writeln!(fills, "  for (long i = 0; i < {least}; i++) {name}_flat[i * {columns} + i] += {columns};");
        }
        let _ = writeln!(sums, "  sum = sum_of(sum, {name}_flat, sizeof({element}) * {count});");
    }
    let copy = if language == Language::Cpp { COPY } else { "" };
    PROGRAM
        .replace("COPY\n", copy)
        .replace("EXTERN", if language == Language::Cpp { "extern \"C\"" } else { "extern" })
        .replace("THROWS", if language == Language::Cpp { "noexcept" } else { "" })
        .replace("SUM_AND_CLOCK\n", SUM_AND_CLOCK)
        .replace("OWN\n", &format!("{flats}{own}"))
        .replace("FILLS\n", &fills)
        .replace("SUMS\n", &sums)
        .replace("CALLS", &if numbers.small { 1 } else { numbers.kernel.calls }.to_string())
        .replace("MOST", if numbers.small { "1" } else { "24" })
}

const COPY: &str = "template <class X, class T> static void copy(X &to, T *&flat, bool there) {
  if constexpr (std::is_same_v<X, T>) {
    if (there) to = *flat++; else *flat++ = to;
  } else {
    for (auto &row : to) copy(row, flat, there);
  }
}
";

const PROGRAM: &str = "
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned next(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}
__attribute__((unused)) static void fill(double *to, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = ((int)(next() & 255) - 128) / 128.0;
}
__attribute__((unused)) static void fill_bytes(uint8_t *to, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = (uint8_t)next();
}
__attribute__((unused)) static void fill_numbers(int *to, size_t count) {
  for (size_t i = 0; i < count; i++) to[i] = (int)(next() & 255) - 128;
}
__attribute__((unused)) static void *space(size_t bytes) {
  bytes = (bytes + 63) / 64 * 64;
  return memset(aligned_alloc(64, bytes), 0, bytes);
}
EXTERN void *__libc_memalign(size_t, size_t);
EXTERN void *malloc(size_t bytes) THROWS { return __libc_memalign(64, bytes); }
SUM_AND_CLOCK
COPY
OWN

int main(void) {
FILLS
  double best = 1e300, all = 0;
  for (int run = 0; run < CALLS || (run < MOST && all < 0.1); run++) {
    load();
    double before = now();
    call();
    double seconds = now() - before;
    if (seconds < best) best = seconds;
    all += seconds;
  }
  store();
  uint64_t sum = 14695981039346656037u;
SUMS
  printf(\"%.9f %016lx\\n\", best, sum);
}
";
