import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Call, type Facade, hasCapabilityScope, type JsonObject, ParaphError } from "@paraph/core";
import type { ToolContext } from "./builtin-tools/index.ts";
import { createPageRequest, markResultDelivered, waitForResult } from "./follow-call.ts";
import { paginate } from "./paginate.ts";
import { requestCall } from "./tools/call-tool.ts";
import { findApprovalUrl, waitReasons } from "./tools/pending-result.ts";
import { toClosedResult } from "./tools/tool-result.ts";

/**
 * Serves the resources and prompts of an MCP server under the server's own names. Each read is a call under policy,
 * like every other call.
 */
export function serveResourcesAndPrompts(
  server: Server,
  facade: Facade,
  roomFor: (context: ServerContext) => ToolContext,
): void {
  const { resources = [], resourceTemplates = [], prompts = [] } = facade;
  const shown = <T extends { readonly capability: string }>(all: readonly T[], context: ServerContext) => {
    const { service, requestContext } = roomFor(context);
    const offered = new Set(
      service.listAllowedCapabilities(requestContext.caller.principal).map(({ contract }) => contract.name),
    );
    return all.filter(
      ({ capability }) => offered.has(capability) && hasCapabilityScope(requestContext.caller, capability),
    );
  };
  if (resources.length + resourceTemplates.length > 0) {
    server.setRequestHandler("resources/list", ({ params }, context) => {
      const { items, ...more } = paginate(shown(resources, context), ({ uri }) => uri, params?.cursor);
      return { resources: items.map(omitCapability), ...more };
    });
    server.setRequestHandler("resources/templates/list", ({ params }, context) => {
      const all = shown(resourceTemplates, context);
      const { items, ...more } = paginate(all, ({ uriTemplate }) => uriTemplate, params?.cursor);
      return { resourceTemplates: items.map(omitCapability), ...more };
    });
    server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
      const { capability } = resources.find((one) => one.uri === uri) ?? resourceTemplates[0] ?? {};
      if (capability === undefined) throw notFoundError();
      return (await readThroughCall(capability, { uri }, roomFor(context))) as never;
    });
  }
  if (prompts.length > 0) {
    server.setRequestHandler("prompts/list", ({ params }, context) => {
      const { items, ...more } = paginate(shown(prompts, context), ({ name }) => name, params?.cursor);
      return { prompts: items.map(omitCapability) as never[], ...more };
    });
    server.setRequestHandler("prompts/get", async ({ params }, context) => {
      const prompt = prompts.find(({ name }) => name === params.name);
      if (!prompt) throw notFoundError();
      return (await readThroughCall(prompt.capability, { ...params.arguments }, roomFor(context))) as never;
    });
  }
}

function omitCapability<T extends { readonly capability: string }>({
  capability: _ours,
  ...own
}: T): Omit<T, "capability"> {
  return own;
}

/**
 * Returns the output of a call, or a request to open a page. MCP allows no other response here, so the function throws
 * an error in every other case. A repeated request joins the same call, whether that call is open or closed.
 */
async function readThroughCall(
  capability: string,
  input: JsonObject,
  toolContext: ToolContext,
): Promise<unknown> {
  const { requestContext, client, url } = toolContext;
  if (!hasCapabilityScope(requestContext.caller, capability)) throw notFoundError();
  const { call, isNew } = await requestCall(capability, input, toolContext).catch(throwProtocolError);
  const now = await waitForResult(call, toolContext, isNew && client.pageRequestMode !== "never");
  if (now.state !== "closed") {
    const request = isNew ? createPageRequest(now, toolContext) : undefined;
    if (request) return request;
    throw notReadyError(now, url);
  }
  await markResultDelivered(now, call, toolContext);
  if (now.outcome?.kind === "succeeded") return now.payloads.output?.value ?? null;
  const [said] = toClosedResult(now, false).content;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    said?.type === "text" ? said.text : "The call failed.",
  );
}

function notReadyError(call: Call, url: string): ProtocolError {
  const page = findApprovalUrl(call, url);
  const where = page === undefined ? "" : `, at ${page}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Pending: ${waitReasons[call.state]}${where}. The call continues without you. Repeat the request to get its result.`,
    { call: call.call, ...(page !== undefined && { page }) },
  );
}

/** [P10] Hides the message of an unexpected error, because it may contain another party's data. */
function throwProtocolError(error: unknown): never {
  const words = error instanceof ParaphError ? error.message : "Internal error.";
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, words);
}

function notFoundError(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Nothing with this name is available to you.");
}
