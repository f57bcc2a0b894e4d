import { type Html, html } from "./html.ts";

/**
 * Renders a time, such as `Sun 1 Mar 2026, 13:30 UTC`. All readers get UTC, because a page without scripts does not
 * know their time zone. Where the reader needs to relate it to now, `renderAgo` also says how long ago it was.
 */
export function renderTime(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${formatTime(at)}</time>`;
}

/** Renders how long ago a time was, and the exact time. */
export function renderAgo(at: number, now: number): Html {
  return html`${formatAgo(at, now)} <span class="quiet exact">${renderTime(at)}</span>`;
}

/** Formats a time, such as `Sun 1 Mar 2026, 13:30 UTC`. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const day = date.toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

/** Formats a duration, such as `3 h 58 min`. It rounds down, so that no reader expects more time than there is. */
export function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** Formats how long ago a time was. */
export function formatAgo(at: number, now: number): string {
  return `${formatDuration(Math.max(0, now - at))} ago`;
}
