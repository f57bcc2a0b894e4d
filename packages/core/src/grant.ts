import type { Json, JsonObject } from "./json.ts";

/**
 * A bounded standing approval: people have said yes in advance to calls of one capability within these bounds.
 * It is evidence, as votes are; spent at the intent, and named there and in the receipt.
 */
export interface Grant {
  readonly id: string;
  readonly capability: string;
  /** Whose calls it is for; undefined: any principal's of the tenant. */
  readonly principal?: string;
  readonly bounds: Bounds;
  /** Who said yes, and the groups they were in: they count towards a guard's quorum as voters do. */
  readonly people: readonly { readonly by: string; readonly groups: readonly string[] }[];
  /** How many calls are left, and how much money in minor units; undefined: not bounded by money. */
  readonly countLeft: number;
  readonly amountLeft?: number;
  readonly expiresAt: number;
  /** Given for a destroying capability as well, which no grant is by default. */
  readonly destroy?: boolean;
  /** Lifts every guard, for one emergency: who broke the glass answers for it afterwards. */
  readonly breakGlass?: boolean;
  /** [TRUST 32] What it was when it was given, under a seal. A grant without it does not count. */
  readonly given?: {
    readonly people: Grant["people"];
    readonly count: number;
    readonly amount?: number;
    readonly seal: string;
  };
}

/** What an argument must be, by its path into the input (`to.domain`). A path that is not named is not bounded. */
export type Bounds = Readonly<Record<string, Bound>>;

export interface Bound {
  readonly is?: Json;
  readonly oneOf?: readonly Json[];
  readonly startsWith?: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Whether the input lies inside: an argument that is missing, or of another type than its bound speaks of, does not. */
export function isWithinBounds(bounds: Bounds, input: Json): boolean {
  return Object.entries(bounds).every(([path, bound]) => holds(bound, at(input, path.split("."))));
}

function at(value: Json | undefined, [first, ...rest]: readonly string[]): Json | undefined {
  if (first === undefined) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, first) ? at((value as JsonObject)[first], rest) : undefined;
}

function holds(bound: Bound, value: Json | undefined): boolean {
  const tests = [
    bound.is === undefined || same(bound.is, value),
    bound.oneOf === undefined || bound.oneOf.some((one) => same(one, value)),
    bound.startsWith === undefined || startsWithin(bound.startsWith, value),
    bound.atMost === undefined || (typeof value === "number" && value <= bound.atMost),
    bound.atLeast === undefined || (typeof value === "number" && value >= bound.atLeast),
  ];
  return value !== undefined && Object.keys(bound).length > 0 && tests.every(Boolean);
}

/** Only plain values are compared: a bound on a structure would be easy to write wrongly. */
function same(wanted: Json, value: Json | undefined): boolean {
  return (typeof wanted !== "object" || wanted === null) && wanted === value;
}

/** `/srv/` is not a bound on `/srv/../etc`. */
function startsWithin(prefix: string, value: Json | undefined): boolean {
  return typeof value === "string" && value.startsWith(prefix) && !value.split(/[/\\]/).includes("..");
}
