//! A tree that is changed step by step.

use super::answer::{Answer, LoopEntry, PROTOCOL, speedup_in_words};
use super::command::{Command, Start, Step, Word};
use super::error::Wrong;
use super::help::{COMMANDS, usage};
use super::judge::{Judge, Refusal};
use super::names::Names;
use super::nest::{Nest, Node, Path};
use super::parse::parse;
use super::read::nest;
use super::steps::{apply, with_private};
use crate::driver::{self, Candidate, LayoutSearch, Options};
use crate::isl::{self, Schedule};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::mark;
use crate::scop::Scop;
use crate::scop::text::{parse_schedule, schedule_to_text};

/// Files that commands name.
pub trait Files {
    /// The text of one.
    ///
    /// # Errors
    /// Why there is none, in words.
    fn read(&mut self, name: &str) -> Result<String, String>;

    /// Writes one.
    ///
    /// # Errors
    /// Why not, in words.
    fn write(&mut self, name: &str, text: &str) -> Result<(), String>;
}

/// What became of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// There was no command.
    Nothing,
    /// It was answered.
    Answered(Box<Answer>),
    /// It was `quit`.
    Quit(Box<Answer>),
}

/// A tree with all that is known of it.
#[derive(Clone)]
struct State {
    nest: Nest,
    tree: Schedule,
    names: Names,
    cost: u64,
    /// The commands that led to it, from the region's own order.
    commands: Vec<String>,
}

/// A region and its tree.
pub struct Session<'s> {
    judge: Judge<'s>,
    options: Options,
    /// Operations of isl for a command; 0 for no bound.
    pub(super) quota: u64,
    /// The cost of the original order.
    original: u64,
    /// The trees so far; the last one is the tree, the first one is the region's own.
    states: Vec<State>,
}

/// What a command says, if it is done.
#[derive(Default)]
struct Said {
    output: Option<String>,
    loops: bool,
}

impl<'s> Session<'s> {
    /// Begins with the region's own order, with so many operations of isl for each command.
    ///
    /// # Errors
    /// In words: an order that cannot be changed by hand, and failures of isl.
    pub fn new(scop: &'s Scop, options: Options, quota: u64) -> Result<Self, String> {
        let begun = || -> Result<_, Refusal> {
            let judge = Judge::new(scop, options.machine.clone())?;
            let own = scop.schedule.clone().intersect_domain(scop.domain()?)?;
            let nest = nest(scop, &own)?;
            let tree = judge.finished(&nest)?;
            let first = state(&judge, nest, tree, Vec::new())?;
            Ok((judge, first))
        };
        let (judge, first) = scop.ctx().with_quota(quota, begun).map_err(|refusal| reason(&refusal))?;
        Ok(Session { judge, options, quota, original: first.cost, states: vec![first] })
    }

    /// The tree.
    pub fn tree(&self) -> &Schedule {
        &self.state().tree
    }

    /// The loops of the tree, outermost first.
    ///
    /// # Errors
    /// Those of isl.
    pub fn loops(&self) -> isl::Result<Vec<LoopEntry>> {
        let State { tree, names, nest, .. } = self.state();
        let independent = self.judge.independent(tree)?;
        let vectors = vectors(tree)?;
        let entry = |(place, named): (usize, &super::names::Named)| LoopEntry {
            name: named.label.clone(),
            kind: named.kind.word(),
            depth: (0..named.path.len()).filter(|length| nest.root.loop_at(&named.path[..*length]).is_some()).count(),
            statements: named.statements.clone(),
            independent: independent.get(place).copied().unwrap_or(false),
            parallel: named.parallel.is_some(),
            private: named.parallel.clone().unwrap_or_default(),
            vector: vectors.get(place).copied().unwrap_or(false),
        };
        Ok(names.loops.iter().enumerate().map(entry).collect())
    }

