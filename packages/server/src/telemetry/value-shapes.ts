/**
 * [P10] A test of whether a value may leave the process. Only numbers within bounds and short identifiers may leave it.
 */
export type ValueShape<T extends string | number> = (value: unknown) => value is T;

export type ValueOf<S> = S extends ValueShape<infer T> ? T : never;

const maxLength = 64;

function matchPattern(pattern: RegExp): ValueShape<string> {
  return (value): value is string =>
    typeof value === "string" && value.length <= maxLength && pattern.test(value);
}

export function oneOf(words: readonly string[]): ValueShape<string> {
  const known = new Set<unknown>(words);
  return (value): value is string => known.has(value);
}

export function inRange(min: number, max: number): ValueShape<number> {
  return (value): value is number => typeof value === "number" && value >= min && value <= max;
}

/** Accepts ids that Paraph creates. They have a known prefix or are UUIDs. Ids that callers choose do not match. */
export const isId = matchPattern(
  /^(?:(?:call|ask|req)_[0-9a-z]{1,40}|(?:req_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/,
);
export const isTenantName = matchPattern(/^[a-z][a-z0-9]{1,30}$/);
export const isCapabilityName = matchPattern(/^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/);
/** Accepts the name of an adapter in the configuration, such as `files_2`. */
export const isAdapterName = matchPattern(/^[a-z][a-z0-9_]{0,62}$/);
/**
 * Accepts words, `http2`, `http-503` and `sqlstate-23505`. Rejects other mixtures of letters and digits, because they
 * are more likely keys or account names than codes.
 */
export const isCode = matchPattern(
  /^(?:sqlstate-[0-9a-z]{5}|[a-z]{1,24}\d{0,2}(?:-(?:[a-z]{1,24}\d{0,2}|\d{1,3}))*)$/,
);
/** Accepts the template of a route. A path with an actual id in it does not match. */
export const isRouteTemplate = matchPattern(
  /^(?:\/|(?:\/(?:[a-z.][a-z0-9.-]{0,30}|:[a-z]+|\{[a-z]+\}|\*))+)$/,
);
export const isProtocolDate = matchPattern(/^20[2-9]\d-[01]\d-[0-3]\d$/);
export const isRelease = matchPattern(/^\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[a-z0-9.]{1,20})?$/);
export const isCount = inRange(0, 1_000_000);
export const isMilliseconds = inRange(0, 1_000_000_000);
