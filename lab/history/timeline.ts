import type { LabHistory } from "./history.ts";

/** Returns the records about one call in order. Read it first when a rule is broken. */
export function buildTimeline(history: LabHistory, call: string): string[] {
  const row = history.ledger.find((each) => each.call === call);
  const entries = [
    ...(row?.events ?? []).map(({ at, kind, data }) => ({
      at,
      who: "ledger",
      what: `${kind} ${JSON.stringify(data)}`,
    })),
    ...history.oracle
      .filter((each) => each.call === call)
      .map(({ at, kind, verdict }) => ({ at, who: "oracle", what: `${kind} ${verdict}` })),
    ...history.client.flatMap((each) => {
      if (each.kind === "answered" && each.call === call)
        return [
          { at: each.at, who: "client", what: `${each.status} ${each.state ?? ""} ${each.outcome ?? ""}` },
        ];
      if (each.kind === "decided" && each.approval === row?.approval?.id)
        return [{ at: each.at, who: "client", what: `${each.decision} ${each.status}` }];
      if (each.kind === "did" && (each.call === call || ("call" in each.deed && each.deed.call === call)))
        return [{ at: each.at, who: "client", what: `${each.deed.kind} ${each.status}` }];
      return [];
    }),
  ];
  return entries
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, who, what }) => `${new Date(at).toISOString().slice(11, 23)}  ${who.padEnd(6)}  ${what}`);
}
