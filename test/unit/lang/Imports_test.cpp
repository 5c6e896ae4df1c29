// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "lang/FrontendRun.h"

using namespace daphne;
using namespace daphne::lang;
namespace fs = std::filesystem;

namespace {

/// A directory of scripts that vanishes with the test.
class Imports : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
        root = fs::temp_directory_path() / ("daphne-imports-" + std::to_string(getpid()) + "-" + name);
        fs::create_directories(root);
    }
    void TearDown() override { fs::remove_all(root); }

    void file(const std::string &path, const std::string &text) {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    std::string path(const std::string &name) const { return (root / name).string(); }

    struct Run {
        SourceManager sources;
        FrontendResult result;
        std::string report() const {
            std::string out;
            for (const Error &e : result.errors)
                out += render(e, sources);
            return out;
        }
    };
    Run run(const std::string &text) {
        file("main.daph", text);
        Run r;
        uint32_t id = r.sources.add(path("main.daph"), text);
        r.result = parseProgram(r.sources, id, root.string(), options);
        return r;
    }
    void expectOk(const std::string &text) {
        Run r = run(text);
        EXPECT_EQ(r.result.errors.size(), 0u) << text << "\n" << r.report();
    }
    void expectFailure(const std::string &text, const std::string &part) {
        Run r = run(text);
        ASSERT_EQ(r.result.errors.size(), 1u) << text << "\n" << r.report();
        EXPECT_EQ(r.result.errors[0].stage, Stage::Parse);
        EXPECT_NE(r.report().find(part), std::string::npos) << r.report();
    }

    fs::path root;
    FrontendOptions options;
};

} // namespace

TEST_F(Imports, NamesAppearUnderTheStem) {
    file("lib.daph", "v = 2; def f(a: si64, b) -> si64 { return a; }");
    expectOk("import \"lib.daph\"; x = lib.v + lib.f(1, b = 2); y = lib . v;");
    expectFailure("import \"lib.daph\"; x = v;", "undefined variable 'v'");
    expectFailure("import \"lib.daph\"; x = f(1, 2);", "unknown function 'f'");
    expectFailure("import \"lib.daph\"; x = lib.f(1.5, 2);", "needs si64, got f64");
    expectFailure("import \"lib.daph\"; x = lib.w;", "undefined variable 'lib.w'");
    expectFailure("import \"lib.daph\"; lib.v = 3;", "cannot assign to 'lib.v'");
    expectFailure("import \"lib.daph\"; x = lib.f::k(1, 2);", "kernel hint is not possible");
    expectFailure("x = lib.v; import \"lib.daph\";", "undefined variable 'lib.v'");
}

TEST_F(Imports, ImportedVariablesKeepTypesAndConstants) {
    file("lib.daph", "axis = 1; x = 2.5; if(true) { local = 1; }");
    expectOk("import \"lib.daph\"; X = [1]; s = sum(X, lib.axis);");
    expectFailure("import \"lib.daph\"; def f(a: si64) { } f(lib.x);", "needs si64, got f64");
    expectFailure("import \"lib.daph\"; y = lib.local;", "undefined variable");
}

TEST_F(Imports, TheCheckerLinksTheFiles) {
    file("lib.daph", "v = 2;");
    Run r = run("import \"lib.daph\" as \"q\";");
    ASSERT_EQ(r.result.errors.size(), 0u) << r.report();
    const Import &import = as<Import>(r.result.program.main->body[0]);
    ASSERT_EQ(import.files.size(), 1u);
    EXPECT_EQ(import.files[0].prefix, "q");
    ASSERT_NE(import.files[0].script, nullptr);
    EXPECT_EQ(import.files[0].script->body.size(), 1u);
    EXPECT_EQ(r.sources.name(import.files[0].script->fileId), path("lib.daph"));
}

