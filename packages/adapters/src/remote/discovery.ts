import {
  type AdapterContext,
  adapterName,
  type Capability,
  CapabilityError,
  digestService,
  type OpenAdapter,
  ParaphError,
  type ServedContract,
} from "@paraph/core";
import { createRemoteCapability } from "./capability.ts";
import type { ServiceConnection } from "./connection.ts";
import { answerMissingFault } from "./service-fault.ts";

const refreshIntervalMs = 60_000;
const discoveryTimeoutMs = 10_000;

/**
 * Opens an adapter for a service. The adapter lists the contracts when it opens, every minute, and when the service
 * reports a change.
 */
export function openService(
  connection: ServiceConnection,
  adapterContext: AdapterContext,
  pin: string | undefined,
): OpenAdapter {
  const closing = new AbortController();
  let known: { readonly digest: string; readonly capabilities: readonly Capability[] } | undefined;

  const discovered = async (patience: AbortSignal) => {
    const signal = AbortSignal.any([closing.signal, patience]);
    const contracts = await fetchContracts(connection, signal);
    const digest = digestService(contracts);
    requireExpectedContracts(adapterContext.name, contracts, digest, pin);
    return { digest, contracts };
  };
  const timer = setInterval(async () => {
    const now = await discovered(AbortSignal.timeout(discoveryTimeoutMs)).catch(() => undefined);
    if (now && now.digest !== known?.digest) adapterContext.announceChange();
  }, refreshIntervalMs).unref();

  /**
   * [P5] Sends a request. If the service no longer has the requested contract, the service does nothing, and Paraph
   * lists the contracts again.
   */
  const ask: ServiceConnection["send"] = async (question, options) => {
    try {
      return await connection.send(question, options);
    } catch (error) {
      if (error instanceof CapabilityError && error.code === "contract-changed")
        adapterContext.announceChange();
      throw error;
    }
  };

  return {
    async capabilities() {
      const { digest, contracts } = await discovered(AbortSignal.timeout(discoveryTimeoutMs));
      if (known?.digest !== digest)
        known = { digest, capabilities: contracts.map((served) => createRemoteCapability(served, ask)) };
      return known.capabilities;
    },
    async health(signal) {
      const { digest } = await discovered(signal);
      if (digest !== known?.digest) adapterContext.announceChange();
      return { kind: "well", message: `The service's contracts have the digest \`${digest}\`.` };
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await connection.close();
    },
  };
}

async function fetchContracts(
  connection: ServiceConnection,
  signal: AbortSignal,
): Promise<readonly ServedContract[]> {
  try {
    const answer = await connection.send({ operation: "discover" }, { signal });
    if (answer.kind === "discovered") return answer.contracts;
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = "The service did not list its contracts in time. Paraph will retry.";
    throw new CapabilityError("not-performed", "service-slow", message);
  }
  throw answerMissingFault("a look");
}

/**
 * Requires that all contracts belong to this adapter. If the operator has pinned the service, the digest must match.
 */
function requireExpectedContracts(
  name: string,
  contracts: readonly ServedContract[],
  digest: string,
  pin: string | undefined,
): void {
  const names = contracts.map(({ contract }) => contract.name);
  const foreign = contracts.find(({ contract }) => adapterName(contract) !== name);
  if (foreign)
    throw new ParaphError(
      "adapter-invalid",
      `The service offers \`${foreign.contract.name}\`, whose name does not begin with the name of the adapter, \`${name}\`. Rename the adapter to match its capabilities.`,
    );
  if (new Set(names).size < names.length)
    throw new ParaphError(
      "adapter-invalid",
      `The service behind \`${name}\` offers two capabilities with the same name. Rename one of them in the service.`,
    );
  if (pin !== undefined && pin !== digest)
    throw new ParaphError(
      "adapter-invalid",
      `The contracts of the service behind \`${name}\` have changed since they were pinned. Review them, then set \`digest\` to \`${digest}\`.`,
    );
}
