import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Call, ParaphError } from "@paraph/core";
import { z } from "zod";
import type { Room } from "./builtin-tools/index.ts";
import { ownCall } from "./call-tool.ts";
import { handedOver } from "./follow.ts";
import { taskOf } from "./task.ts";
import { latest } from "./wait.ts";

const params = z.looseObject({ taskId: z.string().max(128) });

/**
 * The tasks of MCP's extension, which are calls: looked at, and withdrawn while nobody has decided. What a person edited is
 * still the same task.
 */
export function serveTasks(server: Server, roomFor: (context: ServerContext) => Room): void {
  const taskIn = async (id: string, room: Room): Promise<Call> => {
    const found = await ownCall(id, room);
    if (found) return found;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such task of yours.");
  };
  server.setRequestHandler("tasks/get", { params }, async ({ taskId }, context) => {
    const room = roomFor(context);
    const asked = await taskIn(taskId, room);
    const call = await latest(asked, room.desk, room.visit.caller.principal);
    const task = taskOf(call, room.url, taskId);
    return task.status === "completed"
      ? { ...task, result: await handedOver(call, room, asked) }
      : { ...task };
  });
  // Nothing is ever asked of the client through a task: there is nothing to take in.
  server.setRequestHandler("tasks/update", { params }, async ({ taskId }, context) => {
    await taskIn(taskId, roomFor(context));
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params }, async ({ taskId }, context) => {
    const room = roomFor(context);
    const by = room.visit.caller.principal;
    const { call } = await latest(await taskIn(taskId, room), room.desk, by);
    // Too late is no error: the task says how it ended.
    await room.desk.withdraw({ call, by }).catch((error: unknown) => {
      if (!(error instanceof ParaphError)) throw error;
    });
    return {};
  });
}
