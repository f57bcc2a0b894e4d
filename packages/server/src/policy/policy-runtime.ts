import { setTimeout as sleep } from "node:timers/promises";
import type { Catalog, Freezes, Policy } from "@paraph/core";
import type { Config } from "../config/config.ts";
import { createPolicySetStore, type Database, listAllFreezes } from "../postgres/index.ts";
import { watchActiveFreezes } from "../services/active-freezes.ts";
import { createPolicyDocument } from "../services/catalog.ts";
import { createActivePolicy } from "./active-policy.ts";
import type { PolicyDocument } from "./cedar/index.ts";

export interface PolicyRuntime {
  readonly policy: Policy;
  readonly freezes: Freezes;
  /** To be said when there are other capabilities than before: policies are read anew with them. */
  reload(): Promise<void>;
  stop(): void;
}

/** What rulings rest on: the policy in force, which every process agrees on through the rows, and the kill switch. */
export async function startPolicyRuntime(options: {
  readonly config: Config;
  readonly folder: string;
  readonly catalog: Catalog;
  /** Adapters that are away and were never here. */
  readonly strangers: () => ReadonlySet<string>;
  readonly database: Database;
  /** The number of this process. */
  readonly life: () => number;
  /** Goes back to an earlier configuration on purpose. */
  readonly allowDowngrade: boolean;
  readonly problem: (code: string) => void;
}): Promise<PolicyRuntime> {
  const { config, folder, catalog, strangers, database, life, allowDowngrade, problem } = options;
  const contracts = () => catalog.everything().map(({ contract }) => contract);
  const document = () => createPolicyDocument(config, contracts(), folder, strangers());
  const sets = createPolicySetStore(database.app);
  const policy = createActivePolicy({
    configured: document,
    contracts,
    source: {
      findActive: async (tenant, known) => {
        const found = await sets.findActiveUnlessKnown(tenant, known);
        return found && { ...found, document: found.document as unknown as PolicyDocument | null };
      },
    },
    problem,
  });
  /** The version that this process last put in force. */
  let own: string | undefined;
  const configure = async () => {
    const { version } = policy.getConfigured();
    const configured = await sets.configure(
      { version, document: document() as never },
      { expected: own, leaseNumber: life(), allowDowngrade },
    );
    // The process goes on under the set in force, which every transaction is held against.
    if (configured === "superseded") problem("configuration-superseded");
    else own = version;
  };
  await configure();
  const stopping = new AbortController();
  /** Until the rows have the new set, capabilities that appeared are held to the old rules in full. So it is tried until it succeeds. */
  const publish = async () => {
    for (let pauseMs = 250; !stopping.signal.aborted; pauseMs = Math.min(2 * pauseMs, 30_000)) {
      try {
        return await configure();
      } catch {
        problem("policy-not-published");
        await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {});
      }
    }
  };
  const freezes = await watchActiveFreezes(() => listAllFreezes(database.sweeper), problem);
  return {
    policy,
    freezes,
    reload: () => policy.reload(publish),
    stop: () => {
      stopping.abort();
      freezes.stop();
    },
  };
}
