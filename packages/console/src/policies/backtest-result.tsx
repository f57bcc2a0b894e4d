import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowRight, Ban } from "lucide-react";
import { useState } from "react";
import { callQuery } from "../api/queries.ts";
import type { BacktestResult } from "../api/types.ts";
import { describeNeededApprovals } from "../calls/needed-approvals.ts";
import { Foreign } from "../lib/foreign.tsx";
import { formatExactTime } from "../lib/time.ts";
import { BacktestChart, formatDay } from "./backtest-chart.tsx";

type Difference = BacktestResult["differences"][number];

const pageSize = 20;
const dayMs = 24 * 3_600_000;
const strictness = ["allow", "check", "ask", "block"] as const;
const words = { allow: "Allow", check: "Check", ask: "Ask", block: "Block" } as const;
const directions = {
  looser: ["Looser", "text-high"],
  tighter: ["Tighter", "text-ink"],
  other: ["Neither", "text-muted"],
} as const;
const reasons: Readonly<Record<string, string>> = {
  erased: "their data was erased",
  "not-recorded": "the request to policy was not recorded",
  "contract-changed": "their capability changed since then",
  "environment-not-recorded": "the time and usage were not recorded",
  granted: "a grant replaced the approvals",
};

/** The result of a backtest: how much changes, when, and which calls. What becomes looser comes first. */
export function BacktestResultView({ result }: { readonly result: BacktestResult }) {
  const { changed, calls, evaluated, directions: counts, allowedAgainstDenial, notEvaluated } = result;
  const unjudged = calls - evaluated;
  const days = Math.max(1, (Date.parse(result.until) - Date.parse(result.since)) / dayMs);
  const asked = (which: "was" | "wouldBe") =>
    result.byRuling.reduce((sum, row) => sum + (row[which] === "ask" ? row.calls : 0), 0) / days;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4 md:px-6">
      <div>
        <p className="text-sm text-muted">
          Backtest of {formatCalls(calls)} since {formatDay(result.since)}. No one was asked, and nothing was
          changed.
        </p>
        <h2 className="text-2xl font-semibold">
          {evaluated === 0
            ? "No call could be judged"
            : changed === 0
              ? `${formatCalls(evaluated)} would be ruled as before`
              : `${format(changed)} of ${formatCalls(evaluated)} would be ruled differently`}
        </h2>
      </div>
      {allowedAgainstDenial > 0 && (
        <p className="flex gap-2.5 rounded-lg bg-critical-soft px-3 py-2.5">
          <Ban size={16} aria-hidden="true" className="mt-0.5 flex-none text-critical" />
          <span>
            <strong>
              People denied {format(allowedAgainstDenial)} {allowedAgainstDenial === 1 ? "call" : "calls"}{" "}
              that this would allow.
            </strong>{" "}
            They come first in the list.
          </span>
        </p>
      )}
      <dl className="flex flex-wrap gap-px overflow-hidden rounded-card border border-line bg-line">
        <Cell name="looser" value={format(counts.looser)} color={counts.looser > 0 ? "text-high" : ""} />
        <Cell name="tighter" value={format(counts.tighter)} color={counts.tighter > 0 ? "text-ink" : ""} />
        <Cell name="neither looser nor tighter" value={format(counts.other)} />
        <Cell name="as before" value={format(evaluated - changed)} />
        <Cell name="not judged" value={format(unjudged)} />
      </dl>
      <p className="text-sm text-muted">
        People would be asked {asked("wouldBe").toFixed(1)} times a day instead of {asked("was").toFixed(1)}.
      </p>
      {unjudged > 0 && (
        <p className="text-sm text-muted">
          Not judged:{" "}
          {Object.entries(notEvaluated)
            .map(([reason, count]) => `${format(count)}, because ${reasons[reason] ?? reason}`)
            .join("; ")}
          .
        </p>
      )}
      {changed > 0 && (
        <>
          <BacktestChart result={result} />
          <Moves result={result} />
          <Differences result={result} />
        </>
      )}
    </div>
  );
}

const format = (value: number) => value.toLocaleString("en-GB");
const formatCalls = (count: number) => `${format(count)} ${count === 1 ? "call" : "calls"}`;

function Cell({
  name,
  value,
  color = "",
}: {
  readonly name: string;
  readonly value: string;
  readonly color?: string;
}) {
  return (
    <div className="flex flex-1 basis-28 flex-col bg-surface px-3.5 py-2">
      <dt className="order-last text-sm text-muted">{name}</dt>
      <dd className={`text-xl font-semibold whitespace-nowrap ${color}`}>{value}</dd>
    </div>
  );
}

