import { checkedRules } from "../history/checker.ts";
import type { ClientRecord, History } from "../history/history.ts";

/**
 * Short statements of the coverage of a run, for docs/proof.md. They are counted from the run's own history, so that a
 * published result cannot claim what its run did not do.
 */
export function historyCoverage(history: History): string[] {
  const { client, ledger, freezes = [], messages = [], hooks = [], observed = [] } = history;
  const events = ledger.flatMap((call) => call.events);
  return [
    ...statement(
      "Calls by capability",
      ledger.map(({ capability }) => capability),
    ),
    ...statement(
      "Outcomes",
      ledger.map(({ outcome }) => outcome?.kind ?? "open"),
    ),
    ...statement("Decisions that were accepted", client.flatMap(decisionIn)),
    ...statement("Other requests that were accepted", client.flatMap(deedIn)),
    ...statement(
      "Freezes",
      freezes.map(({ kind }) => kind),
    ),
    ...total("Messages on calls", messages.length),
    ...total("Webhooks received", hooks.length),
    ...total("Observations stored", observed.length),
    ...statement(
      "Recorded events",
      events.map(({ kind }) => kind),
    ),
    `Judged by ${checkedRules.length} rules: ${checkedRules.join(", ")}.`,
  ];
}

/** `Title: a 3, b 1.`, sorted by name; nothing for an empty list. */
export function statement(title: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const counts = [...Map.groupBy(names, (name) => name)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => `${name} ${grouped(all.length)}`);
  return [`${title}: ${counts.join(", ")}.`];
}

const total = (title: string, count: number): string[] =>
  count === 0 ? [] : [`${title}: ${grouped(count)}.`];

const grouped = (count: number): string => count.toLocaleString("en");

const decisionIn = (record: ClientRecord): string[] =>
  record.kind === "decided" && record.status < 300 ? [record.decision] : [];

const deedIn = (record: ClientRecord): string[] =>
  record.kind === "did" && record.status < 300 ? [record.deed.kind] : [];
