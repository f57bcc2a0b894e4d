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
import { formatIssue } from "./format-issue.ts";
import type { FoundObject } from "./found-object.ts";
import type { RetryOptions, RetryStrategy } from "./retry.ts";

/** A contract together with the code that performs it. */
export interface Capability {
  readonly contract: Contract;
  /**
   * The digest of the contract's data. It tells whether two processes have the same contract for one name and version.
   */
  readonly contractDigest: string;
  parseInput(raw: Json): Parsed;
  parseOutput(raw: unknown): Parsed;
  locks(input: Json): readonly string[];
  preview?(input: Json, context: ExecutionContext): Promise<Preview>;
  apply(input: Json, context: ExecutionContext): Promise<unknown>;
  probe?(input: Json, context: ExecutionContext): Promise<Probe>;
  undo?(input: Json, output: Json): Undo | undefined;
  /**
   * Returns the maximum cost of a call in minor units. Paraph checks this cost against budgets and grants, and the
   * intent reserves it.
   */
  cost?(input: Json): number;
  /**
   * Returns one line that says what the call does, such as `Refund €12.50 to Jon Ash`. In both arguments, sensitive
   * fields are masked with `•••`.
   */
  headline?(input: Json, preview: Preview | undefined): string;
  /** Chooses the wait before a retry that is safe, instead of the contract's back-off. */
  readonly retryStrategy?: RetryStrategy;
  /** Returns the actual cost once the output is known. Without this method, the reserved amount counts. */
  spent?(input: Json, output: Json): number;
  /** Returns the number of language model tokens that the call used, if the capability knows that number. */
  tokens?(input: Json, output: Json): Tokens | undefined;
  /**
   * Validates a person's answer to this input, for a capability that asks people for more than an approval. Paraph
   * always asks people about calls of such a capability.
   */
  parseAnswer?(input: Json, raw: Json): Parsed;
  /**
   * Runs a composite, which has no `apply`. The code must be deterministic, and it acts only through governed calls.
   */
  compose?(input: Json, call: Composer): Promise<unknown>;
  /**
   * The reason why the capability cannot be used now. Paraph still knows the capability and rules on its calls, but
   * accepts, previews and performs none of them.
   */
  readonly unavailable?: Unavailability;
  /**
   * Returns the steps of a composite, if they are known before it starts. Paraph rules on them and previews them
   * together with the composite.
   */
  steps?(input: Json): readonly PlannedStep[];
  /** The object of a call that words can describe. */
  readonly describedObject?: DescribedObject;
  /** Returns one sentence for others about what the call changes in an object that words described. */
  news?(input: Json, object: FoundObject): string;
}

/** An object that words can describe instead of naming it in a field, such as `tomorrow's review`. */
export interface DescribedObject {
  /** The field that names the object. */
  readonly field: string;
  /** The name of the read capability that finds the objects that fit a description. */
  readonly finder: string;
}

/** The reason why a capability cannot be used for now. `message` is one sentence for people. */
export interface Unavailability {
  readonly code: string;
  readonly message: string;
}

