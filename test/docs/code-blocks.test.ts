// Every code block of the documentation is checked here, or says why not with `skip: reason` after its language. Blocks
// that say `run` are run by test/docs/session.test.ts. Some pages have further tests of their own.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createProgram } from "../../packages/cli/src/program.ts";
import { captureOutput } from "../../packages/cli/src/testing/captured-output.ts";
import { findTextFaults } from "../../packages/server/src/policy/cedar/index.ts";
import { type CodeBlock, findFileName, listChecked, listCodeBlocks, nameBlock, root } from "./code-blocks.ts";
import { findParaphArguments, listShellCommands } from "./shell-commands.ts";

/** The languages whose blocks are checked, and those that only illustrate: output, diagrams and foreign formats. */
const checked = ["sh", "ts", "yaml", "json", "cedar"];
const illustrating = [
  "",
  "text",
  "console",
  "mermaid",
  "nginx",
  "ini",
  "sql",
  "toml",
  "promql",
  "dockerfile",
];

const faults = async (blocks: readonly CodeBlock[], check: (block: CodeBlock) => unknown) => {
  const found: string[] = [];
  for (const block of blocks) {
    try {
      await check(block);
    } catch (error) {
      found.push(`${nameBlock(block)}: ${(error as Error).message}`);
    }
  }
  return found;
};

it("every block has a known language, and a skipped block says why", () => {
  const unknown = listCodeBlocks().filter(
    ({ language }) => ![...checked, ...illustrating].includes(language),
  );
  expect(unknown.map((block) => `${nameBlock(block)} ${block.language}`)).toEqual([]);
  const silent = listCodeBlocks().filter(({ note }) => /^skip(?!: \w)/.test(note));
  expect(silent.map(nameBlock)).toEqual([]);
});

describe("sh", () => {
  it("every block is a valid shell script", async () => {
    expect(
      await faults(listChecked("sh"), ({ text }) =>
        execFileSync("bash", ["-n"], { input: text, encoding: "utf8", stdio: ["pipe", "ignore", "pipe"] }),
      ),
    ).toEqual([]);
  });

  it("every `paraph` command and flag exists", async () => {
    let commands = 0;
    const unknown = await faults(listChecked("sh"), async ({ text }) => {
      for (const command of listShellCommands(text)) {
        const given = findParaphArguments(command);
        if (given === undefined) continue;
        commands++;
        await parseCommand(given);
      }
    });
    expect(unknown).toEqual([]);
    expect(commands).toBeGreaterThan(100);
  });
});

/** Parses a command with the real command tree, without running it. */
async function parseCommand(given: readonly string[]): Promise<void> {
  const { output, written } = captureOutput();
  let ran = false;
  const program = createProgram("0.0.0", output, async () => {
    ran = true;
  });
  const quiet = { writeOut: () => {}, writeErr: (text: string) => output.info(text) };
  for (const each of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    each.configureOutput(quiet);
  try {
    await program.parseAsync(given, { from: "user" });
  } catch (error) {
    if (!given.includes("--help")) throw new Error(`paraph ${given.join(" ")}: ${written.stderr || error}`);
    ran = true;
  }
  if (!ran) throw new Error(`paraph ${given.join(" ")}: runs nothing`);
}

it("json: every block can be parsed", async () => {
  expect(await faults(listChecked("json"), ({ text }) => JSON.parse(text))).toEqual([]);
});

it("yaml: every block can be parsed", async () => {
  expect(await faults(listChecked("yaml"), ({ text }) => parse(text))).toEqual([]);
});

it("cedar: every block can be parsed", async () => {
  const blocks = listChecked("cedar");
  expect(blocks.length).toBeGreaterThan(5);
  const broken = await faults(blocks, ({ page, text }) => {
    const [fault] = findTextFaults({ file: page, text });
    if (fault) throw new Error(fault.sentence);
  });
  expect(broken).toEqual([]);
});

it("ts: every block compiles", () => {
  const folder = mkdtempSync(join(root, "test/docs/blocks-"));
  try {
    const files = new Map<string, CodeBlock>();
    for (const [index, block] of listChecked("ts").entries()) {
      // Blocks that name their file, such as `// todo.ts`, are beside the other blocks of their page that import it.
      const file = join(block.page.replaceAll("/", "-"), findFileName(block) ?? `block-${index}.ts`);
      expect(files.has(file), `${nameBlock(block)}: another block of the page has this file name`).toBe(
        false,
      );
      files.set(file, block);
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), toModule(block));
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../../tsconfig.json",
        compilerOptions: {
          noUnusedLocals: false,
          noUnusedParameters: false,
          tsBuildInfoFile: "blocks.tsbuildinfo",
        },
        include: ["**/*.ts"],
      }),
    );
    const output = typeCheck(folder).replace(/^.*\/blocks-\w+\/(\S+)\((\d+),\d+\)/gm, (_, file, line) => {
      const block = files.get(file)!;
      return `${block.page}:${block.line + Number(line) - 1 - countAddedLines(block)}`;
    });
    expect(output).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const configImports = `import * as paraph from "paraph"; const { ${["caldav", "codingAgent", "files", "git", "http", "mcp", "openapi", "postgres", "remote", "terminal", "yamlTools"].join(", ")} } = paraph;\n`;

/** Completes a block that shows only a part: the properties of a configuration, or its rules. */
function toModule({ note, text }: CodeBlock): string {
  if (note === "config") return `${configImports}export default paraph.defineConfig({\n${text}});\n`;
  if (note === "rules") return `${configImports}export default paraph.defineConfig({ rules:\n${text}});\n`;
  return `${text}export {};\n`;
}

const countAddedLines = ({ note }: CodeBlock): number => (note === "config" || note === "rules" ? 2 : 0);

function typeCheck(folder: string): string {
  try {
    execFileSync("npx", ["tsc", "-p", folder, "--pretty", "false"], { cwd: root, encoding: "utf8" });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
