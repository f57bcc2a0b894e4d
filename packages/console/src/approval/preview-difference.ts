import type { Change, Round } from "../api/types.ts";
import { formatJson } from "../lib/foreign.tsx";
import { isObject } from "../lib/json.ts";

type Preview = NonNullable<Round["preview"]>;
type Values = Readonly<Record<string, { readonly before: string; readonly after: string }>>;

/** The difference between two previews of one call. */
interface PreviewDifference {
  /** The values of the basis, before and after. */
  readonly basis: Values;
  /** The changes of the same target whose values differ. */
  readonly altered: readonly { readonly change: Change; readonly values: Values }[];
  readonly added: readonly Change[];
  readonly removed: readonly Change[];
}

/** Compares the previews of two rounds. Changes of the same kind and target belong together, in their order. */
export function listDifferences(earlier: Preview, now: Preview): PreviewDifference {
  const left = new Map<string, Change[]>();
  for (const change of earlier.changes)
    left.set(toName(change), [...(left.get(toName(change)) ?? []), change]);
  const altered: { change: Change; values: Values }[] = [];
  const added: Change[] = [];
  for (const change of now.changes) {
    const old = left.get(toName(change))?.shift();
    if (!old) added.push(change);
    else {
      const values = compare(toValues(old), toValues(change));
      if (Object.keys(values).length > 0) altered.push({ change, values });
    }
  }
  const basis = compare(toFacts(earlier.basis), toFacts(now.basis));
  return { basis, altered, added, removed: [...left.values()].flat() };
}

function toName({ kind, target }: Change): string {
  return JSON.stringify([kind, target]);
}

/** The details of a change by name, with its summary and its diff. */
function toValues({ summary, diff, details }: Change): Readonly<Record<string, unknown>> {
  return { ...(summary !== undefined && { summary }), ...details, ...(diff !== undefined && { diff }) };
}

function toFacts(basis: unknown): Readonly<Record<string, unknown>> {
  return isObject(basis) ? basis : { basis };
}

function compare(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Values {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const pairs = names.map(
    (name) => [name, { before: format(before[name]), after: format(after[name]) }] as const,
  );
  return Object.fromEntries(pairs.filter(([, pair]) => pair.before !== pair.after));
}

/** Formats a value as the text that is compared and shown. */
function format(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (isObject(value) && Object.keys(value).sort().join() === "after,before")
    return `${format(value.before)} → ${format(value.after)}`;
  return typeof value === "object" ? formatJson(value) : String(value);
}
