import type { z } from "zod";
import type { Duration } from "../config/duration.ts";
import type { Json, JsonObject } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Principal } from "../principal.ts";
import { digest } from "../receipts/digest.ts";
import { buildContract } from "./build-contract.ts";
import type { Composer, PlannedStep, Visibility } from "./composite.ts";
import type { Contract, Effect, Idempotency, Risk } from "./contract.ts";
import { CapabilityError } from "./fault.ts";
import type { RetryOptions } from "./retry.ts";

/** A contract with the code that carries it out. */
export interface Capability {
  readonly contract: Contract;
  /** Over the contract's data: tells whether two processes mean the same thing by one name and version. */
  readonly contractDigest: string;
  parseInput(raw: Json): Parsed;
  parseOutput(raw: unknown): Parsed;
  locks(input: Json): readonly string[];
  preview?(input: Json, world: ExecutionContext): Promise<Preview>;
  apply(input: Json, world: ExecutionContext): Promise<unknown>;
  probe?(input: Json, world: ExecutionContext): Promise<Probe>;
  undo?(input: Json, output: Json): Undo | undefined;
  /** What a call will cost at most, in minor units: reserved at the intent, held against budgets and grants. */
  cost?(input: Json): number;
  /** What it did cost, once its output is known; without it, what was reserved. */
  spent?(input: Json, output: Json): number;
  /** How many tokens of a language model it used, where it knows. */
  tokens?(input: Json, output: Json): Tokens | undefined;
  /** Where people are asked for more than a yes: whether this is an answer to this input. Such a call is always asked. */
  parseAnswer?(input: Json, raw: Json): Parsed;
  /** A composite has this and no `apply`: deterministic code that touches the world only through governed calls. */
  compose?(input: Json, call: Composer): Promise<unknown>;
  /** What it rests on is away: it is known and ruled on, but nothing is accepted, previewed or performed meanwhile. */
  readonly unavailable?: Unavailability;
  /** The steps of a composite, where they can be told before it starts: they are ruled on and previewed with the whole. */
  steps?(input: Json): readonly PlannedStep[];
}

/** Why a capability cannot be used for now. `says`: one sentence for people. */
export interface Unavailability {
  readonly code: string;
  readonly message: string;
}

