import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";

/** A realistic number of capabilities behind one agent platform, each with typed input. */
export const backtestCapabilities: readonly Capability[] = Array.from({ length: 40 }, (_, index) =>
  defineCapability({
    name: `app${index % 8}.verb${index}`,
    version: 1,
    summary: "Does something",
    effect: index % 4 === 0 ? "read" : "write",
    idempotency: "natural",
    input: z.object({ cents: z.int(), to: z.string(), note: z.string(), tags: z.array(z.string()) }),
    output: z.object({}),
    ...(index % 4 !== 0 && { preview: async () => ({ changes: [], basis: {} }) }),
    apply: async () => ({}),
  }),
);

/** The candidate's policies on top of the preset: one of each kind for every capability. */
export const candidatePolicies = backtestCapabilities
  .flatMap(({ contract: { name } }, index) => {
    const id = (kind: string) => `${kind}-${index}`;
    const scope = `(principal, action == Action::"${name}", resource)`;
    const guard = (kind: string, group: string) =>
      `@id("${id(kind)}") @ruling("ask") @quorum("1") @urgency("normal") @group("${group}") @sentence("Because.")`;
    const lifted = (kind: string) => `unless { context.evidence.discharged.contains("${id(kind)}") };`;
    return [
      `${guard("large", "finance")} forbid ${scope} when { context.input.cents > ${1_000 + index * 100} } ${lifted("large")}`,
      `@id("${id("outside")}") @sentence("No.") forbid ${scope} when { context.input.to like "*@evil.example" };`,
      `${guard("many", "owners")} forbid ${scope} when { context has preview && context.preview.changes > 3 } ${lifted("many")}`,
      `@id("${id("night")}") @sentence("Not at night.") forbid ${scope} when { context.env.hour < 2 };`,
      `@id("${id("robots")}") @sentence("Not robots.") forbid ${scope} when { principal in Group::"banned" };`,
    ];
  })
  .join("\n");
