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
import { toOperationChanges } from "./changes.ts";
import { parseStateBasis, readCurrentState, toConditionHeaders, toStateBasis } from "./current-state.ts";
import { UnusableOperation } from "./document-node.ts";
import type { ApiOperation } from "./operation.ts";
import { createOutputSchema } from "./output.ts";
import { probeOperation } from "./probe.ts";
import { encodeComponent, fillPath } from "./request-url.ts";
import { type OpenApiContext, sendOperation } from "./send-operation.ts";

/** Creates the capability of an operation. `reader` is the operation that reads the resource which this one changes. */
export function createOperationCapability(
  setting: OpenApiContext,
  operation: ApiOperation,
  reader: ApiOperation | undefined,
): Capability {
  try {
    return defineCapability(toCapabilityDefinition(setting, operation, reader));
  } catch (error) {
    // Only the first fault, without the list around it.
    if (error instanceof ParaphError)
      throw new UnusableOperation(error.message.split("\n  - ")[1] ?? error.message);
    throw error;
  }
}

function toCapabilityDefinition(
  setting: OpenApiContext,
  operation: ApiOperation,
  reader: ApiOperation | undefined,
): CapabilityDefinition<z.ZodType, z.ZodType> {
  const { terms, method } = operation;
  const idempotency = toIdempotency(operation, reader);
  return {
    name: `${setting.name}.${operation.verb}`,
    version: 1,
    summary: operation.summary,
    effect: operation.effect,
    ...(terms.risk && { risk: terms.risk }),
    idempotency,
    input: jsonSchema(operation.input),
    output: createOutputSchema(operation.sensitiveOutput),
    sensitive: operation.sensitive,
    timeout: terms.timeout ?? setting.timeout,
    ...(terms.keyTtl && { keyTtl: terms.keyTtl }),
    locks: (input) => listLocks(setting, operation, input as JsonObject),
    apply: async (input, world) => {
      // A natural operation that is repeated must not fail on the change that it made itself.
      const repeated = idempotency === "natural" && world.attempt > 1;
      const conditions = reader && !repeated ? toConditionHeaders(parseStateBasis(world.basis), method) : {};
      return sendOperation(setting, operation, input as JsonObject, world, conditions);
    },
    ...(reader && { preview: createPreview(setting, operation, reader) }),
    ...(reader &&
      idempotency === "probe" && {
        probe: (input: unknown, world: ExecutionContext) =>
          probeOperation(setting, operation, reader, input as JsonObject, world),
      }),
  };
}

function createPreview(setting: OpenApiContext, operation: ApiOperation, reader: ApiOperation) {
  return async (raw: unknown, world: ExecutionContext): Promise<Preview> => {
    const input = raw as JsonObject;
    const current = await readCurrentState(setting, reader, input, world);
    const target = fillPath(operation.path, operation.parameters, input);
    return { changes: toOperationChanges(operation, target, current, input), basis: toStateBasis(current) };
  };
}

/** [P7] Derives the idempotency from the method, unless the terms state it. */
function toIdempotency(
  { effect, method, keyHeader, terms }: ApiOperation,
  reader: ApiOperation | undefined,
): Idempotency {
  if (effect === "read") return "natural";
  if (terms.idempotency) return terms.idempotency;
  if (keyHeader !== undefined) return "keyed";
  if (reader && method !== "POST") return "probe";
  return method === "PUT" || method === "DELETE" ? "natural" : "none";
}

/** Lists the locks. Writes to the same resource run one after the other. */
function listLocks(
  setting: OpenApiContext,
  { terms, effect, path, parameters }: ApiOperation,
  input: JsonObject,
): string[] {
  const single = effect !== "read" && parameters.some((each) => each.in === "path") ? [path] : [];
  return (terms.locks ?? single).map((template) => {
    const filled = template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
      const field = parameters.find((each) => each.in === "path" && each.name === name)?.field ?? name;
      return encodeComponent(String(input[field] ?? ""));
    });
    return `${setting.name}:${filled}`;
  });
}
