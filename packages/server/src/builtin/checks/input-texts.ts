import type { Json } from "@paraph/core";

/** A place in an input. `step` is the property name or array index within the parent. It is undefined for the root. */
export interface InputPlace {
  readonly parent: InputPlace | undefined;
  readonly step: string | number | undefined;
  /** The position of this place among its siblings. It replaces a name that must not be shown. */
  readonly ordinal: number;
}

/** A text of an input: a string, or the name of a property. */
export interface InputText {
  readonly kind: "name" | "value";
  readonly place: InputPlace;
  readonly text: string;
}

export const rootPlace: InputPlace = { parent: undefined, step: undefined, ordinal: 0 };

export function createChildPlace(above: InputPlace, step: string | number, ordinal: number): InputPlace {
  return { parent: above, step, ordinal };
}

/**
 * Yields every text of an input in document order. It uses its own stack, because an input may be nested deeper than
 * the call stack allows.
 */
export function* walkTexts(input: Json): Generator<InputText> {
  const open: { readonly place: InputPlace; readonly value: Json }[] = [{ place: rootPlace, value: input }];
  for (let here = open.pop(); here; here = open.pop()) {
    const { place, value } = here;
    if (typeof place.step === "string") yield { kind: "name", place, text: place.step };
    if (typeof value === "string") yield { kind: "value", place, text: value };
    else for (const child of listChildren(place, value).reverse()) open.push(child);
  }
}

function listChildren(
  place: InputPlace,
  value: Json,
): { readonly place: InputPlace; readonly value: Json }[] {
  if (Array.isArray(value))
    return value.map((item, index) => ({ place: createChildPlace(place, index, index), value: item }));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, item], ordinal) => ({
    place: createChildPlace(place, name, ordinal),
    value: item,
  }));
}

const maxPathLength = 500;

/**
 * Formats a place, such as `input.to[0]`. A name that is hidden or not a plain word is replaced by its position, as in
 * `input{3}`.
 */
export function formatInputPath(place: InputPlace, hidden: ReadonlySet<InputPlace> = new Set()): string {
  const steps: string[] = [];
  for (let here: InputPlace | undefined = place; here; here = here.parent)
    steps.push(formatStep(here, hidden));
  const path = `input${steps.reverse().join("")}`;
  return path.length <= maxPathLength ? path : `${path.slice(0, maxPathLength - 1)}…`;
}

function formatStep(place: InputPlace, hidden: ReadonlySet<InputPlace>): string {
  const { step, ordinal } = place;
  if (step === undefined) return "";
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/.test(step) && !hidden.has(place) ? `.${step}` : `{${ordinal}}`;
}

/**
 * The number of findings at which a check stops searching. A result cannot list that many findings, and a check need
 * not find every match in a hostile text.
 */
export const maxCollectedFindings = 1_000;

/** Whether a contract declares the place, or one of its parents, as sensitive. Array steps are ignored. */
export function isSensitivePlace(place: InputPlace, sensitive: readonly string[]): boolean {
  const names: string[] = [];
  for (let here: InputPlace | undefined = place; here; here = here.parent)
    if (typeof here.step === "string") names.push(here.step);
  const path = names.reverse().join(".");
  return sensitive.some((field) => path === field || path.startsWith(`${field}.`));
}
