import { type Call, hasBegun, mayHaveActed } from "../call.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Ports } from "../ports.ts";
import { findUnproven, type Unproven } from "../proven-record.ts";
import { ending, payload } from "./ending.ts";
import { commit, type Rest, resting } from "./move.ts";
import { giveUp } from "./recover.ts";
import { stick } from "./segment-failed.ts";

/** The outcome code of a call whose rows say what no sealed event says. */
export const sealInvalid = "seal-invalid";

const explanation =
  "A part of this request's record does not carry Paraph's seal: another program wrote it to the database, or an older version did. Nothing was performed on it. Make the request again, and tell the operator of the database.";

/** [TRUST 32] Ends a call whose record cannot be relied on, without performing anything. Undefined: the record is proven. */
export async function endIfUnproven(call: Call, ports: Ports): Promise<Rest | undefined> {
  if (call.state === "closed") return undefined;
  const unproven = findUnproven(call, ports.sealer);
  if (!unproven) return undefined;
  ports.telemetry.measure("paraph.seal.failures", 1, { entry: unproven.entry });
  if (mayHaveActed(call)) return giveUp(call, sealInvalid, ports);
  // Its steps have had effects, so a person decides how it ends.
  if (hasBegun(call) && (await ports.store.children(call)).length > 0) return stick(call, sealInvalid, ports);
  return refuse(call, unproven, ports);
}

/** The same for a person who is about to decide about the call. */
export async function demandProven(call: Call, ports: Ports): Promise<void> {
  // A call that was waiting wakes nobody but its composite, which the sweeper looks after.
  if (await endIfUnproven(call, ports)) throw new ParaphError("approval-closed", explanation);
}

async function refuse(call: Call, unproven: Unproven, ports: Ports): Promise<Rest> {
  const { approval } = call;
  const stands = approval?.status === "open" || approval?.status === "approved";
  const closed = approval && { round: approval.round, status: "void", code: sealInvalid };
  const move = await ending(
    call,
    {
      outcome: { kind: "refused", code: sealInvalid },
      about: { ...unproven },
      payloads: [payload("error", explanation, ports)],
      ...(stands && {
        events: [{ kind: "round-closed", at: ports.clock.now(), data: closed! }],
        closeRound: { approval: approval.id, status: "void" },
      }),
    },
    ports,
  );
  return resting(await commit(call, move, ports));
}
