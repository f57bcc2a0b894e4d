import type { HookDecision } from "./before-tool.ts";
import type { ToolUse } from "./hook-event.ts";

/** Formats a decision as the client expects it on standard output. An empty text leaves the decision to the client. */
export function formatHookDecision(
  answer: HookDecision,
  { client, input }: Pick<ToolUse, "client" | "input">,
): string {
  if (answer.kind === "silent") return "";
  switch (client) {
    case "claude-code":
    case "codex":
      // Codex treats an explicit allow as a fault of the hook. For Codex, an empty output means allow.
      if (answer.kind === "allow" && client === "codex") return "";
      return JSON.stringify({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: answer.kind,
          ...(answer.kind === "deny" && { permissionDecisionReason: answer.words }),
          ...(answer.kind === "allow" &&
            answer.command !== undefined && { updatedInput: { ...input, command: answer.command } }),
        },
      });
    case "gemini":
      if (answer.kind === "deny") return JSON.stringify({ decision: "deny", reason: answer.words });
      return JSON.stringify({
        decision: "allow",
        ...(answer.command !== undefined && {
          hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: answer.command } },
        }),
      });
  }
}