TEST_F(Imports, FunctionsKeepTheScriptWhoseNamesTheySee) {
    file("lib.daph", "import \"deep.daph\" as \"d\"; def f(x) { return d.g(x); }");
    file("deep.daph", "def g(x) { return x; } h = 1;");
    expectOk("import \"lib.daph\"; x = lib.f(1);");
    expectFailure("import \"lib.daph\"; x = lib.d.h;", "undefined variable");
    Run r = run("import \"lib.daph\"; x = lib.f(1);");
    const Script *lib = as<Import>(r.result.program.main->body[0]).files[0].script;
    EXPECT_EQ(as<FuncDef>(lib->body[1]).script, lib);
}

TEST_F(Imports, ImportedScriptsSeeNothingOfTheImporter) {
    file("lib.daph", "y = x;");
    expectFailure("x = 1; import \"lib.daph\";", "undefined variable 'x'");
    file("lib.daph", "y = f(1);");
    expectFailure("def f(x) { return x; } import \"lib.daph\";", "unknown function 'f'");
}

TEST_F(Imports, ErrorsInImportedScriptsNameBothPlaces) {
    file("lib.daph", "x = 1;\ny = ;\n");
    Run r = run("\nimport \"lib.daph\";\nz = lib.x;");
    ASSERT_EQ(r.result.errors.size(), 1u) << r.report();
    EXPECT_NE(r.report().find("lib.daph:2:5"), std::string::npos) << r.report();
    EXPECT_NE(r.report().find("main.daph:2:1"), std::string::npos) << r.report();
}

TEST_F(Imports, MissingFilesAreReported) {
    expectFailure("import \"nothing.daph\"; x = nothing.y; nothing.f(1);", "cannot find the script to import");
    expectFailure("import \"\";", "not the path of a script");
    fs::create_directories(root / "dir");
    expectFailure("import \"dir\";", "cannot find the script to import");
}

TEST_F(Imports, RelativePathsStartAtTheImportingScript) {
    file("sub/a.daph", "import \"b.daph\"; v = b.w;");
    file("sub/b.daph", "w = 1;");
    expectOk("import \"sub/a.daph\"; x = a.v;");
    expectOk("import \"" + path("sub/b.daph") + "\"; x = b.w;");
    file("c.daph", "u = 1;");
    file("sub/d.daph", "import \"../c.daph\"; v = c.u;");
    expectOk("import \"sub/d.daph\"; x = d.v;");
}

TEST_F(Imports, AScriptImportsAFileOnceAndNeverItself) {
    file("lib.daph", "v = 1;");
    expectFailure("import \"lib.daph\"; import \"lib.daph\" as \"again\";", "already");
    expectFailure("import \"lib.daph\"; import \"./x/../lib.daph\" as \"again\";",
                  fs::create_directories(root / "x") ? "already" : "");
    expectFailure("import \"main.daph\";", "cannot import itself");
    expectFailure("import \"./main.daph\";", "cannot import itself");
    file("a.daph", "import \"main.daph\";");
    expectFailure("import \"a.daph\";", "in a circle");
    file("b.daph", "import \"c.daph\";");
    file("c.daph", "import \"b.daph\";");
    expectFailure("import \"b.daph\";", "in a circle");
}

TEST_F(Imports, SiblingsMayShareAnImport) {
    file("shared.daph", "v = 1; def f(x) { return x; }");
    file("a.daph", "import \"shared.daph\"; w = shared.v;");
    file("b.daph", "import \"shared.daph\" as \"s\"; w = s.f(2);");
    expectOk("import \"a.daph\"; import \"b.daph\"; import \"shared.daph\"; x = a.w + b.w + shared.v;");
}

TEST_F(Imports, PrefixesThatClashGetTheDirectoryInFront) {
    file("a/lib.daph", "v = 1;");
    file("b/lib.daph", "v = 2; def f() { return 1; }");
    expectOk("import \"a/lib.daph\"; import \"b/lib.daph\"; x = lib.v + b.lib.v + b.lib.f();");
    expectFailure("import \"a/lib.daph\"; import \"b/lib.daph\" as \"lib\";", "'lib' is taken");
    expectOk("import \"a/lib.daph\"; import \"b/lib.daph\" as \"other\"; x = lib.v + other.v;");
    file("c/b/lib.daph", "v = 3;");
    expectFailure("import \"a/lib.daph\"; import \"b/lib.daph\"; import \"c/b/lib.daph\";", "'b.lib' is taken");
    expectFailure("import \"a/lib.daph\" as \"\";", "alias cannot be empty");
}

