import type { PayloadName } from "../call.ts";
import type { Preview } from "../capability/capability.ts";
import type { Contract } from "../capability/contract.ts";
import type { Json, JsonObject } from "../json.ts";
import { planCapability } from "../plan/undo-plan.ts";
import { formatNames } from "./format-names.ts";
import { restoreFields, restoreItems } from "./restore-fields.ts";

/** The text that replaces a sensitive value. */
export const maskText = "•••";

/** The values of a call's payloads, by name. */
export type PayloadValues = Readonly<Partial<Record<PayloadName, Json>>>;

/** The payloads that a reader may see, and the paths of the fields that are masked for this reader. */
export interface VisiblePayloads {
  readonly payloads: PayloadValues;
  readonly masked: readonly string[];
}

/** The rules for what a reader may see of the steps of a plan. */
export interface StepVisibility {
  /** Returns the contract of a step's capability. The contract lists the sensitive fields of the step. */
  findContract(capability: string): Contract | undefined;
  /** Whether the reader sees steps that are visible only to approvers. */
  readonly canSeeDetails: boolean;
}

/**
 * [TRUST 16] Masks the sensitive fields of the contract in the payloads, wherever their values reappear. In a plan, it
 * also masks the sensitive fields of each step's contract. It masks a step that only approvers may see completely,
 * unless the reader may see the details.
 */
export function maskSensitive(
  payloads: PayloadValues,
  capability: string,
  contract: Contract,
  visibility: StepVisibility,
): VisiblePayloads {
  const hidden = new PayloadMasker(visibility);
  const byPath = { ...payloads };
  if (payloads.input !== undefined)
    byPath.input = hidden.maskInput(payloads.input, capability, contract, readStepVersions(payloads.preview));
  if (payloads.output !== undefined) byPath.output = hidden.maskFields(payloads.output, contract.sensitive);
  if (payloads.undo !== undefined) byPath.undo = hidden.maskUndo(payloads.undo);
  if (payloads.preview !== undefined) byPath.preview = hidden.maskPreview(payloads.preview);
  // The words and the agent's state say the sensitive values in other forms, such as an amount in euros. They are
  // therefore hidden as a whole if any field is.
  const hidesAny = hidden.paths.size > 0;
  for (const name of ["words", "compressedState"] as const)
    if (hidesAny && payloads[name] !== undefined) byPath[name] = hidden.maskText(name);
  const seen = mapPayloads(byPath, (value) => hidden.scrub(value));
  return { payloads: { ...seen, ...restoreStepFields(seen, byPath) }, masked: [...hidden.paths] };
}

/**
 * The fields that name and describe a step. They stay readable even if their value equals a masked value, because
 * approvers need them to decide.
 */
const unmaskedStepFields = [
  ...["id", "capability", "after", "visibility", "version", "effect", "risk"],
  ...["changes", "previewed", "inputKnown", "dependsOn"],
];

function restoreStepFields(seen: PayloadValues, whole: PayloadValues): PayloadValues {
  const withSteps = (payload: "input" | "preview") =>
    restoreItems(seen[payload], whole[payload], "steps", unmaskedStepFields);
  const input = restoreFields(withSteps("input"), whole.input, ["onFailure"]);
  const preview = restoreItems(withSteps("preview"), whole.preview, "changes", ["kind"]);
  return { ...(input !== undefined && { input }), ...(preview !== undefined && { preview }) };
}

/** Returns the contract version under which each step of a plan was previewed. */
function readStepVersions(preview: Json | undefined): ReadonlyMap<string, number> {
  const { steps = [] } = (preview ?? {}) as unknown as Partial<Preview>;
  return new Map(steps.map(({ id, version }) => [id, version]));
}

/** A masker that remembers every masked value, so that the value does not reappear in a preview, an error or a diff. */
class PayloadMasker {
  readonly paths = new Set<string>();
  readonly #sight: StepVisibility;
  readonly #steps = new Set<string>();
  readonly #values = new Set<string>();
  /** The values of `#values`, grouped by their first characters. */
  readonly #starts = new Map<string, string[]>();
  readonly #lines = new Set<string>();

  constructor(visibility: StepVisibility) {
    this.#sight = visibility;
  }

  /** Masks an input by its contract, and a plan's input by the contracts of its steps. */
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

