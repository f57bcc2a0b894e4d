import { type Html, html } from "./html.ts";

/** `Sun 1 Mar 2026, 13:30 UTC`: one zone for everybody who compares; a page without scripts does not know the reader's. */
export function renderTime(at: number): Html {
  const date = new Date(at);
  const day = date.toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${day}, ${iso.slice(11, 16)} UTC</time>`;
}

/** `3 h 58 min`, rounded down: nobody is promised time they do not have. */
export function formatDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

export function formatAgo(at: number, now: number): string {
  return `${formatDuration(Math.max(0, now - at))} ago`;
}
