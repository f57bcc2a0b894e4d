import type { Call } from "../../call.ts";
import type { Limit } from "../../limit.ts";
import type { Ruling } from "../../policy/ruling.ts";
import type { Ports } from "../../ports.ts";
import type { Transition } from "../../store.ts";

/** The id of the limit for requesters whose calls people keep denying. */
export const afterDenials = "after-denials";

/** [TRUST 19] Limits a requester whose calls people keep denying to one question a minute. Edits are not throttled. */
export async function throttleAfterDenials(
  call: Call,
  { kind }: Ruling,
  ports: Ports,
  move: Transition,
): Promise<Transition> {
  if (!move.gate || kind !== "ask" || call.supersedes !== undefined) return move;
  const { maxDenials } = ports.settings;
  if ((await ports.store.countDenials(call.principal, maxDenials)) < maxDenials) return move;
  const onceAMinute: Limit = {
    id: afterDenials,
    kind: "calls",
    key: `asks:${call.principal.id}`,
    windowMs: 60_000,
    max: 1,
    amount: 1,
  };
  return { ...move, gate: { ...move.gate, limits: [...move.gate.limits, onceAMinute] } };
}
