//! Files of strategies: what they say, and what is wrong with them.

use super::*;
use crate::machine::Machine;

fn parse(text: &str) -> Result<Strategy, ParseError> {
    Strategy::parse(text, &Machine::generic())
}

fn preset_of(name: &str) -> Strategy {
    Strategy::preset(name, &Machine::generic()).unwrap()
}

#[test]
fn presets_are_for_a_machine() {
    let large = Machine { vector_registers: 32, ..Machine::generic() };
    let limit = |machine: &Machine| Strategy::parse("preset = \"unified-cpu\"", machine).unwrap().register_limit;
    assert_eq!((limit(&Machine::generic()), limit(&large)), (Some(48), Some(96)));
}

#[test]
fn what_is_written_can_be_read() {
    assert_eq!(Strategy::presets().filter_map(|name| Strategy::preset(name, &Machine::generic())).count(), 7);
    for preset in Strategy::presets() {
        let strategy = Strategy { max_constant: Some(7), ..preset_of(preset) };
        assert_eq!(parse(&strategy.to_string()).unwrap(), strategy);
        let text = format!("# a comment\npreset = \"{preset}\"\nmax-constant = 7 # small\n");
        assert_eq!(parse(&text).unwrap(), strategy);
    }
}

#[test]
fn ppcg_without_outer_coincidence_has_isls_defaults() {
    let off = "preset = \"ppcg\"\nouter-coincidence = false\n";
    assert_eq!(parse(off).unwrap(), Strategy::isl_defaults());
    assert_eq!(parse(off).unwrap(), Strategy::from(crate::schedule::IslOptions::isl()));
    assert_eq!(Strategy::ppcg(), Strategy::from(crate::schedule::IslOptions::default()));
    let wide = parse(&format!("{off}maximize-band-depth = true")).unwrap();
    assert_eq!(wide, Strategy { maximize_band_depth: true, ..Strategy::isl_defaults() });
    for preset in ["isl-defaults", "pluto", "feautrier"] {
        let text = format!("preset = \"{preset}\"\nouter-coincidence = false\n");
        assert_eq!(parse(&text).unwrap(), preset_of(preset), "nothing was on");
    }
}

#[test]
fn problems_change_key_by_key_and_steps_as_a_whole() {
    let signs = parse("[problems.distances]\nsigns = \"non-negative\"\n").unwrap();
    let [problem] = &signs.problems[..] else { panic!("{signs}") };
    assert_eq!((problem.signs, problem.independence), (Signs::NonNegative, Independence::Forms));
    assert_eq!(problem.minimize, Strategy::ppcg().problems[0].minimize);
    assert_eq!(signs.steps, Strategy::ppcg().steps);
    let text = "[problems.small]\nminimize = [\"variable-coefficients\"]\n\
        [[steps]]\nwhen = [\"inner\", \"left <= 3\"]\nproblem = \"small\"\ncoincident = \"one\"\n\
        otherwise = \"next\"\n[[steps]]\nproblem = \"distances\"\ncoincident = \"none\"\notherwise = \"end\"";
    let steps = parse(text).unwrap();
    let names: Vec<&str> = steps.steps.iter().map(|step| steps.problems[step.problem].name.as_str()).collect();
    assert_eq!(names, ["small", "distances"]);
    assert_eq!(steps.steps[0].when, [Condition::Inner, Condition::AtMostLeft(3)]);
    assert_eq!(steps.steps[0].otherwise, Otherwise::Next);
    assert_eq!(parse(&steps.to_string()).unwrap(), steps);
}

#[test]
fn constraints_of_all_members_are_told_from_those_of_problems() {
    let text = "constraints = [\"S.i<=1\", \"*.j = 0\"]\n[problems.distances]\nconstraints = [\"T.1 >= 2\"]\n";
    let strategy = parse(text).unwrap();
    let shown = |constraints: &[Linear]| constraints.iter().map(Linear::to_string).collect::<Vec<_>>();
    assert_eq!(shown(&strategy.constraints), ["S.i<=1", "*.j = 0"]);
    assert_eq!(shown(&strategy.problems[0].constraints), ["T.1 >= 2"]);
    let names: Vec<_> = strategy.names().collect();
    assert_eq!(names, [("S", Some("i")), ("*", Some("j")), ("T", Some("1"))]);
    assert_eq!(parse(&strategy.to_string()).unwrap(), strategy);
    let less = strategy.with_text("constraints = []", &Machine::generic()).unwrap();
    assert!(less.constraints.is_empty() && less.is_of_a_region(), "{less}");
    assert_wrong("\nconstraints = [\"*.i = 0\",\n\"S.i\"]", 3, "`S.i` has none of >=, <=, =");
}

