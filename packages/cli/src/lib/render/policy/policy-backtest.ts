import { fingerprint, rulingKinds } from "@paraph/core";
import type { BacktestResultView, RequiredApproversView } from "../../api/policy-views.ts";
import { formatDuration, formatTimestamp } from "../../terminal/format-time.ts";
import type { Paint } from "../../terminal/output.ts";
import { formatTable, type TableColumn } from "../../terminal/table.ts";
import { formatRequiredPeople } from "../required-people.ts";
import { formatCallCount, formatNumber, pickRulingStyle } from "./policy-ruling.ts";

const barWidth = 24;

/** Formats the progress, the rate and the remaining time. */
export function formatProgressBar(
  { done, total }: { readonly done: number; readonly total: number },
  ms: number,
  paint: Paint,
): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.round(share * barWidth);
  const bar = paint("cyan", "█".repeat(full)) + paint("dim", "░".repeat(barWidth - full));
  const rate = done / Math.max(ms, 1);
  const left = done > 0 && done < total ? `, ${formatDuration((total - done) / rate)} left` : "";
  return `${bar} ${Math.floor(share * 100)} %  ${paint("dim", `${formatNumber(done)} of ${formatCallCount(total)}${left}`)}`;
}

/** Formats a backtest: the counts by old and new ruling, then the calls. */
export function formatBacktest(result: BacktestResultView, paint: Paint): string {
  const { changed, evaluated } = result;
  const otherApprovers = result.byRuling.reduce((sum, row) => sum + row.otherApprovers, 0);
  const since = `since ${formatTimestamp(Date.parse(result.since))}, candidate ${fingerprint(result.version)}`;
  const verdict =
    evaluated === 0
      ? "No call could be evaluated."
      : changed === 0
        ? paint("green", `All ${formatNumber(evaluated)} evaluated calls would have the same ruling.`)
        : `${paint(["bold", "yellow"], formatNumber(changed))} of ${formatNumber(evaluated)} evaluated calls would have a different ruling${otherApprovers > 0 ? ` or need other approvals` : ""}.`;
  return [
    `${paint("bold", formatCallCount(result.calls))}  ${paint("dim", since)}`,
    verdict,
    ...formatNotes(result, paint),
    ...(evaluated > 0 ? ["", formatByRuling(result, paint)] : []),
    ...(result.byPolicy.length > 0 ? ["", formatByPolicy(result, paint)] : []),
    ...(result.differences.length > 0 ? ["", formatDifferences(result, paint)] : []),
  ].join("\n");
}

const notEvaluatedReasons: Readonly<Record<string, string>> = {
  erased: "their payloads were erased",
  "not-recorded": "the request to policy was not recorded",
  "contract-changed": "the capability's contract has changed since the call",
  "environment-not-recorded": "the candidate reads the environment, which was not recorded",
  granted: "a grant replaced the approvals",
};

function formatNotes({ notEvaluated, unpreviewed }: BacktestResultView, paint: Paint): string[] {
  const notJudged = Object.entries(notEvaluated).map(
    ([reason, count]) =>
      `  ${formatCallCount(count)} not evaluated: ${notEvaluatedReasons[reason] ?? reason}`,
  );
  const first =
    unpreviewed > 0
      ? [`  ${formatCallCount(unpreviewed)} evaluated without a preview, because policy refused them earlier`]
      : [];
  return [...notJudged, ...first].map((line) => paint("dim", line));
}

function formatByRuling({ byRuling }: BacktestResultView, paint: Paint): string {
  const strictest = (kind: (typeof rulingKinds)[number]) => rulingKinds.indexOf(kind);
  const rows = byRuling.toSorted(
    (a, b) => strictest(a.was) - strictest(b.was) || strictest(a.wouldBe) - strictest(b.wouldBe),
  );
  return formatTable(
    [
      ...buildRulingColumns<(typeof rows)[number]>(),
      {
        title: "CALLS",
        text: (row) => formatNumber(row.calls),
        right: true,
        style: (row) => (row.was === row.wouldBe ? "dim" : "bold"),
      },
      ...(rows.some((row) => formatOtherReasons(row) !== "")
        ? [{ title: "", text: formatOtherReasons, style: () => "dim" as const }]
        : []),
    ],
    rows,
    paint,
  );
}

/** Formats a note about rulings that stay the same, but with other approvers or by other policies. */
function formatOtherReasons(row: BacktestResultView["byRuling"][number]): string {
  if (row.otherApprovers > 0) return `${formatNumber(row.otherApprovers)} of them with other approvals`;
  return row.was === row.wouldBe && row.was !== "allow" && row.otherPolicies > 0
    ? `${formatNumber(row.otherPolicies)} of them by other policies`
    : "";
}

/** Formats a ruling, with the required people if these differ: `ask 2 people of finance`. */
function formatRuling(kind: string, approvers: readonly RequiredApproversView[] = []): string {
  return approvers.length === 0 ? kind : `${kind} ${formatRequiredPeople(approvers)}`;
}

function formatByPolicy(result: BacktestResultView, paint: Paint): string {
  return formatTable(
    [
      { title: "CHANGED BY POLICY", text: ({ policy }) => policy, flexible: true },
      { title: "WOULD BE", text: ({ wouldBe }) => wouldBe, style: ({ wouldBe }) => pickRulingStyle(wouldBe) },
      { title: "CALLS", text: (row) => formatNumber(row.calls), right: true },
    ],
    result.byPolicy,
    paint,
  );
}

function formatDifferences({ differences, changed }: BacktestResultView, paint: Paint): string {
  const rows = formatTable(
    [
      { title: "CALL", text: ({ call }) => call },
      { title: "CAPABILITY", text: ({ capability }) => capability, flexible: true },
      ...buildRulingColumns<(typeof differences)[number]>(),
      { title: "BY", text: ({ policies }) => policies.join(", "), flexible: true },
    ],
    differences,
    paint,
  );
  const more = changed - differences.length;
  return more > 0
    ? `${rows}\n${paint("dim", `Older calls not shown: ${formatNumber(more)}. Raise \`--limit\` to see them.`)}`
    : rows;
}

function buildRulingColumns<
  Row extends Pick<BacktestResultView["differences"][number], "was" | "wouldBe" | "approvers">,
>(): TableColumn<Row>[] {
  return [
    {
      title: "WAS",
      text: ({ was, approvers }) => formatRuling(was, approvers?.was),
      style: ({ was }) => pickRulingStyle(was),
    },
    {
      title: "WOULD BE",
      text: ({ wouldBe, approvers }) => formatRuling(wouldBe, approvers?.wouldBe),
      style: ({ wouldBe }) => pickRulingStyle(wouldBe),
    },
  ];
}
