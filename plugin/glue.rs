// How C++ glue is compiled, and how its header is put into Rust. For the build scripts of both glues.

/// Names of the constants of an enumeration in Rust, where the enumeration's own name stands before them.
#[derive(Debug)]
struct WithoutPrefix;

impl bindgen::callbacks::ParseCallbacks for WithoutPrefix {
    fn enum_variant_name(
        &self,
        _: Option<&str>,
        name: &str,
        _: bindgen::callbacks::EnumVariantValue,
    ) -> Option<String> {
        name.strip_prefix("PolyScev").or_else(|| name.strip_prefix("Poly")).map(str::to_owned)
    }
}

/// Declares in Rust the functions of these headers, and the types and enumerations that they name. The tables with
/// texts are written by hand: a lifetime is nothing that C++ could say. `headers` is a further folder with headers.
fn declare(llvm: &Path, files: &[&str], headers: &str) -> Result<()> {
    let include = ask(llvm, "--includedir")?;
    let arguments = ["-x", "c++", "-std=c++17", "-fparse-all-comments", "-DNDEBUG", "-isystem", &include, "-I", headers];
    let mut builder = bindgen::Builder::default().clang_args(arguments);
    for file in files {
        builder = builder.header(*file);
    }
    let declarations = builder
        .allowlist_function("polyHost.*")
        .allowlist_type("Poly.*")
        .blocklist_type("Poly(Text|Sink|Status|Outlook|Option|Pass|Pipeline|LlvmPass|Piece|RemarkRow)")
        .blocklist_type("(Mlir|LLVM).*")
        .default_enum_style(bindgen::EnumVariation::Rust { non_exhaustive: false })
        .parse_callbacks(Box::new(WithoutPrefix))
        .disable_header_comment()
        .formatter(bindgen::Formatter::None)
        .generate()?;
    declarations.write_to_file(PathBuf::from(env::var("OUT_DIR")?).join("declarations.rs"))?;
    Ok(())
}

/// Compiles C++ files of this folder into a library of that name, each group of files at once: nearly all of a
/// compiler's time goes into the headers of LLVM and MLIR. `headers` is a further folder with headers.
fn compile(llvm: &Path, library: &str, groups: &[&[&str]], headers: &str) -> Result<()> {
    let here = env::current_dir()?;
    for folder in [here.as_path(), Path::new(headers)] {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "cpp" || extension == "h") {
                println!("cargo:rerun-if-changed={}", path.display());
            }
        }
    }
    // Clippy has build scripts run for itself, and links nothing.
    if env::var("RUSTC_WORKSPACE_WRAPPER").is_ok_and(|wrapper| wrapper.contains("clippy")) {
        return Ok(());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut build = cc::Build::new();
    for files in groups {
        let text: String = files.iter().map(|name| format!("#include \"{}/{name}.cpp\"\n", here.display())).collect();
        let group = out.join(format!("{library}_{}.cpp", files[0]));
        std::fs::write(&group, text)?;
        build.file(group);
    }
    if env::var("CARGO_CFG_SANITIZE").is_ok_and(|sanitizers| sanitizers.contains("address")) {
        // The sanitizer's code must be of the LLVM whose run-time library the compilers are started with.
        build.compiler(llvm.join("bin/clang++")).flag("-fsanitize=address").flag("-fno-omit-frame-pointer");
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
        .flag(ask(llvm, "--includedir")?)
        .include(headers)
        .debug(false)
        .try_compile(library)?;
    Ok(())
}
