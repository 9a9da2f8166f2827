//! What the printers make of small kernels, and that the kernels that are measured can be read and printed.

use super::{FOLDER, Language, STYLES, Sources, read, read_all, sources};
use crate::project::Project;

const PRODUCT: &str = "size n = 600 / 37\nvalue alpha: f64 = 1.25\narray A: f64[n][n + 2]\narray B: f64[n + 2][n]\n\
                       array C: f64[n][n]\norder ikj\n  par i = 1 .. n\n    for k = 0 .. i\n      par j = i .. n - 1\n        \
                       C[i][j] += alpha * (A[i - 1][k] + B[k][j + 1])\n";

fn printed(text: &str, style: &str) -> Option<Sources> {
    let kernel = read::kernel("k", text).unwrap();
    let style = STYLES.iter().find(|one| one.name() == style).unwrap();
    sources(&kernel, &kernel.orders[0], style, false)
}

fn source(text: &str, style: &str) -> String {
    printed(text, style).unwrap().kernel
}

#[test]
fn elements_look_as_the_style_has_them() {
    for (style, head, statement) in [
        ("c-global", "double A[n][n + 2];", "C[i][j] += alpha * (A[i - 1][k] + B[k][j + 1]);"),
        ("c-fixed", "enum { n = 600 };", "C[i][j] += "),
        ("c-fixed", "kernel(double alpha, double A[n][n + 2], double B[n + 2][n], double C[n][n])", ""),
        ("c-vla", "kernel(int n, double alpha, double A[n][n + 2], ", "C[i][j] += "),
        ("c-int", "kernel(int n, double alpha, double *A, ", "C[i * n + j] += alpha * (A[(i - 1) * (n + 2) + k] + "),
        ("c-size", "kernel(size_t n, ", "for (size_t i = 1; i < n; i++) {"),
        ("c-unsigned", "kernel(unsigned n, ", "for (unsigned j = i; j < n - 1; j++) {"),
        ("c-rows", "double **A, ", "C[i][j] += "),
        ("c-members", "kernel(struct problem *self)", "self->C[i * self->n + j] += self->alpha * (self->A["),
        ("vector", "std::vector<double> &A, ", "B[k * n + j + 1]);"),
        ("vectors", "std::vector<std::vector<double>> &A, ", "for (std::size_t i = 1;"),
        ("std-array", "std::array<std::array<double, n + 2>, n> &A, ", "C[i][j] += "),
        ("span", "std::span<double> A, ", "C[i * n + j] += "),
        ("view", "View<double, 2> A, ", "C(i, j) += alpha * (A(i - 1, k) + B(k, j + 1));"),
        ("matrix", "Matrix<double, 2> &A, ", "C(i, j) += "),
        ("checked", "Checked<double, 2> &A, ", "C.at(i, j) += "),
        ("class", "double &A(int i, int j) { return A_[i * (n + 2) + j]; }", "C(i, j) += "),
        ("lambda", "auto A = [&](int i, int j) -> double & { return A_data[i * (n + 2) + j]; };", "C(i, j) += "),
        ("forall", "forall(i, n - 1, [&](int j) {", "C[i * n + j] += "),
        ("f-explicit", "real(8), intent(in) :: A(n + 2, n)", "C(j, i) = C(j, i) + alpha * (A(k, i - 1) + B(j + 1, k))"),
        ("f-explicit", "do i = 2, n", "do k = 1, i - 1"),
        ("f-explicit", "real(8), intent(inout) :: C(n, n)", "do j = i, n - 1"),
        ("f-assumed", "real(8), intent(in) :: A(:, :)", "C(j, i) = "),
        ("f-lda", "subroutine kernel(n, alpha, A, ldA, B, ldB, C, ldC)", "real(8), intent(in) :: A(ldA, *)"),
        ("f-module", "real(8), allocatable :: A(:, :)", "C(j, i) = "),
        ("f-component", "type(problem), intent(inout) :: self", "self%C(j, i) = self%C(j, i) + "),
        ("f-concurrent", "do concurrent (i = 2:n)", "do concurrent (j = i:n - 1)"),
    ] {
        let text = source(PRODUCT, style);
        assert!(text.contains(head) && text.contains(statement), "{style}: {head} {statement}\n{text}");
    }
}

#[test]
fn ends_that_belong_to_loops_are_written_so() {
    let text = PRODUCT.replace("for k = 0 .. i", "for k = 0 .. i + 1");
    assert!(source(&text, "c-int").contains("for (int k = 0; k <= i; k++) {"));
    assert!(source(&text, "c-size").contains("for (size_t k = 0; k < i + 1; k++) {"));
    assert!(source(&text, "f-explicit").contains("do k = 1, i\n"));
}