    /// Does what a line says.
    pub fn run(&mut self, line: &str, files: &mut dyn Files) -> Outcome {
        let text = line.trim().to_owned();
        let command = match parse(line) {
            Ok(None) => return Outcome::Nothing,
            Ok(Some(command)) => command,
            Err(wrong) => return Outcome::Answered(Box::new(self.answer(text, Err(Refusal::Wrong(wrong))))),
        };
        let ctx = self.judge.scop.ctx().clone();
        let said = ctx.with_quota(self.quota, || self.command(&command, &text, files));
        let answer = Box::new(self.answer(text, said));
        if command == Command::Quit { Outcome::Quit(answer) } else { Outcome::Answered(answer) }
    }

    fn state(&self) -> &State {
        // There is one from the beginning on.
        &self.states[self.states.len() - 1]
    }

    fn answer(&self, command: String, said: Result<Said, Refusal>) -> Answer {
        let cost = self.state().cost;
        let ratio = if cost == self.original { 1.0 } else { self.original as f64 / cost.max(1) as f64 };
        let mut answer = Answer {
            protocol: PROTOCOL,
            command,
            accepted: said.is_ok(),
            reason: None,
            help: None,
            column: None,
            dependence: None,
            cost,
            speedup: (ratio * 1000.0).round() / 1000.0,
            output: None,
            loops: None,
        };
        match said {
            Ok(said) => {
                answer.output = said.output;
                // What takes too long is left out: the step is done all the same.
                let listed = || self.judge.scop.ctx().with_quota(self.quota, || self.loops()).ok();
                answer.loops = if said.loops { listed() } else { None };
            }
            Err(refusal) => {
                answer.reason = Some(reason(&refusal));
                match refusal {
                    Refusal::Illegal { dependence, .. } => answer.dependence = dependence.map(|boxed| *boxed),
                    Refusal::Wrong(wrong) => {
                        answer.column = wrong.column;
                        answer.help = Some(wrong.help).filter(|help| !help.is_empty());
                    }
                    Refusal::Open(_) => {}
                }
            }
        }
        answer
    }

    fn command(&mut self, command: &Command, text: &str, files: &mut dyn Files) -> Result<Said, Refusal> {
        let output = match command {
            Command::Step(step) => {
                let next = self.stepped(step, text)?;
                self.states.push(next);
                return Ok(Said { output: Some(self.cost_in_words()), loops: true });
            }
            Command::Start(start) => {
                let next = self.started(start, text, files)?;
                self.states.push(next);
                return Ok(Said { output: Some(self.cost_in_words()), loops: true });
            }
            Command::Undo => {
                if self.states.len() < 2 {
                    return Err(Refusal::Wrong(Wrong::new("there is nothing to undo")));
                }
                self.states.pop();
                return Ok(Said { output: Some(self.cost_in_words()), loops: true });
            }
            Command::Reset => {
                let mut first = self.states[0].clone();
                first.commands.clear();
                self.states.push(first);
                return Ok(Said { output: Some(self.cost_in_words()), loops: true });
            }
            Command::Show => {
                let loops = self.loops()?;
                return Ok(Said { output: Some(self.shown(&loops)?.trim_end().to_owned()), loops: true });
            }
            Command::Tree => schedule_to_text(self.tree())?,
            Command::Code => self.judge.code(self.tree())?.to_text(self.judge.scop),
            Command::Cost => {
                let (after, before) = (self.state().cost, self.original);
                format!("cost {after}, of the original order {before}: {}", self.cost_in_words())
            }
            Command::Check => {
                self.judge.legal(self.tree())?;
                match self.judge.tried(self.tree())? {
                    0 => "legal; its code is too large to be run at small sizes".to_owned(),
                    sizes => format!("legal; its code does the same at {sizes} small sizes"),
                }
            }
            Command::Save(file) => {
                let tree = schedule_to_text(self.tree())?;
                let wrong = |message: String| Refusal::Wrong(Wrong::at(file.column, message));
                files.write(&file.text, &format!("{}\n", tree.trim_end())).map_err(wrong)?;
                format!("the tree is in {}", file.text)
            }
            Command::Script => self.state().commands.join("\n"),
            Command::Help(topic) => help(topic.as_ref())?,
            Command::Quit => return Ok(Said::default()),
        };
        Ok(Said { output: Some(output.trim_end().to_owned()), loops: false })
    }

