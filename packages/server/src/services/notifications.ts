import type { Principal } from "@paraph/core";
import {
  createContactStore,
  createPreferenceStore,
  type Database,
  type NotificationPreferences,
} from "../postgres/index.ts";

export type { NotificationPreferences };

/** The notices that a person gets. */
export interface NotificationService {
  read(reader: Principal): Promise<NotificationSettings>;
  write(reader: Principal, preferences: NotificationPreferences): Promise<void>;
  /** Records that the person opened the page of a call. Does nothing if Paraph did not tell them about it. */
  markOpened(reader: Principal, call: string): Promise<void>;
}

/** A person's preferences, and what they choose from. */
export interface NotificationSettings extends NotificationPreferences {
  /** The configured channels. `address` is missing if the channel cannot reach the person. */
  readonly available: readonly { readonly channel: string; readonly address?: string }[];
}

/** Creates the service for people's preferences about notices. */
export function createNotificationService(
  { app }: Pick<Database, "app">,
  channels: readonly string[],
): NotificationService {
  const preferences = createPreferenceStore(app);
  const contacts = createContactStore(app);
  return {
    async read({ tenant, id }) {
      const [chosen, available] = await Promise.all([
        preferences.find(tenant, id),
        Promise.all(
          channels.map(async (channel) => {
            const address = await contacts.find(tenant, id, channel);
            return { channel, ...(address !== undefined && { address }) };
          }),
        ),
      ]);
      return { ...chosen, available };
    },
    write: ({ tenant, id }, chosen) => preferences.set(tenant, id, chosen),
    async markOpened({ tenant, id }, call) {
      if (channels.length > 0) await preferences.markOpened(tenant, id, call);
    },
  };
}
