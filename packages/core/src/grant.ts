import type { Json, JsonObject } from "./json.ts";

/**
 * A standing approval with bounds. People approved the calls of one capability within these bounds in advance. A grant
 * is evidence, as votes are. The intent spends the grant, and both the intent and the receipt name it.
 */
export interface Grant {
  readonly id: string;
  readonly capability: string;
  /** The principal whose calls the grant covers. Undefined means every principal of the tenant. */
  readonly principal?: string;
  readonly bounds: Bounds;
  /** The people who gave the grant, and their groups. They count towards a guard's quorum as voters do. */
  readonly people: readonly { readonly by: string; readonly groups: readonly string[] }[];
  /**
   * The number of calls that are left. `amountLeft` is the money that is left, in minor units. If `amountLeft` is
   * undefined, the grant does not bound money.
   */
  readonly countLeft: number;
  readonly amountLeft?: number;
  readonly expiresAt: number;
  /** Whether the grant also covers a destructive capability. By default, it does not. */
  readonly destroy?: boolean;
  /**
   * Whether the grant satisfies every guard, for one emergency. The person who broke the glass must justify the use of
   * the grant afterwards.
   */
  readonly breakGlass?: boolean;
  /** [TRUST 32] The sealed terms of the grant when it was given. A grant without sealed terms does not count. */
  readonly given?: {
    readonly people: Grant["people"];
    readonly count: number;
    readonly amount?: number;
    readonly seal: string;
  };
}

/**
 * The bounds on arguments. Each key is the path of an argument in the input, for example `to.domain`. A path without an
 * entry is not bounded.
 */
export type Bounds = Readonly<Record<string, Bound>>;

/** The bound on one argument. */
export interface Bound {
  readonly is?: Json;
  readonly oneOf?: readonly Json[];
  readonly startsWith?: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/**
 * Returns whether the input is within the bounds. An argument is out of bounds if it is missing or its type differs
 * from that of its bound.
 */
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

/** Compares only plain values, because a bound on a structure would be easy to write wrongly. */
function same(wanted: Json, value: Json | undefined): boolean {
  return (typeof wanted !== "object" || wanted === null) && wanted === value;
}

/**
 * Returns whether a text starts with the prefix. Rejects paths with `..`, so that the bound `/srv/` does not include
 * `/srv/../etc`.
 */
function startsWithin(prefix: string, value: Json | undefined): boolean {
  return typeof value === "string" && value.startsWith(prefix) && !value.split(/[/\\]/).includes("..");
}
