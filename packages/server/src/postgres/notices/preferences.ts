import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import type { QuietHours } from "./notice-store.ts";

/** A person's own choices about notices. A missing value means the default. */
export interface NotificationPreferences {
  /** The channels that the person uses (default: all). */
  readonly channels?: readonly string[];
  readonly quiet?: QuietHours;
}

/** The preferences of people, and what they did with their notices. */
export interface PreferenceStore {
  find(tenant: string, person: string): Promise<NotificationPreferences>;
  set(tenant: string, person: string, preferences: NotificationPreferences): Promise<void>;
  /** Records when the person first opened the page of a call of which they were told. */
  markOpened(tenant: string, person: string, call: string): Promise<void>;
}

/** Creates the preferences of people on PostgreSQL. */
export function createPreferenceStore(app: Pool): PreferenceStore {
  return {
    async find(tenant, person) {
      const [row] = await withTenant(app, tenant, (query) =>
        query<PreferenceRow>(
          "select channels, quiet_from, quiet_until, time_zone, pierce from paraph.notification_preference where tenant = $1 and person = $2",
          [tenant, person],
        ),
      );
      if (!row) return {};
      const { channels, quiet_from: from, quiet_until: until, time_zone: timeZone, pierce } = row;
      return {
        ...(channels && { channels }),
        ...(from !== null && { quiet: { from, until, timeZone, pierce: pierce ?? "high" } }),
      };
    },
    async markOpened(tenant, person, call) {
      await withTenant(app, tenant, (query) =>
        query(
          `update paraph.notice set opened_at = paraph.now()
           where tenant = $1 and call = $2 and recipient = $3 and state = 'sent' and opened_at is null`,
          [tenant, call, person],
        ),
      );
    },
    async set(tenant, person, { channels, quiet }) {
      await withTenant(app, tenant, (query) =>
        query(
          `insert into paraph.notification_preference (tenant, person, channels, quiet_from, quiet_until, time_zone, pierce, at)
           values ($1, $2, $3, $4, $5, $6, $7, paraph.now())
           on conflict (tenant, person) do update set channels = excluded.channels, quiet_from = excluded.quiet_from,
             quiet_until = excluded.quiet_until, time_zone = excluded.time_zone, pierce = excluded.pierce, at = excluded.at`,
          [
            ...[tenant, person, channels ?? null],
            ...[quiet?.from ?? null, quiet?.until ?? null, quiet?.timeZone ?? null, quiet?.pierce ?? null],
          ],
        ),
      );
    },
  };
}

type PreferenceRow = { channels: string[] | null } & (
  | { quiet_from: number; quiet_until: number; time_zone: string; pierce: QuietHours["pierce"] | null }
  | { quiet_from: null; quiet_until: null; time_zone: null; pierce: null }
);