    fn cost_in_words(&self) -> String {
        speedup_in_words(self.original, self.state().cost)
    }

    /// The tree after a step.
    fn stepped(&self, step: &Step, text: &str) -> Result<State, Refusal> {
        let State { nest, names, commands, .. } = self.state();
        let next = apply(self.judge.scop, nest, names, step)?;
        let mut commands = commands.clone();
        commands.push(without_comment(text));
        match step {
            Step::Parallel { of } => {
                let path = names.find(of).map_err(Refusal::Wrong)?.named.path.clone();
                self.in_parallel(next, &path, commands)
            }
            _ => self.proved(next, commands),
        }
    }

    /// A tree with a parallel loop, whose iterations have copies of temporaries where these alone are in the way.
    fn in_parallel(&self, nest: Nest, path: &Path, commands: Vec<String>) -> Result<State, Refusal> {
        let shared = match self.proved(nest.clone(), commands.clone()) {
            Err(refusal @ Refusal::Illegal { .. }) => refusal,
            other => return other,
        };
        let Some(private) = shared.temporaries(self.judge.scop) else { return Err(shared) };
        let mut nest = nest;
        with_private(&mut nest, path, private);
        self.proved(nest, commands).map_err(|_| shared)
    }

    /// A nest that is right.
    fn proved(&self, nest: Nest, commands: Vec<String>) -> Result<State, Refusal> {
        let tree = self.judge.finished(&nest)?;
        self.judge.legal(&tree)?;
        self.judge.packed(&tree)?;
        state(&self.judge, nest, tree, commands)
    }

    /// Another tree to begin with.
    fn started(&self, start: &Start, text: &str, files: &mut dyn Files) -> Result<State, Refusal> {
        let scop = self.judge.scop;
        let tree = match start {
            Start::Original => {
                let mut first = self.states[0].clone();
                first.commands.clear();
                return Ok(first);
            }
            Start::Scheduled => self.optimized(None)?,
            Start::Candidate(word) => {
                let wrong = |problem| Refusal::Wrong(Wrong::at(word.column, format!("no candidate: {problem}")));
                self.optimized(Some(word.text.parse::<Candidate>().map_err(wrong)?))?
            }
            Start::File(word) => loaded(scop, word, files)?,
        };
        self.proved(nest(scop, &tree)?, vec![without_comment(text)])
    }

    /// The optimizer's tree.
    fn optimized(&self, candidate: Option<Candidate>) -> Result<Schedule, Refusal> {
        let candidate = candidate.or_else(|| self.options.candidate.clone());
        let options = Options { candidate, layout: LayoutSearch::None, memory: None, ..self.options.clone() };
        let found = driver::optimize(self.judge.scop, &options, &mut ());
        found.map(|found| found.tree).map_err(|refusal| Refusal::Open(format!("the optimizer: {refusal}")))
    }

    /// The loops, indented, with the statements in their places.
    fn shown(&self, loops: &[LoopEntry]) -> isl::Result<String> {
        let mut listing = Listing { loops, next: 0, text: String::new(), scop: self.judge.scop };
        let nest = &self.state().nest;
        listing.node(nest, &mut Vec::new(), 0)?;
        Ok(listing.text)
    }
}

/// A tree as a state.
fn state(judge: &Judge<'_>, nest: Nest, tree: Schedule, commands: Vec<String>) -> Result<State, Refusal> {
    let (cost, names) = (judge.cost(&tree)?, Names::of(judge.scop, &nest)?);
    Ok(State { nest, tree, names, cost, commands })
}

/// The tree of a file, of what is executed.
fn loaded(scop: &Scop, word: &Word, files: &mut dyn Files) -> Result<Schedule, Refusal> {
    let wrong = |message: String| Refusal::Wrong(Wrong::at(word.column, message));
    let text = files.read(&word.text).map_err(wrong)?;
    let tree = parse_schedule(scop, &text).map_err(|error| wrong(format!("{}:{error}", word.text)))?;
    let domain = tree.domain()?.intersect_params(scop.context.clone())?.subtract(scop.kill_domain()?)?;
    Ok(tree.intersect_domain(domain)?)
}

