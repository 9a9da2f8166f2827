//! What each command does, for people.

/// A command, as it is explained.
pub struct Explained {
    /// Its name.
    pub name: &'static str,
    /// How it is written.
    pub usage: &'static str,
    /// What it does.
    pub text: &'static str,
}

const fn explained(name: &'static str, usage: &'static str, text: &'static str) -> Explained {
    Explained { name, usage, text }
}

/// All of them, steps first.
pub const COMMANDS: &[Explained] = &[
    explained("interchange", "interchange LOOP LOOP", "Two loops, one right in the other or further in, change places"),
    explained(
        "tile",
        "tile LOOP... LENGTH...",
        "Loops over tiles go around the outermost of the loops; one length is for all of them",
    ),
    explained("fuse", "fuse LOOP LOOP", "Two loops that follow one another become one, at the place of the first"),
    explained(
        "distribute",
        "distribute LOOP [between STATEMENT STATEMENT]",
        "Each part of a loop's body gets a loop of its own; or two loops, the second from the part with the second statement on",
    ),
    explained(
        "skew",
        "skew LOOP by [NUMBER*]LOOP",
        "Iterations of the first loop are counted on with those of the second, which is around it",
    ),
    explained(
        "shift",
        "shift [STATEMENT.]LOOP by NUMBER|PARAMETER|SUM",
        "Instances run so many iterations later; with a statement in front only its own",
    ),
    explained(
        "parallel",
        "parallel LOOP",
        "Iterations run at the same time, with copies of temporaries where that is needed",
    ),
    explained(
        "register",
        "register LOOP EXTENT [LOOP EXTENT]",
        "Blocks of points go innermost, the last loop along vectors, with what they update in registers",
    ),
    explained(
        "pack",
        "pack ARRAY at LOOP [order DIMENSION...]",
        "What a loop in tiles reads of an array is copied to a buffer before it runs, its dimensions in another order if that is said",
    ),
    explained(
        "start",
        "start original|scheduled|candidate KEY=VALUE+...|file TREE",
        "Begin anew with a tree: the region's own, what the optimizer chooses, one of `polyrs candidates`, or a file's",
    ),
    explained("show", "show", "List the loops by name, with their statements, and which could run in parallel"),
    explained("tree", "tree", "Print the schedule tree (isl's YAML)"),
    explained("code", "code", "Print the loops as C-like text"),
    explained("cost", "cost", "Print what the cost model says of the tree, and of the original order"),
    explained("check", "check", "Prove the tree right once more, and run its code at small sizes"),
    explained("undo", "undo", "Take back the last change"),
    explained("reset", "reset", "Take back all changes; undo brings them back"),
    explained("save", "save FILE", "Write the tree to a file, which load-schedule= of the passes reads"),
    explained("script", "script", "Print the commands that were accepted and led to the tree"),
    explained("help", "help [COMMAND]", "List the commands, or explain one"),
    explained("quit", "quit", "End; so does the end of the input"),
];

/// How a command is written.
pub(super) fn usage(name: &str) -> &'static str {
    COMMANDS.iter().find(|command| command.name == name).map_or("", |command| command.usage)
}
