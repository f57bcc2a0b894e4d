/** A value of a Cedar expression, without the values of extension functions. A set is an array, and may repeat values. */
export type CedarValue = boolean | number | string | EntityUid | readonly CedarValue[] | CedarRecord;

export interface CedarRecord {
  readonly [name: string]: CedarValue;
}

/** The identity of an entity. It is a class, so that no record of the call can be taken for an entity. */
export class EntityUid {
  readonly type: string;
  readonly id: string;

  constructor(type: string, id: string) {
    this.type = type;
    this.id = id;
  }
}

/** The error of an expression that has no value in Cedar, such as a missing attribute. Cedar skips its policy. */
export class EvaluationError extends Error {
  override readonly name = "EvaluationError";
}

/** The error of an expression that closures cannot evaluate exactly as Cedar does. Cedar itself must evaluate it. */
export class UnsupportedExpression extends Error {
  override readonly name = "UnsupportedExpression";
}

export function requireBoolean(value: CedarValue): boolean {
  if (typeof value !== "boolean") throw new EvaluationError("not a boolean");
  return value;
}

export function requireLong(value: CedarValue): number {
  if (typeof value !== "number") throw new EvaluationError("not a number");
  return value;
}

export function requireText(value: CedarValue): string {
  if (typeof value !== "string") throw new EvaluationError("not a string");
  return value;
}

export function requireEntity(value: CedarValue): EntityUid {
  if (!(value instanceof EntityUid)) throw new EvaluationError("not an entity");
  return value;
}

export function requireSet(value: CedarValue): readonly CedarValue[] {
  if (!Array.isArray(value)) throw new EvaluationError("not a set");
  return value;
}

/** Cedar's integers have 64 bits. A result that a JavaScript number cannot hold exactly is left to Cedar. */
export function toExactLong(result: number): number {
  if (!Number.isSafeInteger(result)) throw new UnsupportedExpression("an integer beyond 53 bits");
  return result;
}

/** Whether Cedar's `==` holds. Values of different types differ. Sets are equal if they have the same members. */
export function isSameValue(a: CedarValue, b: CedarValue): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object") return false;
  if (a instanceof EntityUid || b instanceof EntityUid)
    return a instanceof EntityUid && b instanceof EntityUid && a.type === b.type && a.id === b.id;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && includesAll(a, b) && includesAll(b, a);
  return isSameRecord(a as CedarRecord, b as CedarRecord);
}

function isSameRecord(a: CedarRecord, b: CedarRecord): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameValue(a[name]!, b[name]!))
  );
}

/** Whether a set has this member. Sets of sets or records are left to Cedar, because comparing them could take long. */
export function includes(set: readonly CedarValue[], value: CedarValue): boolean {
  if (typeof value !== "object") return set.includes(value);
  if (!(value instanceof EntityUid)) throw new UnsupportedExpression("nested sets");
  return set.some((member) => isSameValue(member, value));
}

export function includesAll(set: readonly CedarValue[], values: readonly CedarValue[]): boolean {
  limitComparisons(set.length * values.length);
  return values.every((value) => includes(set, value));
}

export function includesAny(set: readonly CedarValue[], values: readonly CedarValue[]): boolean {
  limitComparisons(set.length * values.length);
  return values.some((value) => includes(set, value));
}

const maxComparisons = 10_000;

/** Leaves large sets to Cedar, which sorts them. Comparing each pair of members would take too long. */
function limitComparisons(count: number): void {
  if (count > maxComparisons) throw new UnsupportedExpression("large sets");
}
