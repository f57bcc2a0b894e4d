import { createHash } from "node:crypto";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";

/** The maximum number of devices per person. */
export const maxPushDevices = 10;

/** A browser in which a person turned on push notifications. */
export interface PushDevice {
  readonly id: string;
  readonly name: string;
  readonly addedAt: number;
  /** When the push service last accepted a message for this device. */
  readonly usedAt?: number;
}

/** The address and the keys of a browser, which the browser creates when it subscribes. */
export interface PushSubscription {
  readonly endpoint: string;
  /** The public key of the browser, and the secret that it shares with Paraph, as base64url. */
  readonly p256dh: string;
  readonly auth: string;
}

/** The devices of people. */
export interface PushDeviceStore {
  list(tenant: string, person: string): Promise<readonly PushDevice[]>;
  /** Returns the devices with what is needed to reach them. */
  listSubscriptions(
    tenant: string,
    person: string,
  ): Promise<readonly (PushSubscription & { readonly id: string })[]>;
  /** Adds a device. Returns false if the person has the maximum number of devices. */
  add(tenant: string, person: string, name: string, subscription: PushSubscription): Promise<boolean>;
  remove(tenant: string, person: string, id: string): Promise<void>;
  markUsed(tenant: string, ids: readonly string[]): Promise<void>;
}

/** Creates the devices of people on PostgreSQL. */
export function createPushDeviceStore(app: Pool): PushDeviceStore {
  return {
    async list(tenant, person) {
      const rows = await withTenant(app, tenant, (query) =>
        query<DeviceRow>(
          `select id, name, paraph.millis(added_at) as added, paraph.millis(used_at) as used
           from paraph.push_device where tenant = $1 and person = $2 order by added_at, id`,
          [tenant, person],
        ),
      );
      return rows.map(({ id, name, added, used }) => ({
        id,
        name,
        addedAt: Number(added),
        ...(used !== null && { usedAt: Number(used) }),
      }));
    },
    listSubscriptions: (tenant, person) =>
      withTenant(app, tenant, (query) =>
        query<PushSubscription & { id: string }>(
          "select id, endpoint, p256dh, auth from paraph.push_device where tenant = $1 and person = $2 order by id",
          [tenant, person],
        ),
      ),
    async add(tenant, person, name, { endpoint, p256dh, auth }) {
      const text = "select paraph.push_device_add($1, $2, $3, $4, $5, $6, $7, $8) as it";
      const values = [tenant, person, toDeviceId(endpoint), name, endpoint, p256dh, auth, maxPushDevices];
      return (await app.query(text, values)).rows[0].it;
    },
    async remove(tenant, person, id) {
      await withTenant(app, tenant, (query) =>
        query("delete from paraph.push_device where tenant = $1 and person = $2 and id = $3", [
          tenant,
          person,
          id,
        ]),
      );
    },
    async markUsed(tenant, ids) {
      await withTenant(app, tenant, (query) =>
        query("update paraph.push_device set used_at = paraph.now() where tenant = $1 and id = any ($2)", [
          tenant,
          ids,
        ]),
      );
    },
  };
}

/** Returns the id of a device. The script of the page computes the same one, to find its own device in the list. */
export function toDeviceId(endpoint: string): string {
  return `device_${createHash("sha256").update(endpoint).digest("hex").slice(0, 32)}`;
}

interface DeviceRow {
  readonly id: string;
  readonly name: string;
  readonly added: string;
  readonly used: string | null;
}
