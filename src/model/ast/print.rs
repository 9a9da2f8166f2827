//! The AST as C-like text.

use super::{Ast, Axis, Comparison, Cond, Expr, For, IteratorId, Kernel, Node, Promoted, Shared};
use crate::scop::Scop;
use std::fmt::Write;

impl Ast {
    /// The AST as C-like text, with the statements' names; the iterators are called `c0`, `c1` … (`c_0` … where
    /// parameters have such names).
    pub fn to_text(&self, scop: &Scop) -> String {
        let mut prefix = "c".to_owned();
        while self.parameters.iter().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        let words = Words { parameters: &self.parameters, iterators: Iterators::Numbered(prefix) };
        let mut printer = Printer { words, scop, in_kernel: false, text: String::new() };
        printer.node(&self.root, 0);
        printer.text
    }
}

impl Expr {
    /// The expression as C-like text, with the names of parameters and iterators.
    pub fn to_text(&self, parameters: &[String], iterators: &[String]) -> String {
        Words { parameters, iterators: Iterators::Named(iterators) }.expr(self)
    }
}

struct Printer<'a> {
    words: Words<'a>,
    scop: &'a Scop,
    in_kernel: bool,
    text: String,
}

/// What expressions are called.
struct Words<'a> {
    parameters: &'a [String],
    iterators: Iterators<'a>,
}

/// What iterators are called.
enum Iterators<'a> {
    /// By what is in front of their numbers.
    Numbered(String),
    Named(&'a [String]),
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 2 * depth);
    }

    fn node(&mut self, node: &Node, depth: usize) {
        match node {
            Node::Block(children) => children.iter().for_each(|child| self.node(child, depth)),
            Node::For(node) => self.for_node(node, depth),
            Node::If(node) => {
                self.line(depth, &format!("if ({}) {{", self.words.cond(&node.cond)));
                self.node(&node.then, depth + 1);
                if let Some(otherwise) = &node.otherwise {
                    self.line(depth, "} else {");
                    self.node(otherwise, depth + 1);
                }
                self.line(depth, "}");
            }
            Node::Kernel(kernel) => self.kernel(kernel, depth),
            Node::Shared(shared) => self.shared(shared, depth),
            Node::Call(call) => {
                let args = self.words.list(&call.args);
                let name = &self.scop.statement(call.statement).name;
                self.line(depth, &format!("{name}({args});"));
            }
        }
    }

    fn for_node(&mut self, node: &For, depth: usize) {
        if let Some(parallel) = &node.parallel {
            let private = match parallel.private.join(", ") {
                names if names.is_empty() => names,
                names => format!(" private({names})"),
            };
            self.line(depth, &format!("#pragma parallel{private}"));
        }
        if node.vector {
            self.line(depth, "#pragma vector");
        }
        for promoted in &node.promoted {
            let sides = self.held_sides(promoted);
            self.line(depth, &format!("#pragma promote {}{sides}", promoted.array));
        }
        for carried in &node.carried {
            self.line(depth, &format!("#pragma carry {}", carried.array));
        }
        let name = self.words.iterator(node.iterator);
        let lower = self.words.one_or("max", &node.lower);
        let upper = self.words.one_or("min", &node.upper);
        let step = if node.step == 1 { format!("{name}++") } else { format!("{name} += {}", node.step) };
        self.line(depth, &format!("for ({name} = {lower}; {name} < {upper}; {step}) {{"));
        self.node(&node.body, depth + 1);
        self.line(depth, "}");
    }

    fn kernel(&mut self, kernel: &Kernel, depth: usize) {
        let axes = |axes: &[Axis]| -> Vec<String> {
            axes.iter().map(|axis| format!("{} < {}", self.words.iterator(axis.iterator), self.extent(axis))).collect()
        };
        let (blocks, threads) = (axes(&kernel.blocks).join(", "), axes(&kernel.threads).join(", "));
        self.line(depth, &format!("kernel<<<{blocks}; {threads}>>> {{"));
        self.in_kernel = true;
        self.node(&kernel.body, depth + 1);
        self.in_kernel = false;
        self.line(depth, "}");
    }

    fn shared(&mut self, shared: &Shared, depth: usize) {
        for tile in &shared.tiles {
            let sides = self.sides(&tile.origin, &tile.extent, &[], &[]);
            let exists = match &tile.exists {
                Cond::And(all) if all.is_empty() => String::new(),
                cond => {
                    let names: Vec<_> =
                        tile.element.iter().map(|id| format!("[{}]", self.words.iterator(*id))).collect();
                    format!(" where {} if {}", names.concat(), self.words.cond(cond))
                }
            };
            let word = if self.in_kernel { "shared" } else { "packed" };
            let order = match tile.order.is_sorted() {
                true => String::new(),
                false => {
                    let order: Vec<String> = tile.order.iter().map(usize::to_string).collect();
                    format!(" order({})", order.join(", "))
                }
            };
            self.line(depth, &format!("#pragma {word} {}{sides}{order}{exists}", tile.array));
        }
        self.line(depth, "{");
        self.node(&shared.body, depth + 1);
        self.line(depth, "}");
    }

    /// Where a box of elements begins, how large it is, how far its elements are apart, if they are no neighbours, and
    /// what they stay below.
    fn sides(&self, origin: &[Expr], extent: &[i64], stride: &[i64], limit: &[Option<Expr>]) -> String {
        let side = |(position, (origin, extent)): (usize, (&Expr, &i64))| {
            let stride = stride.get(position).filter(|stride| **stride != 1);
            let stride = stride.map_or_else(String::new, |stride| format!(" : {stride}"));
            let limit = limit.get(position).and_then(Option::as_ref);
            let limit = limit.map_or_else(String::new, |limit| format!(" < {}", self.words.expr(limit)));
            format!("[{} : {extent}{stride}{limit}]", self.words.expr(origin))
        };
        origin.iter().zip(extent).enumerate().map(side).collect()
    }

    /// The same of what is held; where a limit speaks of the number of an element, that has a name.
    fn held_sides(&self, promoted: &Promoted) -> String {
        let sides = self.sides(&promoted.origin, &promoted.extent, &promoted.stride, &promoted.limit);
        let is_used = |number: &&IteratorId| promoted.limit.iter().flatten().any(|limit| limit.mentions(**number));
        let used = promoted.numbers.iter().enumerate().filter(|(_, number)| is_used(number));
        let used = used.map(|(dimension, number)| format!(" {dimension}: {}", self.words.iterator(*number)));
        used.fold(sides, |text, one| text + &one)
    }

    fn extent(&self, axis: &Axis) -> String {
        let most = axis.most.map_or("?".to_owned(), |most| most.to_string());
        match &axis.extent[..] {
            [] => most,
            known if axis.most.is_none() => self.words.one_or("max", known),
            known => format!("min({}, {most})", self.words.one_or("max", known)),
        }
    }
}

