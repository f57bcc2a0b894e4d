import { Link } from "@tanstack/react-router";
import { Unplug } from "lucide-react";
import type { CapabilitySummary, Statistics } from "../api/types.ts";
import { Foreign, Sentence } from "../lib/foreign.tsx";
import { formatDuration } from "../lib/time.ts";
import { EffectBadge } from "../ui/effect.tsx";
import { RiskMark } from "../ui/risk.tsx";
import { TableHead } from "../ui/table-head.tsx";
import { ExpectedRuling } from "./expected-ruling.tsx";

const durations = (
  <abbr
    title="Half of the calls took no longer than the typical time (p50), and 95 % no longer than the slow time (p95)"
    className="no-underline"
  >
    Typical, slow
  </abbr>
);

/** Capabilities as a table, with what policy rules for the reader and how calls ended in the last seven days. */
export function CapabilityRows({
  label,
  capabilities,
  statistics,
}: {
  readonly label: string;
  readonly capabilities: readonly CapabilitySummary[];
  readonly statistics: ReadonlyMap<string, Statistics>;
}) {
  return (
    <table aria-label={label} className="w-full table-fixed text-left">
      <TableHead
        hiddenBelow="lg"
        columns={[
          ["Capability", "pr-3 pl-3.5"],
          ["Effect and risk", "w-44 px-3"],
          ["For you", "w-[30%] px-3"],
          ["Calls", "w-16 px-2 text-right"],
          ["Success", "w-18 px-2 text-right"],
          [durations, "w-32 pr-3.5 pl-2 text-right"],
        ]}
      />
      <tbody>
        {capabilities.map((one) => (
          <Row key={one.name} capability={one} statistics={statistics.get(one.name)} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  capability: { name, summary, effect, risk, unavailable, ruling },
  statistics,
}: {
  readonly capability: CapabilitySummary;
  readonly statistics: Statistics | undefined;
}) {
  const calls = (statistics?.calls ?? 0).toLocaleString("en-GB");
  const success = formatShare(statistics?.successRate);
  const times = formatTimes(statistics);
  return (
    <tr className="border-b border-line align-top last:border-b-0 hover:bg-sunken max-lg:block max-lg:px-3.5 max-lg:py-2.5">
      <td className="max-lg:block lg:py-2.5 lg:pr-3 lg:pl-3.5">
        <Link
          to="/capabilities/$name"
          params={{ name }}
          className="font-semibold hover:underline max-lg:inline-flex max-lg:min-h-7 max-lg:items-center"
        >
          <Foreign text={summary} />
        </Link>
        <code className="block [overflow-wrap:anywhere] text-muted">{name}</code>
        {unavailable !== undefined && (
          <p className="mt-1 flex items-start gap-1.5 text-sm text-high">
            <Unplug size={15} aria-hidden="true" className="mt-0.5 flex-none" />
            <span>
              <span className="font-medium">Unavailable.</span> <Sentence text={unavailable} />
            </span>
          </p>
        )}
      </td>
      <td className="max-lg:block max-lg:py-1.5 lg:px-3 lg:py-2.5">
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
          <EffectBadge effect={effect} />
          <RiskMark risk={risk} />
        </span>
      </td>
      <td className="max-lg:block lg:px-3 lg:py-2.5">
        <ExpectedRuling ruling={ruling} />
      </td>
      <td className="text-sm max-lg:inline max-lg:text-muted lg:px-2 lg:py-2.5 lg:text-right">
        {calls}
        <span className="lg:hidden"> {calls === "1" ? "call" : "calls"} in 7 days</span>
      </td>
      <td className="text-sm max-lg:inline max-lg:text-muted lg:px-2 lg:py-2.5 lg:text-right">
        {success !== "" && <span className="lg:hidden">, success </span>}
        {success}
      </td>
      <td className="text-sm whitespace-nowrap text-muted max-lg:inline lg:py-2.5 lg:pr-3.5 lg:pl-2 lg:text-right">
        {times !== "" && <span className="lg:hidden">, typical and slow time </span>}
        {times}
      </td>
    </tr>
  );
}

/** Formats a share such as `98 %`. Only a full success is 100 %. */
export function formatShare(share: number | undefined): string {
  if (share === undefined) return "";
  return `${share === 1 ? 100 : Math.min(99, Math.round(share * 100))} %`;
}

function formatTimes(statistics: Statistics | undefined): string {
  const { actingMs } = statistics ?? {};
  return actingMs ? `${formatDuration(actingMs.p50)}, ${formatDuration(actingMs.p95)}` : "";
}
