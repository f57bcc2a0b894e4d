import type { Contract, Policy, PolicySet } from "@paraph/core";
import { loadPolicies, type PolicyDocument } from "./cedar/index.ts";

/** Where the sets that are in force are kept, for every process. */
export interface PolicySource {
  /** The tenant's own published set, or the deployment's where it has none. */
  inForce(
    tenant: string,
  ): Promise<{ readonly version: string; readonly document: PolicyDocument } | undefined>;
}

export interface PolicyInForce extends Policy {
  configured(): PolicySet;
  /** Reads every set again, with the capabilities there are by now; where the configuration's own cannot be, throws and changes nothing. */
  reload(): Promise<void>;
}

/**
 * The set in force for each tenant. A process holds what it last fetched; acceptances and intents are held against the
 * rows inside their own transactions, so a process that is behind is told so, fetches, and asks again.
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
    try {
      sets.set(version, loadPolicies(document, contracts));
    } catch {
      problem("policy-not-loadable", tenant);
    }
    if (sets.size > mostSets) forget(sets, new Set([configured.version, ...known.values()]));
  };

  return {
    configured: () => configured,
    async reload() {
      const now = options.contracts();
      configured = loadPolicies(options.configured(), now);
      contracts = now;
      sets.clear();
      sets.set(configured.version, configured);
      // At once: whoever asks while the rows are read is not refused because some adapter offers something else now.
      for (const [tenant, version] of known) {
        const document = documents.get(version);
        if (document && !sets.has(version)) load(tenant, version, document);
      }
      for (const tenant of known.keys()) await this.refresh(tenant);
    },
    current(tenant) {
      const set = sets.get(known.get(tenant) ?? configured.version);
      if (!set) throw new Error("the policy set in force cannot be loaded here");
      return set;
    },
    async refresh(tenant) {
      const found = await source.inForce(tenant);
      if (!found) {
        known.delete(tenant);
        return;
      }
      if (!sets.has(found.version)) load(tenant, found.version, found.document);
      documents.set(found.version, found.document);
      known.set(tenant, found.version);
      if (documents.size > mostSets) forget(documents, new Set(known.values()));
    },
  };
}

const mostSets = 200;

/** Sets that are in force nowhere go; those that are stay, however many. */
function forget(sets: Map<string, unknown>, needed: ReadonlySet<string>): void {
  for (const version of sets.keys()) if (!needed.has(version)) sets.delete(version);
}
