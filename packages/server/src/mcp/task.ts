import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Call } from "@paraph/core";
import { pageOf, reasons } from "./pending.ts";

/** A call as a task of MCP's: the id of the call that was asked for is the task's, so nothing is kept about it. */
export interface Task {
  readonly taskId: string;
  readonly status: "working" | "completed" | "cancelled";
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Calls are kept. */
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
}

export type TaskResult = Task & Pick<CallToolResult, "content"> & { readonly resultType: "task" };

const pollIntervalMs = 5_000;

/** That somebody else has to decide is not this client's to answer: the task works on. */
export function taskOf(call: Call, url: string, taskId: string): Task {
  const page = pageOf(call, url);
  return {
    taskId,
    status:
      call.state !== "closed" ? "working" : call.outcome?.kind === "cancelled" ? "cancelled" : "completed",
    statusMessage: `${reasons[call.state]}${page === undefined ? "" : `: ${page}`}`,
    createdAt: iso(call.createdAt),
    lastUpdatedAt: iso(call.events.at(-1)?.at ?? call.createdAt),
    ttlMs: null,
    pollIntervalMs,
  };
}

/** In place of a result; `content` only because the SDK holds every result of a tool against the shape of a complete one. */
export function taskResult(call: Call, url: string): TaskResult {
  return { resultType: "task", content: [], ...taskOf(call, url, call.call) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
