import { z } from "zod";
import type { Contract, Effect, Idempotency, Risk } from "./contract.ts";
import { effects, idempotencies, risks } from "./contract.ts";
import { digest } from "./digest.ts";
import { type Duration, milliseconds } from "./duration.ts";
import type { Json, JsonObject } from "./json.ts";
import { ParaphError } from "./paraph-error.ts";
import type { Principal } from "./principal.ts";
import { type RetryOptions, retryPolicy } from "./retry.ts";

/** A contract with the code that carries it out. */
export interface Capability {
  readonly contract: Contract;
  /** Over the contract's data: tells whether two processes mean the same thing by one name and version. */
  readonly contractDigest: string;
  parseInput(raw: Json): Parsed;
  parseOutput(raw: unknown): Parsed;
  locks(input: Json): readonly string[];
  preview?(input: Json, world: World): Promise<Preview>;
  apply(input: Json, world: World): Promise<unknown>;
  probe?(input: Json, world: World): Promise<Probe>;
  undo?(input: Json, output: Json): Undo | undefined;
  /** What a call will cost at most, in minor units: reserved at the intent, held against budgets and grants. */
  cost?(input: Json): number;
  /** What it did cost, once its output is known; without it, what was reserved. */
  spent?(input: Json, output: Json): number;
  /** Where people are asked for more than a yes: whether this is an answer to this input. Such a call is always asked. */
  parseAnswer?(input: Json, raw: Json): Parsed;
}

export type Parsed =
  | { readonly kind: "valid"; readonly value: Json }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** What a capability is handed: nothing else of the world is its business. */
export interface World {
  readonly tenant: string;
  /** Who asked. */
  readonly principal: Principal;
  /** Who approved what is being done, and in which of the wanted groups they were. */
  readonly approvers: readonly { readonly by: string; readonly groups: readonly string[] }[];
  readonly call: string;
  /** The key for outside systems that deduplicate: the call's id, the same at every attempt. */
  readonly key: string;
  readonly attempt: number;
  /** The basis that was approved or last looked at; a conditional effect compares against it. */
  readonly basis: Json | undefined;
  /** What the person who approved answered, where the capability asks for an answer. */
  readonly answer?: Json;
  readonly signal: AbortSignal;
  credential(name: string): Promise<string>;
}

/** What would change, and the facts that rests on. */
export interface Preview {
  readonly changes: readonly Change[];
  readonly basis: Json;
}

export interface Change {
  readonly kind: "create" | "update" | "delete" | "move" | "send" | "run" | "other";
  readonly target: string;
  /** One line for people. */
  readonly summary?: string;
  /** Unified diff, where the change is to text. */
  readonly diff?: string;
  readonly details?: JsonObject;
}

export type Probe =
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly output: Json }
  | { readonly kind: "unsure" };

/** The way back, as data: a call like any other. */
export interface Undo {
  readonly capability: string;
  readonly input: Json;
}

export interface CapabilityDefinition<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly effect: Effect;
  /** Unless said: low for a read, medium for a write, high for a destroy. */
  readonly risk?: Risk;
  readonly idempotency: Idempotency;
  readonly input: I;
  readonly output: O;
  readonly sensitive?: readonly string[];
  readonly timeout?: Duration;
  readonly applyWithin?: Duration;
  readonly keyTtl?: Duration;
  readonly retry?: RetryOptions;
  readonly locks?: (input: z.output<I>) => readonly string[];
  readonly preview?: (input: z.output<I>, world: World) => Promise<Preview>;
  readonly apply: (input: z.output<I>, world: World) => Promise<z.input<O>>;
  readonly probe?: (input: z.output<I>, world: World) => Promise<Probe>;
  readonly undo?: (input: z.output<I>, output: z.output<O>) => Undo | undefined;
  readonly cost?: (input: z.output<I>) => number;
  readonly spent?: (input: z.output<I>, output: z.output<O>) => number;
  /** The schema of what a person answers to this input; people are then always asked. */
  readonly answer?: (input: z.output<I>) => z.ZodType;
}

/** Past this an attempt would outlive the engine's patience and be started a second time beside itself. */
export const longestTimeoutMs = milliseconds("10m");

