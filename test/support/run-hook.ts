import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { sourceEnvironment } from "./servers/source-environment.ts";

const hookEntry = fileURLToPath(new URL("../../packages/cli/src/hook/main.ts", import.meta.url));

export interface HookResult {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly said: any;
  readonly stderr: string;
}

/** Sends this text to the hook in its own process, as a client does. */
export function runHook(
  args: readonly string[],
  said: string,
  { folder, environment }: { folder: string; environment: Record<string, string> },
): Promise<HookResult> {
  const child = spawn(process.execPath, ["--conditions=paraph-source", hookEntry, "hook", "run", ...args], {
    cwd: folder,
    env: { ...sourceEnvironment, HOME: folder, ...environment },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(said);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  return new Promise((resolve) =>
    child.once("close", (code) =>
      resolve({ code, said: stdout === "" ? undefined : JSON.parse(stdout), stderr }),
    ),
  );
}

export const readHookDecision = ({ said }: HookResult) => said?.hookSpecificOutput?.permissionDecision;
export const readHookReason = ({ said }: HookResult) =>
  String(said?.hookSpecificOutput?.permissionDecisionReason);
