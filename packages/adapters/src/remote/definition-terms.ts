import { type Contract, jsonSchema } from "@paraph/core";

export type UnparsedSchema = ReturnType<typeof jsonSchema>;

/** Converts a received contract to the terms of a definition. */
export function toDefinitionTerms(contract: Contract) {
  const { name, version, summary, effect, risk, idempotency, sensitive, retry } = contract;
  return {
    name,
    version,
    summary,
    effect,
    risk,
    idempotency,
    sensitive,
    input: jsonSchema(contract.input),
    output: jsonSchema(contract.output),
    timeout: `${contract.timeoutMs}ms`,
    applyWithin: `${contract.applyWithinMs}ms`,
    keyTtl: `${contract.keyTtlMs}ms`,
    retry: {
      retries: retry.retries,
      first: `${retry.firstMs}ms`,
      factor: retry.factor,
      cap: `${retry.capMs}ms`,
    },
  } as const;
}