/** [P11] A definition that misses something fails here, with every fault in one message. */
export function defineCapability<I extends z.ZodType, O extends z.ZodType>(
  definition: CapabilityDefinition<I, O>,
): Capability {
  const faults: string[] = [];
  const contract = contractOf(definition, faults);
  if (faults.length > 0) {
    const list = faults.map((fault) => `\n  - ${fault}`).join("");
    throw new ParaphError(
      "capability-invalid",
      `\`${String(definition.name)}\` is not a capability yet:${list}`,
    );
  }
  const { preview, probe, undo, cost, spent, answer } = definition;
  return Object.freeze({
    contract,
    contractDigest: digest(contract as unknown as Json),
    parseInput: (raw: Json) => parse(definition.input, raw),
    parseOutput: (raw: unknown) => parse(definition.output, raw),
    locks: (input: Json) => [...new Set(definition.locks?.(input as z.output<I>) ?? [])].sort(),
    apply: (input: Json, world: World) => definition.apply(input as z.output<I>, world),
    ...(preview && { preview: (input: Json, world: World) => preview(input as z.output<I>, world) }),
    ...(probe && { probe: (input: Json, world: World) => probe(input as z.output<I>, world) }),
    ...(undo && { undo: (input: Json, output: Json) => undo(input as z.output<I>, output as z.output<O>) }),
    ...(cost && { cost: (input: Json) => cost(input as z.output<I>) }),
    ...(spent && {
      spent: (input: Json, output: Json) => spent(input as z.output<I>, output as z.output<O>),
    }),
    ...(answer && {
      parseAnswer: (input: Json, raw: Json) => parse(answer(input as z.output<I>), raw),
    }),
  });
}

function contractOf<I extends z.ZodType, O extends z.ZodType>(
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
  need(Number.isInteger(d.version) && d.version > 0, "version: a whole number from 1");
  need(typeof d.summary === "string" && d.summary.trim() !== "", "summary: one line that says what it does");
  need(effects.includes(d.effect), `effect: one of ${effects.join(", ")}`);
  need(d.risk === undefined || risks.includes(d.risk), `risk: one of ${risks.join(", ")}`);
  need(idempotencies.includes(d.idempotency), `idempotency: one of ${idempotencies.join(", ")}`);
  need(typeof d.apply === "function", "apply: the code that carries it out");
  need(
    d.idempotency !== "probe" || typeof d.probe === "function",
    'probe: `idempotency: "probe"` needs the code that asks',
  );
  need(d.effect !== "read" || d.idempotency === "natural", "idempotency: a read is `natural`");
  need(d.effect !== "read" || d.undo === undefined, "undo: a read has nothing to undo");

  const span = (name: "timeout" | "applyWithin" | "keyTtl", otherwise: Duration) =>
    guarded(
      milliseconds(otherwise),
      () => milliseconds(d[name] ?? otherwise),
      (reason) => `${name}: ${reason}`,
    );
  const timeoutMs = span("timeout", "30s");
  need(timeoutMs > 0 && timeoutMs <= longestTimeoutMs, "timeout: more than nothing and at most 10m");
  const retry = guarded(
    retryPolicy(),
    () => retryPolicy(d.retry),
    (reason) => `retry: ${reason}`,
  );
  need(
    Number.isInteger(retry.retries) && retry.retries >= 0 && retry.retries <= 20,
    "retry.retries: a whole number from 0 to 20",
  );

  const input = guarded(
    {},
    () => schemaOf(d.input, "input"),
    (reason) => `input: a zod schema with a JSON Schema form (${reason})`,
  );
  const output = guarded(
    {},
    () => schemaOf(d.output, "output"),
    (reason) => `output: a zod schema with a JSON Schema form (${reason})`,
  );
  for (const field of d.sensitive ?? []) {
    need(
      hasField(input, field) || hasField(output, field),
      `sensitive: \`${field}\` is in neither input nor output`,
    );
  }

  return {
    name: d.name,
    version: d.version,
    summary: d.summary,
    effect: d.effect,
    risk: d.risk ?? ({ read: "low", write: "medium", destroy: "high" } as const)[d.effect],
    idempotency: d.idempotency,
    previews: d.preview !== undefined,
    input,
    output,
    sensitive: [...(d.sensitive ?? [])],
    timeoutMs,
    applyWithinMs: span("applyWithin", "1h"),
    keyTtlMs: span("keyTtl", "23h"),
    retry,
  };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io, target: "draft-2020-12" })));
}

/** `a.b` names property b of property a; `[]` steps are not needed: an array's items are looked through. */
function hasField(schema: JsonObject, path: string): boolean {
  let here: JsonObject | undefined = schema;
  for (const name of path.split(".")) {
    const step: JsonObject = (here?.items as JsonObject | undefined) ?? here ?? {};
    here = (step.properties as JsonObject | undefined)?.[name] as JsonObject | undefined;
    if (!here) return false;
  }
  return true;
}

/** [P11] Faults name the place and the rule, never the value: they travel to callers and into tests' output. */
function parse(schema: z.ZodType, raw: unknown): Parsed {
  try {
    const result = schema.safeParse(raw);
    if (result.success) return { kind: "valid", value: JSON.parse(JSON.stringify(result.data ?? null)) };
    const faults = result.error.issues
      .slice(0, 20)
      .map((issue) => `${issue.path.join(".") || "(the whole)"}: ${issue.message}`);
    return { kind: "invalid", faults };
  } catch {
    // A schema's own code threw, or made something that is not JSON.
    return { kind: "invalid", faults: ["(the whole): the schema could not be applied"] };
  }
}
