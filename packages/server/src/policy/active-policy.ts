import type { Contract, Policy, PolicySet } from "@paraph/core";
import { loadPolicies, type PolicyDocument } from "./cedar/index.ts";

/** Where the sets that are in force are kept, for every process. */
export interface ActivePolicySource {
  /** The tenant's own published set, or the deployment's where it has none. `document`: null if it is the version `known`. */
  findActive(
    tenant: string,
    known: string | undefined,
  ): Promise<{ readonly version: string; readonly document: PolicyDocument | null } | undefined>;
}

export interface ActivePolicy extends Policy {
  getConfigured(): PolicySet;
  /**
   * Has every set loaded again with the capabilities there are now, before the next question; where the configuration's own set
   * cannot be loaded, rejects and changes nothing. Then `publish` puts that set into the rows, and tenants' sets are looked up there.
   */
  reload(publish?: () => Promise<void>): Promise<void>;
}

/**
 * The set in force for each tenant. A process holds what it last fetched; acceptances and intents are held against the
 * rows inside their own transactions, so a process that is behind is told so, fetches, and asks again. Previews, which write
 * nothing, refresh first.
 */
export function createActivePolicy(options: {
  /** What the configuration comes to, with the capabilities there are. */
  readonly configured: () => PolicyDocument;
  readonly contracts: () => readonly Contract[];
  readonly source: ActivePolicySource;
  readonly problem: (code: string, tenant: string) => void;
}): ActivePolicy {
  const { source, problem } = options;
  let contracts = options.contracts();
  let configured = loadPolicies(options.configured(), contracts);
  const sets = new Map<string, PolicySet>([[configured.version, configured]]);
  /** What those in force were made of. */
  const documents = new Map<string, PolicyDocument>();
  const known = new Map<string, string>();

  /** Versions of sets that were loaded with earlier capabilities. They stay in `sets` until the rows name the set in force. */
  const passing = new Set<string>();

  /** [P11] A set that this process cannot load is in force all the same: until it can, everything is refused. */
  const load = (tenant: string, version: string, document: PolicyDocument) => {
    const set = tryLoad(document, contracts);
    if (set) {
      sets.set(version, set);
      passing.delete(version);
    } else if (!passing.has(version)) problem("policy-not-loadable", tenant);
    if (sets.size > maxSets) dropUnused(sets, new Set([configured.version, ...known.values()]));
  };

  let asked = 0;
  /** By tenant, the number of the latest question whose answer was taken. */
  const taken = new Map<string, number>();
  /** How often sets were loaded again. */
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
    // A later question was answered first: this answer may name a set that is no longer in force.
    if ((taken.get(tenant) ?? 0) > number) return;
    // Sets were loaded again while the rows were asked: this one was dropped, or is about to be replaced.
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
   * Loads every set again with the current capabilities, in one step, so that a set knows each capability that the catalog has. A
   * set that names a removed capability cannot be loaded again: the old one stays for now, and refuses what it does not know.
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

  /** Whether there may be other capabilities than the sets were loaded with. */
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
    // Sets that were read again meanwhile are settled next.
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
      if (!set) throw new Error("the policy set in force cannot be loaded here");
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

/** Sets that are in force nowhere go; those that are stay, however many. */
function dropUnused(sets: Map<string, unknown>, needed: ReadonlySet<string>): void {
  for (const version of sets.keys()) if (!needed.has(version)) sets.delete(version);
}
