import { defineAdapter, type Health, ParaphError } from "@paraph/core";
import { run } from "../process/index.ts";
import { type Configured, config } from "./config.ts";
import { lookWithPrograms } from "./look.ts";
import { settingOf } from "./open-setting.ts";
import { restoreSnapshots } from "./restore.ts";
import { runPrograms } from "./run.ts";
import type { Setting } from "./setting.ts";

/** Programs, run in a folder and shut in: without a sandbox here it does not open. */
export const terminal = defineAdapter({
  kind: "terminal",
  config,
  open: async (configured, outer) => {
    refuseRoot(configured, outer.name);
    const setting = await settingOf(configured, outer);
    const health = await healthOf(setting, outer.signal);
    if (health.kind === "degraded")
      throw new ParaphError("adapter-invalid", `\`${outer.name}\`: ${health.message}`);
    const capabilities = [runPrograms(setting), lookWithPrograms(setting), restoreSnapshots(setting)];
    return { capabilities: async () => capabilities, health: (signal) => healthOf(setting, signal) };
  },
});

/** In the sandbox a program is nobody, but outside its user id is Paraph's: a hole in the kernel would give it root. */
function refuseRoot({ allowRoot }: Pick<Configured, "allowRoot">, name: string): void {
  if (allowRoot || process.getuid?.() !== 0) return;
  throw new ParaphError(
    "adapter-as-root",
    `\`${name}\` does not run programs as root. Start Paraph as another user; where root is confined already, as in a container, set \`allowRoot: true\` in \`terminal()\`.`,
  );
}

/** By running something: whether there is a sandbox, and whether the limits can be held, shows in no other way. */
async function healthOf({ workspace, read, network, limits }: Setting, signal: AbortSignal): Promise<Health> {
  const sandbox = { write: [workspace], read, network };
  const ran = await run({
    binary: "true",
    args: [],
    cwd: workspace,
    signal,
    limits,
    sandbox,
    timeoutMs: 5_000,
  });
  if (ran.end === "exited" && ran.exitCode === 0) return { kind: "well" };
  const message =
    ran.message ?? "No program can be run in the sandbox: see whether the limits leave room for one.";
  return { kind: "degraded", code: "sandbox-missing", message };
}
