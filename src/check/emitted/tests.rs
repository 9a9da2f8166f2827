//! A model made from the AST itself is accepted; each corruption of it is found.

use super::{Again, Difference, compare};
use crate::codegen::{self, Ast, Comparison, Cond, Expr, IteratorId, Node};
use crate::isl;
use crate::scop::{Access, AccessKind, Array, ArrayKind, ElementKind, ElementType, Scop, Statement};
use std::collections::BTreeSet;

const TREE: &str = r#"
domain: "[n] -> { S[i,j] : 0 <= i < n and 0 <= j <= i; R[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "{ S[i,j] }"
    child:
      schedule: "[n] -> [{ S[i,j] -> [4*floor(i/4)] }, { S[i,j] -> [4*floor(j/4)] }]"
      child:
        schedule: "[n] -> [{ S[i,j] -> [j] }, { S[i,j] -> [i] }]"
  - filter: "{ R[i] }"
    child:
      schedule: "[n] -> [{ R[i] -> [-i] }]"
"#;

fn statement(ctx: &isl::Ctx, domain: &str, accesses: &[(AccessKind, &str)]) -> Statement {
    let domain = isl::Set::parse(ctx, domain).unwrap();
    let name = domain.tuple_name().unwrap().unwrap();
    let access = |(number, (kind, relation)): (usize, &(AccessKind, &str))| Access {
        reference: format!("{name}{number}"),
        kind: *kind,
        relation: isl::Map::parse(ctx, relation).unwrap(),
    };
    let accesses = accesses.iter().enumerate().map(access).collect();
    Statement { name, domain, accesses, side_effect: false, may_trap: false, text: String::new() }
}

fn scop(ctx: &isl::Ctx) -> Scop {
    let array = |name: &str| Array {
        name: name.into(),
        extent: Vec::new(),
        element: ElementType { kind: ElementKind::Float, bits: 64 },
        kind: ArrayKind::Memory,
    };
    Scop {
        name: "test".into(),
        context: isl::Set::parse(ctx, "[n] -> { : }").unwrap(),
        arrays: vec![array("A"), array("B")],
        statements: vec![
            statement(
                ctx,
                "[n] -> { S[i,j] : 0 <= i < n and 0 <= j <= i }",
                &[(AccessKind::Read, "{ S[i,j] -> B[i + j] }"), (AccessKind::MustWrite, "{ S[i,j] -> A[i,j] }")],
            ),
            statement(
                ctx,
                "[n] -> { R[i] : 0 <= i < n }",
                &[(AccessKind::Read, "{ R[i] -> A[i,i] }"), (AccessKind::MustWrite, "{ R[i] -> B[i] }")],
            ),
        ],
        schedule: isl::Schedule::parse(ctx, TREE).unwrap(),
        live_out: isl::UnionSet::parse(ctx, "{ A[i,j]; B[i] }").unwrap(),
    }
}

/// A statement of the new model for each call, written down in isl notation from the loops around it.
struct Model<'a> {
    scop: &'a Scop,
    loops: Vec<IteratorId>,
    constraints: Vec<String>,
    place: Vec<String>,
    again: Vec<Again>,
}

fn model(scop: &Scop, ast: &Ast) -> Vec<Again> {
    let mut model =
        Model { scop, loops: Vec::new(), constraints: vec!["1 = 1".into()], place: Vec::new(), again: Vec::new() };
    model.node(&ast.root);
    model.again
}

impl Model<'_> {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Block(children) => {
                for (number, child) in children.iter().enumerate() {
                    self.place.push(number.to_string());
                    self.node(child);
                    self.place.pop();
                }
            }
            Node::For(node) => {
                let name = format!("c{}", node.iterator.0);
                let before = self.constraints.len();
                self.constraints.extend(node.lower.iter().map(|e| format!("{name} >= {}", text(e))));
                self.constraints.extend(node.upper.iter().map(|e| format!("{name} < {}", text(e))));
                assert!(node.step == 1 || node.lower.len() == 1);
                self.constraints.push(format!("({name} - ({})) mod {} = 0", text(&node.lower[0]), node.step));
                self.loops.push(node.iterator);
                self.place.push(name);
                self.node(&node.body);
                self.place.pop();
                self.loops.pop();
                self.constraints.truncate(before);
            }
            Node::If(branch) => {
                self.constraints.push(condition(&branch.cond));
                self.node(&branch.then);
                self.constraints.pop();
                if let Some(otherwise) = &branch.otherwise {
                    self.constraints.push(format!("not ({})", condition(&branch.cond)));
                    self.node(otherwise);
                    self.constraints.pop();
                }
            }
            Node::Call(call) => {
                let ctx = self.scop.ctx();
                let tuple = self.loops.iter().map(|l| format!("c{}", l.0)).collect::<Vec<_>>().join(",");
                let name = format!("N{}", self.again.len());
                let set = format!("[n] -> {{ {name}[{tuple}] : {} }}", self.constraints.join(" and "));
                let mut time = self.place.clone();
                time.resize(16, "0".to_owned());
                let statement = self.scop.statement(call.statement);
                let args = call.args.iter().map(text).collect::<Vec<_>>().join(",");
                let instance = format!("[n] -> {{ {name}[{tuple}] -> {}[{args}] }}", statement.name);
                let instance = isl::Map::parse(ctx, &instance).unwrap();
                let access = |a: &Access| (a.kind, instance.clone().apply_range(a.relation.clone()).unwrap());
                self.again.push(Again {
                    domain: isl::Set::parse(ctx, &set).unwrap(),
                    iterators: self.loops.clone(),
                    calls: BTreeSet::from([self.again.len()]),
                    accesses: statement.accesses.iter().map(access).collect(),
                    time: isl::Map::parse(ctx, &format!("[n] -> {{ {name}[{tuple}] -> [{}] }}", time.join(",")))
                        .unwrap(),
                });
            }
        }
    }
}