impl Words<'_> {
    fn iterator(&self, id: IteratorId) -> String {
        match &self.iterators {
            Iterators::Numbered(prefix) => format!("{prefix}{}", id.0),
            Iterators::Named(names) => names.get(id.0).cloned().unwrap_or_else(|| format!("i{}", id.0)),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn one_or(&self, function: &str, exprs: &[Expr]) -> String {
        match exprs {
            [one] => self.expr(one),
            many => format!("{function}({})", self.list(many)),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Parameter(position) => {
                self.parameters.get(*position).cloned().unwrap_or_else(|| format!("p{position}"))
            }
            Expr::Iterator(id) => self.iterator(*id),
            Expr::Add(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                match b.strip_prefix('-') {
                    Some(b) => format!("{a} - {b}"),
                    None => format!("{a} + {b}"),
                }
            }
            Expr::Mul(-1, a) => format!("-{}", self.factor(a)),
            Expr::Mul(factor, a) => format!("{factor}*{}", self.factor(a)),
            Expr::FloorDiv(a, divisor) => format!("floord({}, {divisor})", self.expr(a)),
            Expr::Mod(a, divisor) => format!("mod({}, {divisor})", self.expr(a)),
            Expr::Min(list) => format!("min({})", self.list(list)),
            Expr::Max(list) => format!("max({})", self.list(list)),
            Expr::Select(cond, a, b) => format!("({} ? {} : {})", self.cond(cond), self.expr(a), self.expr(b)),
        }
    }

    fn factor(&self, expr: &Expr) -> String {
        match expr {
            Expr::Add(..) => format!("({})", self.expr(expr)),
            _ => self.expr(expr),
        }
    }

    fn cond(&self, cond: &Cond) -> String {
        match cond {
            Cond::Compare(comparison, a, b) => {
                let sign = match comparison {
                    Comparison::Eq => "==",
                    Comparison::Le => "<=",
                    Comparison::Lt => "<",
                    Comparison::Ge => ">=",
                    Comparison::Gt => ">",
                };
                format!("{} {sign} {}", self.expr(a), self.expr(b))
            }
            Cond::And(list) => self.junction(list, " && ", "true"),
            Cond::Or(list) => self.junction(list, " || ", "false"),
        }
    }

    fn junction(&self, list: &[Cond], sign: &str, empty: &str) -> String {
        let one = |cond: &Cond| match cond {
            Cond::And(_) | Cond::Or(_) => format!("({})", self.cond(cond)),
            _ => self.cond(cond),
        };
        match list {
            [] => empty.to_owned(),
            [cond] => self.cond(cond),
            many => many.iter().map(one).collect::<Vec<_>>().join(sign),
        }
    }
}
