import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasProgram } from "../../../../../test/support/optional-programs.ts";
import { createProgram } from "../../program.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { listCommandNodes } from "./command-tree.ts";
import { renderCompletion, type Shell } from "./completion.ts";

let folder: string;
const program = createProgram("0.0.0", captureOutput().output, async () => {});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "paraph-completion-"));
  writeFileSync(join(folder, "receipt.json"), "");
  mkdirSync(join(folder, "policies"));
  for (const shell of ["bash", "zsh", "fish"] as const)
    writeFileSync(join(folder, `completion.${shell}`), renderCompletion(program, shell));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a shell without its startup files. */
const runShell = (shell: Shell, script: string, args: readonly string[] = []) => {
  const plain = { bash: ["--norc", "--noprofile"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  const env = { PATH: process.env.PATH ?? "", HOME: folder, LC_ALL: "C.UTF-8" };
  return execFileSync(shell, [...plain, "-c", script, ...args], { cwd: folder, env, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");
};

const isInstalled = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
const hasShell = (shell: Shell) => hasProgram(isInstalled(shell), shell, `apt-get install -y ${shell}`);

/** Each line with its cursor at the end, and the words that the shell must offer, or a part of them. */
const lines = [
  ["paraph appro", ["approval", "approvals", "approve"]],
  ["paraph policy ba", ["backtest"]],
  ["paraph --url https://paraph.example.com policy ba", ["backtest"]],
  ["paraph start --ro", ["--role"]],
  ["paraph start --role w", ["worker"]],
  ["paraph freeze cap", ["capability"]],
  ["paraph calls --no-", ["--no-color"]],
  ["paraph dev --folder pol", ["policies"]],
] as const;

describe.runIf(hasShell("bash"))("bash", () => {
  const complete = (line: string) =>
    runShell(
      "bash",
      `source completion.bash
[[ $(complete -p paraph) == "complete -o default -F _paraph paraph" ]] || exit 1
compopt() { [[ $* == "-o filenames" ]]; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _paraph; printf '%s\\n' "\${COMPREPLY[@]}"`,
      // Bash makes `=` a word of its own.
      ["bash", ...line.split(/ |(?<==)|(?==)/)],
    ).sort();

  it.each(lines)("completes `%s`", (line, words) => {
    expect(complete(line)).toEqual(words);
  });

  it("completes a value after `=`, and leaves files to bash", () => {
    expect(complete("paraph start --role=w")).toEqual(["worker"]);
    expect(complete("paraph start --role=")).toEqual(["all", "api", "worker"]);
    expect(complete("paraph call a.b --input rec")).toEqual([]);
    expect(complete("paraph call a.b --purpose rec")).toEqual([]);
  });

  // Bash quotes names only at a terminal. The `script` of other systems has other arguments.
  const hasTerminal =
    process.platform === "linux" &&
    hasProgram(isInstalled("script"), "script", "apt-get install -y bsdutils");
  it.runIf(hasTerminal).each(["call a.b --input", "dev --folder", "verify"])(
    "[TRUST 31] does not run a command in the name of a file or folder: paraph %s",
    (command) => {
      const hostile = mkdtempSync(join(folder, "hostile-"));
      const name = "name $(touch ran);touch ran;.json";
      mkdirSync(join(hostile, name));
      const script = `source ../completion.bash\nparaph() { printf '<%s>\\n' "\${@: -1}" > "$HOME/got"; }\n`;
      execFileSync("script", ["-qec", "bash --norc --noprofile -i", "/dev/null"], {
        ...{ cwd: hostile, env: { PATH: process.env.PATH ?? "", HOME: folder, LC_ALL: "C.UTF-8" } },
        input: `${script}paraph ${command} na\t\nexit\n`,
      });
      expect(readFileSync(join(folder, "got"), "utf8")).toBe(`<${name}/>\n`);
      expect(existsSync(join(hostile, "ran"))).toBe(false);
    },
  );

  it("knows every command and every option of the program", () => {
    const nodes = listCommandNodes(program);
    const script = `source completion.bash
for at in "$@"; do _paraph_is_command "$at" || [[ -z $at ]] || echo "missing$at"; echo "$at: $(_paraph_options "$at")"; done`;
    expect(runShell("bash", script, ["bash", ...nodes.map(({ path }) => path)])).toEqual(
      nodes.map(({ path, options }) => `${path}: ${options.map(({ long }) => long).join(" ")}`),
    );
    expect(nodes.length).toBeGreaterThan(50);
  });
});

describe.runIf(hasShell("fish"))("fish", () => {
  it.each(lines)("completes `%s`", (line, words) => {
    const offered = runShell("fish", `source completion.fish; complete -C '${line}'`).map((each) =>
      each.split("\t")[0]!.replace(/\/$/, ""),
    );
    expect(offered).toEqual(expect.arrayContaining([...words]));
  });
});

describe.runIf(hasShell("zsh"))("zsh", () => {
  // The functions of zsh's completion system are replaced, because they work only at a terminal.
  const stubs = `compdef() { print -r -- "compdef $*" }
_describe() { print -rl -- \${(P)2} }
compadd() { if [[ $1 == -a ]]; then print -rl -- \${(P)2}; else shift; print -rl -- "$@"; fi }
_files() { print -rl -- *(N) }
_message() { }`;

  it.each(lines)("completes `%s`", (line, words) => {
    const offered = runShell(
      "zsh",
      `${stubs}
source ./completion.zsh
words=("$@"); CURRENT=$#; PREFIX=$words[-1]; _paraph`,
      ["zsh", ...line.split(" ")],
    );
    expect(offered[0]).toBe("compdef _paraph paraph");
    expect(offered.map((each) => each.split(":")[0])).toEqual(expect.arrayContaining([...words]));
  });
});
