// Runs the `sh run` blocks of each page in the page's order, in an empty folder with a freshly started `paraph dev`.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { listChecked, nameBlock, root } from "./code-blocks.ts";

const run = promisify(execFile);
const blocks = Map.groupBy(
  listChecked("sh").filter(({ note }) => note === "run"),
  ({ page }) => page,
);

it("the pages that a newcomer follows have blocks to run", () => {
  expect([...blocks.keys()]).toEqual(
    expect.arrayContaining(["docs/start/quickstart.md", "docs/reference/receipt.md"]),
  );
});

it.each([...blocks])("%s: every block runs", async (_, session) => {
  await using project = await startProject();
  for (const block of session) {
    const result = await project.runScript(block.text);
    expect(result, `${nameBlock(block)}\n${result.output}`).toMatchObject({ status: 0 });
  }
});

/** Starts `paraph dev` in an empty folder, where scripts can use `npx paraph` and `paraph`. */
async function startProject() {
  const folder = mkdtempSync(join(tmpdir(), "paraph-docs-"));
  // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(folder, 0o755);
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const paraph = `'${process.execPath}' --conditions=paraph-source --no-warnings '${root}packages/cli/src/main.ts'`;
  // A call that waits for an approval has an exit code of its own, which does not end a script of the documentation.
  writeProgram("paraph", `${paraph} "$@" || { status=$?; [ $status = 8 ] || exit $status; }`);
  writeProgram("npx", 'exec "$@"');
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

  /** Runs a script. `APPROVAL` and `FINGERPRINT` stand for those of the open approval. */
  async function runScript(text: string): Promise<{ status: number; output: string }> {
    const names = /\b(?:APPROVAL|FINGERPRINT)\b/.test(text) ? await findApproval() : {};
    const script = text.replace(/\b(?:APPROVAL|FINGERPRINT)\b/g, (name) => names[name] ?? name);
    try {
      const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env });
      return { status: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { status: code, output: stdout + stderr };
    }
  }

  async function findApproval(): Promise<Record<string, string>> {
    const { stdout } = await run("paraph", ["approvals", "--json"], { cwd: folder, env });
    const [open] = JSON.parse(stdout).approvals;
    return { APPROVAL: open.approval, FINGERPRINT: open.fingerprint.replaceAll(" ", "") };
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
