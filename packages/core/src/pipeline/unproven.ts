import { type Call, hasBegun, mayHaveActed } from "../call.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Ports } from "../ports.ts";
import { findUnproven, type UnprovenRecord } from "../receipts/proven-record.ts";
import { closeUnknownContract } from "./attempt/unknown.ts";
import { closeCall, createPayload } from "./close.ts";
import { markStuck } from "./segment-failed.ts";
import { commitTransition, type Rested, toRested } from "./transition.ts";

/** The outcome code of a call whose rows contradict its sealed events. */
export const sealInvalid = "seal-invalid";

const explanation =
  "Part of this call's record has no valid Paraph seal, so Paraph did not perform the call. Another program or an older version wrote that part to the database. Request the call again, and inform the operator of the database.";

/**
 * [TRUST 32] Closes a call whose record is not proven, without performing anything. Returns undefined if the record is
 * proven.
 */
export async function closeIfUnproven(call: Call, ports: Ports): Promise<Rested | undefined> {
  if (call.state === "closed") return undefined;
  const unproven = findUnproven(call, ports.sealer);
  if (!unproven) return undefined;
  ports.telemetry.measure("paraph.seal.failures", 1, { entry: unproven.entry });
  if (mayHaveActed(call)) return closeUnknownContract(call, sealInvalid, ports);
  // The steps of this composite may have had effects, so a person decides how the composite ends.
  if (hasBegun(call) && (await ports.store.children(call)).length > 0)
    return markStuck(call, sealInvalid, ports);
  return closeRefused(call, unproven, ports);
}

/** Rejects a decision about a call whose record is not proven, and closes that call. */
export async function requireProven(call: Call, ports: Ports): Promise<void> {
  // This function sends no messages. Closing a waiting call could wake only its composite, and the sweeper picks the
  // composite up without a message.
  if (await closeIfUnproven(call, ports)) throw new ParaphError("approval-closed", explanation);
}

async function closeRefused(call: Call, unproven: UnprovenRecord, ports: Ports): Promise<Rested> {
  const { approval } = call;
  const stands = approval?.status === "open" || approval?.status === "approved";
  const closed = approval && ({ round: approval.round, status: "void", code: sealInvalid } as const);
  const move = await closeCall(
    call,
    {
      outcome: { kind: "refused", code: sealInvalid },
      about: { ...unproven },
      payloads: [createPayload("error", explanation, ports)],
      ...(stands && {
        events: [{ kind: "round-closed", at: ports.clock.now(), data: closed! }],
        closeRound: { approval: approval.id, status: "void" },
      }),
    },
    ports,
  );
  return toRested(await commitTransition(call, move, ports));
}
