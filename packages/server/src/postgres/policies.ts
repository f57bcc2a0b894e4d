import type { Json } from "@paraph/core";
import type { Pool } from "pg";
import { readGeneration } from "./generation.ts";
import type { Changed } from "./people.ts";

export interface StoredPolicySet {
  readonly version: string;
  readonly document: Json;
}

/** Policy sets as rows: what makes every process ask the same one. Each is one transaction, and may be repeated. */
export interface PolicySets {
  put(tenant: string, set: StoredPolicySet, by: string): Promise<Changed>;
  /** Once this has answered, nothing is accepted or begun under another set. `id`: of this activation. */
  activate(tenant: string, activation: { id: string; version: string; by: string }): Promise<Changed>;
  /** The tenant's own, or else the deployment's. */
  inForce(tenant: string): Promise<StoredPolicySet | undefined>;
  /** The same, without its document where that is the version `known`. */
  inForceUnless(
    tenant: string,
    known: string | undefined,
  ): Promise<{ readonly version: string; readonly document: Json | null } | undefined>;
  /**
   * The deployment's: for every tenant that has put none of its own in force. `superseded`: nothing was changed, because a newer
   * version of Paraph configured it, or because another process did since `expected` was in force.
   */
  configure(set: StoredPolicySet, expected?: string): Promise<"done" | "superseded">;
}

export function policySetsIn(app: Pool): PolicySets {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    put: (tenant, { version, document }, by) =>
      one("select paraph.put_policy_set($1, $2, $3, $4) as it", [
        tenant,
        version,
        JSON.stringify(document),
        by,
      ]),
    activate: (tenant, { id, version, by }) =>
      one("select paraph.activate_policy_set($1, $2, $3, $4) as it", [tenant, id, version, by]),
    inForce: async (tenant) => (await one("select paraph.policy_in_force($1) as it", [tenant])) ?? undefined,
    inForceUnless: async (tenant, known) =>
      (await one("select paraph.policy_in_force($1, $2) as it", [tenant, known ?? null])) ?? undefined,
    configure: async ({ version, document }, expected) =>
      one("select paraph.configure_policy_set($1, $2, $3, $4) as it", [
        ...[version, JSON.stringify(document), (await readGeneration()).generation, expected ?? null],
      ]),
  };
}
