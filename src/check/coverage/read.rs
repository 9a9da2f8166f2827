//! Code as sets: for each call the loops, conditions, blocks and threads around it are the constraints on its
//! iterations.

use crate::ast::{Ast, Axis, Call, Comparison, Cond, Expr, For, If, IteratorId, Kernel, Node, Shared, SharedTile};
use crate::isl::{self, DimType, Id, Map, Set};
use crate::scop::{Scop, StatementId};
use std::collections::BTreeSet;

/// A call of a statement.
pub(super) struct Site {
    /// The statement.
    pub statement: StatementId,
    /// What is executed: `{ N[c] -> S[i] }`
    pub executed: Map,
    /// The kernel that it is in.
    pub kernel: Option<Numbers>,
    /// The tiles around, by their numbers.
    pub tiles: Vec<usize>,
}

/// The numbers of the block and the thread at hand.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    /// The number of the kernel in the order of the code.
    pub kernel: usize,
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

/// A tile that is copied.
pub(super) struct Tile {
    /// The array.
    pub array: String,
    /// The number of the kernel that it is in; `None` where there is none around.
    pub kernel: Option<usize>,
    /// It is copied in a place that all threads of a block come to equally often, and nowhere in another such place.
    pub is_even: bool,
    /// What is copied: `{ N[c] -> A[a] }`, `c` the iterators around it.
    pub copied: Map,
    /// How many iterators there are around it.
    pub depth: usize,
    /// The statements that it is for.
    pub readers: BTreeSet<StatementId>,
    /// For each call that reads from it: what it reads; and what is there if it reads at all: `{ N[c] -> A[a] }` both,
    /// `c` the iterators around the call.
    pub reads: Vec<(Map, Map)>,
}

/// What code has.
#[derive(Default)]
pub(super) struct Read {
    /// Its calls.
    pub sites: Vec<Site>,
    /// Its tiles.
    pub tiles: Vec<Tile>,
}

/// Reads code.
///
/// # Errors
/// Those of isl.
pub(super) fn read(scop: &Scop, ast: &Ast) -> isl::Result<Read> {
    let mut reader = Reader {
        scop,
        ast,
        iterators: Vec::new(),
        domain: Set::parse(scop.ctx(), &format!("[{}] -> {{ [] }}", ast.parameters.join(", ")))?,
        kernel: None,
        kernels: 0,
        threads: Vec::new(),
        is_even: true,
        copies: Vec::new(),
        found: Read::default(),
    };
    reader.node(&ast.root)?;
    Ok(reader.found)
}

/// Reads code as isl's text, of which each piece is read once: what holds at a place is what holds around it, and more.
struct Reader<'a> {
    scop: &'a Scop,
    ast: &'a Ast,
    /// The iterators that are known here, outermost first.
    iterators: Vec<String>,
    /// Their values here: `{ [c] }`
    domain: Set,
    /// The kernel around.
    kernel: Option<Numbers>,
    /// How many kernels there were up to here.
    kernels: usize,
    /// What counts the threads of the kernel around.
    threads: Vec<IteratorId>,
    /// All threads of a block come here equally often.
    is_even: bool,
    /// The tiles around, outermost first, each copy with the number of its first one.
    copies: Vec<(&'a Shared, usize)>,
    found: Read,
}

impl<'a> Reader<'a> {
    fn node(&mut self, node: &'a Node) -> isl::Result<()> {
        let (iterators, domain, is_even) = (self.iterators.len(), self.domain.clone(), self.is_even);
        match node {
            Node::Block(children) => children.iter().try_for_each(|child| self.node(child))?,
            Node::For(inner) => self.for_node(inner)?,
            Node::If(inner) => self.if_node(inner)?,
            Node::Kernel(inner) => self.kernel(inner)?,
            Node::Shared(shared) => self.shared(shared)?,
            Node::Call(call) => self.call(call)?,
        }
        self.is_even = is_even;
        self.iterators.truncate(iterators);
        self.domain = domain;
        Ok(())
    }

    /// An iterator more is known, for which conditions hold.
    fn enter(&mut self, iterator: String, conditions: &[String]) -> isl::Result<()> {
        self.iterators.push(iterator);
        self.domain = self.domain.clone().add_dims(DimType::SET, 1)?;
        self.assume(conditions)
    }

    /// Conditions hold from here on.
    fn assume(&mut self, conditions: &[String]) -> isl::Result<()> {
        let (parameters, iterators) = (self.ast.parameters.join(", "), self.iterators.join(", "));
        let holds = format!("[{parameters}] -> {{ [{iterators}] : {} }}", conjunction(conditions));
        let domain = self.domain.clone().intersect(Set::parse(self.scop.ctx(), &holds)?)?;
        self.domain = if domain.n_basic_set()? > 1 { domain.coalesce()? } else { domain };
        Ok(())
    }

    /// What these subscripts are where conditions hold, by the iterators at hand: `{ N[c] -> X[x] }`
    fn map(&self, name: &str, subscripts: &[String], conditions: &[String]) -> isl::Result<Map> {
        let map = format!(
            "[{}] -> {{ N{}[{}] -> {name}[{}] : {} }}",
            self.ast.parameters.join(", "),
            self.found.sites.len(),
            self.iterators.join(", "),
            subscripts.join(", "),
            conjunction(conditions)
        );
        Map::parse(self.scop.ctx(), &map)
    }

    /// The same where what holds here does.
    fn here(&self, map: Map) -> isl::Result<Map> {
        let name = map.tuple_name(DimType::In)?.unwrap_or_default();
        map.intersect_domain(self.domain.clone().set_tuple_id(Id::new(self.scop.ctx(), &name)?)?)
    }