TEST_F(Imports, OnlyVariablesTakeAPrefix) {
    file("a/lib.daph", "def f() { return 1; }");
    file("b/lib.daph", "def g() { return 2; } v = 1;");
    expectOk("import \"a/lib.daph\"; import \"b/lib.daph\"; x = lib.f() + lib.g() + lib.v;");
}

TEST_F(Imports, ConfiguredDirectoriesAreTriedForPathsWithExtension) {
    file("std/tool.daph", "v = 1;");
    options.importPaths["default_dirs"] = {path("std")};
    expectOk("import \"tool.daph\"; x = tool.v;");
    file("tool.daph", "v = 2;");
    expectFailure("import \"tool.daph\";", "ambiguous");
    options.importPaths["default_dirs"] = {root.string()};
    expectOk("import \"tool.daph\"; x = tool.v;");
    file("std/plain", "v = 1;");
    options.importPaths["default_dirs"] = {path("std")};
    expectFailure("import \"plain\";", "cannot find the script to import");
}

TEST_F(Imports, ALibraryIsEveryFileOfItsFirstDirectory) {
    file("algs/one.daph", "v = 1; def f(x) { return x; }");
    file("algs/two.daph", "v = 2;");
    file("other/three.daph", "v = 3;");
    fs::create_directories(root / "algs/nested");
    options.importPaths["algs"] = {path("algs"), path("other")};
    expectOk("import \"algs\"; x = algs.one.v + algs.two.v + algs.one.f(1);");
    expectFailure("import \"algs\"; x = algs.three.v;", "undefined variable");
    Run r = run("import \"algs\" as \"a\";");
    ASSERT_EQ(r.result.errors.size(), 0u) << r.report();
    const Import &import = as<Import>(r.result.program.main->body[0]);
    ASSERT_EQ(import.files.size(), 2u);
    EXPECT_EQ(import.files[0].prefix, "a.one");
    EXPECT_EQ(import.files[1].prefix, "a.two");
    options.importPaths["gone"] = {path("gone")};
    expectFailure("import \"gone\";", "cannot read the directory");
    options.importPaths["empty"] = {};
    expectFailure("import \"empty\";", "no directory is configured");
}

TEST_F(Imports, PathsAreTakenWithoutEscapes) {
    file("a\\nb.daph", "v = 1;");
    expectOk("import \"a\\nb.daph\" as \"x\"; y = x.v;");
}

TEST_F(Imports, MapTakesImportedFunctions) {
    file("lib.daph", "def inc(x: si64) -> si64 { return x + 1; }");
    expectOk("import \"lib.daph\"; Y = map([1, 2], lib.inc);");
    expectFailure("import \"lib.daph\"; Y = map([1.5], lib.inc);", "takes a cell of type f64");
}

TEST_F(Imports, ScriptArgumentsReachImportedScripts) {
    file("lib.daph", "v = $n;");
    options.scriptArgs["n"] = "5";
    expectOk("import \"lib.daph\"; x = lib.v;");
}

TEST_F(Imports, LaterInputsOfASessionSeeImportedNames) {
    file("lib.daph", "import \"deep.daph\"; v = 1; def f(x: si64) { return deep.g(x); }");
    file("deep.daph", "def g(x) { return 2.5; }");
    Run first = run("import \"lib.daph\";");
    ASSERT_EQ(first.result.errors.size(), 0u) << first.report();
    SessionNames session;
    session.imports.push_back(&as<Import>(first.result.program.main->body[0]));
    session.variables["lib.v"] = ops::TypeDesc::scalar(ValueType::SI64);
    FrontendRun good("x = lib.f(lib.v); def h(a: f64) { } h(x);", {}, session);
    EXPECT_EQ(good.numErrors(), 0u) << good.report();
    FrontendRun bad("x = lib.f(1.5);", {}, session);
    EXPECT_EQ(bad.numErrors(), 1u) << bad.report();
}
