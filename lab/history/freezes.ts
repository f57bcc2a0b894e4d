import type { FreezeRecord, LedgerCall, WrittenEvent } from "./history.ts";
import { createViolation, filterPerformed, type HistoryIndex, type Violation } from "./history-index.ts";

/**
 * [TRUST 25] Checks that no call of a frozen subject is accepted or begun between the freeze's return and the thaw. The
 * freeze must list each call that may still act. A transaction gets its number only after it passes the gate, so
 * transaction numbers give the order. The oracle's clock confirms this order.
 */
export function freezesHold(index: HistoryIndex): Violation[] {
  const { freezes = [], written = [], ledger } = index;
  const writes = Map.groupBy(written, ({ call }) => call);
  return freezes.flatMap((freeze) =>
    ledger
      .filter((call) => isFrozenCall(freeze, call))
      .flatMap((call) => findBreaches(freeze, call, writes.get(call.call) ?? [], index))
      .map(({ call, what }) =>
        createViolation("TRUST 25", call, `${what} (freeze of the ${freeze.kind}, ${freeze.id})`),
      ),
  );
}

function findBreaches(
  freeze: FreezeRecord,
  call: LedgerCall,
  writes: readonly WrittenEvent[],
  { effectsOf }: HistoryIndex,
): { call: string; what: string }[] {
  const during = writes.filter(({ xid }) => xid > freeze.xid && xid < freeze.thawXid);
  const isListed = freeze.inFlight.includes(call.call);
  const acted = filterPerformed(effectsOf(call.call)).some(
    ({ at }) => at > freeze.answeredAt && at < freeze.thawAskedAt,
  );
  const found = [
    ...(during.some(({ kind }) => kind === "intended") ? ["wrote an intent while it was frozen"] : []),
    ...(during.some(({ kind }) => kind === "accepted") && call.outcome?.kind !== "refused"
      ? ["was accepted while it was frozen"]
      : []),
    ...(!isListed && wasInFlight(freeze, writes) ? ["was in flight and is not on the list"] : []),
    ...(!isListed && acted ? ["had an effect after the freeze had answered, and is not on the list"] : []),
  ];
  return found.map((what) => ({ call: call.call, what }));
}

/** Whether the call was in flight: its last intent before the freeze had not ended when the freeze returned. */
function wasInFlight(freeze: FreezeRecord, writes: readonly WrittenEvent[]): boolean {
  const last = writes.findLast(({ kind, xid }) => kind === "intended" && xid < freeze.xid);
  const ends = writes.filter(({ kind }) => kind === "attempted" || kind === "closed");
  return last !== undefined && !ends.some(({ seq, xid }) => seq > last.seq && xid < freeze.nextXid);
}

function isFrozenCall({ kind, subject }: FreezeRecord, { capability, principal }: LedgerCall): boolean {
  if (capability.startsWith("admin.")) return false;
  switch (kind) {
    case "principal":
      return principal.id === subject;
    case "capability":
      return capability === subject;
    case "adapter":
      return capability.split(".")[0] === subject;
    case "tenant":
      return true;
  }
}
