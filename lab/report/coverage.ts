import { checkedRules } from "../history/checker.ts";
import type { ClientRecord, LabHistory } from "../history/history.ts";

/**
 * Returns short statements of a run's coverage for docs/proof.md. They are counted from the run's own histories, so that
 * a published result cannot claim more than its run did.
 */
export function summarizeHistories(histories: readonly LabHistory[]): string[] {
  const client = histories.flatMap((each) => each.client);
  const ledger = histories.flatMap((each) => each.ledger);
  const freezes = histories.flatMap((each) => each.freezes ?? []);
  const count = (records: "messages" | "hooks" | "observed") =>
    histories.reduce((sum, history) => sum + (history[records]?.length ?? 0), 0);
  const events = ledger.flatMap((call) => call.events);
  return [
    ...formatCounts(
      "Calls by capability",
      ledger.map(({ capability }) => capability),
    ),
    ...formatCounts(
      "Outcomes",
      ledger.map(({ outcome }) => outcome?.kind ?? "open"),
    ),
    ...formatCounts("Decisions that were accepted", client.flatMap(readDecision)),
    ...formatCounts("Other requests that were accepted", client.flatMap(readAction)),
    ...formatCounts(
      "Freezes",
      freezes.map(({ kind }) => kind),
    ),
    ...formatTotal("Messages on calls", count("messages")),
    ...formatTotal("Webhooks received", count("hooks")),
    ...formatTotal("Observations stored", count("observed")),
    ...formatCounts(
      "Recorded events",
      events.map(({ kind }) => kind),
    ),
    `Judged by ${checkedRules.length} rules: ${checkedRules.join(", ")}.`,
  ];
}

/** Returns `Title: a 3, b 1.`, sorted by name, or nothing for an empty list. */
export function formatCounts(title: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const counts = [...Map.groupBy(names, (name) => name)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => `${name} ${formatNumber(all.length)}`);
  return [`${title}: ${counts.join(", ")}.`];
}

const formatTotal = (title: string, count: number): string[] =>
  count === 0 ? [] : [`${title}: ${formatNumber(count)}.`];

const formatNumber = (count: number): string => count.toLocaleString("en");

const readDecision = (record: ClientRecord): string[] =>
  record.kind === "decided" && record.status < 300 ? [record.decision] : [];

const readAction = (record: ClientRecord): string[] =>
  record.kind === "did" && record.status < 300 ? [record.deed.kind] : [];
