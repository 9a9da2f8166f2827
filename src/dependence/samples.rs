//! Small scops for tests, written as isl text.

use crate::isl::{Ctx, Map, Schedule, Set, UnionSet};
use crate::scop::{Access, AccessKind, Array, ArrayKind, ElementKind, ElementType, Scop, Statement};

/// A scop under construction. References are named `statement_position`.
pub(crate) struct Sample {
    ctx: Ctx,
    context: String,
    arrays: Vec<Array>,
    statements: Vec<Statement>,
}

/// Abbreviations of the access kinds: read, definite write, may-write, kill.
pub(crate) const R: AccessKind = AccessKind::Read;
pub(crate) const W: AccessKind = AccessKind::MustWrite;
pub(crate) const M: AccessKind = AccessKind::MayWrite;
pub(crate) const K: AccessKind = AccessKind::Kill;

impl Sample {
    /// Starts with a context such as `[n] -> { : n >= 0 }`.
    pub(crate) fn new(context: &str) -> Self {
        Sample { ctx: Ctx::new(), context: context.to_owned(), arrays: Vec::new(), statements: Vec::new() }
    }

    pub(crate) fn array(mut self, name: &str, kind: ArrayKind, rank: usize) -> Self {
        let element = ElementType { kind: ElementKind::Float, bits: 64 };
        self.arrays.push(Array::new(name, vec![None; rank], element, kind));
        self
    }

    pub(crate) fn memory(mut self, names: &[(&str, usize)]) -> Self {
        for (name, rank) in names {
            self = self.array(name, ArrayKind::Memory, *rank);
        }
        self
    }

    /// Adds a statement that is neither a side effect nor may trap.
    pub(crate) fn statement(mut self, domain: &str, accesses: &[(AccessKind, &str)]) -> Self {
        let domain = Set::parse(&self.ctx, domain).unwrap();
        let name = domain.tuple_name().unwrap().unwrap();
        let accesses = accesses
            .iter()
            .enumerate()
            .map(|(i, (kind, relation))| {
                Access::new(format!("{name}_{i}"), *kind, Map::parse(&self.ctx, relation).unwrap())
            })
            .collect();
        let text = String::new();
        self.statements.push(Statement {
            name,
            domain,
            accesses,
            side_effect: false,
            may_trap: false,
            copy: false,
            reduction: None,
            block: None,
            parts: 1,
            text,
        });
        self
    }

    /// Changes the last statement.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Statement)) -> Self {
        change(self.statements.last_mut().unwrap());
        self
    }

    /// Ends with the tree under the domain node, in isl's YAML, and the live-out elements.
    pub(crate) fn order(self, tree: &str, live_out: &str) -> Scop {
        let mut domain: Option<UnionSet> = None;
        for statement in &self.statements {
            let set = statement.domain.clone().to_union_set().unwrap();
            domain = Some(match domain {
                None => set,
                Some(all) => all.union(set).unwrap(),
            });
        }
        let domain = domain.unwrap();
        let text = format!("{{ domain: \"{domain}\", child: {tree} }}");
        Scop {
            name: "sample".into(),
            context: Set::parse(&self.ctx, &self.context).unwrap(),
            schedule: Schedule::parse(&self.ctx, &text).unwrap_or_else(|e| panic!("{e}: {text}")),
            live_out: UnionSet::parse(&self.ctx, live_out).unwrap(),
            arrays: self.arrays,
            statements: self.statements,
        }
    }
}

/// A band of one member in YAML, above `child`.
pub(crate) fn band(partial: &str, child: &str) -> String {
    if child.is_empty() {
        format!("{{ schedule: \"[{{ {partial} }}]\" }}")
    } else {
        format!("{{ schedule: \"[{{ {partial} }}]\", child: {child} }}")
    }
}

/// A sequence in YAML: filters and what is under them.
pub(crate) fn sequence(children: &[(&str, &str)]) -> String {
    let children: Vec<String> = children
        .iter()
        .map(|(filter, child)| {
            let child = if child.is_empty() { String::new() } else { format!(", child: {child}") };
            format!("{{ filter: \"{{ {filter} }}\"{child} }}")
        })
        .collect();
    format!("{{ sequence: [ {} ] }}", children.join(", "))
}

/// `A: a = ..; B: .. = a; C: a = ..; D: .. = a` (ppcg report, Listing 2), with the last value of `a` not needed.
pub(crate) fn live_ranges() -> Scop {
    Sample::new("{ : }")
        .array("a", ArrayKind::Scalar, 0)
        .memory(&[("x", 0), ("y", 0)])
        .statement("{ A[] }", &[(W, "{ A[] -> a[] }")])
        .statement("{ B[] }", &[(R, "{ B[] -> a[] }"), (W, "{ B[] -> x[] }")])
        .statement("{ C[] }", &[(W, "{ C[] -> a[] }")])
        .statement("{ D[] }", &[(R, "{ D[] -> a[] }"), (W, "{ D[] -> y[] }")])
        .order(&sequence(&[("A[]", ""), ("B[]", ""), ("C[]", ""), ("D[]", "")]), "{ x[]; y[] }")
}