/** The tokens that a language model read and wrote. */
export interface Tokens {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

/** The result of validating a value against a schema. */
export type Parsed =
  | { readonly kind: "valid"; readonly value: Json }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** Everything that a capability gets for one attempt or preview. */
export interface ExecutionContext {
  readonly tenant: string;
  /** The requester. */
  readonly principal: Principal;
  /** The people who approved the call, each with the required groups that they were in. */
  readonly approvers: readonly { readonly by: string; readonly groups: readonly string[] }[];
  readonly call: string;
  /**
   * The idempotency key for external systems that deduplicate. It is the call's id, so it is the same for every
   * attempt.
   */
  readonly key: string;
  readonly attempt: number;
  /**
   * The basis that people approved, or the last basis that Paraph read. A conditional effect compares the current state
   * with it.
   */
  readonly basis: Json | undefined;
  /** The approver's answer, if the capability asks for one. */
  readonly answer?: Json;
  readonly signal: AbortSignal;
  credential(name: string): Promise<string>;
  /** Reports progress to people who watch the call. Paraph shows it during the attempt and does not record it. */
  progress(progress: Progress): void;
}

/** The progress of an attempt, as far as the capability knows it. */
export interface Progress {
  /** One line for people. */
  readonly message?: string;
  /** From 0 to 1. */
  readonly fraction?: number;
  /** The output since the last report. */
  readonly output?: string;
}

/** The changes that a call would make, and the state that they depend on. */
export interface Preview {
  readonly changes: readonly Change[];
  readonly basis: Json;
  /** For a composite, the steps to which the changes belong, in order. */
  readonly steps?: readonly StepPreview[];
}

/** The preview of one step of a composite. */
export interface StepPreview {
  readonly id: string;
  readonly capability: string;
  readonly version: number;
  readonly effect: Effect;
  readonly risk: Risk;
  /** The number of changes that belong to this step. The preview lists the changes in the order of its steps. */
  readonly changes: number;
  readonly basis: Json;
  /** Whether the step was previewed. If not, its capability has no preview, or the step depends on earlier ones. */
  readonly previewed: boolean;
  /** Whether the step's whole input is known. It is not known if a value must come from an earlier step's output. */
  readonly inputKnown: boolean;
  /** The earlier steps that this step's preview depends on. Paraph previews this step again once they are done. */
  readonly dependsOn: readonly string[];
  /** In minor units. */
  readonly cost: number;
  readonly visibility: Visibility;
  /** The line that says what the step does. Missing if its input is not known yet. */
  readonly headline?: string;
}

/** One change that a call would make. */
export interface Change {
  readonly kind: "create" | "update" | "delete" | "move" | "send" | "run" | "other";
  readonly target: string;
  /** One line for people. */
  readonly summary?: string;
  /** A unified diff, if the change is to text. */
  readonly diff?: string;
  readonly details?: JsonObject;
  /**
   * Whether the preview omits some of the changes. Paraph does not ask people to approve changes that they cannot see.
   */
  readonly incomplete?: true;
}

/** The answer of an external system about whether an earlier attempt had its effect. */
export type Probe =
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly output: Json }
  | { readonly kind: "unsure" };

/** The call that reverses an effect, as data. Paraph treats it like any other call. */
export interface Undo {
  readonly capability: string;
  readonly input: Json;
}

/**
 * The definition of a capability that Paraph performs, that the agent performs, or that is composed of other
 * capabilities.
 */
export type CapabilityDefinition<I extends z.ZodType, O extends z.ZodType> =
  | PerformedByParaph<I, O>
  | PerformedByAgent<I, O>
  | Composed<I, O>;

/** The fields that every definition of a capability has. */
interface Terms<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly effect: Effect;
  /** Default: low for a read, medium for a write, high for a destroy. */
  readonly risk?: Risk;
  readonly idempotency: Idempotency;
  readonly input: I;
  readonly output: O;
  readonly sensitive?: readonly string[];
  readonly timeout?: Duration;
  readonly applyWithin?: Duration;
  readonly keyTtl?: Duration;
  readonly retry?: RetryOptions;
  readonly preview?: (input: z.output<I>, context: ExecutionContext) => Promise<Preview>;
  /**
   * Returns one line that says what the call does, such as `Refund €12.50 to Jon Ash`. It is the title of the call
   * everywhere, and approvals cover it. The function must depend on its arguments only. In both of them, sensitive
   * fields have the text `•••` as their value. Without this function, or if its result is invalid, the preview gives
   * the headline.
   */
  readonly headline?: (input: z.output<I>, preview: Preview | undefined) => string;
  readonly undo?: (input: z.output<I>, output: z.output<O>) => Undo | undefined;
  readonly cost?: (input: z.output<I>) => number;
  readonly spent?: (input: z.output<I>, output: z.output<O>) => number;
  readonly tokens?: (input: z.output<I>, output: z.output<O>) => Tokens | undefined;
  /**
   * Returns the schema of a person's answer to this input. If this function is set, Paraph always asks people about the
   * call.
   */
  readonly answer?: (input: z.output<I>) => z.ZodType;
  /**
   * The object of a call that requests in words can describe. Its finder is a read capability with the output
   * `foundObjects`. The field `words` of the finder takes the words of a description that belong to no other field.
   */
  readonly describedObject?: DescribedObject;
  /**
   * Returns one sentence about what the call changes in an object that words described. A request such as `move the
   * review and tell the team` fills the field `news` of its second step with it.
   */
  readonly news?: (input: z.output<I>, object: FoundObject) => string;
}

