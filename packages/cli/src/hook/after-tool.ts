import { HookApiError, requestApi } from "./api-client.ts";
import type { HookContext } from "./before-tool.ts";
import type { HookEvent } from "./hook-event.ts";

type AfterToolEvent = Extract<HookEvent, { kind: "after" }>;

/** The verbs of the atomic tools. If an atomic tool reports a failure, the tool had no effect. */
const atomicVerbs = new Set(["write", "edit", "notebook_edit", "read", "web_search"]);

/**
 * [P10] Reports the result of an allowed tool use. The report contains sizes and codes but never contents. The tool has
 * already run, so nothing waits for the report.
 */
export async function handleAfterTool(
  event: AfterToolEvent,
  { connection, notes }: Pick<HookContext, "connection" | "notes">,
): Promise<void> {
  const taken = notes.takeClaim(event.of);
  if (!taken) return;
  const path = `/v1/calls/${encodeURIComponent(taken.call)}/report`;
  const body = { claimToken: taken.claimToken, ...toReport(event, taken.verb) };
  try {
    await requestApi(connection, { method: "POST", path, body });
  } catch (error) {
    if (!(error instanceof HookApiError) || error.code !== "no-answer") throw error;
    await requestApi(connection, { method: "POST", path, body });
  }
  notes.sweep(Date.now());
}

function toReport(event: AfterToolEvent, verb: string): object {
  const { failed, interrupted, answer, durationMs } = event;
  if (interrupted) return { as: "ambiguous", code: "interrupted", message: "The tool was interrupted." };
  if (failed && verb !== "bash")
    return atomicVerbs.has(verb)
      ? { as: "not-performed", code: "tool-failed", message: "The agent's tool reported a failure." }
      : { as: "ambiguous", code: "tool-failed", message: "The agent's tool reported a failure." };
  const exitCode = verb === "bash" ? readExitCode(event) : undefined;
  const output = {
    ended: failed || (exitCode ?? 0) !== 0 ? "badly" : "well",
    ...(exitCode !== undefined && { exitCode }),
    bytes: Buffer.byteLength(typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "")),
    ...(durationMs !== undefined && { durationMs }),
  };
  return { as: "succeeded", output };
}

/**
 * Reads the exit code, if the client reports it. Claude Code reports an exit code only for a failed command, and Codex
 * never reports one.
 */
function readExitCode({ of, failed, answer }: AfterToolEvent): number | undefined {
  if (of.client === "claude-code" && !failed) return 0;
  const text = typeof answer === "string" ? answer : String((answer as { llmContent?: unknown })?.llmContent);
  const code = (of.client === "gemini" ? /^Exit Code: (\d+)$/m : /^Exit code (\d+)/).exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}
