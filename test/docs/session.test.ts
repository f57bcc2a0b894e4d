// Runs the `sh run` blocks of each page in the page's order, in a new folder with a freshly started `paraph dev`. The
// folder contains only the TypeScript files that the page names.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { findFileName, listChecked, nameBlock, root } from "./code-blocks.ts";

const run = promisify(execFile);
const blocks = Map.groupBy(
  listChecked("sh").filter(({ note }) => note === "run"),
  ({ page }) => page,
);

it("the pages that a newcomer follows have blocks to run", () => {
  expect([...blocks.keys()]).toEqual(
    expect.arrayContaining([
      "docs/start/quickstart.md",
      "docs/connect/ai-sdk.md",
      "docs/guides/write-an-adapter.md",
      "docs/reference/receipt.md",
    ]),
  );
});

it.each([...blocks])("%s: every block runs", async (page, session) => {
  await using project = await startProject(page);
  for (const block of session) {
    const result = await project.runScript(block.text);
    expect(result, `${nameBlock(block)}\n${result.output}`).toMatchObject({ status: 0 });
  }
});

/** Starts `paraph dev` in a folder with the page's files, where scripts can use `npx paraph` and `paraph`. */
async function startProject(page: string) {
  const folder = mkdtempSync(join(tmpdir(), "paraph-docs-"));
  // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(folder, 0o755);
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const paraph = `'${process.execPath}' --conditions=paraph-source --no-warnings '${root}packages/cli/src/main.ts'`;
  // A call that waits for an approval has an exit code of its own, which does not end a script of the documentation.
  writeProgram("paraph", `${paraph} "$@" || { status=$?; [ $status = 8 ] || exit $status; }`);
  writeProgram("npx", 'exec "$@"');
  for (const block of listChecked("ts")) {
    const name = block.page === page ? findFileName(block) : undefined;
    if (name !== undefined) writeFileSync(join(folder, name), block.text);
  }
  // The test links the packages as `npm install` would, and runs them from their sources.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeProgram("node", `exec '${process.execPath}' --conditions=paraph-source --no-warnings "$@"`);
  const env = { ...process.env, HOME: folder, XDG_STATE_HOME: "", PATH: `${programs}:${process.env.PATH}` };
  const dev = spawn(join(programs, "paraph"), ["dev"], { cwd: folder, env, detached: true });
  const stop = async () => {
    await endGroup(dev);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(dev);
  } catch (error) {
    await stop();
    throw error;
  }
  return { runScript, [Symbol.asyncDispose]: stop };

  function writeProgram(name: string, script: string): void {
    writeFileSync(join(programs, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }

  /**
   * Runs a script. `APPROVAL` and `FINGERPRINT` stand for those of the open approval, `ADDRESS` and `KEY` for the
   * address of the API and the agent's key.
   */
  async function runScript(text: string): Promise<{ status: number; output: string }> {
    const names = { ...(/\bAPPROVAL\b/.test(text) && (await findApproval())), ...readAgentAccess() };
    const script = text.replace(/\b(?:APPROVAL|FINGERPRINT|ADDRESS|KEY)\b/g, (name) => names[name] ?? name);
    try {
      const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env });
      return { status: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { status: code, output: stdout + stderr };
    }
  }

  function readAgentAccess(): Record<string, string> {
    const { http, agent } = JSON.parse(readFileSync(join(folder, ".paraph/state.json"), "utf8"));
    return { ADDRESS: `http://127.0.0.1:${http}`, KEY: agent };
  }

  async function findApproval(): Promise<Record<string, string>> {
    const { stdout } = await run("paraph", ["approvals", "--json"], { cwd: folder, env });
    const [open] = JSON.parse(stdout).approvals;
    return { APPROVAL: open.approval, FINGERPRINT: open.fingerprint };
  }
}

async function waitUntilReady(dev: ChildProcess): Promise<void> {
  let output = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [dev.stdout!, dev.stderr!])
      stream.on("data", (chunk: Buffer) => {
        output += chunk;
        if (output.includes("one-time login link")) resolve();
      });
    dev.once("exit", () => reject(new Error(`\`paraph dev\` ended:\n${output}`)));
  });
}

async function endGroup(dev: ChildProcess): Promise<void> {
  if (dev.exitCode !== null || dev.signalCode !== null) return;
  const gone = once(dev, "exit");
  // The signal goes to the whole process group, as Ctrl-C in a terminal does.
  process.kill(-dev.pid!, "SIGINT");
  await gone;
}
