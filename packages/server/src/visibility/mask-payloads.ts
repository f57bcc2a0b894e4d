import {
  type Call,
  type Contract,
  type Json,
  mapPayloads,
  maskSensitive,
  maskText,
  type PayloadName,
  type Principal,
  type StepVisibility,
  type VisiblePayloads,
} from "@paraph/core";

/** The rules for what a reader may see of a call's steps. If the call is itself a step, they also apply to the call. */
export interface FieldVisibility extends StepVisibility {
  /** Whether the call is, or belongs to, a step that this reader may not see. */
  readonly isHidden: boolean;
}

/** Shows no step. */
const noVisibility: FieldVisibility = {
  findContract: () => undefined,
  canSeeDetails: false,
  isHidden: false,
};

/**
 * [TRUST 16] Returns the payloads as this reader may see them. The requester sees everything that they sent and
 * received. For every other reader, the sensitive fields of the contract are masked. In a plan, the sensitive fields of
 * each step's contract are masked too. A step that only approvers may see is masked completely for other readers.
 * `resolveFieldVisibility` computes what a reader may see of steps. Without its result, no step is shown.
 */
export function maskPayloads(
  reader: Principal,
  call: Call,
  contract: Contract | undefined,
  visibility: FieldVisibility = noVisibility,
): VisiblePayloads {
  const payloads = readPayloads(call);
  if (reader.tenant === call.tenant && reader.id === call.principal.id) return { payloads, masked: [] };
  // All payloads are masked, because the sensitive fields are no longer known or the reader may not see the call.
  if (!contract || visibility.isHidden)
    return { payloads: mapPayloads(payloads, () => maskText), masked: Object.keys(payloads) };
  return maskSensitive(payloads, call.capability, contract, visibility);
}

/**
 * Returns an editor's input with the original values in place of the masks. Returns undefined if a mask has no original
 * value.
 */
export function restoreMasked(given: Json, original: Json | undefined): Json | undefined {
  const whole = restoreValue(given, original);
  return hasMask(whole) ? undefined : whole;
}

function restoreValue(given: Json, original: Json | undefined): Json {
  if (given === maskText) return original ?? given;
  if (isArray(given)) {
    const same = original !== undefined && isArray(original) && original.length === given.length;
    return given.map((item, index) => restoreValue(item, same ? original[index] : undefined));
  }
  if (typeof given !== "object" || given === null) return given;
  const from = typeof original === "object" && original !== null && !isArray(original) ? original : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, member]) => [
      name,
      restoreValue(member, Object.hasOwn(from, name) ? from[name] : undefined),
    ]),
  );
}

function hasMask(value: Json): boolean {
  if (typeof value !== "object" || value === null) return value === maskText;
  return Object.values(value).some(hasMask);
}

function readPayloads(call: Call): Partial<Record<PayloadName, Json>> {
  return Object.fromEntries(Object.entries(call.payloads).map(([name, { value }]) => [name, value]));
}

/** Narrows a value to a readonly array, because `Array.isArray` does not narrow to readonly arrays. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
