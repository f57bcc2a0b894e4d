import { approvalDigest } from "../approval.ts";
import { type Call, previewOf } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import type { Risk } from "../contract.ts";
import { commitment } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Move, NewPayload, Ports } from "../ports.ts";
import type { Ask } from "../ruling.ts";
import { sealEvent } from "../seal.ts";
import { inputOf } from "./attempt.ts";
import { nextLook } from "./attend.ts";
import { payload } from "./ending.ts";
import { type Judged, recorded } from "./judge.ts";
import { numbered } from "./move.ts";

/** [P5] More rounds than this mean that the world moves faster than people can answer. */
export const mostRounds = 3;

/** [TRUST 6] Whether something that would be done is not in the preview: then nobody could know what they approve. */
export function isIncomplete(preview: Preview | undefined): boolean {
  return preview?.changes.some(({ incomplete }) => incomplete === true) ?? false;
}

/** Opens a round: this preview, this digest, these guards, until the urgency's deadline or the first round's. */
export function asking(
  call: Call,
  capability: Capability,
  judged: Judged<Ask>,
  preview: Preview | undefined,
  ports: Ports,
): Move {
  const { ruling } = judged;
  const at = ports.clock.now();
  const round = (call.approval?.round ?? 0) + 1;
  const patience = Math.min(
    ports.settings.askMs[ruling.urgency],
    ruling.withinMs ?? Number.POSITIVE_INFINITY,
  );
  const expiresAt = Math.min(at + patience, call.deadline ?? Number.POSITIVE_INFINITY);
  const payloads = previewPayload(call, preview, ports);
  const ruled = recorded(judged, ports);
  const digest = digestOf(call, capability, preview);
  const id = ports.random.id("ask");
  const asked: NewEvent = {
    kind: "asked",
    at,
    data: {
      ...{ approval: id, round, digest, expiresAt },
      guards: ruling.guards as unknown as Json,
      ...previewCommitment(payloads),
      ...stepsIn(preview),
    },
  };
  const events = [ruled.event, sealEvent(call, asked, ports.sealer)];
  const opened = { round, guards: ruling.guards, expiresAt };
  return {
    state: "asking",
    nextAt: nextLook({ events: [...call.events, ...numbered(call, events)] }, opened, ports),
    deadline: call.deadline ?? expiresAt,
    events,
    payloads: [...payloads, ruled.payload],
    ask: { id, round, digest, guards: ruling.guards, expiresAt },
  };
}

/** [P5] What this call, so previewed, would be approved as. The input's salt serves as the nonce. */
export function digestOf(call: Call, capability: Capability, preview: Preview | undefined): string {
  const nonce = call.payloads.input?.salt ?? "";
  return approvalDigest({
    call: call.call,
    nonce,
    contract: capability.contract,
    input: inputOf(call),
    preview,
  });
}

/** A preview that is new to the call, as a payload. */
export function previewPayload(call: Call, preview: Preview | undefined, ports: Ports): NewPayload[] {
  if (!preview || preview === previewOf(call)) return [];
  return [payload("preview", preview as unknown as Json, ports)];
}

function previewCommitment([preview]: readonly NewPayload[]): Record<string, string> {
  return preview ? { preview: commitment(preview.salt, preview.value) } : {};
}

/** Of a whole that is made of steps: how many of them are how grave, for lists that do not look into the preview. */
function stepsIn(preview: Preview | undefined): { readonly steps?: JsonObject } {
  if (!preview?.steps) return {};
  const counts = new Map<Risk, number>();
  for (const { risk } of preview.steps) counts.set(risk, (counts.get(risk) ?? 0) + 1);
  return { steps: Object.fromEntries(counts) };
}
