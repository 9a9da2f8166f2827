// Where the compilers' own LLVM is, and how the glue is compiled and linked to it. For the build scripts of both
// libraries.

/// The variable that names LLVM's prefix, shared with `mlir-sys`.
const PREFIX: &str = "MLIR_SYS_220_PREFIX";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The compilers' LLVM.
struct Llvm {
    prefix: PathBuf,
    include: PathBuf,
    libraries: PathBuf,
    /// The version, as the names of its libraries have it.
    series: String,
}

impl Llvm {
    fn find() -> Result<Self> {
        println!("cargo:rerun-if-env-changed={PREFIX}");
        let prefix = PathBuf::from(env::var(PREFIX).map_err(|_| {
            format!("{PREFIX} is not set: build from the repository, whose .cargo/config.toml sets it")
        })?);
        let include = PathBuf::from(ask(&prefix, "--includedir")?);
        let libraries = PathBuf::from(ask(&prefix, "--libdir")?);
        let version = ask(&prefix, "--version")?;
        let mut parts = version.split('.');
        let (Some(major), Some(minor)) = (parts.next(), parts.next()) else {
            return Err(format!("llvm-config --version says {version:?}").into());
        };
        Ok(Self { prefix, include, libraries, series: format!("{major}.{minor}") })
    }

    /// Compiles `host/*.cpp` into a library of that name, each group of files at once: nearly all of a compiler's time
    /// goes into the headers of LLVM and MLIR. `headers` is a further folder with headers.
    fn compile(&self, library: &str, groups: &[&[&str]], headers: &str) -> Result<()> {
        println!("cargo:rerun-if-changed=host");
        println!("cargo:rerun-if-changed={headers}");
        // Clippy has build scripts run for itself, and links nothing.
        if env::var("RUSTC_WORKSPACE_WRAPPER").is_ok_and(|wrapper| wrapper.contains("clippy")) {
            return Ok(());
        }
        let host = env::current_dir()?.join("host");
        let out = PathBuf::from(env::var("OUT_DIR")?);
        let mut build = cc::Build::new();
        for files in groups {
            let text: String =
                files.iter().map(|name| format!("#include \"{}/{name}.cpp\"\n", host.display())).collect();
            let group = out.join(format!("{library}_{}.cpp", files[0]));
            std::fs::write(&group, text)?;
            build.file(group);
        }
        if env::var("CARGO_CFG_SANITIZE").is_ok_and(|sanitizers| sanitizers.contains("address")) {
            // The sanitizer's code must be of the LLVM whose run-time library the compilers are started with.
            build.compiler(self.prefix.join("bin/clang++")).flag("-fsanitize=address").flag("-fno-omit-frame-pointer");
        }
        build
            .cpp(true)
            .std("c++17")
            .flag("-fno-rtti")
            .flag("-fno-exceptions")
            .flag("-fvisibility=hidden")
            .flag_if_supported("-Wno-unused-parameter")
            .flag_if_supported("-Wno-misleading-indentation")
            // As LLVM itself is built: some headers declare other members without it.
            .define("NDEBUG", None)
            .opt_level(1)
            .flag("-isystem")
            .flag(&self.include)
            .include(headers)
            .debug(false)
            .try_compile(library)?;
        Ok(())
    }

    /// Links libraries by the names that the compilers themselves load, and keeps what is built loaded.
    fn link(&self, libraries: &[&str]) {
        let directory = self.libraries.display();
        println!("cargo:rustc-link-arg=-Wl,--no-as-needed");
        println!("cargo:rustc-link-arg=-L{directory}");
        for library in libraries {
            println!("cargo:rustc-link-arg=-l:lib{library}.so.{}", self.series);
        }
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
        // The compilers close the plugin before their registries, which point into it, are gone; and what it keeps for
        // ever would then look lost to those who watch memory.
        println!("cargo:rustc-link-arg=-Wl,-z,nodelete");
    }
}

/// The answers of `llvm-config`.
fn ask(prefix: &Path, question: &str) -> Result<String> {
    let tool = prefix.join("bin/llvm-config");
    let output = Command::new(&tool)
        .arg(question)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", tool.display()))?;
    if !output.status.success() {
        return Err(format!("{} {question}: {}", tool.display(), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