  /** Masks the undo, which has a contract of its own. */
  maskUndo(undo: Json): Json {
    const { capability, input = null } = undo as { readonly capability?: Json; readonly input?: Json };
    const name = String(capability);
    const shown = this.maskInput(input, name, this.#sight.findContract(name), undefined, "undo.");
    return { ...(undo as JsonObject), input: shown };
  }

  /** Masks everything that a hidden step would change, including the number and the kinds of its changes. */
  maskPreview(preview: Json): Json {
    const { steps, changes, basis } = preview as unknown as Preview;
    if (!steps || this.#steps.size === 0) return preview;
    let from = 0;
    const shown = steps.map((step) => {
      const own = changes.slice(from, from + step.changes);
      from += step.changes;
      return this.#steps.has(step.id)
        ? {
            step: {
              ...step,
              changes: own.length && 1,
              basis: maskText,
              ...(step.headline !== undefined && { headline: maskText }),
            },
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

  maskText(name: "words" | "compressedState"): Json {
    this.paths.add(name);
    return maskText;
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
    // Hides the step if it was previewed under a contract version that this process no longer has. That version may
    // have marked more fields as sensitive.
    if (!contract || (version !== undefined && version !== contract.version)) return hide();
    const shown = mapLiteral(input, (inner) =>
      this.maskInput(inner, String(capability), contract, undefined, where),
    );
    // The preview shows all changes of a nested plan as one step. If a step of the nested plan is hidden, the preview
    // shows none of these changes.
    if (capability === planCapability && !this.#sight.canSeeDetails && hasHiddenStep(input) && within === "")
      this.#steps.add(String(id));
    return { ...(step as JsonObject), input: shown };
  }

  #whole(value: Json, within: string): Json {
    this.paths.add(within === "" ? "input" : within.slice(0, -1));
    this.#remember(value);
    return maskText;
  }

  /** Returns the value with the field at this path masked. The path also applies inside arrays and literals. */
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
      Object.hasOwn(formatNames, name) ? name : this.#scrubbedText(name),
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

  /**
   * Masks the remembered values in a text. It scans the text once, regardless of the number of values, because a plan
   * can have thousands.
   */
  #withoutValues(text: string): string {
    let seen = "";
    let from = 0;
    for (let at = 0; at + minScrubLength <= text.length; ) {
      const alike = this.#starts.get(text.slice(at, at + minScrubLength)) ?? [];
      // If more than 100 values share a start, comparing the text with each of them would take too long. The whole text
      // is then masked.
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

  /** Remembers a masked value. Skips short values, because masking them would remove large parts of every text. */
  #remember(value: Json): void {
    // A reference to another step is not a value to mask.
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
    // A diff shows a text line by line, with one character before each line. The masker therefore also remembers each
    // line of the value.
    for (const line of text.split("\n")) if (line.length >= minScrubLength) this.#lines.add(line);
  }
}

const minScrubLength = 4;

/** The single change that replaces all changes of a hidden step. */
const hiddenChange = { kind: "other", target: maskText } as const;

const literal = "$literal";

/** Returns whether a plan marks this value as a literal, which contains no references to other steps. */
function isLiteral(value: Json): value is { readonly [literal]: Json } {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.hasOwn(value, literal) &&
    Object.keys(value).length === 1
  );
}

/** Returns whether a plan takes this value from an earlier step. */
function isStepReference(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "$from");
}

function mapLiteral(input: Json, change: (inner: Json) => Json): Json {
  return isLiteral(input) ? { [literal]: change(input[literal]) } : change(input);
}

/** Returns whether a step of this plan, or of a nested plan, is visible only to approvers. */
export function hasHiddenStep(plan: Json): boolean {
  const { steps } = (isLiteral(plan) ? plan[literal] : plan) as { readonly steps?: Json };
  if (steps === undefined || !isArray(steps)) return false;
  return steps.some((step) => {
    const { visibility, capability, input = null } = step as Readonly<Record<string, Json>>;
    return visibility === "approvers" || (capability === planCapability && hasHiddenStep(input));
  });
}

/** Returns the payloads with each value changed. */
export function mapPayloads(payloads: PayloadValues, change: (value: Json) => Json): PayloadValues {
  return Object.fromEntries(Object.entries(payloads).map(([name, value]) => [name, change(value)]));
}

/** Narrows a value to a readonly array, because `Array.isArray` does not narrow to readonly arrays. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
