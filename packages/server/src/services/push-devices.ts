import { ECDH } from "node:crypto";
import type { Principal } from "@paraph/core";
import {
  createPushDeviceStore,
  type Database,
  maxPushDevices,
  type PushDevice,
  type PushSubscription,
} from "../postgres/index.ts";

export { maxPushDevices, type PushDevice, type PushSubscription };

/** The devices on which a person gets push notifications. */
export interface PushDeviceService {
  list(reader: Principal): Promise<readonly PushDevice[]>;
  /** Returns the key to which browsers bind a subscription, or undefined if this process cannot read its secret. */
  findPublicKey(): Promise<string | undefined>;
  add(reader: Principal, name: string, subscription: PushSubscription): Promise<AddedDevice>;
  remove(reader: Principal, id: string): Promise<void>;
}

/** The result of adding a device. `invalid` means that Paraph may not or cannot send to it. */
export type AddedDevice = "added" | "too-many" | "invalid";

/** The means by which browsers subscribe to the channel that reaches devices. */
export interface SubscriptionSource {
  publicKey(): Promise<string>;
  allowsEndpoint(endpoint: string): boolean;
}

/** Creates the service for people's devices. */
export function createPushDeviceService(
  { app }: Pick<Database, "app">,
  { publicKey, allowsEndpoint }: SubscriptionSource,
): PushDeviceService {
  const store = createPushDeviceStore(app);
  return {
    list: ({ tenant, id }) => store.list(tenant, id),
    findPublicKey: () => publicKey().catch(() => undefined),
    async add({ tenant, id }, name, subscription) {
      if (!allowsEndpoint(subscription.endpoint) || !hasUsableKeys(subscription)) return "invalid";
      return (await store.add(tenant, id, name, subscription)) ? "added" : "too-many";
    },
    remove: ({ tenant, id }, device) => store.remove(tenant, id, device),
  };
}

/** Returns whether the keys are a point of the curve P-256 and a secret of 16 bytes (RFC 8291). */
function hasUsableKeys({ p256dh, auth }: PushSubscription): boolean {
  if (!/^[A-Za-z0-9_-]{22}$/.test(auth) || !/^[A-Za-z0-9_-]{87}$/.test(p256dh)) return false;
  try {
    ECDH.convertKey(p256dh, "prime256v1", "base64url", "base64url", "uncompressed");
    return true;
  } catch {
    return false;
  }
}