/** Tokens that a language model read and wrote. */
export interface Tokens {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

export type Parsed =
  | { readonly kind: "valid"; readonly value: Json }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** What a capability is handed: nothing else of the world is its business. */
export interface ExecutionContext {
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
  /** Tells whoever watches how far it is: shown while it lasts, never part of the record. */
  progress(said: Progress): void;
}

/** How far an attempt is, as far as it can tell. */
export interface Progress {
  /** One line for people. */
  readonly message?: string;
  /** From 0 to 1. */
  readonly fraction?: number;
  /** What it has put out since it last said anything. */
  readonly output?: string;
}

/** What would change, and the facts that rests on. */
export interface Preview {
  readonly changes: readonly Change[];
  readonly basis: Json;
  /** Of a whole that is made of steps: whose the changes are, in order. */
  readonly steps?: readonly StepPreview[];
}

/** What is known of one step before the whole is asked about. */
export interface StepPreview {
  readonly id: string;
  readonly capability: string;
  readonly version: number;
  readonly effect: Effect;
  readonly risk: Risk;
  /** How many of the changes, in order, are this step's. */
  readonly changes: number;
  readonly basis: Json;
  /** Whether what it would change was looked at: its capability may have no preview, or it may be too early. */
  readonly seen: boolean;
  /** Whether all of its input is: a value may be taken from an earlier step's output. */
  readonly known: boolean;
  /** Earlier steps that what it shows rests on: it is looked at again once they are done. */
  readonly restsOn: readonly string[];
  /** In minor units. */
  readonly cost: number;
  readonly visibility: Visibility;
}

export interface Change {
  readonly kind: "create" | "update" | "delete" | "move" | "send" | "run" | "other";
  readonly target: string;
  /** One line for people. */
  readonly summary?: string;
  /** Unified diff, where the change is to text. */
  readonly diff?: string;
  readonly details?: JsonObject;
  /** Some of what would be done is not in the preview. People are not asked to approve what they cannot see. */
  readonly incomplete?: true;
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

export type CapabilityDefinition<I extends z.ZodType, O extends z.ZodType> =
  | PerformedByParaph<I, O>
  | PerformedByAgent<I, O>
  | Composed<I, O>;

/** What every capability says of itself. */
interface Terms<I extends z.ZodType, O extends z.ZodType> {
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
  readonly preview?: (input: z.output<I>, world: ExecutionContext) => Promise<Preview>;
  readonly undo?: (input: z.output<I>, output: z.output<O>) => Undo | undefined;
  readonly cost?: (input: z.output<I>) => number;
  readonly spent?: (input: z.output<I>, output: z.output<O>) => number;
  readonly tokens?: (input: z.output<I>, output: z.output<O>) => Tokens | undefined;
  /** The schema of what a person answers to this input; people are then always asked. */
  readonly answer?: (input: z.output<I>) => z.ZodType;
}

export interface PerformedByParaph<I extends z.ZodType, O extends z.ZodType> extends Terms<I, O> {
  readonly performer?: undefined;
  readonly locks?: (input: z.output<I>) => readonly string[];
  readonly apply: (input: z.output<I>, world: ExecutionContext) => Promise<z.input<O>>;
  readonly probe?: (input: z.output<I>, world: ExecutionContext) => Promise<Probe>;
}

/** Ruled on, asked about and proven here, and carried out in the process of the agent that asked. */
interface PerformedByAgent<I extends z.ZodType, O extends z.ZodType> extends Terms<I, O> {
  readonly performer: "agent";
  readonly locks?: undefined;
  readonly apply?: undefined;
  readonly probe?: undefined;
}

/** Does what it does through governed calls of other capabilities: [P13]. */
interface Composed<I extends z.ZodType, O extends z.ZodType> extends Terms<I, O> {
  readonly performer?: undefined;
  readonly compose: (input: z.output<I>, call: Composer) => Promise<z.input<O>>;
  readonly steps?: (input: z.output<I>) => readonly PlannedStep[];
  /** Held from before its first step to its end; its steps may then use no other keys. */
  readonly locks?: (input: z.output<I>) => readonly string[];
  readonly apply?: undefined;
  readonly probe?: undefined;
}

/** [P11] A definition that misses something fails here, with every fault in one message. */
export function defineCapability<I extends z.ZodType, O extends z.ZodType>(
  definition: CapabilityDefinition<I, O>,
): Capability {
  const faults: string[] = [];
  const contract = buildContract(definition, faults);
  if (faults.length > 0) {
    const list = faults.map((fault) => `\n  - ${fault}`).join("");
    throw new ParaphError(
      "capability-invalid",
      `\`${String(definition.name)}\` is not a capability yet:${list}`,
    );
  }
  const { preview, apply, probe, undo, cost, spent, tokens, answer } = definition;
  const { compose, steps } = "compose" in definition ? definition : {};
  return Object.freeze({
    contract,
    contractDigest: digest(contract as unknown as Json),
    parseInput: (raw: Json) => parse(definition.input, raw),
    parseOutput: (raw: unknown) => parse(definition.output, raw),
    locks: (input: Json) => [...new Set(definition.locks?.(input as z.output<I>) ?? [])].sort(),
    apply: (input: Json, world: ExecutionContext) =>
      apply ? apply(input as z.output<I>, world) : rejectAgentPerformed(),
    ...(preview && {
      preview: (input: Json, world: ExecutionContext) => preview(input as z.output<I>, world),
    }),
    ...(probe && { probe: (input: Json, world: ExecutionContext) => probe(input as z.output<I>, world) }),
    ...(undo && { undo: (input: Json, output: Json) => undo(input as z.output<I>, output as z.output<O>) }),
    ...(cost && { cost: (input: Json) => cost(input as z.output<I>) }),
    ...(spent && {
      spent: (input: Json, output: Json) => spent(input as z.output<I>, output as z.output<O>),
    }),
    ...(tokens && {
      tokens: (input: Json, output: Json) => tokens(input as z.output<I>, output as z.output<O>),
    }),
    ...(answer && {
      parseAnswer: (input: Json, raw: Json) => parse(answer(input as z.output<I>), raw),
    }),
    ...(compose && { compose: (input: Json, call: Composer) => compose(input as z.output<I>, call) }),
    ...(steps && { steps: (input: Json) => steps(input as z.output<I>) }),
  });
}

/** Where the agent performs, nothing here ever may. */
async function rejectAgentPerformed(): Promise<never> {
  throw new CapabilityError("not-performed", "agent-performs", "Only the agent that asked performs this.");
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
