import { checkedRules } from "../history/checker.ts";
import type { ClientRecord, LabHistory } from "../history/history.ts";

/**
 * Returns short statements of a run's coverage for docs/proof.md. They are counted from the run's own history, so that
 * a published result cannot claim more than its run did.
 */
export function summarizeHistory(history: LabHistory): string[] {
  const { client, ledger, freezes = [], messages = [], hooks = [], observed = [] } = history;
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
    ...formatTotal("Messages on calls", messages.length),
    ...formatTotal("Webhooks received", hooks.length),
    ...formatTotal("Observations stored", observed.length),
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
