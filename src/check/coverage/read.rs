//! Code as sets: for each call the loops, conditions, blocks and threads around it are the constraints on its
//! iterations.

use crate::ast::{Ast, Axis, Comparison, Cond, Expr, For, If, Kernel, Node};
use crate::isl::{self, Map};
use crate::scop::Scop;

/// A call of a statement.
pub(super) struct Site {
    /// What is executed: `{ N[c] -> S[i] }`
    pub executed: Map,
    /// The kernel that it is in.
    pub kernel: Option<Numbers>,
}

/// The numbers of the block and the thread at hand.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    /// Along the axes of blocks, x last.
    pub blocks: Vec<Number>,
    /// Along the axes of threads, x last.
    pub threads: Vec<Number>,
}

/// The number along an axis.
#[derive(Debug, Clone)]
pub(super) struct Number {
    /// Its position among the iterators `c` of the calls in the kernel.
    pub position: usize,
    /// Numbers are below that.
    pub most: Option<i64>,
}

/// The calls of some code.
///
/// # Errors
/// Those of isl.
pub(super) fn sites(scop: &Scop, ast: &Ast) -> isl::Result<Vec<Site>> {
    let mut reader =
        Reader { scop, ast, iterators: Vec::new(), conditions: Vec::new(), kernel: None, found: Vec::new() };
    reader.node(&ast.root)?;
    Ok(reader.found)
}

/// Reads code as isl's text.
struct Reader<'a> {
    scop: &'a Scop,
    ast: &'a Ast,
    /// The iterators that are known here, outermost first.
    iterators: Vec<String>,
    /// What holds here.
    conditions: Vec<String>,
    /// The kernel around.
    kernel: Option<Numbers>,
    found: Vec<Site>,
}

impl Reader<'_> {
    fn node(&mut self, node: &Node) -> isl::Result<()> {
        let (iterators, conditions) = (self.iterators.len(), self.conditions.len());
        match node {
            Node::Block(children) => children.iter().try_for_each(|child| self.node(child))?,
            Node::For(inner) => self.for_node(inner)?,
            Node::If(inner) => self.if_node(inner)?,
            Node::Kernel(inner) => self.kernel(inner)?,
            Node::Call(call) => {
                let statement = self.scop.statement(call.statement);
                let arguments: Vec<String> = call.args.iter().map(|argument| self.expr(argument)).collect();
                let map = format!(
                    "[{}] -> {{ N{}[{}] -> {}[{}] : {} }}",
                    self.ast.parameters.join(", "),
                    self.found.len(),
                    self.iterators.join(", "),
                    statement.name,
                    arguments.join(", "),
                    conjunction(&self.conditions)
                );
                let executed = Map::parse(self.scop.ctx(), &map)?;
                self.found.push(Site { executed, kernel: self.kernel.clone() });
            }
        }
        self.iterators.truncate(iterators);
        self.conditions.truncate(conditions);
        Ok(())
    }

    fn for_node(&mut self, node: &For) -> isl::Result<()> {
        let iterator = name(node.iterator.0);
        let first = self.one_of("max", &node.lower);
        let lower = node.lower.iter().map(|bound| format!("{iterator} >= {}", self.expr(bound)));
        let upper = node.upper.iter().map(|bound| format!("{iterator} < {}", self.expr(bound)));
        let mut all: Vec<String> = lower.chain(upper).collect();
        if node.step > 1 {
            all.push(format!("({iterator} - {first}) mod {} = 0", node.step));
        }
        self.conditions.extend(all);
        self.iterators.push(iterator);
        self.node(&node.body)
    }

    fn if_node(&mut self, node: &If) -> isl::Result<()> {
        let before = self.conditions.len();
        self.conditions.push(self.cond(&node.cond));
        self.node(&node.then)?;
        self.conditions.truncate(before);
        let Some(otherwise) = &node.otherwise else { return Ok(()) };
        self.conditions.push(self.cond(&node.cond.negated()));
        self.node(otherwise)
    }

    fn kernel(&mut self, kernel: &Kernel) -> isl::Result<()> {
        let mut numbers = Vec::new();
        for axis in kernel.axes() {
            let (iterator, bounds) = (name(axis.iterator.0), self.bounds(axis));
            self.conditions.push(format!("0 <= {iterator}"));
            self.conditions.extend(bounds);
            numbers.push(Number { position: self.iterators.len(), most: axis.most });
            self.iterators.push(iterator);
        }
        let threads = numbers.split_off(kernel.blocks.len());
        let around = self.kernel.replace(Numbers { blocks: numbers, threads });
        self.node(&kernel.body)?;
        self.kernel = around;
        Ok(())
    }

    fn bounds(&self, axis: &Axis) -> Vec<String> {
        let iterator = name(axis.iterator.0);
        let most = axis.most.map(|most| format!("{iterator} < {most}"));
        let needed = (!axis.extent.is_empty()).then(|| format!("{iterator} < {}", self.one_of("max", &axis.extent)));
        most.into_iter().chain(needed).collect()
    }

    fn one_of(&self, function: &str, all: &[Expr]) -> String {
        let texts: Vec<String> = all.iter().map(|expr| self.expr(expr)).collect();
        // isl knows the function for two numbers.
        texts.into_iter().reduce(|one, other| format!("{function}({one}, {other})")).unwrap_or_default()
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Parameter(position) => self.ast.parameters[*position].clone(),
            Expr::Iterator(iterator) => name(iterator.0),
            Expr::Add(one, other) => format!("({} + {})", self.expr(one), self.expr(other)),
            Expr::Mul(factor, one) => format!("({factor} * {})", self.expr(one)),
            Expr::FloorDiv(one, divisor) => format!("floor(({}) / {divisor})", self.expr(one)),
            Expr::Mod(one, divisor) => format!("(({}) mod {divisor})", self.expr(one)),
            Expr::Min(all) => self.one_of("min", all),
            Expr::Max(all) => self.one_of("max", all),
            Expr::Select(cond, one, other) => {
                format!("({} ? {} : {})", self.cond(cond), self.expr(one), self.expr(other))
            }
        }
    }

    fn cond(&self, cond: &Cond) -> String {
        match cond {
            Cond::Compare(comparison, one, other) => {
                let sign = match comparison {
                    Comparison::Eq => "=",
                    Comparison::Le => "<=",
                    Comparison::Lt => "<",
                    Comparison::Ge => ">=",
                    Comparison::Gt => ">",
                };
                format!("{} {sign} {}", self.expr(one), self.expr(other))
            }
            Cond::And(all) => conjunction(&all.iter().map(|cond| self.cond(cond)).collect::<Vec<_>>()),
            Cond::Or(all) if all.is_empty() => "1 = 0".to_owned(),
            Cond::Or(all) => {
                let all: Vec<String> = all.iter().map(|cond| format!("({})", self.cond(cond))).collect();
                format!("({})", all.join(" or "))
            }
        }
    }
}

fn name(iterator: usize) -> String {
    format!("it{iterator}_")
}

fn conjunction(all: &[String]) -> String {
    let all: Vec<String> = all.iter().map(|one| format!("({one})")).collect();
    if all.is_empty() { "1 = 1".to_owned() } else { all.join(" and ") }
}
