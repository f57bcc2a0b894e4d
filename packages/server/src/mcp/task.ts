import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import { findApprovalUrl, waitReasons } from "./tools/pending-result.ts";

/** A call as a task of MCP's: the id of the call that was asked for is the task's, so nothing is kept about it. */
export interface McpTask {
  readonly taskId: string;
  readonly status: "working" | "completed" | "cancelled";
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Calls are kept. */
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
}

export type TaskResult = McpTask & Pick<CallToolResult, "content"> & { readonly resultType: "task" };

const pollIntervalMs = 5_000;

/** That somebody else has to decide is not this client's to answer: the task works on. */
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

/** In place of a result; `content` only because the SDK holds every result of a tool against the shape of a complete one. */
export function toTaskResult(call: Call, url: string): TaskResult {
  return { resultType: "task", content: [], ...toTask(call, url, call.call) };
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
