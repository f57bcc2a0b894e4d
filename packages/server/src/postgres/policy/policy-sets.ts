import type { Json } from "@paraph/core";
import type { Pool } from "pg";
import { readGeneration } from "../generation.ts";
import type { RowChange } from "../identity/people.ts";

export interface StoredPolicySet {
  readonly version: string;
  readonly document: Json;
}

/** Policy sets as rows: what makes every process ask the same one. Each is one transaction, and may be repeated. */
export interface PolicySetStore {
  put(tenant: string, set: StoredPolicySet, by: string): Promise<RowChange>;
  /** Once this has answered, nothing is accepted or begun under another set. `id`: of this activation. */
  activate(tenant: string, activation: { id: string; version: string; by: string }): Promise<RowChange>;
  /** The tenant's own, or else the deployment's. */
  findActive(tenant: string): Promise<StoredPolicySet | undefined>;
  /** The same, without its document where that is the version `known`. */
  findActiveUnlessKnown(
    tenant: string,
    known: string | undefined,
  ): Promise<{ readonly version: string; readonly document: Json | null } | undefined>;
  /**
   * The deployment's: for every tenant that has put none of its own in force. `superseded`: nothing was changed, because a newer
   * version of Paraph configured it, because another process did since `expected` was in force, or because this process starts
   * with an earlier configuration while others run.
   */
  configure(set: StoredPolicySet, by: ConfigureOptions): Promise<"done" | "superseded">;
}

export interface ConfigureOptions {
  /** The number of this process. */
  readonly leaseNumber: number;
  /** The version that this process last put in force; undefined at its start. */
  readonly expected?: string | undefined;
  /** Goes back to an earlier configuration on purpose. */
  readonly allowDowngrade?: boolean | undefined;
}

export function createPolicySetStore(app: Pool): PolicySetStore {
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
    findActive: async (tenant) =>
      (await one("select paraph.policy_in_force($1) as it", [tenant])) ?? undefined,
    findActiveUnlessKnown: async (tenant, known) =>
      (await one("select paraph.policy_in_force($1, $2) as it", [tenant, known ?? null])) ?? undefined,
    configure: async ({ version, document }, { leaseNumber: life, expected, allowDowngrade = false }) =>
      one("select paraph.configure_policy_set($1, $2, $3, $4, $5, $6) as it", [
        ...[version, JSON.stringify(document), (await readGeneration()).generation],
        ...[expected ?? null, life, allowDowngrade && expected === undefined],
      ]),
  };
}