/** The changed rulings, from the loosest move to the tightest. */
function Moves({ result: { byRuling } }: { readonly result: BacktestResult }) {
  const change = (row: (typeof byRuling)[number]) =>
    strictness.indexOf(row.wouldBe) - strictness.indexOf(row.was);
  const rows = byRuling
    .filter((row) => row.was !== row.wouldBe || row.otherApprovers > 0)
    .sort((a, b) => change(a) - change(b));
  return (
    <div className="card overflow-x-auto">
      <table className="w-full text-left">
        <thead className="text-xs text-muted">
          <tr>
            {["Now", "With this change", "Calls"].map((name) => (
              <th key={name} scope="col" className="px-3.5 py-2 font-medium last:text-right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.was} ${row.wouldBe}`} className="border-t border-line">
              <td className="px-3.5 py-2">{words[row.was]}</td>
              <td className={`px-3.5 py-2 font-semibold ${change(row) < 0 ? "text-high" : ""}`}>
                {words[row.wouldBe]}
                {row.was === row.wouldBe && ", with other approvals"}
              </td>
              <td className="px-3.5 py-2 text-right font-semibold">
                {format(row.was === row.wouldBe ? row.otherApprovers : row.calls)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Differences({ result: { differences, changed } }: { readonly result: BacktestResult }) {
  const { day } = useSearch({ from: "/policies/backtest" });
  const navigate = useNavigate({ from: "/policies/backtest" });
  const [count, setCount] = useState(pageSize);
  const matching =
    day === undefined ? differences : differences.filter(({ openedAt }) => openedAt.startsWith(day));
  return (
    <section aria-labelledby="differences" className="card overflow-hidden">
      <div className="flex flex-wrap items-center gap-3 border-b border-line px-3.5 py-2.5">
        <h3 id="differences" className="font-semibold">
          Calls to look at
        </h3>
        {day !== undefined && (
          <button
            type="button"
            className="rounded-full border border-edge px-3 py-1 text-sm max-md:min-h-11"
            onClick={() => void navigate({ search: (old) => ({ ...old, day: undefined }), replace: true })}
          >
            {formatDay(day)} <span aria-hidden="true">×</span>
            <span className="sr-only">: remove this filter</span>
          </button>
        )}
        {differences.length < changed && (
          <span className="ml-auto text-sm text-muted">
            {differences.length} of {changed.toLocaleString("en-GB")}
          </span>
        )}
      </div>
      <ul className="divide-y divide-line">
        {matching.slice(0, count).map((difference) => (
          <li key={difference.call}>
            <DifferenceRow difference={difference} />
          </li>
        ))}
      </ul>
      {matching.length === 0 && <p className="p-3.5 text-muted">No listed call is of this day.</p>}
      {matching.length > count && (
        <button type="button" className="btn m-3" onClick={() => setCount(count + pageSize)}>
          Show more
        </button>
      )}
    </section>
  );
}

function DifferenceRow({ difference }: { readonly difference: Difference }) {
  const { call, capability, principal, openedAt, was, wouldBe, direction, wasDenied, approvers, policies } =
    difference;
  const { data } = useQuery({
    ...callQuery(call),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  const [word, color] = directions[direction];
  return (
    <Link
      to="/calls/$call"
      params={{ call }}
      className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-3.5 py-2 -outline-offset-2 hover:bg-sunken"
    >
      <span className="truncate font-semibold" title={data?.headline}>
        <Foreign text={data?.headline ?? capability} />
      </span>
      <time dateTime={openedAt} title={formatExactTime(openedAt)} className="text-right text-sm text-muted">
        {formatDay(openedAt)}
      </time>
      <span className="flex flex-wrap items-center gap-x-1.5 text-sm text-muted">
        <Foreign text={principal} /> · {words[was]}
        {approvers && <NeededApprovals guards={approvers.was} />}
        <ArrowRight size={13} aria-label="would be" />
        <span className={`font-semibold ${color}`}>
          {words[wouldBe]}
          {approvers && <NeededApprovals guards={approvers.wouldBe} />}
        </span>
        <code className="[overflow-wrap:anywhere]">{policies.join(", ")}</code>
      </span>
      <span className={`text-right text-sm font-medium ${wasDenied ? "text-critical" : color}`}>
        {wasDenied ? "People denied it" : word}
      </span>
    </Link>
  );
}

function NeededApprovals({ guards }: { readonly guards: Parameters<typeof describeNeededApprovals>[0] }) {
  return (
    <>
      {" for "}
      <Foreign text={describeNeededApprovals(guards)} />
    </>
  );
}
