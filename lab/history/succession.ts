import type { Envelope, PublicKey } from "@paraph/core";
import { preAuthEncoding } from "../../packages/core/src/receipts/dsse.ts";
import { isSignatureValid } from "../../packages/core/src/receipts/keys.ts";
import type { LabHistory, LedgerCall } from "./history.ts";
import { createViolation, filterEvents, type HistoryIndex, type Violation } from "./history-index.ts";

/** [P6] Checks that a superseded call has exactly one successor and names it. The successor must keep the deadline. */
export function successionIsOne({ ledger, calls }: HistoryIndex): Violation[] {
  const successors = Map.groupBy(ledger, ({ supersedes }) => supersedes);
  return ledger.flatMap((call) => {
    const own = successors.get(call.call) ?? [];
    const wanted = call.outcome?.kind === "superseded" ? 1 : 0;
    if (own.length !== wanted)
      return [createViolation("P6", call.call, `is ${call.outcome?.kind} and has ${own.length} successors`)];
    if (wanted === 1 && filterEvents(call, "closed")[0]?.data.successor !== own[0]?.call)
      return [createViolation("P6", call.call, "names another successor than it has")];
    const old = call.supersedes === undefined ? undefined : calls.get(call.supersedes);
    return old ? checkSuccessor(old, call) : [];
  });
}

function checkSuccessor(old: LedgerCall, call: LedgerCall): Violation[] {
  const end = call.approval?.expiresAt ?? 0;
  const found = [
    ...(old.principal.id === call.principal.id && old.requestDigest === call.requestDigest
      ? []
      : ["took the place of somebody else's request"]),
    ...(old.deadline !== undefined && end > old.deadline ? ["asks people for longer than its deadline"] : []),
    ...(filterEvents(call, "asked").length + filterEvents(call, "ruled").length > 0
      ? []
      : ["was never ruled on"]),
  ];
  return found.map((what) => createViolation("P6", call.call, what));
}

/**
 * [P7] Checks that only a call with an unknown outcome has a resolution, and at most one. The resolution must be signed
 * and must match its event.
 */
export async function findingsHold({ ledger, meta }: HistoryIndex): Promise<Violation[]> {
  const each = await Promise.all(
    ledger.map(async (call) => {
      const { findings = [] } = call;
      const told = filterEvents(call, "resolved");
      if (findings.length === 0 && told.length === 0) return [];
      if (call.outcome?.kind !== "unknown")
        return [
          createViolation("P7", call.call, `was found out about, although it is ${call.outcome?.kind}`),
        ];
      if (findings.length !== 1 || told.length !== 1)
        return [
          createViolation(
            "P7",
            call.call,
            `has ${findings.length} findings and ${told.length} events of them`,
          ),
        ];
      const signed = await readStatement(findings[0]!, meta.keys);
      if (!signed) return [createViolation("P7", call.call, "has a finding that nobody signed")];
      const same = signed.call === call.call && signed.finding === told[0]?.data.finding;
      return same
        ? []
        : [createViolation("P7", call.call, "has a finding that tells something else than its event")];
    }),
  );
  return each.flat();
}

async function readStatement(
  { payload, payloadType, signatures }: Envelope,
  keys: readonly PublicKey[],
): Promise<{ call: string; finding: string } | undefined> {
  const bytes = new Uint8Array(Buffer.from(payload, "base64"));
  const key = keys.find(({ kid }) => kid === signatures[0]?.keyid);
  const signature = new Uint8Array(Buffer.from(signatures[0]?.sig ?? "", "base64"));
  const holds = key && (await isSignatureValid(key, signature, preAuthEncoding(payloadType, bytes)));
  return holds ? JSON.parse(Buffer.from(bytes).toString()).predicate : undefined;
}

/** Checks that every acknowledged action took effect: each withdrawal, resolution, edit and message. */
export function actionsAreKept({ client, calls, messages = [] }: HistoryIndex): Violation[] {
  const said = new Set(messages.map(({ id }) => id));
  return client.flatMap((record) => {
    if (record.kind !== "did" || record.status >= 300) return [];
    const about = "call" in record.deed ? record.deed.call : (record.call ?? "");
    const call = calls.get(about);
    if (!call)
      return [createViolation("acknowledged", about, `is not in the ledger after ${record.deed.kind}`)];
    const kept = record.deed.kind === "say" ? said.has(record.message ?? "") : isKept(record, call);
    return kept
      ? []
      : [
          createViolation(
            "acknowledged",
            call.call,
            `lost a deed that was acknowledged: ${record.deed.kind}`,
          ),
        ];
  });
}

function isKept(
  { deed, call: shown }: Extract<LabHistory["client"][number], { kind: "did" }>,
  call: LedgerCall,
): boolean {
  switch (deed.kind) {
    case "edit":
      return call.supersedes !== undefined && call.editedBy !== undefined;
    case "withdraw":
      return call.outcome?.kind === "cancelled" && filterEvents(call, "withdrawn").length === 1;
    case "resolve":
      return call.resolution?.finding === deed.finding;
    case "reassign":
      return filterEvents(call, "reassigned").some(({ data }) => data.to === deed.to);
    case "retry":
      return shown !== undefined && shown !== call.call && call.resolution?.finding === "not-happened";
    case "probe":
      return call.outcome?.kind === "unknown";
    case "undo":
      return shown !== undefined && shown !== call.call;
    case "claim":
      return filterEvents(call, "intended").some(({ data }) => data.performer === "agent");
    case "report":
      return call.outcome?.kind === (deed.as === "succeeded" ? "succeeded" : "failed");
    case "say":
      return true;
  }
}

/** Checks that every message sent during a round has an event, and that every such event has its message. */
export function messagesAreOnRecord({ messages = [], calls, ledger, skew }: HistoryIndex): Violation[] {
  const said = new Set(messages.map(({ id }) => id));
  const invented = ledger.flatMap((call) =>
    filterEvents(call, "commented")
      .filter(({ data }) => !said.has(String(data.message)))
      .map(() => createViolation("thread", call.call, "has something on record that nobody said")),
  );
  const unrecorded = messages.flatMap(({ id, call: about, at }) => {
    const call = calls.get(about);
    if (!call || filterEvents(call, "commented").some(({ data }) => data.message === id)) return [];
    const last = call.events.findLast((event) => event.at <= at + skew);
    const isAsking = last !== undefined && ["asked", "voted", "commented", "reassigned"].includes(last.kind);
    return isAsking
      ? [
          createViolation(
            "thread",
            about,
            "was asked about when something was said of which there is no event",
          ),
        ]
      : [];
  });
  return [...invented, ...unrecorded];
}