    fn call(&mut self, call: &Call) -> isl::Result<()> {
        let arguments: Vec<String> = call.args.iter().map(|argument| self.expr(argument)).collect();
        let executed = self.here(self.map(&self.scop.statement(call.statement).name, &arguments, &[])?)?;
        let mut tiles = Vec::new();
        for (shared, first) in self.copies.clone() {
            tiles.extend(first..first + shared.tiles.len());
            for (number, tile) in shared.tiles.iter().enumerate() {
                for (_, subscripts) in tile.reads.iter().filter(|(statement, _)| *statement == call.statement) {
                    let subscripts = subscripts.iter().map(|one| {
                        let argument = |IteratorId(position)| call.args.get(position).cloned();
                        Ok(self
                            .expr(&one.substitute(&argument).map_err(|error| isl::Error::invalid(error.to_string()))?))
                    });
                    let subscripts = subscripts.collect::<isl::Result<Vec<_>>>()?;
                    let touched = self.here(self.map(&tile.array, &subscripts, &[])?)?;
                    let there = self.elements(tile)?;
                    self.found.tiles[first + number].reads.push((touched, there));
                }
            }
        }
        self.found.sites.push(Site { statement: call.statement, executed, kernel: self.kernel.clone(), tiles });
        Ok(())
    }

    /// The elements of a tile: `{ N[c] -> A[a] }`
    fn elements(&self, tile: &SharedTile) -> isl::Result<Map> {
        let names: Vec<String> = tile.element.iter().map(|element| name(element.0)).collect();
        let sides = tile.origin.iter().zip(&tile.extent).zip(&names);
        let sides = sides.map(|((origin, extent), name)| {
            let origin = self.expr(origin);
            format!("{origin} <= {name} < {origin} + {extent}")
        });
        let mut all: Vec<String> = sides.collect();
        all.push(self.cond(&tile.exists));
        self.map(&tile.array, &names, &all)
    }

    fn shared(&mut self, shared: &'a Shared) -> isl::Result<()> {
        let first = self.found.tiles.len();
        for tile in &shared.tiles {
            let found = Tile {
                array: tile.array.clone(),
                kernel: self.kernel.as_ref().map(|numbers| numbers.kernel),
                is_even: self.is_even && (self.copies.is_empty() || self.kernel.is_none()),
                copied: self.here(self.elements(tile)?)?,
                depth: self.iterators.len(),
                readers: tile.reads.iter().map(|(statement, _)| *statement).collect(),
                reads: Vec::new(),
            };
            self.found.tiles.push(found);
        }
        self.copies.push((shared, first));
        self.node(&shared.body)?;
        self.copies.pop();
        Ok(())
    }

    /// A condition or a bound at hand is the same for all threads of a block.
    fn is_same(&self, mentions: &dyn Fn(IteratorId) -> bool) -> bool {
        !self.threads.iter().any(|thread| mentions(*thread))
    }

    fn for_node(&mut self, node: &'a For) -> isl::Result<()> {
        let mut bounds = node.lower.iter().chain(&node.upper);
        self.is_even &= bounds.all(|bound| self.is_same(&|thread| bound.mentions(thread)));
        let iterator = name(node.iterator.0);
        let first = self.one_of("max", &node.lower);
        let lower = node.lower.iter().map(|bound| format!("{iterator} >= {}", self.expr(bound)));
        let upper = node.upper.iter().map(|bound| format!("{iterator} < {}", self.expr(bound)));
        let mut all: Vec<String> = lower.chain(upper).collect();
        if node.step > 1 {
            all.push(format!("({iterator} - {first}) mod {} = 0", node.step));
        }
        self.enter(iterator, &all)?;
        self.node(&node.body)
    }

    fn if_node(&mut self, node: &'a If) -> isl::Result<()> {
        self.is_even &= self.is_same(&|thread| node.cond.mentions(thread));
        let around = self.domain.clone();
        self.assume(&[self.cond(&node.cond)])?;
        self.node(&node.then)?;
        let Some(otherwise) = &node.otherwise else { return Ok(()) };
        self.domain = around;
        self.assume(&[self.cond(&node.cond.negated())])?;
        self.node(otherwise)
    }

    fn kernel(&mut self, kernel: &'a Kernel) -> isl::Result<()> {
        let mut numbers = Vec::new();
        for axis in kernel.axes() {
            let (iterator, bounds) = (name(axis.iterator.0), self.bounds(axis));
            let conditions: Vec<String> = [format!("0 <= {iterator}")].into_iter().chain(bounds).collect();
            numbers.push(Number { position: self.iterators.len(), most: axis.most });
            self.enter(iterator, &conditions)?;
        }
        let threads = numbers.split_off(kernel.blocks.len());
        let around = self.kernel.replace(Numbers { kernel: self.kernels, blocks: numbers, threads });
        self.kernels += 1;
        self.threads = kernel.threads.iter().map(|axis| axis.iterator).collect();
        self.node(&kernel.body)?;
        self.threads.clear();
        self.kernel = around;
        Ok(())
    }

    fn bounds(&self, axis: &Axis) -> Vec<String> {
        let iterator = name(axis.iterator.0);
        let most = axis.most.map(|most| format!("{iterator} < {most}"));
        // For isl a comparison with the greatest of several numbers would be one piece for each that may be it, whether
        // or not what comes next implies one of the comparisons.
        let needed = (!axis.extent.is_empty()).then(|| {
            let all = axis.extent.iter().map(|extent| format!("({iterator} < {})", self.expr(extent)));
            format!("({})", all.collect::<Vec<_>>().join(" or "))
        });
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
