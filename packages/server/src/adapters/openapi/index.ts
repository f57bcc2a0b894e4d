import { type Capability, defineAdapter, type Health } from "@paraph/core";
import { waysWithin } from "../../outbound/connect.ts";
import { exchange } from "../../outbound/exchange.ts";
import { reachOf } from "../../outbound/reach.ts";
import { capabilityOf } from "./capability.ts";
import { openapiConfig } from "./config.ts";
import { readDocument, unusable } from "./document.ts";
import { Unusable } from "./node.ts";
import { type LeftOut, type Operations, operationsOf } from "./operations.ts";
import { readersAmong } from "./reader.ts";
import type { Setting } from "./send.ts";

/** Every operation of an OpenAPI document as a capability. */
export const openapi = defineAdapter({
  kind: "openapi",
  config: openapiConfig,
  open: async (config, setting) => {
    const ways = waysWithin(reachOf(config.allow));
    try {
      const document = await readDocument(config, setting, ways);
      const operations = operationsOf(document, config);
      const offered = capabilitiesOf({ ...config, name: setting.name, ways }, operations);
      if (offered.capabilities.length === 0)
        throw unusable(`offers nothing that can be used${sample(offered.leftOut)}`);
      return {
        capabilities: async () => offered.capabilities,
        health: (signal) => healthOf(ways, operations.wanted[0]!.server, offered, signal),
        close: () => ways.close(),
      };
    } catch (error) {
      await ways.close();
      throw error;
    }
  },
});

interface Offered {
  readonly capabilities: readonly Capability[];
  readonly leftOut: readonly LeftOut[];
}

function capabilitiesOf(setting: Setting, { usable, wanted, leftOut: unread }: Operations): Offered {
  const leftOut = [...unread];
  const readerOf = readersAmong(usable);
  const capabilities = wanted.flatMap((operation) => {
    try {
      return [capabilityOf(setting, operation, readerOf(operation))];
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      leftOut.push({ what: `${operation.method} ${operation.path}`, why: error.message });
      return [];
    }
  });
  return { capabilities, leftOut };
}

/** Any answer will do: that somebody is there is all that is asked. */
async function healthOf(
  ways: Setting["ways"],
  server: URL,
  { capabilities, leftOut }: Offered,
  signal: AbortSignal,
): Promise<Health> {
  await exchange(ways, {
    method: "HEAD",
    url: server,
    headers: {},
    signal,
    mostBytes: 1_024,
    mayFollow: () => false,
  }).catch((error) => {
    if (error?.code !== "redirect-refused") throw error;
  });
  const total = capabilities.length + leftOut.length;
  return leftOut.length === 0
    ? { kind: "well" }
    : { kind: "well", message: `${leftOut.length} of ${total} operations are left out${sample(leftOut)}` };
}

function sample(leftOut: readonly LeftOut[]): string {
  const told = leftOut.slice(0, 3).map(({ what, why }) => `\`${what}\` (${why})`);
  return told.length === 0 ? "" : `: ${told.join(", ")}${leftOut.length > told.length ? ", …" : ""}`;
}
