import type { Adapter, AdapterContext, Capability, OpenAdapter } from "@paraph/core";
import { newKeyPair } from "../../../../../sdk/src/serve/key-pair.ts";
import { type ServeOptions, type Serving, serve } from "../../../../../sdk/src/serve/node.ts";
import { remote } from "../index.ts";

export { worldOf } from "../../testing.ts";

export { newKeyPair, serve };

/** Two key pairs that trust each other: Paraph's, and that of a service. */
export const keys = { paraph: await newKeyPair(), service: await newKeyPair() };

export interface Ground extends AsyncDisposable {
  readonly service: Serving;
  readonly open: OpenAdapter;
  /** How often the adapter said that it may offer something else. */
  readonly changes: () => number;
  capability(name: string): Promise<Capability>;
}

/** A service behind a real socket, and the adapter that asks it. */
export async function ground(
  options: Pick<ServeOptions, "capabilities"> & Partial<ServeOptions>,
  configured: Partial<Parameters<typeof remote>[0]> = {},
): Promise<Ground> {
  const service = await serve({
    key: keys.service.privateKey,
    callers: [keys.paraph.publicKey],
    ...options,
  });
  const { open, changes } = await opened({ url: service.url, ...configured });
  return {
    service,
    open,
    changes,
    capability: async (name) => find(await open.capabilities(), name),
    [Symbol.asyncDispose]: async () => {
      await open.close?.();
      await service.stop();
    },
  };
}

/** The adapter alone, asking whatever is there. */
export async function opened(configured: { url: string } & Partial<Parameters<typeof remote>[0]>) {
  let changes = 0;
  const setting = settingOf(() => {
    changes += 1;
  });
  const open = await remoteTo(configured).open(setting);
  return { open, changes: () => changes };
}

export function remoteTo(configured: { url: string } & Partial<Parameters<typeof remote>[0]>): Adapter {
  const key = "$" + "{PARAPH_KEY}";
  return remote({ key, service: keys.service.publicKey, ...configured });
}

export function settingOf(changed: () => void = () => {}): AdapterContext {
  return {
    name: "shop",
    folder: "/nowhere",
    announceChange: changed,
    signal: new AbortController().signal,
    credential: async () => keys.paraph.privateKey,
  };
}

export function find(capabilities: readonly Capability[], name: string): Capability {
  const found = capabilities.find(({ contract }) => contract.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}