#[test]
fn innermost_loops_go_over_pointers() {
    let text = source(PRODUCT, "c-walking");
    for line in [
        "double *p0 = &B[k * n + i];",
        "double *p1 = &C[i * n + i];",
        "double *p0_end = &B[k * n + n - 1];",
        "for (; p0 != p0_end; ++p0, ++p1) {",
        "*p1 += alpha * (A[(i - 1) * (n + 2) + k] + p0[1]);",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let down = PRODUCT.replace("for k = 0 .. i\n      par j = i .. n - 1", "par j = i .. n - 1\n      for k = 0 .. i");
    let text = source(&down, "iterators");
    for line in [
        "auto p0 = A.begin() + ((i - 1) * (n + 2));",
        "auto p0_end = A.begin() + ((i - 1) * (n + 2) + i);",
        "for (; p0 != p0_end; ++p0, p1 += n) {",
        "auto p1 = B.begin() + (j + 1);",
        "C[i * n + j] += alpha * (*p0 + *p1);",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn independent_loops_are_sections() {
    let text = source(PRODUCT, "f-sections");
    let line = "C(i:n - 1, i) = C(i:n - 1, i) + alpha * (A(k, i - 1) + B(i + 1:n, k))";
    assert!(text.contains(line) && text.contains("do k = 1, i - 1") && !text.contains("do j"), "{text}");
    let copy = "size n = 9 / 9\narray A: f64[n][n]\narray x: f64[n]\norder o\n  par i = 0 .. n\n    par j = 1 .. n - 1\n      \
                A[i][j] = 0.5\n";
    assert!(source(copy, "f-sections").contains("A(2:n - 1, :) = 0.5d0"));
    let spread = copy.replace("0.5", "x[j]");
    assert!(source(&spread, "f-sections").contains("A(2:n - 1, i) = x(2:n - 1)"));
    let sum = copy.replace("A[i][j] = 0.5", "x[i] += A[i][j]");
    assert_eq!(printed(&sum, "f-sections"), None);
    assert_eq!(printed(&copy.replace("par", "for"), "f-concurrent"), None);
}

#[test]
fn bytes_and_complex_numbers_have_their_types() {
    let text = "size n = 9 / 9\narray a: u8[n]\narray z: c128[n]\norder o\n  par i = 0 .. n\n    let t: i32 = a[i] - 3\n    \
                a[i] = clamp(t, 0, 255)\n    z[i] *= -z[i] - 2.5\n";
    assert!(source(text, "c-int").contains("a[i] = t < 0 ? 0 : t > 255 ? 255 : t;"));
    assert!(source(text, "vector").contains("std::vector<std::complex<double>> &z"));
    assert!(source(text, "vector").contains("a[i] = std::clamp(t, 0, 255);"));
    assert!(source(text, "f-concurrent").contains("do concurrent (i = 1:n) local(t)"));
    let fortran = source(text, "f-explicit");
    assert!(fortran.contains("t = iand(int(a(i)), 255) - 3"), "{fortran}");
    assert!(fortran.contains("a(i) = int(min(max(t, 0), 255), 1)"), "{fortran}");
    assert!(fortran.contains("z(i) = z(i) * ((-z(i)) - 2.5d0)"), "{fortran}");
    assert!(fortran.contains("complex(8), intent(inout) :: z(n)"), "{fortran}");
}

#[test]
fn programs_call_with_what_the_function_takes() {
    let called = |style: &str| printed(PRODUCT, style).unwrap();
    assert!(called("c-fixed").driver.contains("kernel(1.25, (void *)A_data, (void *)B_data, (void *)C_data);"));
    assert!(called("c-global").driver.contains("extern double A[n][n + 2];"));
    assert!(called("c-int").driver.contains("kernel(600, 1.25, A_data, B_data, C_data);"));
    assert!(called("view").driver.contains("View<double, 2>(A_data, 600, 602)"));
    assert!(called("c-rows").driver.contains("memcpy((void *)(A[i0]), (void *)(A_flat + ((0) * 600 + i0) * 602)"));
    let bridge = called("f-lda").bridge.unwrap();
    assert!(bridge.contains("call kernel(n, alpha, A, n + 2, B, n, C, n)"), "{bridge}");
}

#[test]
fn all_kernels_can_be_printed() {
    let kernels = read_all(&Project::find().unwrap().root.join(FOLDER)).unwrap();
    assert!(kernels.len() >= 12, "{}", kernels.len());
    for kernel in &kernels {
        for order in &kernel.orders {
            let is_printed = |language: Language| {
                let own = STYLES.iter().filter(|style| style.language() == language);
                own.filter(|style| sources(kernel, order, style, true).is_some()).count()
            };
            let counts = [Language::C, Language::Cpp, Language::Fortran].map(is_printed);
            assert!(counts[0] >= 8 && counts[1] >= 10 && counts[2] >= 5, "{} {}: {counts:?}", kernel.name, order.name);
        }
    }
}
