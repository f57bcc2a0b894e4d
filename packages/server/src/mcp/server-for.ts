import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import { type JsonObject, ParaphError } from "@paraph/core";
import { refusedAnswer } from "./answer.ts";
import { ownTools, type Room } from "./builtin-tools/index.ts";
import { callTool } from "./call-tool.ts";
import { clientOf, tasksExtension } from "./client.ts";
import type { Desk } from "./desk.ts";
import type { ToolAnswer } from "./follow.ts";
import { page } from "./page.ts";
import { waitTool } from "./pending.ts";
import { serveReadings } from "./serve-readings.ts";
import { serveTasks } from "./serve-tasks.ts";
import type { Toolboxes } from "./toolbox.ts";
import type { Visit } from "./visit.ts";

export interface House {
  readonly desk: Desk;
  readonly toolboxes: Toolboxes;
  readonly version: string;
  readonly url: () => string;
  readonly patienceMs: number;
  /** [P10] Told of what nobody expected, by what it is called. */
  readonly problem: (error: unknown) => void;
}

const instructions =
  "Every tool here is governed: policy may refuse it, and a person may have to approve it first. A result with `status: pending` is no error: the call goes on by itself, so do not repeat it; get its result with the tool it names. What was refused or denied is not worth asking again.";

/** One exchange's MCP server: nothing is kept between two of them. */
export function serverFor(visit: Visit, era: "legacy" | "modern", house: House): Server {
  const { desk, toolboxes } = house;
  const box = toolboxes.behind(visit.caller.principal, visit.server);
  const wait = box?.byName.has(waitTool) ? `paraph_${waitTool}` : waitTool;
  const own = ownTools(visit.server, wait);
  const facade = visit.server === undefined || !box ? undefined : desk.facades().get(visit.server);
  const isModern = era === "modern";
  const server = new Server(
    { name: visit.server === undefined ? "paraph" : `paraph-${visit.server}`, version: house.version },
    {
      instructions,
      capabilities: {
        // Older clients would have to hold a stream open here, which nobody serves them.
        tools: isModern ? { listChanged: true } : {},
        ...(facade?.resources?.length || facade?.resourceTemplates?.length ? { resources: {} } : {}),
        ...(facade?.prompts?.length ? { prompts: {} } : {}),
        ...(isModern && { extensions: { [tasksExtension]: {} } }),
      },
      // What is to be opened is asked for in the words of the client's own era.
      inputRequired: { legacyShim: false },
    },
  );
  const roomFor = (context: ServerContext): Room => ({
    desk,
    toolboxes,
    visit,
    wait,
    url: house.url(),
    patienceMs: house.patienceMs,
    client: clientOf(context, visit, house.url()),
    isMcp: (capability) =>
      toolboxes.behind(visit.caller.principal, undefined)?.byCapability.get(capability)?.isMcp ?? false,
  });

  server.setRequestHandler("tools/list", ({ params }) => {
    const shown = [...own.values(), ...toolboxes.shownTo(visit)].map(({ definition }) => definition);
    const { items: tools, ...more } = page(shown, ({ name }) => name, params?.cursor);
    return { tools, ...more };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: given = {} } = params;
    const tool = toolboxes.behind(visit.caller.principal, visit.server)?.byName.get(name);
    const mine = own.get(name);
    if (!tool && !mine)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no tool of this name here.");
    const room = roomFor(context);
    const answer = mine ? mine.run(given, room) : callTool(tool!, given as JsonObject, room);
    return (await answer.catch((error: unknown) => inWords(error, house))) as never;
  });
  if (facade) serveReadings(server, facade, roomFor);
  if (isModern) serveTasks(server, roomFor);
  return server;
}

/** [P10] Paraph's own errors are meant to be read; what anything else says may hold anybody's data. */
function inWords(error: unknown, { problem }: House): ToolAnswer {
  if (error instanceof ParaphError) return refusedAnswer(error.message);
  if (error instanceof ProtocolError) throw error;
  problem(error);
  return refusedAnswer(
    "Something went wrong here. Whether it was done is on record: look before you repeat it.",
  );
}
