import { defineAdapter, type Health, ParaphError } from "@paraph/core";
import { runProcess } from "../process/index.ts";
import { createLookCapability } from "./capabilities/look.ts";
import { createRestoreCapability } from "./capabilities/restore.ts";
import { createRunCapability } from "./capabilities/run.ts";
import { type TerminalConfig, terminalConfig } from "./config.ts";
import type { TerminalContext } from "./context.ts";
import { openTerminalContext } from "./open-context.ts";

/** The adapter that runs programs in a folder inside a sandbox. It does not open on a machine without a sandbox. */
export const terminal = defineAdapter({
  kind: "terminal",
  config: terminalConfig,
  open: async (configured, outer) => {
    requireNotRoot(configured, outer.name);
    const terminalContext = await openTerminalContext(configured, outer);
    const health = await checkHealth(terminalContext, outer.signal);
    if (health.kind === "degraded")
      throw new ParaphError("adapter-invalid", `\`${outer.name}\`: ${health.message}`);
    const capabilities = [
      createRunCapability(terminalContext),
      createLookCapability(terminalContext),
      createRestoreCapability(terminalContext),
    ];
    return {
      capabilities: async () => capabilities,
      health: (signal) => checkHealth(terminalContext, signal),
    };
  },
});

/**
 * Rejects root as the user that runs Paraph. A sandboxed program has no rights, but outside the sandbox it has Paraph's
 * user id. If Paraph ran as root, a kernel vulnerability would give the program root rights.
 */
function requireNotRoot({ allowRoot }: Pick<TerminalConfig, "allowRoot">, name: string): void {
  if (allowRoot || process.getuid?.() !== 0) return;
  throw new ParaphError(
    "adapter-as-root",
    `\`${name}\` does not run programs as root. Start Paraph as another user. If root is already confined, as in a container, set \`allowRoot: true\` in \`terminal()\`.`,
  );
}

/** Runs a program to check the adapter, because only a run shows whether the sandbox and the limits work. */
async function checkHealth(
  { workspace, read, network, limits }: TerminalContext,
  signal: AbortSignal,
): Promise<Health> {
  const sandbox = { write: [workspace], read, network };
  const ran = await runProcess({
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
    ran.message ?? "Paraph can't run programs in the sandbox. Check that the limits are not too low.";
  return { kind: "degraded", code: "sandbox-missing", message };
}
