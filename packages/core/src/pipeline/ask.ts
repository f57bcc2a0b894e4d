import { approvalDigest } from "../approval.ts";
import { type Call, previewOf } from "../call.ts";
import type { Capability, Preview } from "../capability.ts";
import { commitment } from "../digest.ts";
import type { NewEvent } from "../event.ts";
import type { Json } from "../json.ts";
import type { Move, NewPayload, Ports } from "../ports.ts";
import type { Ask, Ruling } from "../ruling.ts";
import { inputOf } from "./attempt.ts";
import { payload } from "./ending.ts";

/** [P5] More rounds than this mean that the world moves faster than people can answer. */
export const mostRounds = 3;

/** Opens a round: this preview, this digest, these guards, until the urgency's deadline or the first round's. */
export function asking(
  call: Call,
  capability: Capability,
  ruling: Ask,
  preview: Preview | undefined,
  ports: Ports,
): Move {
  const at = ports.clock.now();
  const round = (call.approval?.round ?? 0) + 1;
  const expiresAt = Math.min(
    at + ports.settings.askMs[ruling.urgency],
    call.deadline ?? Number.POSITIVE_INFINITY,
  );
  const payloads = previewPayload(call, preview, ports);
  const digest = digestOf(call, capability, preview);
  const asked: NewEvent = {
    kind: "asked",
    at,
    data: {
      round,
      digest,
      expiresAt,
      guards: ruling.guards.map(({ id, quorum }) => ({ id, quorum })),
      ...previewCommitment(payloads),
    },
  };
  return {
    state: "asking",
    nextAt: expiresAt,
    deadline: call.deadline ?? expiresAt,
    events: [ruled(ruling, at), asked],
    payloads,
    ask: { id: ports.random.id("ask"), round, digest, guards: ruling.guards, expiresAt },
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

export function ruled(ruling: Ruling, at: number): NewEvent {
  const { kind, policies, version } = ruling;
  return {
    kind: "ruled",
    at,
    data: { ruling: kind, policies, version, ...(ruling.kind === "block" ? { code: ruling.code } : {}) },
  };
}

/** A preview that is new to the call, as a payload. */
export function previewPayload(call: Call, preview: Preview | undefined, ports: Ports): NewPayload[] {
  if (!preview || preview === previewOf(call)) return [];
  return [payload("preview", preview as unknown as Json, ports)];
}

function previewCommitment([preview]: readonly NewPayload[]): Record<string, string> {
  return preview ? { preview: commitment(preview.salt, preview.value) } : {};
}
