import type { Contract, Policy, PolicySet } from "@paraph/core";
import { loadPolicies, type PolicyDocument } from "./cedar/index.ts";

/** Where the sets that are in force are kept, for every process. */
export interface PolicySource {
  /** The tenant's own published set, or the deployment's where it has none. `document`: null if it is the version `known`. */
  inForce(
    tenant: string,
    known: string | undefined,
  ): Promise<{ readonly version: string; readonly document: PolicyDocument | null } | undefined>;
}

export interface PolicyInForce extends Policy {
  configured(): PolicySet;
  /**
   * Reads every set again, with the capabilities there are by now; where the configuration's own cannot be, throws and changes
   * nothing. `publish` puts that one into the rows, before tenants' are looked up there.
   */
  reload(publish?: () => Promise<void>): Promise<void>;
}

/**
 * The set in force for each tenant. A process holds what it last fetched; acceptances and intents are held against the
 * rows inside their own transactions, so a process that is behind is told so, fetches, and asks again. Previews, which write
 * nothing, refresh first.
 */
export function policyInForce(options: {
  /** What the configuration comes to, with the capabilities there are. */
  readonly configured: () => PolicyDocument;
  readonly contracts: () => readonly Contract[];
  readonly source: PolicySource;
  readonly problem: (code: string, tenant: string) => void;
}): PolicyInForce {
  const { source, problem } = options;
  let contracts = options.contracts();
  let configured = loadPolicies(options.configured(), contracts);
  const sets = new Map<string, PolicySet>([[configured.version, configured]]);
  /** What those in force were made of. */
  const documents = new Map<string, PolicyDocument>();
  const known = new Map<string, string>();

  /** [P11] A set that this process cannot load is in force all the same: until it can, everything is refused. */
  const load = (tenant: string, version: string, document: PolicyDocument) => {
    const set = loaded(document, contracts);
    if (set) sets.set(version, set);
    else problem("policy-not-loadable", tenant);
    if (sets.size > mostSets) forget(sets, new Set([configured.version, ...known.values()]));
  };

  let asked = 0;
  /** By tenant, the number of the latest question whose answer was taken. */
  const taken = new Map<string, number>();

  const refresh = async (tenant: string): Promise<void> => {
    asked += 1;
    const number = asked;
    const version = known.get(tenant) ?? configured.version;
    const found = await source.inForce(
      tenant,
      documents.has(version) && sets.has(version) ? version : undefined,
    );
    // A later question was answered first: this answer may name a set that is no longer in force.
    if ((taken.get(tenant) ?? 0) > number) return;
    // A reload dropped the set while the rows were asked, so its document is needed after all.
    if (found?.document === null && !sets.has(found.version)) return refresh(tenant);
    taken.set(tenant, number);
    if (!found) {
      known.delete(tenant);
      return;
    }
    if (found.document === null) {
      known.set(tenant, found.version);
      return;
    }
    if (!sets.has(found.version)) load(tenant, found.version, found.document);
    documents.set(found.version, found.document);
    known.set(tenant, found.version);
    if (documents.size > mostSets) forget(documents, new Set(known.values()));
  };

  /**
   * Nobody is refused meanwhile because some adapter offers something else now: a set that names what is gone, and so cannot be
   * read again, stays until the rows have said which is in force. It refuses what it does not know.
   */
  const anew = async (publish: () => Promise<void>) => {
    const now = options.contracts();
    configured = loadPolicies(options.configured(), now);
    contracts = now;
    const before = new Map(sets);
    sets.clear();
    sets.set(configured.version, configured);
    const passing = new Map<string, PolicySet>();
    for (const version of new Set(known.values())) {
      if (sets.has(version)) continue;
      const document = documents.get(version);
      const set = (document && loaded(document, contracts)) ?? before.get(version);
      if (!set) continue;
      sets.set(version, set);
      if (set === before.get(version)) passing.set(version, set);
    }
    try {
      await publish();
      for (const tenant of known.keys()) await refresh(tenant);
    } finally {
      for (const [version, set] of passing) if (sets.get(version) === set) sets.delete(version);
      for (const [tenant, version] of known) if (passing.has(version)) problem("policy-not-loadable", tenant);
    }
  };
  let running = Promise.resolve();
  let next: Promise<void> | undefined;

  return {
    configured: () => configured,
    reload(publish = async () => {}) {
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined;
          running = anew(publish);
          return running;
        });
      return next;
    },
    current(tenant) {
      const set = sets.get(known.get(tenant) ?? configured.version);
      if (!set) throw new Error("the policy set in force cannot be loaded here");
      return set;
    },
    refresh,
  };
}

const mostSets = 200;

function loaded(document: PolicyDocument, contracts: readonly Contract[]): PolicySet | undefined {
  try {
    return loadPolicies(document, contracts);
  } catch {
    return undefined;
  }
}

/** Sets that are in force nowhere go; those that are stay, however many. */
function forget(sets: Map<string, unknown>, needed: ReadonlySet<string>): void {
  for (const version of sets.keys()) if (!needed.has(version)) sets.delete(version);
}
