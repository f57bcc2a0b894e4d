import type { Contract, Policy, PolicySet } from "@paraph/core";
import { loadPolicies, type PolicyDocument } from "./cedar/index.ts";

/** The store of the active policy sets, which all processes share. */
export interface ActivePolicySource {
  /**
   * Returns the tenant's own published set, or the deployment's set if the tenant has none. `document` is null if the
   * active version equals `known`.
   */
  findActive(
    tenant: string,
    known: string | undefined,
  ): Promise<{ readonly version: string; readonly document: PolicyDocument | null } | undefined>;
}

/** A policy that follows the active sets in the database. */
export interface ActivePolicy extends Policy {
  getConfigured(): PolicySet;
  /**
   * Loads every set again with the current capabilities, before the next evaluation. If the configured set cannot be
   * loaded, `reload` rejects and changes nothing. Otherwise `publish` writes the configured set to the database, and
   * the process fetches each tenant's active set again.
   */
  reload(publish?: () => Promise<void>): Promise<void>;
}

/**
 * Creates the policy that knows the active set of each tenant. A process keeps the set that it last fetched. A
 * transaction that accepts a call or writes an intent compares that set with the database. If the set is outdated, the
 * transaction is rejected, and the process fetches the new set and evaluates again. A preview writes nothing, so no
 * transaction checks its set. The process therefore refreshes the set before a preview.
 */
export function createActivePolicy(options: {
  /** Returns the policy document of the configuration for the current capabilities. */
  readonly configured: () => PolicyDocument;
  readonly contracts: () => readonly Contract[];
  readonly source: ActivePolicySource;
  readonly problem: (code: string, tenant: string) => void;
}): ActivePolicy {
  const { source, problem } = options;
  let contracts = options.contracts();
  let configured = loadPolicies(options.configured(), contracts);
  const sets = new Map<string, PolicySet>([[configured.version, configured]]);
  /** The documents of the active sets. */
  const documents = new Map<string, PolicyDocument>();
  const known = new Map<string, string>();

  /**
   * The versions of sets that are still loaded with earlier capabilities. They stay in `sets` until the reload has
   * fetched the active sets from the database.
   */
  const passing = new Set<string>();

  /**
   * [P11] Loads an active set. A set that this process cannot load stays active, and Paraph refuses every call until
   * the set can be loaded.
   */
  const load = (tenant: string, version: string, document: PolicyDocument) => {
    const set = tryLoad(document, contracts);
    if (set) {
      sets.set(version, set);
      passing.delete(version);
    } else if (!passing.has(version)) problem("policy-not-loadable", tenant);
    if (sets.size > maxSets) dropUnused(sets, new Set([configured.version, ...known.values()]));
  };

  let asked = 0;
  /** For each tenant, the number of the latest request whose answer this process used. */
  const taken = new Map<string, number>();
  /** The number of times that the sets were loaded again. */
  let readings = 0;
  const isLoaded = (version: string) => sets.has(version) && !passing.has(version);

  const refresh = async (tenant: string): Promise<void> => {
    catchUp();
    asked += 1;
    const number = asked;
    const reading = readings;
    const version = known.get(tenant) ?? configured.version;
    const found = await source.findActive(
      tenant,
      documents.has(version) && isLoaded(version) ? version : undefined,
    );
    catchUp();
    // If a later request was answered first, this answer is ignored, because it may name a set that is no longer
    // active.
    if ((taken.get(tenant) ?? 0) > number) return;
    // If the sets were loaded again during the request, the set in this answer was dropped or is about to be replaced.
    // The process therefore fetches again.
    if (found && !sets.has(found.version) && reading !== readings) return refresh(tenant);
    taken.set(tenant, number);
    if (!found) {
      known.delete(tenant);
      return;
    }
    known.set(tenant, found.version);
    if (found.document === null) return;
    if (!isLoaded(found.version)) load(tenant, found.version, found.document);
    documents.set(found.version, found.document);
    if (documents.size > maxSets) dropUnused(documents, new Set(known.values()));
  };

  /**
   * Loads every set again in one step with the current capabilities, so that each set knows every capability of the
   * catalog. A set that names a removed capability cannot be loaded again. Its earlier loaded form stays for now, and
   * refuses capabilities that it does not know.
   */
  const read = () => {
    const now = options.contracts();
    configured = loadPolicies(options.configured(), now);
    contracts = now;
    readings += 1;
    const inForce = new Set(known.values());
    passing.clear();
    for (const version of sets.keys()) {
      const document = inForce.has(version) ? documents.get(version) : undefined;
      const again = document && tryLoad(document, contracts);
      if (again) sets.set(version, again);
      else passing.add(version);
    }
    sets.set(configured.version, configured);
    passing.delete(configured.version);
  };

  /** Whether the capabilities may have changed since the sets were loaded. */
  let isBehind = false;
  let fault: unknown;
  const catchUp = () => {
    if (!isBehind) return;
    isBehind = false;
    fault = undefined;
    try {
      read();
    } catch (error) {
      fault = error;
    }
  };

  const settle = async (publish: () => Promise<void>) => {
    catchUp();
    if (fault !== undefined) throw fault;
    const reading = readings;
    await publish();
    for (const tenant of known.keys()) await refresh(tenant);
    // Drops the outdated sets, unless another reload was requested in the meantime. In that case, the next reload drops
    // them.
    if (reading === readings && !isBehind) dropPassing();
  };

  const dropPassing = () => {
    for (const version of passing) sets.delete(version);
    for (const [tenant, version] of known) if (passing.has(version)) problem("policy-not-loadable", tenant);
    passing.clear();
  };

  let running = Promise.resolve();
  let next: Promise<void> | undefined;

  return {
    getConfigured() {
      catchUp();
      return configured;
    },
    reload(publish = async () => {}) {
      isBehind = true;
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined;
          running = settle(publish);
          return running;
        });
      return next;
    },
    current(tenant) {
      catchUp();
      const set = sets.get(known.get(tenant) ?? configured.version);
      if (!set) throw new Error("this process cannot load the policy set in force");
      return set;
    },
    refresh,
  };
}

const maxSets = 200;

function tryLoad(document: PolicyDocument, contracts: readonly Contract[]): PolicySet | undefined {
  try {
    return loadPolicies(document, contracts);
  } catch {
    return undefined;
  }
}

/** Drops the entries whose versions are not needed. Needed entries stay, even if they exceed the maximum. */
function dropUnused(sets: Map<string, unknown>, needed: ReadonlySet<string>): void {
  for (const version of sets.keys()) if (!needed.has(version)) sets.delete(version);
}
