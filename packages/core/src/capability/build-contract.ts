import { z } from "zod";
import { type Duration, milliseconds } from "../config/duration.ts";
import type { JsonObject } from "../json.ts";
import type { CapabilityDefinition } from "./capability.ts";
import { type Contract, effects, idempotencies, risks } from "./contract.ts";
import { givenDocument } from "./json-schema/json-schema.ts";
import { retryPolicy } from "./retry.ts";

/**
 * The longest timeout of an attempt. With a longer timeout, the engine would start the attempt again while it is still
 * running.
 */
export const maxTimeoutMs = milliseconds("10m");

/** Returns the contract of a definition. Adds every fault of the definition to `faults`. */
export function buildContract<I extends z.ZodType, O extends z.ZodType>(
  d: CapabilityDefinition<I, O>,
  faults: string[],
): Contract {
  const need = (holds: boolean, fault: string) => holds || faults.push(fault);
  const guarded = <T>(otherwise: T, body: () => T, fault: (reason: string) => string): T => {
    try {
      return body();
    } catch (error) {
      faults.push(fault(error instanceof Error ? error.message : "unreadable"));
      return otherwise;
    }
  };

  need(
    /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/.test(d.name ?? ""),
    "name: write it as `adapter.verb`, in lower case",
  );
  need((d.name ?? "").length <= 128, "name: at most 128 characters");
  need(Number.isInteger(d.version) && d.version > 0, "version: must be a whole number of at least 1");
  need(
    typeof d.summary === "string" && d.summary.trim() !== "",
    "summary: must be one line that says what the capability does",
  );
  need(effects.includes(d.effect), `effect: one of ${effects.join(", ")}`);
  need(d.risk === undefined || risks.includes(d.risk), `risk: one of ${risks.join(", ")}`);
  need(idempotencies.includes(d.idempotency), `idempotency: one of ${idempotencies.join(", ")}`);
  const byAgent = d.performer === "agent";
  need(
    d.performer === undefined || byAgent,
    "performer: use `agent`, or omit it if Paraph performs the capability",
  );
  const composed = "compose" in d && d.compose !== undefined;
  if (byAgent) agentFaults(d, need);
  else if (composed) composedFaults(d, need);
  else need(typeof d.apply === "function", "apply: must be a function that performs the capability");
  need(
    d.idempotency !== "probe" || typeof d.probe === "function",
    'probe: `idempotency: "probe"` needs a function `probe`',
  );
  need(d.effect !== "read" || d.idempotency === "natural", "idempotency: must be `natural` for a read");
  need(d.effect !== "read" || d.undo === undefined, "undo: remove it, because a read has nothing to undo");

  const span = (name: "timeout" | "applyWithin" | "keyTtl", otherwise: Duration) =>
    guarded(
      milliseconds(otherwise),
      () => milliseconds(d[name] ?? otherwise),
      (reason) => `${name}: ${reason}`,
    );
  const timeoutMs = span("timeout", "30s");
  // An agent's attempt may take longer than an attempt by Paraph, because it blocks no segment of the engine. Paraph
  // only waits for the agent's report.
  const max: Duration = byAgent ? "24h" : "10m";
  need(timeoutMs > 0 && timeoutMs <= milliseconds(max), `timeout: must be more than 0 and at most ${max}`);
  const retry = guarded(
    retryPolicy(),
    () => retryPolicy(d.retry),
    (reason) => `retry: ${reason}`,
  );
  need(
    Number.isInteger(retry.retries) && retry.retries >= 0 && retry.retries <= 20,
    "retry.retries: must be a whole number from 0 to 20",
  );
  need(
    d.retry?.wait === undefined || typeof d.retry.wait === "function",
    "retry.wait: must be a function that returns a duration or `stop`",
  );

  const input = guarded(
    {},
    () => toSchema(d.input, "input"),
    (reason) => `input: must be a zod schema that converts to JSON Schema (${reason})`,
  );
  const output = guarded(
    {},
    () => toSchema(d.output, "output"),
    (reason) => `output: must be a zod schema that converts to JSON Schema (${reason})`,
  );
  for (const field of d.sensitive ?? []) {
    need(
      hasField(input, field) || hasField(output, field),
      `sensitive: \`${field}\` is in neither input nor output`,
    );
  }

  need(
    d.describedObject === undefined || hasField(input, d.describedObject.field),
    "describedObject: its `field` is not in the input",
  );

  return {
    name: d.name,
    version: d.version,
    summary: d.summary,
    effect: d.effect,
    risk: d.risk ?? ({ read: "low", write: "medium", destroy: "high" } as const)[d.effect],
    idempotency: d.idempotency,
    previews: d.preview !== undefined || ("steps" in d && d.steps !== undefined),
    input,
    output,
    sensitive: [...(d.sensitive ?? [])],
    timeoutMs,
    applyWithinMs: span("applyWithin", "1h"),
    keyTtlMs: span("keyTtl", "23h"),
    retry,
    ...(byAgent && { performer: "agent" }),
    ...(composed && { composite: true }),
  };
}

/**
 * Rejects a definition that needs something that Paraph cannot do for an agent's call. Paraph neither performs such a
 * call nor sees its effect, so it cannot apply, probe, lock or repeat the call.
 */
function agentFaults(
  d: CapabilityDefinition<z.ZodType, z.ZodType>,
  need: (holds: boolean, fault: string) => unknown,
): void {
  need(d.apply === undefined, "apply: remove it, because the agent performs this capability");
  need(d.probe === undefined, "probe: remove it, because the agent performs this capability");
  need(d.locks === undefined, "locks: remove them, because Paraph cannot hold locks for an agent");
  need(
    d.effect === "read" || d.idempotency === "none",
    "idempotency: must be `none`, because Paraph cannot repeat a call that the agent performs",
  );
}

/**
 * Rejects a composite that makes promises about its own effect. A composite has no effect of its own, because only its
 * steps act.
 */
function composedFaults(
  d: CapabilityDefinition<z.ZodType, z.ZodType>,
  need: (holds: boolean, fault: string) => unknown,
): void {
  need(d.apply === undefined, "apply: remove it, because a composite uses `compose` instead");
  need(d.probe === undefined, "probe: remove it, because Paraph probes the steps of a composite");
  need(
    d.idempotency === "natural",
    "idempotency: must be `natural` for a composite, because Paraph reruns its code from the start",
  );
  need(d.undo === undefined, "undo: remove it, because Paraph undoes the steps of a composite");
  need(d.answer === undefined, "answer: remove it, and use a step with `human.ask` instead");
}

function toSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const given = givenDocument(schema);
  if (given) return given;
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io, target: "draft-2020-12" })));
}

/**
 * Returns whether a schema has a field. `a.b` names property b of property a. Lists, `allOf`, `anyOf` and `oneOf` are
 * searched as well.
 */
function hasField(schema: JsonObject, path: string): boolean {
  const [name = "", ...rest] = path.split(".");
  return listForms(schema).some(({ properties }) => {
    const field = (properties as JsonObject | undefined)?.[name] as JsonObject | undefined;
    return field !== undefined && (rest.length === 0 || hasField(field, rest.join(".")));
  });
}

function listForms(schema: JsonObject): readonly JsonObject[] {
  const { items, allOf, anyOf, oneOf } = schema;
  const forms = [items, allOf, anyOf, oneOf]
    .flat()
    .filter((form) => typeof form === "object" && form !== null);
  return [schema, ...forms.flatMap((form) => listForms(form as JsonObject))];
}
