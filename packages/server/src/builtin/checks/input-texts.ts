import type { Json } from "@paraph/core";

/** Where something stands in an input; the top has no step. */
export interface InputPlace {
  readonly parent: InputPlace | undefined;
  readonly step: string | number | undefined;
  /** Its number among its siblings, for when its name cannot be said. */
  readonly ordinal: number;
}

/** One text of an input: a string, or the name of a property. */
export interface InputText {
  readonly kind: "name" | "value";
  readonly place: InputPlace;
  readonly text: string;
}

export const rootPlace: InputPlace = { parent: undefined, step: undefined, ordinal: 0 };

export function createChildPlace(above: InputPlace, step: string | number, ordinal: number): InputPlace {
  return { parent: above, step, ordinal };
}

/** Every text of an input in the order it is written. A stack of its own: an input may be nested deeper than calls can be. */
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

/** As people write it: `input.to[0]`. A name that is not a plain word, or is not to be said, is given by its number: `input{3}`. */
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

/** More than can be listed: whoever looks for something in a hostile text need not find every one. */
export const maxCollectedFindings = 1_000;

/** Whether a contract declares the place, or what it stands in, as sensitive. Arrays are looked through. */
export function isSensitivePlace(place: InputPlace, sensitive: readonly string[]): boolean {
  const names: string[] = [];
  for (let here: InputPlace | undefined = place; here; here = here.parent)
    if (typeof here.step === "string") names.push(here.step);
  const path = names.reverse().join(".");
  return sensitive.some((field) => path === field || path.startsWith(`${field}.`));
}
