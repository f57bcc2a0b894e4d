import type { Adapter, AdapterContext, Capability, OpenAdapter } from "@paraph/core";
import { createKeyPair } from "../../../../sdk/src/serve/key-pair.ts";
import { type RunningService, type ServeOptions, serve } from "../../../../sdk/src/serve/node.ts";
import { remote } from "../index.ts";

export { createTestContext } from "../../testing.ts";

export { createKeyPair, serve };

/** Two key pairs that trust each other: that of Paraph and that of a service. */
export const keyPairs = { paraph: await createKeyPair(), service: await createKeyPair() };

export interface RemoteFixture extends AsyncDisposable {
  readonly service: RunningService;
  readonly open: OpenAdapter;
  /** Returns how often the adapter announced a change. */
  readonly countChanges: () => number;
  capability(name: string): Promise<Capability>;
}

/** Starts a service on a real socket, and opens the adapter for it. */
export async function createRemoteFixture(
  options: Pick<ServeOptions, "capabilities"> & Partial<ServeOptions>,
  configured: Partial<Parameters<typeof remote>[0]> = {},
): Promise<RemoteFixture> {
  const service = await serve({
    key: keyPairs.service.privateKey,
    callers: [keyPairs.paraph.publicKey],
    ...options,
  });
  const { open, changes } = await openRemote({ url: service.url, ...configured });
  return {
    service,
    open,
    countChanges: changes,
    capability: async (name) => findServedCapability(await open.capabilities(), name),
    [Symbol.asyncDispose]: async () => {
      await open.close?.();
      await service.stop();
    },
  };
}

/** Opens only the adapter, for any server. */
export async function openRemote(configured: { url: string } & Partial<Parameters<typeof remote>[0]>) {
  let changes = 0;
  const adapterContext = createAdapterContext(() => {
    changes += 1;
  });
  const open = await createRemoteAdapter(configured).open(adapterContext);
  return { open, changes: () => changes };
}

export function createRemoteAdapter(
  configured: { url: string } & Partial<Parameters<typeof remote>[0]>,
): Adapter {
  const key = "$" + "{PARAPH_KEY}";
  return remote({ key, service: keyPairs.service.publicKey, ...configured });
}

export function createAdapterContext(changed: () => void = () => {}): AdapterContext {
  return {
    name: "shop",
    folder: "/nowhere",
    announceChange: changed,
    signal: new AbortController().signal,
    credential: async () => keyPairs.paraph.privateKey,
  };
}

export function findServedCapability(capabilities: readonly Capability[], name: string): Capability {
  const found = capabilities.find(({ contract }) => contract.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}