/// Why something was refused.
fn reason(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Illegal { dependence: Some(dependence), .. } => dependence.to_string(),
        Refusal::Illegal { violations, .. } => {
            violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        }
        Refusal::Wrong(wrong) => wrong.message.clone(),
        Refusal::Open(why) => why.clone(),
    }
}

/// A command as it is kept.
fn without_comment(text: &str) -> String {
    let mut words = text.split_whitespace().take_while(|word| !word.starts_with('#')).peekable();
    let mut kept = String::new();
    while let Some(word) = words.next() {
        kept.push_str(word);
        if words.peek().is_some() {
            kept.push(' ');
        }
    }
    kept
}

/// What commands do.
fn help(topic: Option<&Word>) -> Result<String, Refusal> {
    match topic {
        None => Ok(COMMANDS.iter().map(|command| format!("{}\n    {}\n", command.usage, command.text)).collect()),
        Some(word) => match COMMANDS.iter().find(|command| command.name == word.text) {
            Some(command) => Ok(format!("{}\n    {}", usage(command.name), command.text)),
            None => {
                Err(Refusal::Wrong(parse(&word.text).err().unwrap_or_else(|| Wrong::at(word.column, "no command"))))
            }
        },
    }
}

/// For each loop of a tree, in order, whether it makes vectors.
fn vectors(tree: &Schedule) -> isl::Result<Vec<bool>> {
    let mut found = Vec::new();
    let mut is_vector = false;
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        match node.node_type()? {
            isl::NodeType::Mark => is_vector |= mark(node)? == Some(Mark::Vector),
            isl::NodeType::Band => {
                let members = node.band_n_member()?;
                found.extend((0..members).map(|member| is_vector && member + 1 == members));
                is_vector = false;
            }
            _ => {}
        }
        Ok(true)
    })?;
    Ok(found)
}

/// A tree as text.
struct Listing<'l> {
    loops: &'l [LoopEntry],
    /// The number of the next loop.
    next: usize,
    text: String,
    scop: &'l Scop,
}

impl Listing<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn node(&mut self, nest: &Nest, path: &mut Path, depth: usize) -> isl::Result<()> {
        match nest.root.at(path) {
            Node::Leaf => {
                let reached = nest.statements(path)?;
                let scop = self.scop;
                for statement in scop.statements.iter().filter(|statement| reached.contains(&statement.name)) {
                    self.line(depth, format!("{}  {}", statement.name, statement.text).trim_end());
                }
                Ok(())
            }
            Node::Loop(_) => {
                let text = self.loops.get(self.next).map(entry).unwrap_or_default();
                self.next += 1;
                self.line(depth, &text);
                self.child(nest, path, 0, depth + 1)
            }
            Node::Mark { mark, .. } => {
                self.line(depth, &format!("({mark})"));
                self.child(nest, path, 0, depth)
            }
            Node::Parts { ordered, parts } => {
                if !ordered {
                    self.line(depth, "(in any order)");
                }
                (0..parts.len()).try_for_each(|number| self.child(nest, path, number, depth))
            }
        }
    }

    fn child(&mut self, nest: &Nest, path: &mut Path, number: usize, depth: usize) -> isl::Result<()> {
        path.push(number);
        self.node(nest, path, depth)?;
        path.pop();
        Ok(())
    }
}

/// A loop as it is listed.
fn entry(this: &LoopEntry) -> String {
    let mut said = Vec::new();
    match (this.parallel, this.private.is_empty()) {
        (true, true) => said.push("parallel".to_owned()),
        (true, false) => said.push(format!("parallel, with copies of {}", this.private.join(", "))),
        (false, _) if this.independent => said.push("independent".to_owned()),
        (false, _) => {}
    }
    if this.vector {
        said.push("vector".to_owned());
    }
    if said.is_empty() { this.name.clone() } else { format!("{}: {}", this.name, said.join(", ")) }
}
