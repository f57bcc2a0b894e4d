import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Call, type Facade, hasCapabilityScope, type JsonObject, ParaphError } from "@paraph/core";
import { closedAnswer } from "./answer.ts";
import type { Room } from "./builtin-tools/index.ts";
import { ask } from "./call-tool.ts";
import { pageRequest, settle, stay } from "./follow.ts";
import { page } from "./page.ts";
import { pageOf, reasons } from "./pending.ts";

/** What a server offers besides tools, under its own names: each is had by a call of a read, governed like any. */
export function serveReadings(
  server: Server,
  facade: Facade,
  roomFor: (context: ServerContext) => Room,
): void {
  const { resources = [], resourceTemplates = [], prompts = [] } = facade;
  const shown = <T extends { readonly capability: string }>(all: readonly T[], context: ServerContext) => {
    const { desk, visit } = roomFor(context);
    const offered = new Set(desk.offered(visit.caller.principal).map(({ contract }) => contract.name));
    return all.filter(
      ({ capability }) => offered.has(capability) && hasCapabilityScope(visit.caller, capability),
    );
  };
  if (resources.length + resourceTemplates.length > 0) {
    server.setRequestHandler("resources/list", ({ params }, context) => {
      const { items, ...more } = page(shown(resources, context), ({ uri }) => uri, params?.cursor);
      return { resources: items.map(own), ...more };
    });
    server.setRequestHandler("resources/templates/list", ({ params }, context) => {
      const all = shown(resourceTemplates, context);
      const { items, ...more } = page(all, ({ uriTemplate }) => uriTemplate, params?.cursor);
      return { resourceTemplates: items.map(own), ...more };
    });
    server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
      const { capability } = resources.find((one) => one.uri === uri) ?? resourceTemplates[0] ?? {};
      if (capability === undefined) throw notThere();
      return (await had(capability, { uri }, roomFor(context))) as never;
    });
  }
  if (prompts.length > 0) {
    server.setRequestHandler("prompts/list", ({ params }, context) => {
      const { items, ...more } = page(shown(prompts, context), ({ name }) => name, params?.cursor);
      return { prompts: items.map(own) as never[], ...more };
    });
    server.setRequestHandler("prompts/get", async ({ params }, context) => {
      const prompt = prompts.find(({ name }) => name === params.name);
      if (!prompt) throw notThere();
      return (await had(prompt.capability, { ...params.arguments }, roomFor(context))) as never;
    });
  }
}

/** Without our name for it. */
function own<T extends { readonly capability: string }>({
  capability: _ours,
  ...own
}: T): Omit<T, "capability"> {
  return own;
}

/**
 * The output of a call. There is no other answer to this than what was asked for, or a page to open: anything else is an error in
 * words. Whoever asks for the same again gets the call that is open, or over by then.
 */
async function had(capability: string, input: JsonObject, room: Room): Promise<unknown> {
  const { visit, client, url } = room;
  if (!hasCapabilityScope(visit.caller, capability)) throw notThere();
  const { call, isNew } = await ask(capability, input, room).catch(inWords);
  const now = await stay(call, room, isNew && client.opensPages !== "never");
  if (now.state !== "closed") {
    const request = isNew ? pageRequest(now, room) : undefined;
    if (request) return request;
    throw notYet(now, url);
  }
  await settle(now, call, room);
  if (now.outcome?.kind === "succeeded") return now.payloads.output?.value ?? null;
  const [said] = closedAnswer(now, false).content;
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, said?.type === "text" ? said.text : "It failed.");
}

function notYet(call: Call, url: string): ProtocolError {
  const page = pageOf(call, url);
  const where = page === undefined ? "" : `, at ${page}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `Not yet: ${reasons[call.state]}${where}. It goes on without you: ask for the same again to have it.`,
    { call: call.call, ...(page !== undefined && { page }) },
  );
}

/** [P10] Of what nobody expected, the caller is told nothing that somebody else said. */
function inWords(error: unknown): never {
  const words = error instanceof ParaphError ? error.message : "Something went wrong here.";
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, words);
}

function notThere(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "There is nothing of this name for you here.");
}
