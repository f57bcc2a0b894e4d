import { z } from "zod";
import { changeSchema } from "../capability/change-schema.ts";
import type { Fault } from "../capability/fault.ts";
import { faultKinds } from "../capability/fault-kind.ts";
import type { Json } from "../json.ts";
import { servedContract } from "./served-contract.ts";

/** The operations of a service. Each has its path below `/paraph/v1/`. */
export const servingOperations = ["discover", "preview", "apply", "probe"] as const;
/** An operation of a service. */
export type ServingOperation = (typeof servingOperations)[number];

/** The value is already plain JSON, because it comes from an opened message. */
const json = z.unknown().transform((value) => value as Json);
const text = z.string().max(1_000);

const about = {
  /** The service keys that Paraph trusts. A service with another key must reject the request. */
  to: z.array(text).min(1).max(10),
  /** Milliseconds since 1970. */
  at: z.int(),
  /** A value that is unique per request. */
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
  /** The digest of the served contract on which policy ruled. */
  digest: text,
  input: json,
  /**
   * The locks that Paraph holds and the cost that it reserved. The service may act only if its own code agrees with
   * both.
   */
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

/** The schema of a request to a service. */
export const servingRequest = z.discriminatedUnion("operation", [
  z.object({ operation: z.literal("discover"), ...about }),
  z.object({ operation: z.literal("preview"), ...call }),
  z.object({ operation: z.literal("apply"), ...call }),
  z.object({ operation: z.literal("probe"), ...call }),
]);
/** A request to a service. */
export type ServingRequest = z.output<typeof servingRequest>;
/** A request to a service about one call. */
export type ServingCall = Exclude<ServingRequest, { operation: "discover" }>;

const undo = z.object({ capability: text, input: json });

const count = z.int().min(0).optional();

/** The answer about an effect: its output, its undo and its cost, or `withheld` if the output violates the contract. */
const effect = z.union([
  z.object({
    output: json,
    undo: undo.optional(),
    spent: count,
    tokens: z.object({ input: count, output: count }).optional(),
  }),
  z.object({ withheld: text }),
]);
/** The result of an effect that a service performed. */
export type ServedEffect = z.output<typeof effect>;

const fault: z.ZodType<Fault> = z.object({
  kind: z.enum(faultKinds),
  code: text,
  message: z.string().max(10_000),
  retryAfterMs: z.number().optional(),
}) as never;

const progress = z.object({
  message: z.string().optional(),
  fraction: z.number().min(0).max(1).optional(),
  output: z.string().optional(),
});

/**
 * The digest of the request that an answer belongs to. This digest prevents the use of the answer for another request.
 */
const requestReference = { request: z.string() };

/** The schema of a service's answer. */
export const servingAnswer = z.discriminatedUnion("kind", [
  z.object({
    ...requestReference,
    kind: z.literal("discovered"),
    contracts: z.array(servedContract).max(500),
  }),
  z.object({
    ...requestReference,
    kind: z.literal("previewed"),
    changes: z.array(changeSchema),
    basis: json,
  }),
  z.object({ ...requestReference, kind: z.literal("progress"), number: z.int(), said: progress }),
  z.object({ ...requestReference, kind: z.literal("applied"), effect }),
  z.object({ ...requestReference, kind: z.literal("present"), effect }),
  z.object({ ...requestReference, kind: z.literal("absent") }),
  z.object({ ...requestReference, kind: z.literal("unsure") }),
  z.object({ ...requestReference, kind: z.literal("fault"), fault }),
]);
/** A service's answer. */
export type ServingAnswer = z.output<typeof servingAnswer>;
