//! Where arrays are in the styles of C and C++: classes, parameters, and what a calling program has of them.

use super::forms::{Form, Language, Storage};
use super::notation::{Affine, Array, Kernel, Type};
use std::fmt::Write;

/// The type of elements and scalars.
pub fn element_type(element: Type, language: Language) -> &'static str {
    match (element, language) {
        (Type::Double, _) => "double",
        (Type::Int, _) => "int",
        (Type::Byte, _) => "uint8_t",
        (Type::Complex, Language::Cpp) => "std::complex<double>",
        (Type::Complex, _) => "double _Complex",
    }
}

/// Where an element is, counted from the first one, with names as `spell` has them.
pub fn place(array: &Array, subscripts: &[Affine], spell: &dyn Fn(&str) -> String) -> String {
    let factor = |affine: &Affine| match affine.is_atom() {
        true => affine.print(spell),
        false => format!("({})", affine.print(spell)),
    };
    let mut text = String::new();
    for (position, (subscript, extent)) in subscripts.iter().zip(&array.extents).enumerate() {
        let more = match subscript.print(spell) {
            zero if zero == "0" => String::new(),
            more => format!(" + {more}"),
        };
        text = match position {
            0 if subscripts.len() == 1 => subscript.print(spell),
            0 => factor(subscript),
            1 if text == "0" => subscript.print(spell),
            1 => format!("{text} * {}{more}", factor(extent)),
            _ => format!("({text}) * {}{more}", factor(extent)),
        };
    }
    text
}

fn plain(affine: &Affine) -> String {
    affine.print(&str::to_owned)
}

/// `[n][n]`, the first `without` left out.
fn brackets(array: &Array, without: usize) -> String {
    array.extents[without..].iter().map(|extent| format!("[{}]", plain(extent))).collect()
}

/// The type of nested classes: `std::array<std::array<double, n>, n>`.
pub fn nested(array: &Array, storage: Storage) -> String {
    let inside = element_type(array.element, Language::Cpp).to_owned();
    array.extents.iter().rev().fold(inside, |inside, extent| match storage {
        Storage::StdArray => format!("std::array<{inside}, {}>", plain(extent)),
        _ => format!("std::vector<{inside}>"),
    })
}

/// The sizes are constants of the file.
pub fn is_constant(storage: Storage) -> bool {
    matches!(storage, Storage::Global | Storage::Fixed | Storage::StdArray)
}

/// The parameters of the function.
pub fn parameters(kernel: &Kernel, language: Language, form: Form) -> String {
    if form.storage == Storage::Members {
        return "struct problem *self".to_owned();
    }
    let mut all = Vec::new();
    if !is_constant(form.storage) {
        all.extend(kernel.sizes.iter().map(|size| format!("{} {}", form.counter, size.name)));
    }
    all.extend(kernel.values.iter().map(|value| format!("{} {}", element_type(value.element, language), value.name)));
    if form.storage != Storage::Global {
        all.extend(kernel.arrays.iter().map(|array| parameter(array, language, form.storage)));
    }
    if all.is_empty() { "void".to_owned() } else { all.join(", ") }
}

fn parameter(array: &Array, language: Language, storage: Storage) -> String {
    let (name, element, rank) = (&array.name, element_type(array.element, language), array.extents.len());
    match storage {
        Storage::Fixed | Storage::Variable => format!("{element} {name}{}", brackets(array, 0)),
        Storage::Pointer => format!("{element} *{name}"),
        Storage::Lambda => format!("{element} *{name}_data"),
        Storage::Rows => format!("{element} {}{name}", "*".repeat(rank)),
        Storage::Vector => format!("std::vector<{element}> &{name}"),
        Storage::Vectors | Storage::StdArray => format!("{} &{name}", nested(array, storage)),
        Storage::Span => format!("std::span<{element}> {name}"),
        Storage::View => format!("View<{element}, {rank}> {name}"),
        Storage::Matrix => format!("Matrix<{element}, {rank}> &{name}"),
        Storage::Checked => format!("Checked<{element}, {rank}> &{name}"),
        Storage::Global | Storage::Members | Storage::Class => String::new(),
    }
}

/// A file with the headers that it needs.
pub fn with_headers(language: Language, text: &str) -> String {
    if language != Language::Cpp {
        return format!("#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n\n{text}");
    }
    let headers = [
        ("std::clamp", "algorithm"),
        ("std::array", "array"),
        ("std::sqrt", "cmath"),
        ("std::complex", "complex"),
        ("std::span", "span"),
        ("std::out_of_range", "stdexcept"),
        ("std::is_same_v", "type_traits"),
        ("std::vector", "vector"),
    ];
    let used = headers.iter().filter(|(name, _)| text.contains(name));
    let used: String = used.map(|(_, header)| format!("#include <{header}>\n")).collect();
    format!("#include <cstddef>\n#include <cstdint>\n{used}\n{text}")
}

