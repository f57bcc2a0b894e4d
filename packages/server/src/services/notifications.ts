import type { CallRef, Principal } from "@paraph/core";
import {
  createContactStore,
  createPreferenceStore,
  type Database,
  listNotices,
  type NoticeRecord,
  type NotificationPreferences,
  noticeStates,
} from "../postgres/index.ts";
import {
  createPushDeviceService,
  type PushDevice,
  type PushDeviceService,
  type SubscriptionSource,
} from "./push-devices.ts";

export { type NoticeRecord, type NotificationPreferences, noticeStates };

/** The notices that a person gets. */
export interface NotificationService {
  read(reader: Principal): Promise<NotificationSettings>;
  write(reader: Principal, preferences: NotificationPreferences): Promise<void>;
  /** Records that the person opened the page of a call. Does nothing if Paraph did not tell them about it. */
  markOpened(reader: Principal, call: string): Promise<void>;
  /** Returns whom Paraph told about a call, oldest first. */
  listNotices(call: CallRef): Promise<readonly NoticeRecord[]>;
  /** The devices of people, if a channel reaches devices. */
  readonly push?: PushDeviceService;
}

/** A person's preferences, and what they choose from. */
export interface NotificationSettings extends NotificationPreferences {
  /** The configured channels. A channel without an address and without devices cannot reach the person. */
  readonly available: readonly {
    readonly channel: string;
    readonly address?: string;
    readonly devices?: readonly PushDevice[];
  }[];
}

/** A configured channel. */
export interface NotificationChannel {
  readonly name: string;
  /** The subscription of browsers, if the channel reaches devices instead of addresses. */
  readonly subscriptions?: SubscriptionSource;
}

/** Creates the service for people's preferences about notices. */
export function createNotificationService(
  { app }: Pick<Database, "app">,
  channels: readonly NotificationChannel[],
): NotificationService {
  const preferences = createPreferenceStore(app);
  const contacts = createContactStore(app);
  const source = channels.find(({ subscriptions }) => subscriptions)?.subscriptions;
  const push = source && createPushDeviceService({ app }, source);
  return {
    async read(reader) {
      const { tenant, id } = reader;
      const [chosen, available] = await Promise.all([
        preferences.find(tenant, id),
        Promise.all(
          channels.map(async ({ name: channel, subscriptions }) => {
            if (subscriptions && push) return { channel, devices: await push.list(reader) };
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
    listNotices: ({ tenant, call }) => listNotices(app, tenant, call),
    ...(push && { push }),
  };
}
