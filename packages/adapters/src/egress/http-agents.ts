import { lookup as resolve } from "node:dns";
import type { LookupFunction } from "node:net";
import { maxTimeoutMs } from "@paraph/core";
import { Agent, buildConnector } from "undici";
import type { EgressPolicy } from "./egress-policy.ts";
import { getIpFamily } from "./ip-ranges.ts";

export const addressNotAllowed = "address-not-allowed";

/** The HTTP connections of one adapter. */
export interface HttpAgents {
  /** The agent for reads, which share connections. Every write has a connection of its own. */
  readonly readAgent: Agent;
  readonly writeAgent: Agent;
  close(): Promise<void>;
}

/**
 * Creates the agents of an adapter. A write on an idle connection can be lost, because the other end may just have
 * closed the connection. Paraph could not tell whether such a write was performed. Each write therefore uses a new
 * connection.
 */
export function createHttpAgents(reach: EgressPolicy): HttpAgents {
  // The contract already limits the time of an attempt. The agents therefore use the longest timeout that an attempt
  // may have.
  const reading = createAgent(reach, { patienceMs: maxTimeoutMs });
  const writing = createAgent(reach, { patienceMs: maxTimeoutMs, keepAlive: false });
  return {
    readAgent: reading,
    writeAgent: writing,
    async close() {
      await Promise.all([reading.destroy(), writing.destroy()]);
    },
  };
}

/**
 * [TRUST 17] Creates an agent. All HTTP to the outside must go through an agent. The agent checks the address at
 * connection time, so that DNS rebinding cannot bypass the policy. It also checks every hop of a redirect, because each
 * hop is a separate connection. The agent ignores the proxy settings of the environment.
 */
export function createAgent(
  reach: EgressPolicy,
  { patienceMs, keepAlive = true }: { readonly patienceMs: number; readonly keepAlive?: boolean },
): Agent {
  const connectors = new Map<number, buildConnector.connector>();
  const connectorTo = (port: number) => {
    const known = connectors.get(port);
    if (known) return known;
    const made = buildConnector({
      lookup: createAllowedLookup(reach, port),
      timeout: connectTimeoutMs,
      allowH2: false,
    });
    connectors.set(port, made);
    return made;
  };
  return new Agent({
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
    pipelining: keepAlive ? 1 : 0,
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[|\]$/g, "");
      const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
      // A connection to a literal address needs no lookup, so the address is checked here.
      if (getIpFamily(host) && !reach.allows(host, port, host)) return done(addressNotAllowedError(), null);
      connectorTo(port)(options, done);
    },
  });
}

const connectTimeoutMs = 5_000;

function createAllowedLookup(reach: EgressPolicy, port: number): LookupFunction {
  return (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, "");
      const admitted = addresses.filter(({ address }) => reach.allows(hostname, port, address));
      const [first] = admitted;
      if (!first) return done(addressNotAllowedError(), "");
      return options.all ? done(null, admitted) : done(null, first.address, first.family);
    });
}

function addressNotAllowedError(): Error {
  return Object.assign(new Error("The egress policy does not allow this address."), {
    code: addressNotAllowed,
  });
}