/// The line of an error, and a part of what it says.
fn assert_wrong(text: &str, line: usize, part: &str) {
    let error = parse(text).unwrap_err();
    assert!(error.line == line && error.problem.contains(part), "{error}\nfor:\n{text}");
}

#[test]
fn mistakes_have_a_line() {
    assert_wrong("fusion = \"max\"\nalgorithm = \"some\"", 2, "expected one of `pluto`, `feautrier`, `decoupled`");
    assert_wrong("fusion", 1, "expected");
    assert_wrong("\n\nfuse = \"max\"", 3, "unknown field `fuse`");
    assert_wrong("# old form\nfusion: none", 2, "a choice is written `fusion = \"…\"`");
    assert_wrong("fusion = \"max\"\npreset = \"plato\"", 2, "no preset is called plato; there are isl-defaults, ppcg");
    assert_wrong("# of old\nx.y: 2", 2, "expected");
    assert!(!parse("# of old\nx.y: 2").unwrap_err().problem.contains("a choice"));
    assert_wrong("max-constant = -1", 1, "-1 is not from 0 to 2147483647; or say \"none\"");
    assert_wrong("max-coefficient = 2147483648", 1, "2147483648 is not from 0 to 2147483647");
    assert_wrong("\nmax-coefficient = true", 2, "this is neither a number nor a word in quotes");
    assert_wrong("max-constant = \"machine\"", 1, "\"machine\" is neither \"none\" nor a number");
    assert_wrong("register-limit = \"some\"", 1, "is neither \"none\", \"machine\" nor a number");
}

