/** Formats a count, such as `1 call` or `3 calls`. */
export function pluralize(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** Formats names for an error as a list, such as `a`, `b` and `c`. */
export function formatList(names: readonly string[]): string {
  return formatParts(names.map((name) => `\`${name}\``));
}

/** Formats names for a preview, which people read as plain text, such as "a", "b" and "c". */
export function formatNames(names: readonly string[]): string {
  return formatParts(names.map((name) => `"${name}"`));
}

/** Joins the parts of a sentence, such as `a, b and c`. */
export function formatParts(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** Formats a duration, such as `45 min`, `1 h` or `1 h 30 min`. */
export function formatMinutes(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : "", rest > 0 || hours === 0 ? `${rest} min` : ""]
    .filter(Boolean)
    .join(" ");
}

/** Formats a time for people, such as `1 Mar 2026, 09:30 UTC`. */
export function formatUtc(at: number): string {
  const options = { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" } as const;
  return `${new Date(at).toLocaleString("en-GB", options)} UTC`;
}

/** Formats a day for people, such as `1 Mar 2026`. */
export function formatUtcDate(at: number): string {
  return new Date(at).toLocaleDateString("en-GB", { timeZone: "UTC", dateStyle: "medium" });
}

/** Names what a freeze stops, such as `support-bot` or `adapter github`. The id of a principal needs no kind. */
export function formatFreezeSubject(kind: string, subject: string): string {
  return kind === "principal" ? subject : `${kind} ${subject}`;
}
