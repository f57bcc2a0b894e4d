import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { terminal } from "@paraph/adapters/terminal";
import type { Capability, Json } from "@paraph/core";
import { worldOf } from "../../packages/adapters/src/terminal/testing.ts";
import type { InjectionStage, InjectionTarget } from "./target.ts";

/** Puts a value through a capability and compares the output with the expected one. */
type UseCapability = (
  capability: "run" | "look" | "restore",
  input: Json,
  expected?: string,
) => Promise<void>;

/** Tries hostile values as arguments. `printf` must receive exactly the value, and no other process may start. */
const argumentTarget: InjectionTarget = {
  name: "terminal: an argument",
  share: 8,
  prepare: (folder) =>
    createStage(folder, (value, use) =>
      use("look", { argv: ["printf", "\\0%s", value, "last"] }, `\0${value}\0last`),
    ),
};

/**
 * Tries hostile values as programs, folders and snapshots. The sandbox confines each program, so a program can leave
 * traces only in the workspace.
 */
const programTarget: InjectionTarget = {
  name: "terminal: a program, a folder and a snapshot",
  share: 4,
  prepare: (folder) =>
    createStage(folder, async (value, use) => {
      await use("look", { argv: [value, value] });
      await use("look", { argv: ["pwd"], cwd: value });
      await use("look", { argv: ["cat", value, `out/${value}`] });
      await use("look", { argv: ["cat"], stdin: value }, value);
      await use("restore", { snapshot: value });
    }),
};

/**
 * Tries hostile values as command lines for a shell. An agent may start a shell by name, and only the sandbox confines
 * the shell.
 */
const shellLineTarget: InjectionTarget = {
  name: "terminal: a line for a shell, in the sandbox",
  share: 4,
  prepare: (folder) => createStage(folder, (value, use) => use("run", { argv: ["sh", "-c", value] })),
};

export const terminalTargets: readonly InjectionTarget[] = [argumentTarget, programTarget, shellLineTarget];

async function createStage(
  folder: string,
  through: (value: string, use: UseCapability) => Promise<void>,
): Promise<InjectionStage> {
  const [workspace, outside] = [join(folder, "work"), join(folder, "outside")];
  for (const each of [workspace, outside]) await mkdir(each);
  await writeFile(join(outside, "kept"), "kept");
  await symlink(outside, join(workspace, "out"));
  const adapter = await terminal({
    workspace: "work",
    timeout: "5s",
    snapshots: { keep: 3 },
    allowRoot: true,
  }).open({
    name: "shell",
    folder,
    signal: AbortSignal.timeout(10_000),
    announceChange: () => {},
    credential: () => Promise.reject(new Error("no credentials here")),
  });
  const capabilities = new Map((await adapter.capabilities()).map((each) => [each.contract.name, each]));
  const seen: string[] = [];
  let reached = 0;
  let turn = Promise.resolve();
  const use: UseCapability = async (name, raw, expected) => {
    const capability = capabilities.get(`shell.${name}`)!;
    const input = capability.parseInput(raw);
    if (input.kind === "invalid") return;
    const output = await runCapability(capability, input.value);
    if (output === undefined) return;
    reached += 1;
    if (name === "restore") seen.push("a snapshot was put back that nobody made");
    if (expected !== undefined && readStdout(output) !== expected)
      seen.push("what arrived is not what was sent");
    if (readStdout(output).includes("kept")) seen.push("what lies outside was read");
  };
  return {
    // Each run changes the basis of the next run. Values therefore run one at a time, as their lock requires.
    put(value) {
      turn = turn.then(() => through(value, use));
      return turn;
    },
    async escapes() {
      const beside = (await readdir(folder)).filter((name) => !["work", "outside", ".paraph"].includes(name));
      const kept = await readdir(outside);
      const same = kept.length === 1 && (await readFile(join(outside, "kept"), "utf8")) === "kept";
      return [
        ...seen.splice(0),
        ...beside.map((name) => `\`${name}\` came to be beside the workspace`),
        ...(same ? [] : ["what lay outside is not as it was"]),
      ];
    },
    reached: () => reached,
    close: async () => {},
  };
}

async function runCapability(capability: Capability, input: Json): Promise<unknown> {
  try {
    const basis = (await capability.preview?.(input, worldOf()))?.basis;
    return await capability.apply(input, worldOf({ basis }));
  } catch {
    // The adapter may reject the value.
    return undefined;
  }
}

function readStdout(output: unknown): string {
  const { stdout } = output as { stdout?: { content: string; encoding: BufferEncoding } };
  return stdout === undefined ? "" : Buffer.from(stdout.content, stdout.encoding).toString("utf8");
}
