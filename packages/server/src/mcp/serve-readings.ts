import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Facade, type Json, type JsonObject, ParaphError, reachesCapability } from "@paraph/core";
import { closedAnswer } from "./answer.ts";
import { attend } from "./attend.ts";
import type { Room } from "./own/index.ts";

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
    return all
      .filter(({ capability }) => offered.has(capability) && reachesCapability(visit.caller, capability))
      .map(({ capability: _ours, ...own }) => own);
  };
  if (resources.length + resourceTemplates.length > 0) {
    server.setRequestHandler("resources/list", (_request, context) => ({
      resources: shown(resources, context) as never[],
    }));
    server.setRequestHandler("resources/templates/list", (_request, context) => ({
      resourceTemplates: shown(resourceTemplates, context) as never[],
    }));
    server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
      const { capability } = resources.find((one) => one.uri === uri) ?? resourceTemplates[0] ?? {};
      if (capability === undefined) throw notThere();
      return (await had(capability, { uri }, roomFor(context))) as never;
    });
  }
  if (prompts.length > 0) {
    server.setRequestHandler("prompts/list", (_request, context) => ({
      prompts: shown(prompts, context) as never[],
    }));
    server.setRequestHandler("prompts/get", async ({ params }, context) => {
      const prompt = prompts.find(({ name }) => name === params.name);
      if (!prompt) throw notThere();
      return (await had(prompt.capability, { ...params.arguments }, roomFor(context))) as never;
    });
  }
}

/** The output of a call; there is no other answer to this than what was asked for, so anything else is an error in words. */
async function had(capability: string, input: JsonObject, room: Room): Promise<Json> {
  const { desk, visit, client, patienceMs } = room;
  const { principal } = visit.caller;
  if (!reachesCapability(visit.caller, capability)) throw notThere();
  const { call } = await desk.call({ principal, capability, input, session: visit.session }).catch(inWords);
  const now = await attend(call, desk, {
    principal,
    ms: patienceMs,
    signal: client.signal,
    tick: client.tick,
  });
  if (now.outcome?.kind === "succeeded") return now.payloads.output?.value ?? null;
  const [said] = now.state === "closed" ? closedAnswer(now, false).content : [];
  const words = said?.type === "text" ? said.text : "It is not over yet: ask for the same again later.";
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, words);
}

/** [P10] Of what nobody expected, the caller is told nothing that somebody else said. */
function inWords(error: unknown): never {
  const words = error instanceof ParaphError ? error.message : "Something went wrong here.";
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, words);
}

function notThere(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "There is nothing of this name for you here.");
}
