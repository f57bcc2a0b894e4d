import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import { findApprovalUrl, waitReasons } from "./tools/pending-result.ts";

/** A call as an MCP task. The task has the id of the requested call, so Paraph stores nothing else for the task. */
export interface McpTask {
  readonly taskId: string;
  readonly status: "working" | "completed" | "cancelled";
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Calls do not expire, so a task has no time to live. */
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
}

export type TaskResult = McpTask & Pick<CallToolResult, "content"> & { readonly resultType: "task" };

const pollIntervalMs = 5_000;

/**
 * Returns the task of a call. The task is `working` while an approver must decide, because the client itself cannot
 * decide.
 */
export function toTask(call: Call, url: string, taskId: string): McpTask {
  const page = findApprovalUrl(call, url);
  return {
    taskId,
    status:
      call.state !== "closed" ? "working" : call.outcome?.kind === "cancelled" ? "cancelled" : "completed",
    statusMessage: `${waitReasons[call.state]}${page === undefined ? "" : `: ${page}`}`,
    createdAt: toIso(call.createdAt),
    lastUpdatedAt: toIso(call.events.at(-1)?.at ?? call.createdAt),
    ttlMs: null,
    pollIntervalMs,
  };
}

/**
 * Returns a task in place of a result. `content` is present only because the SDK validates every result as a complete
 * tool result.
 */
export function toTaskResult(call: Call, url: string): TaskResult {
  return { resultType: "task", content: [], ...toTask(call, url, call.call) };
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