fn text(expr: &Expr) -> String {
    match expr {
        Expr::Const(value) => value.to_string(),
        Expr::Parameter(_) => "n".into(),
        Expr::Iterator(id) => format!("c{}", id.0),
        Expr::Add(a, b) => format!("({} + {})", text(a), text(b)),
        Expr::Mul(factor, a) => format!("({factor} * ({}))", text(a)),
        Expr::FloorDiv(a, divisor) => format!("floor(({})/{divisor})", text(a)),
        Expr::Mod(a, divisor) => format!("(({}) mod {divisor})", text(a)),
        Expr::Min(_) | Expr::Max(_) | Expr::Select(..) => unreachable!("the AST was legalized"),
    }
}

fn condition(cond: &Cond) -> String {
    let list =
        |list: &[Cond], sign: &str| list.iter().map(|c| format!("({})", condition(c))).collect::<Vec<_>>().join(sign);
    match cond {
        Cond::Compare(comparison, a, b) => {
            let sign = match comparison {
                Comparison::Eq => "=",
                Comparison::Le => "<=",
                Comparison::Lt => "<",
                Comparison::Ge => ">=",
                Comparison::Gt => ">",
            };
            format!("{} {sign} {}", text(a), text(b))
        }
        Cond::And(all) => list(all, " and "),
        Cond::Or(any) => list(any, " or "),
    }
}

fn compared(corrupt: impl FnOnce(&isl::Ctx, &mut Vec<Again>)) -> Result<(), Difference> {
    let ctx = isl::Ctx::new();
    let scop = scop(&ctx);
    let ast = codegen::generate(&scop, &scop.schedule, &codegen::Options::default()).unwrap();
    let mut again = model(&scop, &ast);
    assert!(again.len() >= 3, "{}", ast.to_text(&scop));
    corrupt(&ctx, &mut again);
    compare(&scop, &scop.schedule, &ast, &again, &scop.context)
}

#[test]
fn the_code_itself_is_accepted() {
    assert_eq!(compared(|_, _| ()), Ok(()));
}

#[test]
fn a_loop_that_ends_early_is_found() {
    let result = compared(|ctx, again| {
        let less = isl::Set::parse(ctx, "[n] -> { : n != 7 }").unwrap();
        again[0].domain = again[0].domain.clone().intersect_params(less).unwrap();
    });
    assert_eq!(result, Err(Difference::Instances { statement: "S".into() }));
}

#[test]
fn an_instance_executed_twice_is_found() {
    let result = compared(|_, again| {
        let mut last = again.last().unwrap().clone();
        last.calls = again[0].calls.clone();
        last.iterators = again[0].iterators.clone();
        last.domain = again[0].domain.clone();
        // The other half's call now claims the first half's instances.
        let position = again.len() - 1;
        again[position] = last;
    });
    assert!(matches!(result, Err(Difference::Instances { .. })), "{result:?}");
}

#[test]
fn another_subscript_is_found() {
    let result = compared(|ctx, again| {
        let shift = isl::Map::parse(ctx, "{ A[i,j] -> A[i,j+1] }").unwrap();
        let (_, write) = again[0].accesses.iter_mut().find(|(kind, _)| *kind == AccessKind::MustWrite).unwrap();
        *write = write.clone().apply_range(shift).unwrap();
    });
    assert_eq!(result, Err(Difference::Accesses { statement: "S".into(), kind: AccessKind::MustWrite }));
}

#[test]
fn a_missing_read_is_found() {
    let result = compared(|_, again| again[0].accesses.retain(|(kind, _)| *kind != AccessKind::Read));
    assert_eq!(result, Err(Difference::Accesses { statement: "S".into(), kind: AccessKind::Read }));
}

#[test]
fn a_reversed_loop_is_found() {
    let result = compared(|ctx, again| {
        let last = again.last_mut().unwrap();
        let n = last.time.dim(isl::DimType::Out).unwrap();
        let dims = (0..n).map(|d| format!("t{d}")).collect::<Vec<_>>();
        let reversed = dims.iter().map(|d| format!("-{d}")).collect::<Vec<_>>();
        let text = format!("{{ [{}] -> [{}] }}", dims.join(","), reversed.join(","));
        last.time = last.time.clone().apply_range(isl::Map::parse(ctx, &text).unwrap()).unwrap();
    });
    assert!(matches!(result, Err(Difference::Order { .. })), "{result:?}");
}

#[test]
fn a_call_that_came_out_nowhere_is_found() {
    let result = compared(|_, again| again.truncate(again.len() - 1));
    assert!(matches!(result, Err(Difference::Instances { .. })), "{result:?}");
}
