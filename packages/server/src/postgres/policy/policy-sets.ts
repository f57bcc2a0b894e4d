import type { Json } from "@paraph/core";
import type { Pool } from "pg";
import { readGeneration } from "../generation.ts";
import type { RowChange } from "../identity/people.ts";

/** A stored policy set, with the version that is computed from its content. */
export interface StoredPolicySet {
  readonly version: string;
  readonly document: Json;
}

/**
 * The store of policy sets. Through it, every process uses the same active set. Every method is one transaction and may
 * be repeated.
 */
export interface PolicySetStore {
  put(tenant: string, set: StoredPolicySet, by: string): Promise<RowChange>;
  /**
   * Activates a stored set. Once this resolves, no call is accepted or started under another set. `id` identifies this
   * activation.
   */
  activate(tenant: string, activation: { id: string; version: string; by: string }): Promise<RowChange>;
  /** Returns the tenant's own active set, or the deployment's set if the tenant has none. */
  findActive(tenant: string): Promise<StoredPolicySet | undefined>;
  /** Returns the same set as `findActive`, but with a null document if the version of the set equals `known`. */
  findActiveUnlessKnown(
    tenant: string,
    known: string | undefined,
  ): Promise<{ readonly version: string; readonly document: Json | null } | undefined>;
  /** Returns whether the tenant has activated a set of its own, and the version of the deployment's set. */
  readOrigin(tenant: string): Promise<{ readonly isPublished: boolean; readonly configured: string | null }>;
  /**
   * Sets the policy set of the deployment. It applies to every tenant that has not activated a set of its own. Returns
   * `superseded` and changes nothing in three cases. First, a newer version of Paraph configured the current set.
   * Second, another process has replaced the set `expected`. Third, this process starts with an earlier configuration
   * while other processes run.
   */
  configure(set: StoredPolicySet, by: ConfigureOptions): Promise<"done" | "superseded">;
}

/** Options of `PolicySetStore.configure`. */
export interface ConfigureOptions {
  /** The lease number of this process. */
  readonly leaseNumber: number;
  /** The version that this process last configured, or undefined at its start. */
  readonly expected?: string | undefined;
  /** Whether this process may deliberately return the deployment to an earlier configuration. */
  readonly allowDowngrade?: boolean | undefined;
}

/** Creates the policy-set store on PostgreSQL. */
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
    readOrigin: (tenant) => one("select paraph.policy_origin($1) as it", [tenant]),
    configure: async ({ version, document }, { leaseNumber, expected, allowDowngrade = false }) =>
      one("select paraph.configure_policy_set($1, $2, $3, $4, $5, $6) as it", [
        ...[version, JSON.stringify(document), (await readGeneration()).generation],
        ...[expected ?? null, leaseNumber, allowDowngrade && expected === undefined],
      ]),
  };
}
