import { type Duration, milliseconds, ParaphError } from "@paraph/core";

/** How an adapter is asked what it perceives. */
export interface ObserveConfig {
  /** How often: once a second at most. */
  readonly every: Duration;
  /** For these tenants; all of them unless given. */
  readonly tenants?: readonly string[];
  /** How long observations are kept: 30 d unless given. */
  readonly keep?: Duration;
  /** How long one look may take: 30 s unless given. */
  readonly patience?: Duration;
}

export interface Watched {
  readonly tenants: readonly string[] | undefined;
  readonly everyMs: number;
  readonly keepMs: number;
  readonly patienceMs: number;
}

/** Throws for what cannot be looked at: better when the process starts than never to see anything. */
export function watchedFrom(
  observe: Readonly<Record<string, ObserveConfig>> = {},
  adapters: Iterable<string>,
): ReadonlyMap<string, Watched> {
  const known = new Set(adapters);
  const watched = new Map<string, Watched>();
  for (const [name, { every, tenants, keep = "30d", patience = "30s" }] of Object.entries(observe)) {
    if (!known.has(name)) {
      throw new ParaphError(
        "adapter-invalid",
        `\`observe\` names \`${name}\`, which is none of the adapters: add it to \`adapters\`, or take it out.`,
      );
    }
    const everyMs = milliseconds(every);
    if (everyMs < 1_000) {
      throw new ParaphError("adapter-invalid", `\`observe.${name}.every\` is at least one second.`);
    }
    watched.set(name, { tenants, everyMs, keepMs: milliseconds(keep), patienceMs: milliseconds(patience) });
  }
  return watched;
}
