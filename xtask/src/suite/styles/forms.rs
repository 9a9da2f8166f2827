//! The styles that loops are written in.

/// The language of a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++20.
    Cpp,
    /// Fortran 2018.
    Fortran,
}

/// How a function of C or C++ gets its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Global arrays of constant sizes.
    Global,
    /// `double A[600][600]`.
    Fixed,
    /// `double A[n][n]`, with `n` an argument.
    Variable,
    /// `double *A`.
    Pointer,
    /// `double **A`, each row an allocation of its own.
    Rows,
    /// Members of one structure: `self->A`.
    Members,
    /// `std::vector<double> &A`.
    Vector,
    /// `std::vector<std::vector<double>> &A`.
    Vectors,
    /// `std::array<std::array<double, 600>, 600> &A`.
    StdArray,
    /// `std::span<double> A`.
    Span,
    /// A pointer with extents, by value, as `std::mdspan` is.
    View,
    /// A class that has its elements, whose access comes from a base class that is told of it, as matrices of Eigen.
    Matrix,
    /// A class whose `at` compares subscripts with extents, and throws.
    Checked,
    /// Vectors that are members of the class that the function is a member of, with accessors.
    Class,
    /// A lambda for each pointer.
    Lambda,
}

/// How an element is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `A[i][j]`.
    Subscripts,
    /// `A[i * n + j]`.
    Flat,
    /// `A(i, j)`.
    Call,
    /// `A.at(i, j)`.
    At,
}

/// How loops of C and C++ are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looping {
    /// `for (int i = 0; i < n; i++)`.
    Counted,
    /// `forall(0, n, [&](int i) { … })`.
    Template,
    /// The innermost loops go over pointers or iterators: `for (; p != end; ++p)`.
    Walking,
}

/// A form of C or C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Where arrays are.
    pub storage: Storage,
    /// What their elements look like.
    pub access: Access,
    /// What loops look like.
    pub looping: Looping,
    /// The type of counters and sizes.
    pub counter: &'static str,
}

/// A form of Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `A(n, n)`.
    Explicit,
    /// `A(:, :)`.
    Assumed,
    /// `A(lda, *)`.
    Leading,
    /// Allocatable arrays of a module.
    Module,
    /// Allocatable components of a derived type.
    Component,
    /// `A(n, n)`, with sections in place of the innermost loops that allow it.
    Sections,
    /// `A(n, n)`, and `do concurrent` where iterations are independent.
    Concurrent,
}

/// A style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One of C or C++: its name, language and form.
    C(&'static str, Language, Form),
    /// One of Fortran, and its name.
    Fortran(&'static str, Shape),
}

impl Style {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::C(name, ..) | Self::Fortran(name, _) => name,
        }
    }

    /// Its language.
    pub fn language(&self) -> Language {
        match self {
            Self::C(_, language, _) => *language,
            Self::Fortran(..) => Language::Fortran,
        }
    }
}

const fn c(name: &'static str, storage: Storage, access: Access, counter: &'static str) -> Style {
    Style::C(name, Language::C, Form { storage, access, looping: Looping::Counted, counter })
}

const fn cpp(name: &'static str, storage: Storage, access: Access, counter: &'static str) -> Style {
    Style::C(name, Language::Cpp, Form { storage, access, looping: Looping::Counted, counter })
}

const fn looping(style: Style, looping: Looping) -> Style {
    match style {
        Style::C(name, language, form) => Style::C(name, language, Form { looping, ..form }),
        Style::Fortran(..) => style,
    }
}

/// All styles. The first one is what others are compared with.
pub const STYLES: [Style; 27] = [
    c("c-global", Storage::Global, Access::Subscripts, "int"),
    c("c-fixed", Storage::Fixed, Access::Subscripts, "int"),
    c("c-vla", Storage::Variable, Access::Subscripts, "int"),
    c("c-int", Storage::Pointer, Access::Flat, "int"),
    c("c-size", Storage::Pointer, Access::Flat, "size_t"),
    c("c-unsigned", Storage::Pointer, Access::Flat, "unsigned"),
    c("c-rows", Storage::Rows, Access::Subscripts, "int"),
    c("c-members", Storage::Members, Access::Flat, "int"),
    looping(c("c-walking", Storage::Pointer, Access::Flat, "int"), Looping::Walking),
    cpp("vector", Storage::Vector, Access::Flat, "int"),
    cpp("vectors", Storage::Vectors, Access::Subscripts, "std::size_t"),
    cpp("std-array", Storage::StdArray, Access::Subscripts, "std::size_t"),
    cpp("span", Storage::Span, Access::Flat, "std::size_t"),
    cpp("view", Storage::View, Access::Call, "int"),
    cpp("matrix", Storage::Matrix, Access::Call, "std::ptrdiff_t"),
    cpp("checked", Storage::Checked, Access::At, "int"),
    cpp("class", Storage::Class, Access::Call, "int"),
    cpp("lambda", Storage::Lambda, Access::Call, "int"),
    looping(cpp("forall", Storage::Pointer, Access::Flat, "int"), Looping::Template),
    looping(cpp("iterators", Storage::Vector, Access::Flat, "int"), Looping::Walking),
    Style::Fortran("f-explicit", Shape::Explicit),
    Style::Fortran("f-assumed", Shape::Assumed),
    Style::Fortran("f-lda", Shape::Leading),
    Style::Fortran("f-module", Shape::Module),
    Style::Fortran("f-component", Shape::Component),
    Style::Fortran("f-sections", Shape::Sections),
    Style::Fortran("f-concurrent", Shape::Concurrent),
];
