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

/** Creates the capability of an operation. `reader` is the operation that reads the resource to change. */
export function createOperationCapability(
  openApiContext: OpenApiContext,
  operation: ApiOperation,
  reader: ApiOperation | undefined,
): Capability {
  try {
    return defineCapability(toCapabilityDefinition(openApiContext, operation, reader));
  } catch (error) {
    // The error lists all faults of the definition, but the reason for skipping the operation quotes only the first
    // fault.
    if (error instanceof ParaphError)
      throw new UnusableOperation(error.message.split("\n  - ")[1] ?? error.message);
    throw error;
  }
}

function toCapabilityDefinition(
  openApiContext: OpenApiContext,
  operation: ApiOperation,
  reader: ApiOperation | undefined,
): CapabilityDefinition<z.ZodType, z.ZodType> {
  const { terms, method } = operation;
  const idempotency = toIdempotency(operation, reader);
  return {
    name: `${openApiContext.name}.${operation.verb}`,
    version: 1,
    summary: operation.summary,
    effect: operation.effect,
    ...(terms.risk && { risk: terms.risk }),
    idempotency,
    input: jsonSchema(operation.input),
    output: createOutputSchema(operation.sensitiveOutput),
    sensitive: operation.sensitive,
    timeout: terms.timeout ?? openApiContext.timeout,
    ...(terms.keyTtl && { keyTtl: terms.keyTtl }),
    locks: (input) => listLocks(openApiContext, operation, input as JsonObject),
    apply: async (input, context) => {
      // Sends a repeated attempt of a `natural` operation without conditions. Otherwise the attempt would fail because
      // of the change that an earlier attempt made.
      const repeated = idempotency === "natural" && context.attempt > 1;
      const conditions =
        reader && !repeated ? toConditionHeaders(parseStateBasis(context.basis), method) : {};
      return sendOperation(openApiContext, operation, input as JsonObject, context, conditions);
    },
    ...(reader && { preview: createPreview(openApiContext, operation, reader) }),
    ...(reader &&
      idempotency === "probe" && {
        probe: (input: unknown, context: ExecutionContext) =>
          probeOperation(openApiContext, operation, reader, input as JsonObject, context),
      }),
  };
}

function createPreview(openApiContext: OpenApiContext, operation: ApiOperation, reader: ApiOperation) {
  return async (raw: unknown, context: ExecutionContext): Promise<Preview> => {
    const input = raw as JsonObject;
    const current = await readCurrentState(openApiContext, reader, input, context);
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

/** Lists the locks, which make writes to the same resource run one after the other. */
function listLocks(
  openApiContext: OpenApiContext,
  { terms, effect, path, parameters }: ApiOperation,
  input: JsonObject,
): string[] {
  const single = effect !== "read" && parameters.some((each) => each.in === "path") ? [path] : [];
  return (terms.locks ?? single).map((template) => {
    const filled = template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
      const field = parameters.find((each) => each.in === "path" && each.name === name)?.field ?? name;
      return encodeComponent(String(input[field] ?? ""));
    });
    return `${openApiContext.name}:${filled}`;
  });
}
