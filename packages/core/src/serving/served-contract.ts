import { z } from "zod";
import { maxTimeoutMs } from "../capability/build-contract.ts";
import { type Contract, effects, idempotencies, risks } from "../capability/contract.ts";
import type { Json, JsonObject } from "../json.ts";
import { digest } from "../receipts/digest.ts";
import { costPath, type DeclaredPaths, lockTemplate } from "./declared-paths.ts";

/**
 * One capability that a service hosts. It holds the contract and, as data, the locks and the cost that other
 * capabilities compute in code.
 */
export interface ServedContract extends DeclaredPaths {
  readonly contract: Contract;
  /** Whether the capability may have an undo. Missing if it never has one. */
  readonly undoes?: true | undefined;
}

/**
 * Returns the digest of a served contract. Every request includes it, so that a service acts only under the contract on
 * which policy ruled.
 */
export function digestServedContract(served: ServedContract): string {
  return digest(served as unknown as Json);
}

/** Returns the digest of all capabilities of a service, which an operator can pin. */
export function digestService(all: readonly ServedContract[]): string {
  return digest(all.map((served) => [served.contract.name, digestServedContract(served)]).sort() as Json);
}

const name = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
const span = z
  .int()
  .min(0)
  .max(366 * 24 * 3_600_000);
const schema = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject);

const contract = z
  .strictObject({
    name: z.string().max(128).regex(name),
    version: z.int().positive(),
    summary: z.string().min(1).max(500),
    effect: z.enum(effects),
    risk: z.enum(risks),
    idempotency: z.enum(idempotencies),
    previews: z.boolean(),
    input: schema,
    output: schema,
    sensitive: z.array(z.string().max(200)).max(200),
    timeoutMs: z.int().positive().max(maxTimeoutMs),
    applyWithinMs: span,
    keyTtlMs: span,
    retry: z.strictObject({
      retries: z.int().min(0).max(20),
      firstMs: span,
      factor: z.number().min(1).max(100),
      capMs: span,
      jitter: z.number().min(0).max(1),
    }),
  })
  .refine(({ effect, idempotency }) => effect !== "read" || idempotency === "natural", {
    message: "`idempotency` must be `natural` for a read",
  });

/** [P11] The schema of a served contract as it arrives from a service. Paraph does not trust the service. */
export const servedContract: z.ZodType<ServedContract> = z.strictObject({
  contract,
  locks: z.array(z.string().regex(lockTemplate)).max(20).optional(),
  undoes: z.literal(true).optional(),
  cost: z.union([z.int().min(0), z.string().regex(costPath)]).optional(),
});