/// What stands above the function, in its own file and in that of the caller.
pub fn prelude(kernel: &Kernel, language: Language, form: Form, small: bool) -> String {
    let mut text = String::new();
    if is_constant(form.storage) {
        for size in &kernel.sizes {
            let number = if small { size.small } else { size.large };
            let _ = match language {
                Language::Cpp => writeln!(text, "constexpr {} {} = {number};", form.counter, size.name),
                _ => writeln!(text, "enum {{ {} = {number} }};", size.name),
            };
        }
    }
    match form.storage {
        Storage::Global => {
            for array in &kernel.arrays {
                let _ =
                    writeln!(text, "{} {}{};", element_type(array.element, language), array.name, brackets(array, 0));
            }
        }
        Storage::Members => text += &members(kernel, language, form),
        Storage::Class => text += &class(kernel, form),
        Storage::View => text += VIEW,
        Storage::Matrix => text += MATRIX,
        Storage::Checked => text += CHECKED,
        _ => {}
    }
    if form.looping == super::forms::Looping::Template {
        text += FORALL;
    }
    text
}

/// The sizes and values as members.
fn fields(kernel: &Kernel, language: Language, counter: &str) -> String {
    let sizes = kernel.sizes.iter().map(|size| format!("  {counter} {};\n", size.name));
    let values =
        kernel.values.iter().map(|value| format!("  {} {};\n", element_type(value.element, language), value.name));
    sizes.chain(values).collect()
}

fn members(kernel: &Kernel, language: Language, form: Form) -> String {
    let arrays = kernel.arrays.iter();
    let arrays = arrays.map(|array| format!("  {} *{};\n", element_type(array.element, language), array.name));
    format!("struct problem {{\n{}{}}};\n", fields(kernel, language, form.counter), arrays.collect::<String>())
}

fn class(kernel: &Kernel, form: Form) -> String {
    let mut text = format!("class Problem {{\npublic:\n{}", fields(kernel, Language::Cpp, form.counter));
    for array in &kernel.arrays {
        let (name, element) = (&array.name, element_type(array.element, Language::Cpp));
        let counters = &["i", "j", "k"][..array.extents.len()];
        let subscripts: Vec<Affine> = counters.iter().map(|counter| Affine::name(counter)).collect();
        let given: Vec<String> = counters.iter().map(|counter| format!("{} {counter}", form.counter)).collect();
        let place = place(array, &subscripts, &str::to_owned);
        let _ = writeln!(text, "  std::vector<{element}> {name}_;");
        let _ = writeln!(text, "  {element} &{name}({}) {{ return {name}_[{place}]; }}", given.join(", "));
    }
    text + "  void kernel();\n};\n"
}

const FORALL: &str = "template <class Body> inline void forall(int begin, int end, Body &&body) {
  for (int i = begin; i < end; i++) body(i);
}
";

const VIEW: &str = "template <class T, int Rank> class View {
  T *first;
  int extents[Rank];

public:
  template <class... Extents> View(T *first, Extents... all) : first(first), extents{all...} {}
  T &operator()(int i) const { return first[i]; }
  T &operator()(int i, int j) const { return first[i * extents[1] + j]; }
  T &operator()(int i, int j, int k) const { return first[(i * extents[1] + j) * extents[2] + k]; }
};
";

const MATRIX: &str = "template <class Derived, class T> struct Base {
  Derived &derived() { return static_cast<Derived &>(*this); }
  T &operator()(std::ptrdiff_t i) { return derived().coefficient(i); }
  T &operator()(std::ptrdiff_t i, std::ptrdiff_t j) { return derived().coefficient(i, j); }
  T &operator()(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) { return derived().coefficient(i, j, k); }
};

template <class T, int Rank> class Matrix : public Base<Matrix<T, Rank>, T> {
  std::ptrdiff_t extents[Rank];
  T *storage;

public:
  template <class... Extents> explicit Matrix(Extents... all)
      : extents{all...}, storage(new T[static_cast<std::size_t>((all * ...))]) {}
  Matrix(const Matrix &) = delete;
  ~Matrix() { delete[] storage; }
  T *data() { return storage; }
  std::ptrdiff_t stride() const { return extents[Rank - 1]; }
  T &coefficient(std::ptrdiff_t i) { return storage[i]; }
  T &coefficient(std::ptrdiff_t i, std::ptrdiff_t j) { return storage[i * stride() + j]; }
  T &coefficient(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    return storage[(i * extents[1] + j) * stride() + k];
  }
};
";

const CHECKED: &str = "template <class T, int Rank> class Checked {
  int extents[Rank];
  std::vector<T> storage;

  static void check(bool inside) {
    if (!inside) throw std::out_of_range(\"subscript\");
  }

public:
  template <class... Extents> explicit Checked(Extents... all)
      : extents{all...}, storage(static_cast<std::size_t>((all * ...))) {}
  T *data() { return storage.data(); }
  T &at(int i) {
    check(i >= 0 && i < extents[0]);
    return storage[i];
  }
  T &at(int i, int j) {
    check(i >= 0 && i < extents[0] && j >= 0 && j < extents[1]);
    return storage[i * extents[1] + j];
  }
  T &at(int i, int j, int k) {
    check(i >= 0 && i < extents[0] && j >= 0 && j < extents[1] && k >= 0 && k < extents[2]);
    return storage[(i * extents[1] + j) * extents[2] + k];
  }
};
";
