const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Formats a local time for people, such as `Fri 20 Nov 2026, 15:00`. The text does not depend on the machine. */
export function formatLocal(local: number, isDate: boolean): string {
  const date = new Date(local);
  const day = `${days[date.getUTCDay()]} ${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return isDate ? day : `${day}, ${date.toISOString().slice(11, 16)}`;
}

/** Formats a local time as agents write it: `2026-11-20T15:00`, or `2026-11-20` for a whole day. */
export function formatLocalIso(local: number, isDate: boolean): string {
  const text = new Date(local).toISOString();
  if (isDate) return text.slice(0, 10);
  return text.slice(17, 19) === "00" ? text.slice(0, 16) : text.slice(0, 19);
}

export function formatUtc(utc: number): string {
  return `${new Date(utc).toISOString().slice(0, 19)}Z`;
}

/** Parses a local time or date. Returns undefined if the text is none, or if the calendar has no such day. */
export function parseLocal(text: string): { readonly local: number; readonly isDate: boolean } | undefined {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  if (!isDate && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/.test(text)) return undefined;
  const full = isDate ? `${text}T00:00:00` : text.length === 16 ? `${text}:00` : text;
  const local = Date.parse(`${full}Z`);
  return new Date(local || 0).toISOString().slice(0, 19) === full ? { local, isDate } : undefined;
}