/// `for i: t = A[i]; B[i] = t` (ppcg report, Listing 3), with or without a kill of `t` at the end. `t` is memory that
/// may be seen afterwards, unless it is killed.
pub(crate) fn copy_through_scalar(kind: ArrayKind, kill: bool) -> Scop {
    let mut sample = Sample::new("[n] -> { : }")
        .array("t", kind, 0)
        .memory(&[("A", 1), ("B", 1)])
        .statement("[n] -> { S[i] : 0 <= i < n }", &[(R, "{ S[i] -> A[i] }"), (W, "{ S[i] -> t[] }")])
        .statement("[n] -> { T[i] : 0 <= i < n }", &[(R, "{ T[i] -> t[] }"), (W, "{ T[i] -> B[i] }")]);
    let body = band("S[i] -> [i]; T[i] -> [i]", &sequence(&[("S[i]", ""), ("T[i]", "")]));
    if kill {
        sample = sample.statement("{ E[] }", &[(K, "{ E[] -> t[] }")]);
        let tree = sequence(&[("S[i]; T[i]", &body), ("E[]", "")]);
        let live_out = if kind == ArrayKind::Memory { "{ t[]; B[i] }" } else { "{ B[i] }" };
        return sample.order(&tree, live_out);
    }
    sample.order(&body, "{ t[]; B[i] }")
}

/// `for i, j: C[i][j] = 0; for k: C[i][j] += A[i][k] * B[k][j]` (ppcg report, Listing 4).
pub(crate) fn matmul() -> Scop {
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2), ("C", 2)])
        .statement("[n] -> { S[i, j] : 0 <= i, j < n }", &[(W, "{ S[i, j] -> C[i, j] }")])
        .statement(
            "[n] -> { T[i, j, k] : 0 <= i, j, k < n }",
            &[
                (R, "{ T[i, j, k] -> C[i, j] }"),
                (R, "{ T[i, j, k] -> A[i, k] }"),
                (R, "{ T[i, j, k] -> B[k, j] }"),
                (W, "{ T[i, j, k] -> C[i, j] }"),
            ],
        )
        .order(
            &band(
                "S[i, j] -> [i]; T[i, j, k] -> [i]",
                &band(
                    "S[i, j] -> [j]; T[i, j, k] -> [j]",
                    &sequence(&[("S[i, j]", ""), ("T[i, j, k]", &band("T[i, j, k] -> [k]", ""))]),
                ),
            ),
            "{ C[i, j] }",
        )
}

/// Two products through a buffer of the region: `D = A * B; E = D * C`.
pub(crate) fn two_matmuls() -> Scop {
    let product = |s: &str, t: &str| {
        band(
            &format!("{s}[i, j] -> [i]; {t}[i, j, k] -> [i]"),
            &band(
                &format!("{s}[i, j] -> [j]; {t}[i, j, k] -> [j]"),
                &sequence(&[
                    (&format!("{s}[i, j]"), ""),
                    (&format!("{t}[i, j, k]"), &band(&format!("{t}[i, j, k] -> [k]"), "")),
                ]),
            ),
        )
    };
    let accesses = |t: &str, x: &str, y: &str, z: &str| {
        [
            format!("{{ {t}[i, j, k] -> {z}[i, j] }}"),
            format!("{{ {t}[i, j, k] -> {x}[i, k] }}"),
            format!("{{ {t}[i, j, k] -> {y}[k, j] }}"),
        ]
    };
    let [first_c, first_a, first_b] = accesses("T", "A", "B", "D");
    let [second_c, second_a, second_b] = accesses("V", "D", "C", "E");
    Sample::new("[n] -> { : }")
        .memory(&[("A", 2), ("B", 2), ("C", 2), ("E", 2)])
        .array("D", ArrayKind::Local, 2)
        .statement("[n] -> { S[i, j] : 0 <= i, j < n }", &[(W, "{ S[i, j] -> D[i, j] }")])
        .statement(
            "[n] -> { T[i, j, k] : 0 <= i, j, k < n }",
            &[(R, &first_c), (R, &first_a), (R, &first_b), (W, &first_c)],
        )
        .statement("[n] -> { U[i, j] : 0 <= i, j < n }", &[(W, "{ U[i, j] -> E[i, j] }")])
        .statement(
            "[n] -> { V[i, j, k] : 0 <= i, j, k < n }",
            &[(R, &second_c), (R, &second_a), (R, &second_b), (W, &second_c)],
        )
        .order(
            &sequence(&[("S[i, j]; T[i, j, k]", &product("S", "T")), ("U[i, j]; V[i, j, k]", &product("U", "V"))]),
            "{ E[i, j] }",
        )
}

