import type { ChannelConfig, Place } from "./channel.ts";

/** The maximum number of people whom one request is announced to. It bounds the effect of a guard without a group. */
export const maxRecipients = 50;

/** [TRUST 10] Returns the place that gets the notices of this tenant instead of its people. */
export function findPlace({ place }: Pick<ChannelConfig, "place">, tenant: string): Place | undefined {
  return place?.tenant === tenant ? place : undefined;
}

/** Returns the recipient under which the record of notices has a place. */
export function toPlaceRecipient({ address }: Place): string {
  return `#${address}`;
}
