import { setTimeout as sleep } from "node:timers/promises";
import type { Catalog, Freezes, Policy, Telemetry } from "@paraph/core";
import type { Config } from "../config/config.ts";
import { createPolicySetStore, type Database, listAllFreezes } from "../postgres/index.ts";
import { watchActiveFreezes } from "../services/active-freezes.ts";
import { createPolicyDocument } from "../services/catalog.ts";
import { createActivePolicy } from "./active-policy.ts";
import { type ClosureTrust, type PolicyDocument, processTrust } from "./cedar/index.ts";

/** The active policy and the freezes of a running process. */
export interface PolicyRuntime {
  readonly policy: Policy;
  readonly freezes: Freezes;
  /** Loads the policies again. Call it when the capabilities have changed. */
  reload(): Promise<void>;
  stop(): void;
}

/**
 * Starts to follow the active policy and the freezes, because rulings depend on both. All processes share the active
 * policy through the database.
 */
export async function startPolicyRuntime(options: {
  readonly config: Config;
  readonly folder: string;
  readonly catalog: Catalog;
  /** Returns the adapters that are unavailable and whose contracts were never stored. */
  readonly strangers: () => ReadonlySet<string>;
  readonly database: Database;
  /** Returns the lease number of this process. */
  readonly life: () => number;
  /** Whether this process may deliberately return the deployment to an earlier configuration. */
  readonly allowDowngrade: boolean;
  readonly problem: (code: string) => void;
  /** Reports a problem that an operator must look at soon. */
  readonly alarm: (code: string) => void;
  readonly telemetry: Pick<Telemetry, "measure">;
  readonly trust?: ClosureTrust;
}): Promise<PolicyRuntime> {
  const { config, folder, catalog, strangers, database, life, allowDowngrade, problem } = options;
  const forgetTrust = watchTrust(options);
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
  /** The version that this process last configured. */
  let own: string | undefined;
  const configure = async () => {
    const { version } = policy.getConfigured();
    const configured = await sets.configure(
      { version, document: document() as never },
      { expected: own, leaseNumber: life(), allowDowngrade },
    );
    // If `configure` did not apply this configuration, the process continues under the active set. Continuing is safe,
    // because every transaction checks that the process used the active set.
    if (configured === "superseded") problem("configuration-superseded");
    else own = version;
  };
  await configure();
  const stopping = new AbortController();
  /**
   * Writes the configured set to the database, and retries until the write succeeds or the process stops. Until the
   * write succeeds, all restrictions of the old rules apply to new capabilities.
   */
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
      forgetTrust();
    },
  };
}

/**
 * Raises an alarm when closures and Cedar disagree. It starts the counter with 0, because Prometheus does not see the
 * increase of a counter that appears with its first disagreement.
 */
function watchTrust({
  alarm,
  telemetry,
  trust = processTrust,
}: {
  readonly alarm: (code: string) => void;
  readonly telemetry: Pick<Telemetry, "measure">;
  readonly trust?: ClosureTrust;
}): () => void {
  telemetry.measure("paraph.policy.disagreements", 0);
  return trust.onWithdrawal(() => {
    telemetry.measure("paraph.policy.disagreements", 1);
    alarm("policy-evaluators-disagree");
  });
}
