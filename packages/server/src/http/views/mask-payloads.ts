import {
  type Call,
  type Contract,
  type Json,
  type JsonObject,
  type PayloadName,
  type Preview,
  type Principal,
  planCapability,
} from "@paraph/core";

export const maskText = "•••";

/** What a reader is shown of a call's payloads, and which of its sensitive fields they do not see. */
export interface VisiblePayloads {
  readonly payloads: Readonly<Partial<Record<PayloadName, Json>>>;
  readonly masked: readonly string[];
}

/** What a reader may see of a call's steps, and of a call that is one. */
export interface FieldVisibility {
  /** The contract of this name, by which a step's sensitive fields are known. */
  findContract(capability: string): Contract | undefined;
  /** Whether steps for those who decide are seen. */
  readonly canSeeDetails: boolean;
  /** The call is such a step, or part of one, and not for this reader. */
  readonly isHidden: boolean;
}

/** Sees no step. */
const noVisibility: FieldVisibility = {
  findContract: () => undefined,
  canSeeDetails: false,
  isHidden: false,
};

/**
 * [TRUST 16] Who asked sees what they sent and got; for everybody else the sensitive fields of the contract are masked,
 * inside a plan those of its steps' contracts. A step for those who decide is masked whole for anyone else: `sightOf` says
 * what a reader may see of steps, and without it nothing of them is seen.
 */
export function maskPayloads(
  reader: Principal,
  call: Call,
  contract: Contract | undefined,
  sight: FieldVisibility = noVisibility,
): VisiblePayloads {
  const payloads = readPayloads(call);
  if (reader.tenant === call.tenant && reader.id === call.principal.id) return { payloads, masked: [] };
  // Which fields are sensitive is not known any more, or the whole is not for this reader: all of them are.
  if (!contract || sight.isHidden)
    return { payloads: mapPayloads(payloads, () => maskText), masked: Object.keys(payloads) };

  const hidden = new PayloadMasker(sight);
  const byPath = { ...payloads };
  if (payloads.input !== undefined)
    byPath.input = hidden.maskInput(
      payloads.input,
      call.capability,
      contract,
      readStepVersions(payloads.preview),
    );
  if (payloads.output !== undefined) byPath.output = hidden.maskFields(payloads.output, contract.sensitive);
  if (payloads.undo !== undefined) byPath.undo = hidden.maskUndo(payloads.undo);
  if (payloads.preview !== undefined) byPath.preview = hidden.maskPreview(payloads.preview);
  const seen = mapPayloads(byPath, (value) => hidden.scrub(value));
  return { payloads: { ...seen, ...restoreStepFields(seen, byPath) }, masked: [...hidden.paths] };
}

/** What a step is called, what it is and how grave: people decide by it, though it should be written like what is hidden. */
const unmaskedStepFields = [
  ...["id", "capability", "after", "visibility", "version", "effect", "risk"],
  ...["changes", "seen", "known", "restsOn"],
];

function restoreStepFields(
  seen: VisiblePayloads["payloads"],
  whole: VisiblePayloads["payloads"],
): VisiblePayloads["payloads"] {
  const withNames = (some: Json | undefined, all: Json | undefined) => {
    const { steps } = (some ?? {}) as { readonly steps?: Json };
    const { steps: originals } = (all ?? {}) as { readonly steps?: Json };
    if (steps === undefined || originals === undefined || !isArray(steps) || !isArray(originals)) return some;
    const own = (index: number) =>
      Object.fromEntries(
        Object.entries((originals[index] ?? {}) as JsonObject).filter(([name]) =>
          unmaskedStepFields.includes(name),
        ),
      );
    return {
      ...(some as JsonObject),
      steps: steps.map((step, index) => ({ ...(step as JsonObject), ...own(index) })),
    };
  };
  const input = withNames(seen.input, whole.input);
  const preview = withNames(seen.preview, whole.preview);
  return { ...(input !== undefined && { input }), ...(preview !== undefined && { preview }) };
}

/** Under which contract each step of a plan was previewed. */
function readStepVersions(preview: Json | undefined): ReadonlyMap<string, number> {
  const { steps = [] } = (preview ?? {}) as unknown as Partial<Preview>;
  return new Map(steps.map(({ id, version }) => [id, version]));
}