/// `for t: for i: B[i] = f(A[i-1], A[i], A[i+1]); for i: A[i] = f(B[i-1], B[i], B[i+1])`.
pub(crate) fn jacobi_1d() -> Scop {
    let stencil = |s: &str, from: &str| ["i - 1", "i", "i + 1"].map(|at| format!("{{ {s}[t, i] -> {from}[{at}] }}"));
    let (a, b) = (stencil("S", "A"), stencil("T", "B"));
    Sample::new("[n, m] -> { : n >= 3 and m >= 1 }")
        .memory(&[("A", 1), ("B", 1)])
        .statement(
            "[n, m] -> { S[t, i] : 0 <= t < m and 1 <= i < n - 1 }",
            &[(R, &a[0]), (R, &a[1]), (R, &a[2]), (W, "{ S[t, i] -> B[i] }")],
        )
        .statement(
            "[n, m] -> { T[t, i] : 0 <= t < m and 1 <= i < n - 1 }",
            &[(R, &b[0]), (R, &b[1]), (R, &b[2]), (W, "{ T[t, i] -> A[i] }")],
        )
        .order(
            &band(
                "S[t, i] -> [t]; T[t, i] -> [t]",
                &sequence(&[("S[t, i]", &band("S[t, i] -> [i]", "")), ("T[t, i]", &band("T[t, i] -> [i]", ""))]),
            ),
            "{ A[i]; B[i] }",
        )
}

/// `for t, i, j: A[i][j] = f(its eight neighbours and itself)`, updated in place.
pub(crate) fn seidel_2d() -> Scop {
    let mut accesses = Vec::new();
    for di in -1..=1 {
        for dj in -1..=1 {
            accesses.push(format!("{{ S[t, i, j] -> A[i + ({di}), j + ({dj})] }}"));
        }
    }
    let mut list: Vec<_> = accesses.iter().map(|text| (R, text.as_str())).collect();
    list.push((W, "{ S[t, i, j] -> A[i, j] }"));
    Sample::new("[n, m] -> { : n >= 3 and m >= 1 }")
        .memory(&[("A", 2)])
        .statement("[n, m] -> { S[t, i, j] : 0 <= t < m and 1 <= i, j < n - 1 }", &list)
        .order(&band("S[t, i, j] -> [t]", &band("S[t, i, j] -> [i]", &band("S[t, i, j] -> [j]", ""))), "{ A[i, j] }")
}

/// A recursive filter along rows, as in deriche: the state of the filter lives in two scalars, set at the start of each
/// row: `for i: p = 0; for j: v = X[i][j] + p; Y[i][j] = v; p = v`.
pub(crate) fn row_filter() -> Scop {
    Sample::new("[n] -> { : }")
        .memory(&[("X", 2), ("Y", 2)])
        .array("p", ArrayKind::Scalar, 0)
        .array("v", ArrayKind::Scalar, 0)
        .statement("[n] -> { Z[i] : 0 <= i < n }", &[(W, "{ Z[i] -> p[] }")])
        .statement(
            "[n] -> { V[i, j] : 0 <= i, j < n }",
            &[(R, "{ V[i, j] -> X[i, j] }"), (R, "{ V[i, j] -> p[] }"), (W, "{ V[i, j] -> v[] }")],
        )
        .statement("[n] -> { Y[i, j] : 0 <= i, j < n }", &[(R, "{ Y[i, j] -> v[] }"), (W, "{ Y[i, j] -> Y[i, j] }")])
        .statement("[n] -> { P[i, j] : 0 <= i, j < n }", &[(R, "{ P[i, j] -> v[] }"), (W, "{ P[i, j] -> p[] }")])
        .order(
            &band(
                "Z[i] -> [i]; V[i, j] -> [i]; Y[i, j] -> [i]; P[i, j] -> [i]",
                &sequence(&[
                    ("Z[i]", ""),
                    (
                        "V[i, j]; Y[i, j]; P[i, j]",
                        &band(
                            "V[i, j] -> [j]; Y[i, j] -> [j]; P[i, j] -> [j]",
                            &sequence(&[("V[i, j]", ""), ("Y[i, j]", ""), ("P[i, j]", "")]),
                        ),
                    ),
                ]),
            ),
            "{ Y[i, j] }",
        )
}
