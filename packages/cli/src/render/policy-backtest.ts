import { fingerprint } from "@paraph/core";
import type { Paint } from "../output.ts";
import type { BacktestResultView } from "../policy-views.ts";
import { type Column, table } from "../table.ts";
import { moment, span } from "../times.ts";
import { calls, grouped, kinds, rulingStyle } from "./policy-ruling.ts";

const barWidth = 24;

/** How far it is, how fast it goes, and how long it will still take. */
export function progressBar(
  { done, total }: { readonly done: number; readonly total: number },
  ms: number,
  paint: Paint,
): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.round(share * barWidth);
  const bar = paint("cyan", "█".repeat(full)) + paint("dim", "░".repeat(barWidth - full));
  const rate = done / Math.max(ms, 1);
  const left = done > 0 && done < total ? `, ${span((total - done) / rate)} left` : "";
  return `${bar} ${Math.floor(share * 100)} %  ${paint("dim", `${grouped(done)} of ${calls(total)}${left}`)}`;
}

/** What would have been, what was and how often; then the calls themselves. */
export function backtestText(result: BacktestResultView, paint: Paint): string {
  const { changed, judged } = result;
  const since = `since ${moment(Date.parse(result.since))}, candidate ${fingerprint(result.version)}`;
  const verdict =
    judged === 0
      ? "Not one could be judged."
      : changed === 0
        ? paint("green", `All of ${grouped(judged)} judged would have gone the same way.`)
        : `${paint(["bold", "yellow"], grouped(changed))} of ${grouped(judged)} judged would have gone another way.`;
  return [
    `${paint("bold", calls(result.calls))}  ${paint("dim", since)}`,
    verdict,
    ...notes(result, paint),
    ...(judged > 0 ? ["", moves(result, paint)] : []),
    ...(result.byPolicy.length > 0 ? ["", byPolicy(result, paint)] : []),
    ...(result.differences.length > 0 ? ["", differences(result, paint)] : []),
  ].join("\n");
}

const reasons: Readonly<Record<string, string>> = {
  erased: "their payloads were erased",
  "not-recorded": "what policy was asked was not recorded yet",
  "contract-changed": "the capability's contract has changed since",
  "environment-not-recorded": "the candidate reads the environment, which was not recorded",
  granted: "a grant stood in for people",
};

function notes({ unjudged, unpreviewed }: BacktestResultView, paint: Paint): string[] {
  const notJudged = Object.entries(unjudged).map(
    ([reason, count]) => `  ${calls(count)} not judgeable: ${reasons[reason] ?? reason}`,
  );
  const first =
    unpreviewed > 0
      ? [`  ${calls(unpreviewed)} judged without a preview: policy had refused before there was one`]
      : [];
  return [...notJudged, ...first].map((line) => paint("dim", line));
}

function moves({ moves: all }: BacktestResultView, paint: Paint): string {
  const strictest = (kind: (typeof kinds)[number]) => kinds.indexOf(kind);
  const rows = all.toSorted(
    (a, b) => strictest(a.was) - strictest(b.was) || strictest(a.wouldBe) - strictest(b.wouldBe),
  );
  return table(
    [
      ...answers<(typeof rows)[number]>(),
      {
        title: "CALLS",
        text: (row) => grouped(row.calls),
        right: true,
        style: (row) => (row.was === row.wouldBe ? "dim" : "bold"),
      },
      ...(rows.some((row) => otherReasons(row) !== "")
        ? [{ title: "", text: otherReasons, style: () => "dim" as const }]
        : []),
    ],
    rows,
    paint,
  );
}

/** The same answer can still mean other people, or more of them. */
function otherReasons({ was, wouldBe, otherPolicies }: BacktestResultView["moves"][number]): string {
  return was === wouldBe && was !== "allow" && otherPolicies > 0
    ? `${grouped(otherPolicies)} of them by other policies`
    : "";
}

function byPolicy(result: BacktestResultView, paint: Paint): string {
  return table(
    [
      { title: "THE DIFFERENCE IS MADE BY", text: ({ policy }) => policy, flexible: true },
      { title: "WOULD BE", text: ({ wouldBe }) => wouldBe, style: ({ wouldBe }) => rulingStyle(wouldBe) },
      { title: "CALLS", text: (row) => grouped(row.calls), right: true },
    ],
    result.byPolicy,
    paint,
  );
}

function differences({ differences: listed, changed }: BacktestResultView, paint: Paint): string {
  const rows = table(
    [
      { title: "CALL", text: ({ call }) => call },
      { title: "CAPABILITY", text: ({ capability }) => capability, flexible: true },
      ...answers<(typeof listed)[number]>(),
      { title: "BY", text: ({ policies }) => policies.join(", "), flexible: true },
    ],
    listed,
    paint,
  );
  const more = changed - listed.length;
  return more > 0 ? `${rows}\n${paint("dim", `and ${grouped(more)} older: raise \`--limit\``)}` : rows;
}

function answers<Row extends Pick<BacktestResultView["moves"][number], "was" | "wouldBe">>(): Column<Row>[] {
  return [
    { title: "WAS", text: ({ was }) => was, style: ({ was }) => rulingStyle(was) },
    { title: "WOULD BE", text: ({ wouldBe }) => wouldBe, style: ({ wouldBe }) => rulingStyle(wouldBe) },
  ];
}
