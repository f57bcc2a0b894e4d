import { type Call, callInput, findUndoneCall } from "./call.ts";
import type { Capability, Change, Preview, StepPreview } from "./capability/capability.ts";
import { type Contract, effects, risks } from "./capability/contract.ts";
import { escapeInvisible } from "./escape-invisible.ts";
import { lastEvent } from "./event.ts";
import type { Json } from "./json.ts";
import { maskSensitive, maskText } from "./masking/payload-masker.ts";
import type { Ports } from "./ports.ts";

/** The maximum length of a headline in characters. */
export const maxHeadlineLength = 200;

/**
 * Returns the line that says what a call does. The capability composes it from the input and the preview, in which
 * sensitive fields are masked. Without a valid line from the capability, the step with the highest risk, the first change
 * or the contract describes the call. The line contains no hidden characters and no line break, and says whether the call is an undo.
 */
export function composeHeadline(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
  ports: Pick<Ports, "catalog" | "telemetry">,
): string {
  const line = composeLine(call, capability, preview, ports);
  return findUndoneCall(call) === undefined ? line : appendEnd(line, " (undo)");
}

function composeLine(...[call, capability, preview, ports]: Parameters<typeof composeHeadline>): string {
  const { contract } = capability;
  if (!capability.headline && !preview?.steps && !preview?.changes.length) return contractHeadline(contract);
  const seen = maskForEveryone(call, contract, preview, ports);
  return (
    composeOwn(capability, seen, ports) ??
    describeSteps(seen.preview) ??
    describeChanges(seen.preview) ??
    contractHeadline(contract)
  );
}

/** Returns the headline of a call about which only its contract is known. */
export function contractHeadline({ name, summary }: Pick<Contract, "name" | "summary">): string {
  return appendEnd(escapeInvisible(summary.trim()), ` (${name})`);
}

/**
 * Returns the recorded headline of a call. Returns undefined if a process without headlines opened the last round,
 * because the headline may then describe an earlier preview, and the digest of the round does not cover it.
 */
export function lastHeadline({ events, payloads }: Pick<Call, "events" | "payloads">): string | undefined {
  const asked = lastEvent(events, "asked");
  const headline = payloads.headline?.value;
  return typeof headline === "string" && (!asked || asked.data.headline !== undefined) ? headline : undefined;
}

/** Returns a text of at most `max` characters. If it is cut off, it ends with an ellipsis. */
export function shorten(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

interface SeenContent {
  readonly input: Json;
  readonly preview: Preview | undefined;
}

/** Masks the content for the reader with the fewest rights, because every reader of the call sees its headline. */
function maskForEveryone(
  call: Call,
  contract: Contract,
  preview: Preview | undefined,
  { catalog }: Pick<Ports, "catalog">,
): SeenContent {
  const content = { input: callInput(call), ...(preview && { preview: preview as unknown as Json }) };
  const findContract = (name: string) => catalog.find(call.tenant, name)?.contract;
  const { payloads } = maskSensitive(content, contract.name, contract, {
    findContract,
    canSeeDetails: false,
  });
  return { input: payloads.input ?? null, preview: payloads.preview as unknown as Preview | undefined };
}

/** Returns the line that the capability composes, or undefined if there is none or it is invalid. */
function composeOwn(
  capability: Capability,
  { input, preview }: SeenContent,
  { telemetry }: Pick<Ports, "telemetry">,
): string | undefined {
  if (!capability.headline) return undefined;
  const composed = runHeadline(capability.headline, input, preview);
  if ("text" in composed) return composed.text;
  telemetry.measure("paraph.headline.failures", 1, {
    capability: capability.contract.name,
    code: composed.code,
  });
  return undefined;
}

function runHeadline(
  headline: NonNullable<Capability["headline"]>,
  input: Json,
  preview: Preview | undefined,
): { readonly text: string } | { readonly code: string } {
  let line: unknown;
  try {
    line = headline(input, preview);
  } catch {
    return { code: "headline-threw" };
  }
  if (typeof line !== "string") return { code: "headline-not-text" };
  if (/[\n\v\f\r\u0085\u2028\u2029]/.test(line)) return { code: "headline-not-one-line" };
  const text = escapeInvisible(line.trim());
  if (text === "") return { code: "headline-empty" };
  return Array.from(text).length > maxHeadlineLength ? { code: "headline-too-long" } : { text };
}

const verbs: Readonly<Record<Change["kind"], string>> = {
  create: "Create",
  update: "Update",
  delete: "Delete",
  move: "Move",
  send: "Send to",
  run: "Run",
  other: "Change",
};

/**
 * [TRUST 5] Returns the headline of the gravest step that every reader may see, and the number of the other steps. A
 * harmless first step therefore cannot hide a dangerous later one.
 */
function describeSteps(preview: Preview | undefined): string | undefined {
  const steps = preview?.steps ?? [];
  const [gravest] = rateSteps(steps, preview?.changes ?? [])
    .filter(({ step: { visibility, headline } }) => visibility === "everyone" && headline !== maskText)
    .toSorted((a, b) => compareGravity(b.gravity, a.gravity));
  if (!gravest) return undefined;
  const { headline, capability } = gravest.step;
  const others = steps.length - 1;
  const end = others === 0 ? "" : ` and ${others} more ${others === 1 ? "step" : "steps"}`;
  return appendEnd(headline ?? `Run ${capability}`, end);
}

/** The kinds of changes that cannot be taken back, or whose result no preview shows. */
const finalKinds: readonly Change["kind"][] = ["delete", "send", "run"];

interface RatedStep {
  readonly step: StepPreview;
  readonly gravity: readonly number[];
}

/**
 * Rates each step by its risk, then its effect, then the number of its final changes, then whether its changes are
 * unknown, then their number. Many steps of a plan have the same risk, because it depends on the effect by default.
 */
function rateSteps(steps: readonly StepPreview[], changes: readonly Change[]): readonly RatedStep[] {
  let from = 0;
  return steps.map((step) => {
    const own = changes.slice(from, from + step.changes);
    from += step.changes;
    const final = own.filter(({ kind }) => finalKinds.includes(kind)).length;
    const { risk, effect, previewed } = step;
    const gravity = [risks.indexOf(risk), effects.indexOf(effect), final, previewed ? 0 : 1, own.length];
    return { step, gravity };
  });
}

function compareGravity(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 ? 0 : a[at]! - b[at]!;
}

/** Returns the first deletion, or the first change if nothing is deleted, and the number of the others. */
function describeChanges(preview: Preview | undefined): string | undefined {
  const changes = preview?.changes ?? [];
  const shown = changes.find(({ kind }) => kind === "delete") ?? changes[0];
  const target = shown && escapeInvisible(shown.target.trim());
  if (!shown || !target) return undefined;
  const end = changes.length > 1 ? ` and ${changes.length - 1} more` : "";
  return appendEnd(`${verbs[shown.kind]} ${target}`, end);
}

/** Appends the end to a line, and shortens the line so that both fit into a headline. */
function appendEnd(line: string, end: string): string {
  return shorten(line, maxHeadlineLength - end.length) + end;
}
