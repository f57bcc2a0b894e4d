import type { Call, Contract, Json, PayloadName, Principal } from "@paraph/core";

export const mask = "•••";

/** What a reader is shown of a call's payloads, and which of its sensitive fields they do not see. */
export interface Shown {
  readonly payloads: Readonly<Partial<Record<PayloadName, Json>>>;
  readonly masked: readonly string[];
}

/** [TRUST 16] Who asked sees what they sent and got; for everybody else the contract's sensitive fields are masked. */
export function shownTo(reader: Principal, call: Call, contract: Contract | undefined): Shown {
  const payloads = payloadsOf(call);
  if (reader.tenant === call.tenant && reader.id === call.principal.id) return { payloads, masked: [] };
  // Which fields are sensitive is not known any more: all of them are.
  if (!contract) return { payloads: mapped(payloads, () => mask), masked: Object.keys(payloads) };
  if (contract.sensitive.length === 0) return { payloads, masked: [] };

  const hidden = new Hidden();
  const byPath = { ...payloads };
  for (const name of ["input", "output"] as const) {
    const value = payloads[name];
    if (value !== undefined)
      byPath[name] = contract.sensitive.reduce<Json>((seen, path) => hidden.at(seen, path), value);
  }
  return { payloads: mapped(byPath, (value) => hidden.scrubbed(value)), masked: [...hidden.paths] };
}

/**
 * An input as an editor gave it back, with what they saw as masked put in its place again. Undefined: something is still
 * masked, and nobody can say what it should be.
 */
export function unmasked(given: Json, original: Json | undefined): Json | undefined {
  const whole = restored(given, original);
  return holdsMask(whole) ? undefined : whole;
}

function restored(given: Json, original: Json | undefined): Json {
  if (given === mask) return original ?? given;
  if (isArray(given)) {
    const same = original !== undefined && isArray(original) && original.length === given.length;
    return given.map((item, index) => restored(item, same ? original[index] : undefined));
  }
  if (typeof given !== "object" || given === null) return given;
  const from = typeof original === "object" && original !== null && !isArray(original) ? original : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, member]) => [
      name,
      restored(member, Object.hasOwn(from, name) ? from[name] : undefined),
    ]),
  );
}

function holdsMask(value: Json): boolean {
  if (typeof value !== "object" || value === null) return value === mask;
  return Object.values(value).some(holdsMask);
}

/** Collects what was masked by its path, so that it does not come back in a preview, an error or a diff. */
class Hidden {
  readonly paths = new Set<string>();
  readonly #values = new Set<string>();
  readonly #lines = new Set<string>();

  /** The value with the field at this path masked; arrays on the way are looked through. */
  at(value: Json, path: string): Json {
    const step = (here: Json, names: readonly string[]): Json => {
      const [name, ...rest] = names;
      if (isArray(here)) return here.map((item) => step(item, names));
      if (typeof here !== "object" || here === null || name === undefined || !Object.hasOwn(here, name))
        return here;
      const member = here[name]!;
      if (rest.length > 0) return { ...here, [name]: step(member, rest) };
      this.paths.add(path);
      this.#remember(member);
      return { ...here, [name]: mask };
    };
    return step(value, path.split("."));
  }

  scrubbed(value: Json): Json {
    if (this.#values.size === 0) return value;
    if (typeof value === "number") return this.#values.has(String(value)) ? mask : value;
    if (typeof value === "string") return this.#scrubbedText(value);
    if (isArray(value)) return value.map((item) => this.scrubbed(item));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [
      this.#scrubbedText(name),
      this.scrubbed(member),
    ]);
    return Object.fromEntries(members);
  }

  #scrubbedText(text: string): string {
    // So many cannot each be looked for in time.
    if (this.#values.size > 100) return mask;
    let seen = text;
    for (const value of this.#values) seen = seen.replaceAll(value, mask);
    if (!seen.includes("\n")) return seen;
    const lines = seen
      .split("\n")
      .map((line) => (this.#lines.has(line.slice(1)) ? `${line[0]}${mask}` : line));
    return lines.join("\n");
  }

  /** Short values would take half of every text with them. */
  #remember(value: Json): void {
    if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) this.#remember(member);
    } else if (String(value).length >= 4 && typeof value !== "boolean" && value !== null) {
      this.#values.add(String(value));
      // A diff shows a text line by line, each behind one character.
      for (const line of String(value).split("\n")) if (line.length >= 4) this.#lines.add(line);
    }
  }
}

function payloadsOf(call: Call): Partial<Record<PayloadName, Json>> {
  return Object.fromEntries(Object.entries(call.payloads).map(([name, { value }]) => [name, value]));
}

function mapped(payloads: Shown["payloads"], change: (value: Json) => Json): Shown["payloads"] {
  return Object.fromEntries(Object.entries(payloads).map(([name, value]) => [name, change(value)]));
}

/** `Array.isArray` does not narrow readonly arrays. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
