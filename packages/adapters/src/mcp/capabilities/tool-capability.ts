import type { Tool } from "@modelcontextprotocol/client";
import {
  type Capability,
  type CapabilityDefinition,
  type Duration,
  defineCapability,
  type Effect,
  type ExecutionContext,
  type Idempotency,
  type JsonObject,
  jsonSchema,
  type Risk,
} from "@paraph/core";
import type { z } from "zod";
import type { McpServerClient } from "../connection/server-client.ts";
import type { FaultRule, ToolTerms } from "../profile/profile.ts";
import { type ReadTool, runPreviewRecipe, runProbeRecipe } from "../profile/recipe.ts";
import { fillText, fillValue } from "../profile/template.ts";
import { toContractInput, toContractOutput } from "./contract-schema.ts";
import { toToolErrorFault, toToolOutput } from "./tool-result.ts";

export interface ToolCapabilityContext {
  readonly adapter: string;
  readonly server: McpServerClient;
  readonly timeout: Duration;
  readonly faults: readonly FaultRule[];
  readonly look: ReadTool;
  /**
   * Returns the name of the capability for a tool of this server. Returns undefined if the tool has no approved
   * definition.
   */
  readonly capabilityOf: (tool: string) => string | undefined;
}

/** Creates the capability of a tool. Paraph assumes that a tool without terms can do anything. */
export function createMcpToolCapability(
  context: ToolCapabilityContext,
  verb: string,
  tool: Tool,
  terms: ToolTerms | undefined,
): Capability {
  return defineCapability(toCapabilityDefinition(context, verb, tool, terms));
}

function toCapabilityDefinition(
  { adapter, server, timeout, faults, look, capabilityOf }: ToolCapabilityContext,
  verb: string,
  tool: Tool,
  terms: ToolTerms | undefined,
): CapabilityDefinition<z.ZodType, z.ZodType> {
  const { effect, risk, idempotency } = readToolTraits(tool, terms);
  const { preview, probe, undo, locks = [] } = terms ?? {};
  return {
    name: `${adapter}.${verb}`,
    version: 1,
    summary: toSummary(tool.name, tool.title, tool.description),
    effect,
    risk,
    idempotency,
    input: jsonSchema(toContractInput(tool.inputSchema as JsonObject)),
    output: jsonSchema(toContractOutput(tool.outputSchema as JsonObject | undefined)),
    sensitive: terms?.sensitive ?? [],
    timeout: terms?.timeout ?? timeout,
    locks: (input) => locks.map((each) => `${adapter}:${fillText(each, { input: input as JsonObject })}`),
    apply: async (input, context) => {
      const result = await server.callTool(tool, input as JsonObject, effect, context);
      const fault = toToolErrorFault(result, faults);
      if (fault) throw fault;
      return toToolOutput(result);
    },
    ...(preview && {
      preview: (input, context) => runPreviewRecipe(preview, input as JsonObject, context, look, faults),
    }),
    ...(probe &&
      idempotency === "probe" && {
        probe: (input: unknown, context: ExecutionContext) =>
          runProbeRecipe(probe, preview, input as JsonObject, context, look, faults),
      }),
    ...(undo && {
      undo: (input, output) => {
        const capability = capabilityOf(undo.tool);
        const scope = { input: input as JsonObject, output: output as JsonObject };
        return capability === undefined
          ? undefined
          : { capability, input: fillValue(undo.arguments, scope) as JsonObject };
      },
    }),
  };
}

interface ToolTraits {
  readonly effect: Effect;
  readonly risk: Risk;
  readonly idempotency: Idempotency;
}

/**
 * [TRUST 7] Derives effect and risk. A server's annotations are only hints: Paraph trusts "destructive" and ignores
 * "harmless". Only a profile, which the operator chose, can lower the effect of a tool.
 */
export function readToolTraits({ annotations }: Tool, terms: ToolTerms | undefined): ToolTraits {
  const hinted = annotations?.destructiveHint === true && annotations.readOnlyHint !== true;
  const destroys = hinted && terms?.overHint !== true;
  if (!terms) return { effect: destroys ? "destroy" : "write", risk: "high", idempotency: "none" };
  const { effect, risk } = terms;
  if (!destroys) return { effect, risk: risk ?? defaultRisks[effect], idempotency: toIdempotency(terms) };
  return {
    effect: "destroy",
    risk: risk === "critical" ? "critical" : "high",
    idempotency: effect === "read" ? "none" : toIdempotency(terms),
  };
}

function toIdempotency({ effect, idempotency }: ToolTerms): Idempotency {
  return effect === "read" ? "natural" : (idempotency ?? "none");
}

const defaultRisks: Readonly<Record<Effect, Risk>> = { read: "low", write: "medium", destroy: "high" };

/** Returns one line for people. The full description is for the models that get the tool. */
export function toSummary(name: string, title: string | undefined, description: string | undefined): string {
  const line = title ?? description?.split(/\r?\n|(?<=\.)\s/, 1)[0]?.trim() ?? "";
  return (line === "" ? name : line).slice(0, 200);
}
