import {
  type Capability,
  type CapabilityDefinition,
  defineCapability,
  type ExecutionContext,
  type Idempotency,
  type JsonObject,
  jsonSchema,
  ParaphError,
  type Preview,
} from "@paraph/core";
import type { z } from "zod";
import { approvedBasis, basisOf, conditionsOf, look } from "./current.ts";
import { changesOf } from "./difference.ts";
import { Unusable } from "./node.ts";
import type { Operation } from "./operation.ts";
import { outputSchema } from "./output.ts";
import { encoded, pathOf } from "./place.ts";
import { probe } from "./probe.ts";
import { type Setting, send } from "./send.ts";

/** An operation as a capability. `reader`: the one that reads what it changes. */
export function capabilityOf(
  setting: Setting,
  operation: Operation,
  reader: Operation | undefined,
): Capability {
  try {
    return defineCapability(definitionOf(setting, operation, reader));
  } catch (error) {
    // The first of its faults, without the list around it.
    if (error instanceof ParaphError) throw new Unusable(error.message.split("\n  - ")[1] ?? error.message);
    throw error;
  }
}

function definitionOf(
  setting: Setting,
  operation: Operation,
  reader: Operation | undefined,
): CapabilityDefinition<z.ZodType, z.ZodType> {
  const { terms, method } = operation;
  const idempotency = idempotencyOf(operation, reader);
  return {
    name: `${setting.name}.${operation.verb}`,
    version: 1,
    summary: operation.summary,
    effect: operation.effect,
    ...(terms.risk && { risk: terms.risk }),
    idempotency,
    input: jsonSchema(operation.input),
    output: outputSchema(operation.sensitiveOutput),
    sensitive: operation.sensitive,
    timeout: terms.timeout ?? setting.timeout,
    ...(terms.keyTtl && { keyTtl: terms.keyTtl }),
    locks: (input) => locksOf(setting, operation, input as JsonObject),
    apply: async (input, world) => {
      // What runs again because it comes to the same must not stumble over what it did itself.
      const repeated = idempotency === "natural" && world.attempt > 1;
      const conditions = reader && !repeated ? conditionsOf(approvedBasis(world.basis), method) : {};
      return send(setting, operation, input as JsonObject, world, conditions);
    },
    ...(reader && { preview: previewBy(setting, operation, reader) }),
    ...(reader &&
      idempotency === "probe" && {
        probe: (input: unknown, world: ExecutionContext) =>
          probe(setting, operation, reader, input as JsonObject, world),
      }),
  };
}

function previewBy(setting: Setting, operation: Operation, reader: Operation) {
  return async (raw: unknown, world: ExecutionContext): Promise<Preview> => {
    const input = raw as JsonObject;
    const current = await look(setting, reader, input, world);
    const target = pathOf(operation.path, operation.parameters, input);
    return { changes: changesOf(operation, target, current, input), basis: basisOf(current) };
  };
}

/** [P7] What may be done about an attempt whose end nobody saw follows from the method, unless it is said. */
function idempotencyOf(
  { effect, method, keyHeader, terms }: Operation,
  reader: Operation | undefined,
): Idempotency {
  if (effect === "read") return "natural";
  if (terms.idempotency) return terms.idempotency;
  if (keyHeader !== undefined) return "keyed";
  if (reader && method !== "POST") return "probe";
  return method === "PUT" || method === "DELETE" ? "natural" : "none";
}

/** What is written to one thing is written one after the other. */
function locksOf(
  setting: Setting,
  { terms, effect, path, parameters }: Operation,
  input: JsonObject,
): string[] {
  const single = effect !== "read" && parameters.some((each) => each.in === "path") ? [path] : [];
  return (terms.locks ?? single).map((template) => {
    const filled = template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
      const field = parameters.find((each) => each.in === "path" && each.name === name)?.field ?? name;
      return encoded(String(input[field] ?? ""));
    });
    return `${setting.name}:${filled}`;
  });
}