/** The definition of a capability that Paraph performs. */
export interface PerformedByParaph<I extends z.ZodType, O extends z.ZodType> extends Terms<I, O> {
  readonly performer?: undefined;
  readonly locks?: (input: z.output<I>) => readonly string[];
  readonly apply: (input: z.output<I>, context: ExecutionContext) => Promise<z.input<O>>;
  readonly probe?: (input: z.output<I>, context: ExecutionContext) => Promise<Probe>;
}

/**
 * A capability that the requesting agent performs in its own process. Paraph rules on its calls, asks people about them
 * and issues their receipts.
 */
interface PerformedByAgent<I extends z.ZodType, O extends z.ZodType> extends Terms<I, O> {
  readonly performer: "agent";
  readonly locks?: undefined;
  readonly apply?: undefined;
  readonly probe?: undefined;
}

/** [P13] A capability that acts only through governed calls of other capabilities. */
interface Composed<I extends z.ZodType, O extends z.ZodType> extends Terms<I, O> {
  readonly performer?: undefined;
  readonly compose: (input: z.output<I>, call: Composer) => Promise<z.input<O>>;
  readonly steps?: (input: z.output<I>) => readonly PlannedStep[];
  /**
   * The locks that the composite holds from before its first step until it ends. If a composite has locks, its steps
   * may use no other lock keys.
   */
  readonly locks?: (input: z.output<I>) => readonly string[];
  readonly apply?: undefined;
  readonly probe?: undefined;
}

/** [P11] Creates a capability from its definition. Rejects an incomplete definition with every fault in one message. */
export function defineCapability<I extends z.ZodType, O extends z.ZodType>(
  definition: CapabilityDefinition<I, O>,
): Capability {
  const faults: string[] = [];
  const contract = buildContract(definition, faults);
  if (faults.length > 0) {
    const list = faults.map((fault) => `\n  - ${fault}`).join("");
    throw new ParaphError(
      "capability-invalid",
      `\`${String(definition.name)}\` is not a valid capability definition:${list}`,
    );
  }
  const { preview, headline, apply, probe, undo, retry, cost, spent, tokens, answer } = definition;
  const { describedObject, news } = definition;
  const { compose, steps } = "compose" in definition ? definition : {};
  return Object.freeze({
    contract,
    contractDigest: digest(contract as unknown as Json),
    parseInput: (raw: Json) => parse(definition.input, raw),
    parseOutput: (raw: unknown) => parse(definition.output, raw),
    locks: (input: Json) => [...new Set(definition.locks?.(input as z.output<I>) ?? [])].sort(),
    apply: (input: Json, context: ExecutionContext) =>
      apply ? apply(input as z.output<I>, context) : rejectAgentPerformed(),
    ...(preview && {
      preview: (input: Json, context: ExecutionContext) => preview(input as z.output<I>, context),
    }),
    ...(headline && {
      headline: (input: Json, preview: Preview | undefined) => headline(input as z.output<I>, preview),
    }),
    ...(probe && { probe: (input: Json, context: ExecutionContext) => probe(input as z.output<I>, context) }),
    ...(retry?.wait && { retryStrategy: retry.wait }),
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
    ...(describedObject && { describedObject }),
    ...(news && { news: (input: Json, object: FoundObject) => news(input as z.output<I>, object) }),
  });
}

/** Rejects the attempt, because Paraph never performs a capability that the agent performs. */
async function rejectAgentPerformed(): Promise<never> {
  throw new CapabilityError(
    "not-performed",
    "agent-performs",
    "Only the agent that requested this call can perform it.",
  );
}

/**
 * [P11] Validates a value. Faults name the place and the rule, never the value, because they reach callers and the
 * output of tests.
 */
function parse(schema: z.ZodType, raw: unknown): Parsed {
  try {
    const result = schema.safeParse(raw);
    if (result.success) return { kind: "valid", value: JSON.parse(JSON.stringify(result.data ?? null)) };
    const faults = result.error.issues.slice(0, 20).map((issue) => formatIssue(issue, raw));
    return { kind: "invalid", faults };
  } catch {
    // Rejects the value, because the schema's own code threw an error or returned a result that is not JSON.
    return {
      kind: "invalid",
      faults: ["(the whole): the code of the schema failed, or its result is not JSON"],
    };
  }
}
