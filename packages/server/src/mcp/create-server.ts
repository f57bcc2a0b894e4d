import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import { type JsonObject, ParaphError } from "@paraph/core";
import type { ParaphService } from "../services/paraph-service.ts";
import { selectBuiltinTools, type ToolContext } from "./builtin-tools/index.ts";
import { createMcpClient, tasksExtension } from "./client.ts";
import type { ToolAnswer } from "./follow-call.ts";
import { paginate } from "./paginate.ts";
import type { RequestContext } from "./request-context.ts";
import { serveResourcesAndPrompts } from "./serve-resources.ts";
import { serveTasks } from "./serve-tasks.ts";
import { callTool } from "./tools/call-tool.ts";
import { waitToolName } from "./tools/pending-result.ts";
import { toErrorResult } from "./tools/tool-result.ts";
import type { Toolboxes } from "./tools/toolbox.ts";

/** The dependencies of `createMcpServer`. */
export interface ServerDeps {
  readonly service: ParaphService;
  readonly toolboxes: Toolboxes;
  readonly version: string;
  readonly url: () => string;
  readonly maxWaitMs: number;
  /** [P10] Reports an unexpected error. Only its code is logged. */
  readonly onProblem: (error: unknown) => void;
}

const instructions =
  "Paraph governs every tool here. Policy may refuse a call, and a person may have to approve it first. A result with `status: pending` is not an error. The call continues by itself, so do not repeat it. Get its result with the tool that the result names. Do not repeat a call that was refused or denied.";

/** Creates the MCP server of one exchange. Nothing is kept between two exchanges. */
export function createMcpServer(
  requestContext: RequestContext,
  era: "legacy" | "modern",
  house: ServerDeps,
): Server {
  const { service, toolboxes } = house;
  const box = toolboxes.findToolbox(requestContext.caller.principal, requestContext.server);
  const wait = box?.byName.has(waitToolName) ? `paraph_${waitToolName}` : waitToolName;
  const own = selectBuiltinTools(requestContext.server, wait);
  const facade =
    requestContext.server === undefined || !box ? undefined : service.getFacades().get(requestContext.server);
  const isModern = era === "modern";
  const server = new Server(
    {
      name: requestContext.server === undefined ? "paraph" : `paraph-${requestContext.server}`,
      version: house.version,
    },
    {
      instructions,
      capabilities: {
        // Declares `listChanged` only to modern clients. Older clients could learn of changes only through an open
        // stream, which Paraph does not offer them.
        tools: isModern ? { listChanged: true } : {},
        ...(facade?.resources?.length || facade?.resourceTemplates?.length ? { resources: {} } : {}),
        ...(facade?.prompts?.length ? { prompts: {} } : {}),
        ...(isModern && { extensions: { [tasksExtension]: {} } }),
      },
      // Turns off the SDK's shim, because Paraph itself asks clients to open a page, in the form that their protocol
      // version defines.
      inputRequired: { legacyShim: false },
    },
  );
  const roomFor = (context: ServerContext): ToolContext => ({
    service,
    toolboxes,
    requestContext,
    waitTool: wait,
    url: house.url(),
    maxWaitMs: house.maxWaitMs,
    client: createMcpClient(context, requestContext, house.url()),
    isMcpCapability: (capability) =>
      toolboxes.findToolbox(requestContext.caller.principal, undefined)?.byCapability.get(capability)
        ?.isMcp ?? false,
  });

  server.setRequestHandler("tools/list", ({ params }) => {
    const shown = [...own.values(), ...toolboxes.listVisibleTools(requestContext)].map(
      ({ definition }) => definition,
    );
    const { items, ...more } = paginate(shown, ({ name }) => name, params?.cursor);
    return { tools: items, ...more };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: given = {} } = params;
    const tool = toolboxes
      .findToolbox(requestContext.caller.principal, requestContext.server)
      ?.byName.get(name);
    const mine = own.get(name);
    if (!tool && !mine)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "There is no tool with this name here. List the available tools with `tools/list`.",
      );
    const toolContext = roomFor(context);
    const answer = mine ? mine.run(given, toolContext) : callTool(tool!, given as JsonObject, toolContext);
    return (await answer.catch((error: unknown) => toErrorAnswer(error, house))) as never;
  });
  if (facade) serveResourcesAndPrompts(server, facade, roomFor);
  if (isModern) serveTasks(server, roomFor);
  return server;
}

/**
 * [P10] Converts an error into a tool result. It shows only Paraph's own error messages, because other messages may
 * contain another party's data.
 */
function toErrorAnswer(error: unknown, { onProblem }: ServerDeps): ToolAnswer {
  if (error instanceof ParaphError) return toErrorResult(error.message);
  if (error instanceof ProtocolError) throw error;
  onProblem(error);
  return toErrorResult(
    "Internal error. Paraph's record shows whether the call was performed. Check it before you repeat the call.",
  );
}
