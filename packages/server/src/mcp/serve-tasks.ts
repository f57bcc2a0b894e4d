import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Call, ParaphError } from "@paraph/core";
import { z } from "zod";
import type { ToolContext } from "./builtin-tools/index.ts";
import { deliverResult } from "./follow-call.ts";
import { toTask } from "./task.ts";
import { findOwnCall } from "./tools/call-tool.ts";
import { findLatestCall } from "./wait.ts";

const taskParams = z.looseObject({ taskId: z.string().max(128) });

/**
 * Serves MCP's task extension. A task represents a call. Clients can read the task, and can withdraw the call before
 * Paraph performs it. If a person edits the call, the task stays the same.
 */
export function serveTasks(server: Server, roomFor: (context: ServerContext) => ToolContext): void {
  const taskIn = async (id: string, toolContext: ToolContext): Promise<Call> => {
    const found = await findOwnCall(id, toolContext);
    if (found) return found;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "You have no task with this id.");
  };
  server.setRequestHandler("tasks/get", { params: taskParams }, async ({ taskId }, context) => {
    const toolContext = roomFor(context);
    const asked = await taskIn(taskId, toolContext);
    const call = await findLatestCall(
      asked,
      toolContext.service,
      toolContext.requestContext.caller.principal,
    );
    const task = toTask(call, toolContext.url, taskId);
    return task.status === "completed"
      ? { ...task, result: await deliverResult(call, toolContext, asked) }
      : { ...task };
  });
  // Paraph never asks the client for input through a task, so an update has no effect.
  server.setRequestHandler("tasks/update", { params: taskParams }, async ({ taskId }, context) => {
    await taskIn(taskId, roomFor(context));
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params: taskParams }, async ({ taskId }, context) => {
    const toolContext = roomFor(context);
    const by = toolContext.requestContext.caller.principal;
    const { call } = await findLatestCall(await taskIn(taskId, toolContext), toolContext.service, by);
    // Ignores the error of a cancellation that comes too late, because the task reports the outcome.
    await toolContext.service.actions.withdraw({ call, by }).catch((error: unknown) => {
      if (!(error instanceof ParaphError)) throw error;
    });
    return {};
  });
}
