//! Parallel loops in parallel loops.

use super::*;

/// A product's tiles, with a parallel loop over those of rows and in it one over those of columns, whose point is `point`.
fn tiles((rows, columns): (i64, i64), domain: &str, point: &str) -> String {
    format!(
        r#"
domain: "{domain}"
child:
  mark: "parallel"
  child:
    schedule: "[n, m] -> [{{ S[i, j] -> [{rows}*floor(i/{rows})] }}]"
    child:
      mark: "parallel"
      child:
        schedule: "[n, m] -> [{{ S[i, j] -> [{columns}*floor(({point})/{columns})] }}]"
        child:
          schedule: "[n, m] -> [{{ S[i, j] -> [i] }}, {{ S[i, j] -> [j] }}]"
"#
    )
}

/// The code of such tiles over a domain, which executes what it should.
#[track_caller]
fn code_of(sizes: (i64, i64), domain: &str, point: &str, values: &[&[i64]]) -> Ast {
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx, domain, "[n, m] -> { : }", &tiles(sizes, domain, point));
    assert_faithful(&scop, values)
}

const ANY: &[&[i64]] = &[&[0, 5], &[1, 1], &[4, 4], &[5, 8], &[7, 29], &[28, 11], &[-3, 2], &[33, 34], &[50, 3]];

/// Threads share the iterations of both loops: the bounds of the inner one are the same for all iterations of the outer one.
#[track_caller]
fn assert_shared(ast: &Ast) {
    let loops = loops(&ast.root);
    let inner = loops[0].beside().expect("a parallel loop that is all there is in another");
    assert!(inner.lower.iter().chain(&inner.upper).all(|bound| !bound.mentions(loops[0].iterator)));
    assert_eq!(loops.iter().filter(|node| node.parallel.is_some()).count(), 2);
}

/// Threads share the iterations of the outer loop alone.
#[track_caller]
fn assert_outer_alone(ast: &Ast) {
    let loops = loops(&ast.root);
    assert!(loops[0].parallel.is_some());
    assert_eq!(loops.iter().filter(|node| node.parallel.is_some()).count(), 1);
}

#[test]
fn threads_share_tiles_of_rows_and_columns() {
    assert_shared(&code_of((8, 4), "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }", "j", ANY));
}

#[test]
fn tiles_of_a_triangle_are_in_a_box() {
    for sizes in [(8, 4), (4, 8), (6, 4), (10, 6), (5, 7)] {
        for domain in ["0 <= i < n and 0 <= j <= i", "0 <= i < n and i <= j < n", "0 <= i < n and i < j < n"] {
            let domain = format!("[n, m] -> {{ S[i, j] : {domain} }}");
            assert_shared(&code_of(sizes, &domain, "j", ANY));
            // As after a shift.
            assert_shared(&code_of(sizes, &domain, "j - 1", ANY));
        }
    }
}

#[test]
fn tiles_of_a_triangle_of_known_size_are_in_a_box() {
    for (sizes, n) in [((600, 176), 1200), ((600, 176), 1400), ((12, 5), 60), ((9, 6), 40), ((504, 96), 1000)] {
        let domain = format!("[n, m] -> {{ S[i, j] : 0 <= i < {n} and i <= j < {n} and n = 0 = m and i mod 3 = 0 }}");
        let domain = if n > 100 { domain.replace("mod 3", "mod 97") } else { domain };
        let ast = code_of(sizes, &domain, "j", &[&[0, 0]]);
        assert!(loops(&ast.root)[0].parallel.is_some());
    }
}

#[test]
fn loops_that_begin_where_no_step_of_theirs_does_stay_sequential() {
    // The steps of the inner loop are counted from where the outer one is.
    let text = tiles((8, 4), "[n, m] -> { S[i, j] : 0 <= i < n and i <= j < m }", "j");
    let text = text.replace("4*floor((j)/4)", "i + 4*floor((j - i)/4)");
    let ctx = isl::Ctx::new();
    let text = text.replace("8*floor(i/8)", "i");
    let scop = scop(&ctx, "[n, m] -> { S[i, j] : 0 <= i < n and i <= j < m }", "[n, m] -> { : }", &text);
    assert_outer_alone(&assert_faithful(&scop, ANY));
}

#[test]
fn a_loop_beside_others_stays_sequential() {
    let text = r#"
domain: "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m; T[i, j] : 0 <= i < n and 0 <= j < m }"
child:
  mark: "parallel"
  child:
    schedule: "[n, m] -> [{ S[i, j] -> [i]; T[i, j] -> [i] }]"
    child:
      sequence:
        - filter: "[n, m] -> { S[i, j] }"
          child:
            mark: "parallel"
            child:
              schedule: "[n, m] -> [{ S[i, j] -> [j] }]"
        - filter: "[n, m] -> { T[i, j] }"
          child:
            mark: "parallel"
            child:
              schedule: "[n, m] -> [{ T[i, j] -> [j] }]"
"#;
    let ctx = isl::Ctx::new();
    let domain = "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m; T[i, j] : 0 <= i < n and 0 <= j < m }";
    let scop = scop(&ctx, domain, "[n, m] -> { : }", text);
    assert_outer_alone(&assert_faithful(&scop, ANY));
}

#[test]
fn of_three_loops_two_are_shared() {
    let domain = "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }";
    let text = tiles((8, 4), domain, "j").replace(
        r#"          schedule: "[n, m] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]""#,
        "          mark: \"parallel\"\n          child:\n            \
         schedule: \"[n, m] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]\"",
    );
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx, domain, "[n, m] -> { : }", &text);
    assert_shared(&assert_faithful(&scop, ANY));
}