/**
 * An input as an editor gave it back, with what they saw as masked put in its place again. Undefined: something is still
 * masked, and nobody can say what it should be.
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

/** Collects what was masked by its path, so that it does not come back in a preview, an error or a diff. */
class PayloadMasker {
  readonly paths = new Set<string>();
  readonly #sight: FieldVisibility;
  readonly #steps = new Set<string>();
  readonly #values = new Set<string>();
  /** The same values by how they begin. */
  readonly #starts = new Map<string, string[]>();
  readonly #lines = new Set<string>();

  constructor(sight: FieldVisibility) {
    this.#sight = sight;
  }

  /** An input as its contract lets it be seen; a plan's, as those of its steps do. */
  maskInput(
    input: Json,
    capability: string,
    contract: Contract | undefined,
    versions: ReadonlyMap<string, number> = new Map(),
    within = "",
  ): Json {
    if (!contract) return this.#whole(input, within);
    if (capability !== planCapability) return this.maskFields(input, contract.sensitive, within);
    const { steps } = input as { readonly steps?: Json };
    if (steps === undefined || !isArray(steps)) return this.#whole(input, within);
    return { ...(input as JsonObject), steps: steps.map((step) => this.#step(step, versions, within)) };
  }

  /** The call that would take it back, whose contract is another. */
  maskUndo(undo: Json): Json {
    const { capability, input = null } = undo as { readonly capability?: Json; readonly input?: Json };
    const name = String(capability);
    const shown = this.maskInput(input, name, this.#sight.findContract(name), undefined, "undo.");
    return { ...(undo as JsonObject), input: shown };
  }

  /** Nothing of what a hidden step would change is told, not even how much of what. */
  maskPreview(preview: Json): Json {
    const { steps, changes, basis } = preview as unknown as Preview;
    if (!steps || this.#steps.size === 0) return preview;
    let from = 0;
    const shown = steps.map((step) => {
      const own = changes.slice(from, from + step.changes);
      from += step.changes;
      return this.#steps.has(step.id)
        ? {
            step: { ...step, changes: own.length && 1, basis: maskText },
            own: own.slice(0, 1).map(() => hiddenChange),
          }
        : { step, own };
    });
    const rest = Object.entries(basis as JsonObject).map(([id, one]) => [
      id,
      this.#steps.has(id) ? maskText : one,
    ]);
    const whole = {
      changes: shown.flatMap(({ own }) => own),
      basis: Object.fromEntries(rest),
      steps: shown.map(({ step }) => step),
    };
    return whole as unknown as Json;
  }

  maskFields(value: Json, paths: readonly string[], within = ""): Json {
    return paths.reduce<Json>((seen, path) => this.#at(seen, path, within), value);
  }

  #step(step: Json, versions: ReadonlyMap<string, number>, within: string): Json {
    const { id, capability, input = null, visibility } = step as Readonly<Record<string, Json>>;
    const where = `${within}steps.${String(id)}.`;
    const hide = () => {
      if (within === "") this.#steps.add(String(id));
      return { ...(step as JsonObject), input: this.#whole(input, where) };
    };
    if (visibility === "approvers" && !this.#sight.canSeeDetails) return hide();
    const contract = this.#sight.findContract(String(capability));
    const version = versions.get(String(id));
    // It was previewed under a contract that is not here any more, which may have called more of it sensitive.
    if (!contract || (version !== undefined && version !== contract.version)) return hide();
    const shown = mapLiteral(input, (inner) =>
      this.maskInput(inner, String(capability), contract, undefined, where),
    );
    // A plan within the plan shows its changes as one: with a hidden step, none of them.
    if (capability === planCapability && !this.#sight.canSeeDetails && hasHiddenStep(input) && within === "")
      this.#steps.add(String(id));
    return { ...(step as JsonObject), input: shown };
  }

  #whole(value: Json, within: string): Json {
    this.paths.add(within === "" ? "input" : within.slice(0, -1));
    this.#remember(value);
    return maskText;
  }

  /** The value with the field at this path masked; arrays and what is written as a literal are looked through. */
  #at(value: Json, path: string, within: string): Json {
    const step = (here: Json, names: readonly string[]): Json => {
      const [name, ...rest] = names;
      if (isArray(here)) return here.map((item) => step(item, names));
      if (name !== literal && isLiteral(here)) return { [literal]: step(here[literal], names) };
      if (typeof here !== "object" || here === null || name === undefined || !Object.hasOwn(here, name))
        return here;
      const member = (here as JsonObject)[name]!;
      if (rest.length > 0) return { ...here, [name]: step(member, rest) };
      this.paths.add(within + path);
      this.#remember(member);
      return { ...here, [name]: maskText };
    };
    return step(value, path.split("."));
  }

  scrub(value: Json): Json {
    if (this.#values.size === 0) return value;
    if (typeof value === "number") return this.#values.has(String(value)) ? maskText : value;
    if (typeof value === "string") return this.#scrubbedText(value);
    if (isArray(value)) return value.map((item) => this.scrub(item));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [
      this.#scrubbedText(name),
      this.scrub(member),
    ]);
    return Object.fromEntries(members);
  }

  #scrubbedText(text: string): string {
    const seen = this.#withoutValues(text);
    if (!seen.includes("\n")) return seen;
    const lines = seen
      .split("\n")
      .map((line) => (this.#lines.has(line.slice(1)) ? `${line[0]}${maskText}` : line));
    return lines.join("\n");
  }

  /** One walk over the text, however many values there are: a plan can have thousands. */
  #withoutValues(text: string): string {
    let seen = "";
    let from = 0;
    for (let at = 0; at + minScrubLength <= text.length; ) {
      const alike = this.#starts.get(text.slice(at, at + minScrubLength)) ?? [];
      // So many that begin alike cannot each be looked for in time.
      if (alike.length > 100) return maskText;
      const found = alike.reduce(
        (longest, value) => (text.startsWith(value, at) ? Math.max(longest, value.length) : longest),
        0,
      );
      if (found > 0) {
        seen += text.slice(from, at) + maskText;
        from = at + found;
      }
      at += found || 1;
    }
    return seen + text.slice(from);
  }

  /** Short values would take half of every text with them. */
  #remember(value: Json): void {
    // Where a value comes from is no part of it.
    if (isStepReference(value)) return;
    if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) this.#remember(member);
    } else if (String(value).length >= minScrubLength && typeof value !== "boolean" && value !== null) {
      this.#rememberText(String(value));
    }
  }

  #rememberText(text: string): void {
    if (this.#values.has(text)) return;
    this.#values.add(text);
    const start = text.slice(0, minScrubLength);
    const alike = this.#starts.get(start);
    if (alike) alike.push(text);
    else this.#starts.set(start, [text]);
    // A diff shows a text line by line, each behind one character.
    for (const line of text.split("\n")) if (line.length >= minScrubLength) this.#lines.add(line);
  }
}

const minScrubLength = 4;

/** What stands for all that a hidden step would change. */
const hiddenChange = { kind: "other", target: maskText } as const;

const literal = "$literal";

/** How a plan writes a value in which nothing is taken from another step. */
function isLiteral(value: Json): value is { readonly [literal]: Json } {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.hasOwn(value, literal) &&
    Object.keys(value).length === 1
  );
}

/** How a plan writes a value that is taken from an earlier step. */
function isStepReference(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "$from");
}

function mapLiteral(input: Json, change: (inner: Json) => Json): Json {
  return isLiteral(input) ? { [literal]: change(input[literal]) } : change(input);
}

/** Whether a step of a plan, or of a plan within it, is for those who decide. */
export function hasHiddenStep(plan: Json): boolean {
  const { steps } = (isLiteral(plan) ? plan[literal] : plan) as { readonly steps?: Json };
  if (steps === undefined || !isArray(steps)) return false;
  return steps.some((step) => {
    const { visibility, capability, input = null } = step as Readonly<Record<string, Json>>;
    return visibility === "approvers" || (capability === planCapability && hasHiddenStep(input));
  });
}

function readPayloads(call: Call): Partial<Record<PayloadName, Json>> {
  return Object.fromEntries(Object.entries(call.payloads).map(([name, { value }]) => [name, value]));
}

function mapPayloads(
  payloads: VisiblePayloads["payloads"],
  change: (value: Json) => Json,
): VisiblePayloads["payloads"] {
  return Object.fromEntries(Object.entries(payloads).map(([name, value]) => [name, change(value)]));
}

/** `Array.isArray` does not narrow readonly arrays. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
