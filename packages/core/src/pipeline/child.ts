import { type Call, type CallRef, previewOf } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import type { StepOptions } from "../composite.ts";
import { digest, sha256Hex } from "../digest.ts";
import { editorGroupsOf, editorsOf, lastEditorOf, withEditors } from "../editors.ts";
import { withFacts } from "../facts.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import { compensationStep } from "../plan/undo-plan.ts";
import type { Ports, Store, Wake } from "../ports.ts";
import { beginningWith, enter, isSamePlace, openingOf, ParentMovedOn } from "./admit.ts";
import { covering, coveringVotes, shownOf } from "./cover.ts";
import { draft, known } from "./draft.ts";
import { heldToEditor } from "./edit-limits.ts";
import { ending } from "./ending.ts";
import { type Considered, consider, ruledOn } from "./first-move.ts";
import { judgeWhole } from "./judge-whole.ts";
import { after, numbered } from "./move.ts";

/** What a composite asks for. */
export interface Wanted {
  readonly step: string;
  readonly capability: string;
  readonly input: Json;
  readonly options: StepOptions;
}

export type OpenedChild =
  /** `known`: by another process, which may be carrying it out. */
  | {
      readonly kind: "opened";
      readonly call: Call;
      readonly known: boolean;
      readonly wakes: readonly Wake[];
    }
  /** No call could be made of it, now or ever. */
  | { readonly kind: "not-made"; readonly code: string }
  /** Not now: somebody froze it, or policy changes too fast. */
  | { readonly kind: "later" }
  /** The parent belongs to another segment now. */
  | { readonly kind: "lost" };

/** Composites within composites: deeper than this is a loop rather than a plan. */
const mostDeep = 8;

/** [P13] A governed call like any other, on behalf of the same principal, whose id follows from its parent and its step. */
export async function openChild(
  parent: Call,
  wanted: Wanted,
  ports: Ports,
  write: Store["open"],
): Promise<OpenedChild> {
  const depth = (parent.parent?.depth ?? 0) + 1;
  if (depth > mostDeep) return { kind: "not-made", code: "too-deep" };
  let child: Call;
  try {
    const capability = known(parent.tenant, wanted.capability, ports);
    child = drafted(parent, wanted, depth, capability, ports);
    if (!child.lockKeys.every((key) => parent.lockKeys.length === 0 || parent.lockKeys.includes(key)))
      return { kind: "not-made", code: "lock-undeclared" };
    // The parent holds them for it, and lets no two of its steps have the same key at once.
    if (parent.lockKeys.length > 0) child = withFacts({ ...child, lockKeys: [] }, ports.sealer);
    const covered = covering(parent, child, capability, ports);
    if (covered) child = { ...child, events: [...child.events, ...numbered(child, [covered])] };
    const looked = () => look(parent, child, capability, ports);
    const seen = await looked();
    const held = await heldToEditorOf(parent, child, capability, seen, ports);
    child = held.next;
    const ruling = beginningWith(held.considered, looked);
    const admitted = await enter(child, capability, ruling, false, ports, write);
    return { kind: "opened", ...admitted };
  } catch (error) {
    if (error instanceof ParentMovedOn) return { kind: "lost" };
    if (!(error instanceof ParaphError)) throw error;
    if (error.code === "frozen" || error.code === "policy-unsettled") return { kind: "later" };
    if (error.code === "limit-reached" || error.code === "edit-refused")
      return refused(child!, error.code, ports, write);
    return { kind: "not-made", code: error.code };
  }
}

export function childRef(parent: CallRef, step: string): CallRef {
  const hash = sha256Hex(`${parent.call}/${step}`).slice(0, 16);
  // Beside its parent in every list that is ordered by id, which is by time.
  return { tenant: parent.tenant, call: `${parent.call.slice(0, 15)}${hash}` };
}

export function requestDigestOf({ capability, input }: Pick<Wanted, "capability" | "input">): string {
  return digest({ capability, input });
}

function drafted(parent: Call, wanted: Wanted, depth: number, capability: Capability, ports: Ports): Call {
  const { step, input, options } = wanted;
  const purpose = options.purpose ?? parent.payloads.purpose?.value;
  const call = draft(
    {
      principal: parent.principal,
      capability: wanted.capability,
      input,
      key: `${parent.call}/${step}`,
      session: parent.session,
      // [TRUST 34] Compensation undoes the plan's steps, so nothing else may.
      ...(step === compensationStep && { undoes: parent.call }),
      ...(typeof purpose === "string" && { purpose }),
      ...(parent.trace !== undefined && { trace: parent.trace }),
    },
    capability,
    requestDigestOf(wanted),
    ports,
  );
  const place = { call: parent.call, step, depth };
  const child: Call = {
    ...call,
    ...childRef(parent, step),
    parent: place,
    requirements: [...call.requirements, ...(options.requirements ?? [])],
    events: call.events.map((event) => ({
      ...event,
      data: { ...event.data, parent: place },
    })),
  };
  // An editor of the whole counts towards the approval of none of its steps.
  return withFacts(withEditors(child, editorsOf(parent), editorGroupsOf(parent)), ports.sealer);
}

/**
 * [TRUST 28] When the whole was edited, policy was asked about its editor for the steps that were known then. The others are
 * known only now.
 */
async function heldToEditorOf(
  parent: Call,
  child: Call,
  capability: Capability,
  considered: Considered,
  ports: Ports,
): Promise<{ readonly next: Call; readonly considered: Considered }> {
  const editor = lastEditorOf(parent);
  const wasKnown = shownOf(previewOf(parent), child.parent?.step ?? "")?.known;
  return !editor || wasKnown || considered.kind !== "ruled"
    ? { next: child, considered }
    : heldToEditor(child, capability, considered, editor, ports);
}

/** What was shown of the step when the whole was asked about is what is ruled on; it is looked at again before its intent. */
async function look(parent: Call, child: Call, capability: Capability, ports: Ports): Promise<Considered> {
  const shown = shownOf(previewOf(parent), child.parent?.step ?? "");
  const stands = shown?.known && shown.restsOn.length === 0 && shown.version === capability.contract.version;
  if (!stands || (!shown.seen && capability.contract.previews)) {
    const votes = (preview: Preview | undefined) => coveringVotes(child, capability, preview, ports);
    return consider(child, capability, capability.contract.timeoutMs, ports, votes);
  }
  const { preview } = shown;
  const votes = coveringVotes(child, capability, preview, ports);
  return ruledOn(await judgeWhole(child, capability, { preview, votes }, ports), preview);
}

/** On record, so that the composite finds the same answer whenever it is run again. */
async function refused(child: Call, code: string, ports: Ports, write: Store["open"]): Promise<OpenedChild> {
  const move = await ending(child, { outcome: { kind: "refused", code } }, ports);
  const opened = await write(openingOf(child, move));
  if (opened.kind === "lost") return opened;
  if (opened.kind === "undone") return { kind: "not-made", code: "already-undone" };
  if (opened.kind === "exists" && !isSamePlace(opened.call, child))
    return { kind: "not-made", code: "key-reused" };
  if (opened.kind === "opened") ports.links.opened(child);
  const call = opened.kind === "exists" ? opened.call : after(child, move, 1);
  return { kind: "opened", call, known: opened.kind === "exists", wakes: [] };
}