#[test]
fn problems_that_cannot_be_meant_are_refused() {
    let minimize = |terms: &str| format!("algorithm = \"pluto\"\n[problems.distances]\nminimize = [{terms}]");
    assert_wrong(&minimize(r#""bound-sum", "bound-constant", "bound-sum""#), 2, "bound-sum is there twice");
    assert_wrong(&minimize(r#""bound-sum""#), 2, "and bound-constant");
    assert_wrong(&minimize(r#""bound-sum", "bound-parameters", "bound-constant""#), 2, "there is one");
    assert_wrong(&minimize(r#""group-distances", "bound-sum", "bound-constant""#), 2, "there is one in a problem");
    assert_wrong(&minimize(r#""variable-coefficients", "group-distances""#), 2, "group-distances come first");
    let split = minimize(r#""spatial-distances", "parameter-coefficients", "temporal-distances""#);
    assert_wrong(&split, 2, "temporal-distances come first");
    assert_wrong(&minimize(r#""spatial-distances", "group-distances""#), 2, "group-distances are temporal-distances");
    assert_wrong(&(minimize(r#""parameter-coefficients""#) + "\nparametric = false"), 2, "none where parametric is");
    assert_wrong(&minimize(r#""uncarried-spatial", "variable-coefficients""#), 2, "follows variable-coefficients");
    assert_wrong(&minimize(r#""short-distances""#), 3, "unknown variant `short-distances`");
    let orthogonal = minimize(r#""variable-coefficients", "uncarried-spatial""#) + "\nindependence = \"orthogonal\"";
    assert_wrong(&orthogonal, 2, "by forms");
    assert_wrong("\n[problems.other]\nsigns = \"any\"", 2, "a new problem, other, needs `minimize`");
    assert_wrong("\n[problems.other]\nminimize = []", 2, "no step solves the problem other");
}

#[test]
fn constraints_weights_and_prefixes_are_read() {
    let text = "prefix = [\"{ S[i] -> [(i)]; T[i, j] -> [(j)] }\"]\n[weights]\n\"S -> T\" = 3\nothers = 0\n\
        [problems.distances]\nminimize = [\"weighted-distances\"]\n\
        constraints = [\"S.i + 2 T.j <= 3\", \"*.1 = 0\"]\nvectorize = { T = \"j\" }\n";
    let strategy = parse(text).unwrap();
    let [problem] = &strategy.problems[..] else { panic!("{strategy}") };
    let shown: Vec<String> = problem.constraints.iter().map(Linear::to_string).collect();
    assert_eq!(shown, ["S.i + 2 T.j <= 3", "*.1 = 0"]);
    assert_eq!((strategy.weights.of("S", "T"), strategy.weights.of("T", "S")), (3, 0));
    let names: Vec<&str> = strategy.names().map(|(statement, _)| statement).collect();
    assert_eq!(names, ["S", "T", "S", "T", "*", "T"]);
    assert!(strategy.is_of_a_region() && !Strategy::ppcg().is_of_a_region());
    assert_eq!(parse(&strategy.to_string()).unwrap(), strategy);
}

#[test]
fn constraints_weights_and_prefixes_have_lines() {
    let problem = |key: &str| format!("[problems.distances]\n{key}");
    assert_wrong(&problem("constraints = [\"S.i\"]"), 2, "none of >=, <=, =");
    assert_wrong(&problem("constraints = [\n\"S.i = 0\",\n\"S.i - = 0\"]"), 4, "a sign with nothing behind it");
    assert_wrong("\nprefix = [\"S -> i\"]", 2, "this is no function of each statement such as");
    assert_wrong("\n[weights]\n\"S T\" = 3", 3, "neither others, an array, nor a pair of statements");
    assert_wrong("\n[weights]\n\"S -> \" = 3", 3, "neither others, an array, nor a pair of statements");
    assert_wrong("\n[weights]\n\"S -> T\" = -3", 3, "-3 is not from 0 to");
    assert_wrong("\n[weights]\nothers = 3", 3, "weights have no effect where no problem has weighted-distances");
    let both = problem("minimize = [\"weighted-distances\", \"bound-sum\", \"bound-constant\"]");
    assert_wrong(&both, 1, "there is one in a problem");
}

#[test]
fn weights_of_arrays_are_for_terms_that_count_references() {
    let text =
        |terms: &str| format!("[weights]\n\"S -> T\" = 10\nA = 3\nB = 0\n[problems.distances]\nminimize = [{terms}]");
    for term in ["row-coefficients", "stride-coefficients"] {
        let strategy = parse(&text(&format!("\"weighted-distances\", \"{term}\""))).unwrap();
        let of = |array: &str| strategy.weights.of_array(array);
        assert_eq!((of("A"), of("B"), of("C"), strategy.weights.of("S", "T")), (3, 0, 1, 10));
        assert!(strategy.is_of_a_region() && strategy.looks_at_references());
        assert_eq!(parse(&strategy.to_string()).unwrap(), strategy);
    }
    // Each kind of weights needs terms of its own.
    assert_wrong(&text("\"weighted-distances\""), 3, "weights of arrays have no effect where no problem has row-");
    assert_wrong(&text("\"stride-coefficients\""), 2, "weights have no effect where no problem has weighted-distances");
}

#[test]
fn problems_choose_what_is_near() {
    let near = |list: &str| parse(&format!("input-dependences = true\n[problems.distances]\nnear = [{list}]"));
    let strategy = near("\"A\", \"flow\", \"input\"").unwrap();
    let [problem] = &strategy.problems[..] else { panic!("{strategy}") };
    let takes = |kind| problem.near.takes(kind);
    assert!(takes(DependenceKind::Flow) && takes(DependenceKind::Input) && !takes(DependenceKind::False));
    assert!(problem.near.takes_array("A") && !problem.near.takes_array("B") && strategy.is_of_a_region());
    assert_eq!(strategy.near_choices().into_iter().collect::<Vec<_>>(), [&problem.near]);
    assert_eq!(parse(&strategy.to_string()).unwrap(), strategy);
    assert_eq!(near("\"input\", \"flow\", \"A\"").unwrap(), strategy, "in any order");
    // Kinds alone are of any region.
    let kinds = near("\"false\"").unwrap();
    assert!(!kinds.is_of_a_region() && kinds.problems[0].near.takes_array("A") && !kinds.takes_all_near());
    // Without it, and in problems without distances, nothing is chosen.
    assert!(Strategy::ppcg().near_choices().is_empty() && Strategy::ppcg().takes_all_near());
    let groups = parse("preset = \"unified-cpu\"\n[problems.temporal]\nnear = [\"A\"]").unwrap();
    assert!(groups.takes_array("B") && groups.is_near_by_groups(), "the problem `spatial` takes all");
}

#[test]
fn choices_of_what_is_near_have_lines() {
    let near = |list: &str| format!("\n[problems.distances]\nnear = [{list}]");
    assert_wrong(&near(""), 3, "near is an empty list");
    assert_wrong(&near("\"flow\",\n\"A\",\n\"flow\""), 5, "flow is there twice");
    assert_wrong(&near("\"A\",\n\"A\""), 4, "A is there twice");
    assert_wrong(&near("\"an array\""), 3, "neither \"flow\", \"false\" or \"input\" nor the name of an array");
    assert_wrong(&near("\"flow\",\n\"input\""), 4, "\"input\" has no effect without input-dependences = true");
    assert!(parse(&format!("preset = \"pluto\"\n{}", near("\"input\"").replace("distances", "hyperplane"))).is_ok());
    let without = "minimize = [\"variable-coefficients\"]";
    assert_wrong(&format!("{}\n{without}", near("\"A\"")), 3, "near has no effect in a problem without a bound");
    let groups = |kind: &str| format!("preset = \"unified-cpu\"\n[problems.temporal]\nnear = [\"A\",\n\"{kind}\"]");
    assert_wrong(&groups("flow"), 4, "\"flow\" has no effect: what is near is what groups of references relate");
    assert!(parse(&groups("B")).is_ok());
    // The bound of a strategy with groups is over these, too.
    let bound = "[problems.bound]\nminimize = [\"bound-sum\", \"bound-constant\"]\nnear = [\"false\"]\n[[steps]]\n\
        problem = \"bound\"\ncoincident = \"none\"\notherwise = \"next\"\n[[steps]]\nproblem = \"temporal\"\n\
        coincident = \"none\"";
    assert_wrong(
        &format!("preset = \"unified-cpu\"\n{bound}"),
        4,
        "\"false\" has no effect: what is near is what groups",
    );
}

#[test]
fn steps_are_all_come_to() {
    let step = |more: &str| format!("[[steps]]\nproblem = \"distances\"\ncoincident = \"all\"\n{more}");
    let last = step("");
    assert_wrong(&(step("") + &last), 4, "nothing comes to this step");
    assert_wrong("\nsteps = []", 2, "there is no step");
    assert_wrong(&(step("when = [\"left <= 0\"]\n") + &last), 4, "left <= 0 is none of");
    assert_eq!(parse(&(step("when = [\"left <= 1\"]\n") + &last)).unwrap().steps[0].when, [Condition::Last]);
    assert_wrong(&(step("keep = \"carries-spatial\"\n") + &last), 1, "keep keeps nothing");
    assert_wrong(&(step("when = [\"second\"]\n") + &last), 4, "second is none of first, last, left <= N, inner");
    assert_wrong(&last.replace("distances", "spatial"), 2, "no problem is called spatial; there are distances");
    assert_wrong(&last.replace("coincident = \"all\"", ""), 1, "missing field `coincident`");
}

#[test]
fn what_has_no_effect_is_refused_where_it_is_said() {
    assert_wrong("fusion = \"max\"\nmaximize-coincidence = true", 2, "has no effect unless fusion");
    assert_wrong("register-limit = 12", 1, "no problem looks at references");
    assert!(parse("fusion = \"max\"").is_ok(), "what the preset says is not complained of");
    assert!(parse("preset = \"pluto\"\nouter-coincidence = true").is_ok(), "Feautrier's algorithm looks at it");
    assert!(parse("preset = \"unified-cpu\"\nregister-limit = 12").is_ok());
}

#[test]
fn what_does_not_go_with_decoupled_levels_is_refused() {
    let all = "the step has a problem and coincident = \"none\", and nothing else";
    assert_wrong("fusion = \"max\"\nalgorithm = \"decoupled\"", 2, all);
    assert_wrong("fusion = \"max\"\n\nalgorithm = \"decoupled\"\n\npreset = \"unified-cpu\"", 3, "there is one step");
    let with = |text: &str| format!("preset = \"pluto-lp-dfp\"\n{text}");
    assert_wrong(&with("fusion = \"incremental\""), 2, "fusion is \"smart\", \"max\" or \"none\"");
    assert_wrong(&with("[problems.hyperplane]\nindependence = \"forms\""), 2, "independence has no effect");
    assert_wrong(&with("[problems.hyperplane]\nsigns = \"any\""), 2, "signs are \"non-negative\"");
    assert_wrong(&with("\n[problems.hyperplane]\nminimize = [\"group-distances\"]"), 3, "which need integers");
    let step = "[[steps]]\nproblem = \"hyperplane\"\ncoincident";
    assert_wrong(&with(&format!("\n{step} = \"all\"")), 3, all);
    assert_wrong(&with(&format!("{step} = \"none\"\nends-band = true")), 2, all);
    let constraints = "constraints = [\"S.i = 1\"]";
    assert_wrong(&with(&format!("\n{constraints}")), 3, "no constraints, and no vectorize");
    assert_wrong(&with(&format!("\n[problems.hyperplane]\n{constraints}")), 3, "no constraints, and no vectorize");
    let constrained = parse(&format!("preset = \"pluto\"\n{constraints}")).unwrap();
    let decoupled = constrained.with_text("\nalgorithm = \"decoupled\"", &Machine::generic()).unwrap_err();
    assert_eq!(decoupled.line, 2, "{decoupled}");
    let back = parse(&with("algorithm = \"pluto\"")).unwrap();
    assert_eq!(back.problems[0].independence, Independence::Forms, "it was not there to be taken back");
    let other = "fusion = \"none\"\n[problems.hyperplane]\nskew = false\nparametric = true";
    assert!(!parse(&with(other)).unwrap().problems[0].skew);
}
