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
import { faultOfTool, outputOf } from "./answer.ts";
import type { FaultRule, ToolTerms } from "./profile.ts";
import { type Look, previewed, probed } from "./recipe.ts";
import { inputSchemaOf, outputSchemaOf } from "./schema.ts";
import type { Server } from "./server.ts";
import { asText, filled } from "./template.ts";

export interface ToolSetting {
  readonly adapter: string;
  readonly server: Server;
  readonly timeout: Duration;
  readonly faults: readonly FaultRule[];
  readonly look: Look;
  /** The capability that a tool of this server is. */
  readonly capabilityOf: (tool: string) => string | undefined;
}

/** A tool as a capability. Without terms nothing is known of it but that it may do anything. */
export function toolCapability(
  setting: ToolSetting,
  verb: string,
  tool: Tool,
  terms: ToolTerms | undefined,
): Capability {
  return defineCapability(definitionOf(setting, verb, tool, terms));
}

function definitionOf(
  { adapter, server, timeout, faults, look, capabilityOf }: ToolSetting,
  verb: string,
  tool: Tool,
  terms: ToolTerms | undefined,
): CapabilityDefinition<z.ZodType, z.ZodType> {
  const { effect, risk, idempotency } = natureOf(tool, terms);
  const { preview, probe, undo, locks = [] } = terms ?? {};
  return {
    name: `${adapter}.${verb}`,
    version: 1,
    summary: summaryOf(tool.name, tool.title, tool.description),
    effect,
    risk,
    idempotency,
    input: jsonSchema(inputSchemaOf(tool.inputSchema as JsonObject)),
    output: jsonSchema(outputSchemaOf(tool.outputSchema as JsonObject | undefined)),
    sensitive: terms?.sensitive ?? [],
    timeout: terms?.timeout ?? timeout,
    locks: (input) => locks.map((each) => `${adapter}:${asText(each, { input: input as JsonObject })}`),
    apply: async (input, world) => {
      const result = await server.call(tool, input as JsonObject, effect, world);
      const fault = faultOfTool(result, faults);
      if (fault) throw fault;
      return outputOf(result);
    },
    ...(preview && {
      preview: (input, world) => previewed(preview, input as JsonObject, world, look, faults),
    }),
    ...(probe &&
      idempotency === "probe" && {
        probe: (input: unknown, world: ExecutionContext) =>
          probed(probe, preview, input as JsonObject, world, look, faults),
      }),
    ...(undo && {
      undo: (input, output) => {
        const capability = capabilityOf(undo.tool);
        const scope = { input: input as JsonObject, output: output as JsonObject };
        return capability === undefined
          ? undefined
          : { capability, input: filled(undo.arguments, scope) as JsonObject };
      },
    }),
  };
}

interface Nature {
  readonly effect: Effect;
  readonly risk: Risk;
  readonly idempotency: Idempotency;
}

/**
 * [TRUST 7] What a server says of its own tools are hints: one that says "destructive" is believed, one that says
 * "harmless" is not. Only a profile, which the operator chose, makes a tool less than it could be.
 */
export function natureOf({ annotations }: Tool, terms: ToolTerms | undefined): Nature {
  const hinted = annotations?.destructiveHint === true && annotations.readOnlyHint !== true;
  const destroys = hinted && terms?.overHint !== true;
  if (!terms) return { effect: destroys ? "destroy" : "write", risk: "high", idempotency: "none" };
  const { effect, risk } = terms;
  if (!destroys) return { effect, risk: risk ?? usual[effect], idempotency: idempotencyOf(terms) };
  return {
    effect: "destroy",
    risk: risk === "critical" ? "critical" : "high",
    idempotency: effect === "read" ? "none" : idempotencyOf(terms),
  };
}

function idempotencyOf({ effect, idempotency }: ToolTerms): Idempotency {
  return effect === "read" ? "natural" : (idempotency ?? "none");
}

const usual: Readonly<Record<Effect, Risk>> = { read: "low", write: "medium", destroy: "high" };

/** One line for people; the whole description is for the models that are offered the tool. */
export function summaryOf(name: string, title: string | undefined, description: string | undefined): string {
  const line = title ?? description?.split(/\r?\n|(?<=\.)\s/, 1)[0]?.trim() ?? "";
  return (line === "" ? name : line).slice(0, 200);
}
