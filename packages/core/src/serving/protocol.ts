import { z } from "zod";
import type { Change } from "../capability/capability.ts";
import type { Fault } from "../capability/fault.ts";
import type { Json } from "../json.ts";
import { servedContract } from "./served-contract.ts";

/** What a service may be asked to do; each has its path below `/paraph/v1/`. */
export const servingOperations = ["discover", "preview", "apply", "probe"] as const;
export type ServingOperation = (typeof servingOperations)[number];

/** Already plain JSON: it came out of an opened message. */
const json = z.unknown().transform((value) => value as Json);
const text = z.string().max(1_000);

const about = {
  /** The service's keys that Paraph trusts: a request is not for anybody else. */
  to: z.array(text).min(1).max(10),
  /** Milliseconds since 1970. */
  at: z.int(),
  /** Never the same twice. */
  nonce: z.string().min(16).max(100),
};

const principal = z.object({
  tenant: text,
  id: text,
  kind: z.enum(["agent", "person", "service"]),
  owner: text.optional(),
  onBehalfOf: text.optional(),
  groups: z.array(text).optional(),
});

const call = {
  ...about,
  capability: text,
  /** Of the served contract that this was ruled on under. */
  digest: text,
  input: json,
  /** Held for it, and reserved for it: the service's own code must agree before anything is done. */
  locks: z.array(z.string()),
  cost: z.number(),
  world: z.object({
    tenant: text,
    principal,
    approvers: z.array(z.object({ by: text, groups: z.array(text) })),
    call: text,
    key: text,
    attempt: z.int(),
    basis: json.optional(),
  }),
};

export const servingRequest = z.discriminatedUnion("operation", [
  z.object({ operation: z.literal("discover"), ...about }),
  z.object({ operation: z.literal("preview"), ...call }),
  z.object({ operation: z.literal("apply"), ...call }),
  z.object({ operation: z.literal("probe"), ...call }),
]);
export type ServingRequest = z.output<typeof servingRequest>;
export type ServingCall = Exclude<ServingRequest, { operation: "discover" }>;

const undo = z.object({ capability: text, input: json });

const count = z.int().min(0).optional();

/** Answers for an effect: its output, its undo and its cost, or the fault that the output breaks the contract. */
const effect = z.union([
  z.object({
    output: json,
    undo: undo.optional(),
    spent: count,
    tokens: z.object({ input: count, output: count }).optional(),
  }),
  z.object({ withheld: text }),
]);
export type ServedEffect = z.output<typeof effect>;

const change: z.ZodType<Change> = z.object({
  kind: z.enum(["create", "update", "delete", "move", "send", "run", "other"]),
  target: z.string(),
  summary: z.string().optional(),
  diff: z.string().optional(),
  details: z.record(z.string(), json).optional(),
  incomplete: z.literal(true).optional(),
}) as never;

const fault: z.ZodType<Fault> = z.object({
  kind: z.enum(["not-performed", "ambiguous", "permanent"]),
  code: text,
  message: z.string().max(10_000),
  retryAfterMs: z.number().optional(),
}) as never;

const progress = z.object({
  message: z.string().optional(),
  fraction: z.number().min(0).max(1).optional(),
  output: z.string().optional(),
});

/** `request`: the digest of the message it answers, so that no answer can be given to another question. */
const requestReference = { request: z.string() };

export const servingAnswer = z.discriminatedUnion("kind", [
  z.object({
    ...requestReference,
    kind: z.literal("discovered"),
    contracts: z.array(servedContract).max(500),
  }),
  z.object({ ...requestReference, kind: z.literal("previewed"), changes: z.array(change), basis: json }),
  z.object({ ...requestReference, kind: z.literal("progress"), number: z.int(), said: progress }),
  z.object({ ...requestReference, kind: z.literal("applied"), effect }),
  z.object({ ...requestReference, kind: z.literal("present"), effect }),
  z.object({ ...requestReference, kind: z.literal("absent") }),
  z.object({ ...requestReference, kind: z.literal("unsure") }),
  z.object({ ...requestReference, kind: z.literal("fault"), fault }),
]);
export type ServingAnswer = z.output<typeof servingAnswer>;
