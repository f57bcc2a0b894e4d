import { CapabilityError } from "@paraph/core";

/** Whether the text can be the id of an event: the last segment of its URL. */
export function isResourceId(id: string): boolean {
  return /^[^/\\?#\p{Cc}]{1,255}$/u.test(id) && id !== "." && id !== ".." && id.isWellFormed();
}

/** [TRUST 18] Returns the URL of an event. Its id is always exactly one segment below the calendar. */
export function toResourceUrl(calendarUrl: string, id: string): URL {
  if (!isResourceId(id))
    throw new CapabilityError("permanent", "event-invalid", "The `event` is not the id of an event.");
  return new URL(encodeURIComponent(id), calendarUrl);
}

/**
 * Returns the id in a server's href, or undefined for the calendar itself. Paraph takes only the last segment, so a
 * server cannot lead it to another place.
 */
export function toResourceId(href: string): string | undefined {
  const segment = href.slice(href.lastIndexOf("/") + 1);
  try {
    const id = decodeURIComponent(segment);
    return isResourceId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
