import { spawn } from "node:child_process";
import { canaryTool } from "../tool-use/tool-kinds.ts";

/** The result of the canary. Only `alive` means that the hook asked Paraph and that Paraph denied the tool use. */
export type CanaryResult =
  | { readonly kind: "alive"; readonly ms: number }
  | { readonly kind: "let-through" }
  | { readonly kind: "cut-off"; readonly message: string }
  | { readonly kind: "broken"; readonly code: number | null }
  | { readonly kind: "mute" };

/** Runs the exact command in a client's settings, as the client does, with a tool use that Paraph always refuses. */
export async function fireCanary(
  command: string,
  { event, cwd, environment }: { event: string; cwd: string; environment: NodeJS.ProcessEnv },
  patienceMs = 15_000,
): Promise<CanaryResult> {
  const started = performance.now();
  const child = spawn(command, { shell: true, cwd, env: environment, detached: true });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  child.stdin.on("error", () => {});
  child.stdin.end(
    JSON.stringify({
      session_id: "paraph-doctor",
      cwd,
      hook_event_name: event,
      tool_name: canaryTool,
      tool_input: {},
      tool_use_id: "paraph-doctor",
    }),
  );
  const code = await new Promise<number | null | "mute">((resolve) => {
    // The command may have started other processes, so the whole process group is killed.
    const timer = setTimeout(() => {
      child.once("exit", () => resolve("mute"));
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, patienceMs);
    child.once("error", () => resolve(null));
    child.once("close", (ended) => {
      clearTimeout(timer);
      resolve(ended);
    });
  });
  if (code === "mute") return { kind: "mute" };
  if (code === 2) return { kind: "cut-off", message: said.stderr.trim().split("\n").at(-1) ?? "" };
  if (code !== 0) return { kind: "broken", code };
  const words = readDenialReason(said.stdout);
  if (words === undefined) return { kind: "let-through" };
  if (!words.includes("(preview-failed, call ")) return { kind: "cut-off", message: words };
  return { kind: "alive", ms: Math.round(performance.now() - started) };
}

/** Reads the reason for a denial from the output, in any client's format. */
function readDenialReason(stdout: string): string | undefined {
  try {
    const { hookSpecificOutput, decision, reason } = JSON.parse(stdout);
    if (hookSpecificOutput?.permissionDecision === "deny")
      return String(hookSpecificOutput.permissionDecisionReason);
    return decision === "deny" ? String(reason) : undefined;
  } catch {
    return undefined;
  }
}
