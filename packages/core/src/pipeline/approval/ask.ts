import type { Call } from "../../call.ts";
import type { Capability, Preview } from "../../capability/capability.ts";
import type { Risk } from "../../capability/contract.ts";
import type { UnsealedEvent } from "../../event.ts";
import type { Ask } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import { commitment } from "../../receipts/digest.ts";
import { sealEvent } from "../../receipts/seal.ts";
import type { Transition } from "../../store.ts";
import { commitPayloads } from "../close.ts";
import { currentHeadline, newHeadlinePayload, newPreviewPayload } from "../content-payloads.ts";
import { digestForApproval } from "../round.ts";
import { type RuledCall, recordRuling } from "../ruling/rule.ts";
import { mergePayloads, numberEvents } from "../transition.ts";
import { nextEscalationAt } from "./escalation.ts";

/**
 * [P5] The maximum number of rounds. If a call needs more rounds, its underlying data changes faster than people
 * answer.
 */
export const maxRounds = 3;

/**
 * [TRUST 6] Returns whether the preview omits some of the changes. If so, an approver cannot know the full extent of
 * the approval.
 */
export function isPreviewIncomplete(preview: Preview | undefined): boolean {
  return preview?.changes.some(({ incomplete }) => incomplete === true) ?? false;
}

/**
 * Opens a round for this preview, its digest and these guards. The round expires after the time for its urgency, unless
 * the ruling or the first round's deadline sets an earlier time.
 */
export function openRound(
  call: Call,
  capability: Capability,
  ruledCall: RuledCall<Ask>,
  preview: Preview | undefined,
  ports: Ports,
): Transition {
  const { ruling } = ruledCall;
  const ruled = recordRuling(ruledCall, ports);
  const { at } = ruled.event;
  const round = (call.approval?.round ?? 0) + 1;
  const patience = Math.min(
    ports.settings.askMs[ruling.urgency],
    ruling.withinMs ?? Number.POSITIVE_INFINITY,
  );
  const expiresAt = Math.min(at + patience, call.deadline ?? Number.POSITIVE_INFINITY);
  const headline = currentHeadline(call, capability, preview, ports);
  const payloads = [...newPreviewPayload(call, preview, ports), ...newHeadlinePayload(call, headline, ports)];
  const shown = mergePayloads(call.payloads, payloads).headline!;
  const digest = digestForApproval(call, capability, preview, headline);
  const id = ports.random.id("ask");
  const asked: UnsealedEvent<"asked"> = {
    kind: "asked",
    at,
    data: {
      approval: id,
      round,
      digest,
      expiresAt,
      guards: ruling.guards,
      ...commitPayloads(payloads),
      headline: commitment(shown.salt, shown.value),
      ...countStepsByRisk(preview),
    },
  };
  const events = [ruled.event, sealEvent(call, asked, ports.sealer)];
  const opened = { round, guards: ruling.guards, expiresAt };
  return {
    state: "asking",
    nextAt: nextEscalationAt({ events: [...call.events, ...numberEvents(call, events)] }, opened, ports),
    deadline: call.deadline ?? expiresAt,
    events,
    payloads: [...payloads, ruled.payload],
    ask: { id, round, digest, guards: ruling.guards, expiresAt },
  };
}

/** Counts the steps of a composite by risk, for lists that do not load the preview. */
function countStepsByRisk(preview: Preview | undefined): {
  readonly steps?: { readonly [R in Risk]?: number };
} {
  if (!preview?.steps) return {};
  const counts = new Map<Risk, number>();
  for (const { risk } of preview.steps) counts.set(risk, (counts.get(risk) ?? 0) + 1);
  return { steps: Object.fromEntries(counts) };
}
