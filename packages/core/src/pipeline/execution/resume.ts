import type { Call } from "../../call.ts";
import { ParaphError } from "../../paraph-error.ts";
import type { Ports } from "../../ports.ts";
import type { Principal } from "../../principal.ts";
import type { Wake } from "../../store.ts";
import { commitTransition, createWake } from "../transition.ts";

/** Resumes a stuck call from its current state on behalf of a person. Its failures are counted from zero again. */
export async function resumeStuck(
  given: { readonly call: string; readonly by: Principal },
  ports: Ports,
): Promise<{ readonly call: Call; readonly wakes: readonly Wake[] }> {
  const { tenant, id, kind } = given.by;
  if (kind !== "person")
    throw new ParaphError(
      "approver-not-allowed",
      "Only a person can resume a stuck call. Use a person's API key.",
    );
  const call = await ports.store.load({ tenant, call: given.call });
  if (!call)
    throw new ParaphError("call-unknown", "There is no such call. `paraph calls --stuck` lists stuck calls.");
  if (call.stuck === undefined) return { call, wakes: [] };
  const at = ports.clock.now();
  const event = { kind: "resumed", at, data: { by: id } } as const;
  const committed = await commitTransition(call, { state: call.state, nextAt: at, events: [event] }, ports);
  return { call: committed.call, wakes: [...committed.wakes, createWake(committed.call)] };
}
