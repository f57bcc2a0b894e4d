import { useNavigate, useSearch } from "@tanstack/react-router";
import type { BacktestResult } from "../api/types.ts";

type Day = BacktestResult["days"][number];

const height = 120;
const below = 48;
const dayMs = 24 * 3_600_000;

/** The changed rulings per day: tighter ones above the line, looser ones below it. A press on a day filters the calls. */
export function BacktestChart({ result }: { readonly result: BacktestResult }) {
  const { day: selected } = useSearch({ from: "/policies/backtest" });
  const navigate = useNavigate({ from: "/policies/backtest" });
  const days = fillDays(result);
  const max = Math.max(
    1,
    ...days.map(({ tighter, other }) => tighter + other),
    ...days.map(({ looser }) => looser),
  );
  const width = 700 / days.length;
  const bar = (count: number, room: number) => (count === 0 ? 0 : Math.max(3, (count / max) * room));
  const select = (day: string) =>
    void navigate({ search: (old) => ({ ...old, day: day === selected ? undefined : day }), replace: true });
  return (
    <section aria-labelledby="per-day" className="card p-3.5">
      <div className="flex flex-wrap gap-x-4">
        <h3 id="per-day" className="mr-auto font-semibold">
          Changed rulings per day
        </h3>
        <span className="text-sm text-muted">
          <Swatch className="bg-ink" /> Tighter or neither
        </span>
        <span className="text-sm text-muted">
          <Swatch className="bg-high" /> Looser
        </span>
      </div>
      <svg
        viewBox={`0 0 700 ${height + below + 18}`}
        className="mt-2 w-full"
        role="img"
        aria-label="Changed rulings per day. The table below has the numbers."
      >
        <line x1="0" x2="700" y1={height} y2={height} stroke="var(--edge)" strokeWidth="1" />
        {days.map((day, index) => {
          const up = bar(day.tighter + day.other, height - 14);
          const down = bar(day.looser, below);
          const x = index * width + width * 0.15;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table has the same as buttons
            <g
              key={day.day}
              onClick={() => select(day.day)}
              opacity={selected && selected !== day.day ? 0.35 : 1}
            >
              <rect x={index * width} y="0" width={width} height={height + below} fill="transparent" />
              <rect x={x} y={height - up} width={width * 0.7} height={up} rx="1" fill="var(--ink)" />
              <rect x={x} y={height + 1} width={width * 0.7} height={down} rx="1" fill="var(--high)" />
            </g>
          );
        })}
        <text x="0" y={height + below + 14} fontSize="11" fill="var(--muted)">
          {formatDay(days[0]?.day)}
        </text>
        <text x="700" y={height + below + 14} fontSize="11" fill="var(--muted)" textAnchor="end">
          {formatDay(days.at(-1)?.day)}
        </text>
        <text x="0" y="10" fontSize="11" fill="var(--muted)">
          {max}
        </text>
      </svg>
      <details>
        <summary className="cursor-pointer text-sm text-muted max-md:min-h-11">Show as a table</summary>
        <table className="mt-2 w-full text-left text-sm">
          <thead className="text-xs text-muted">
            <tr>
              {["Day", "Tighter", "Looser", "Neither"].map((name) => (
                <th key={name} scope="col" className="py-1 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {result.days.map(({ day, tighter, looser, other }) => (
              <tr key={day} className="border-t border-line">
                <td className="py-1">
                  <button
                    type="button"
                    className="link"
                    aria-pressed={day === selected}
                    onClick={() => select(day)}
                  >
                    {formatDay(day)}
                  </button>
                </td>
                <td>{tighter}</td>
                <td>{looser}</td>
                <td>{other}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

function Swatch({ className }: { readonly className: string }) {
  return <span aria-hidden="true" className={`mr-1 inline-block size-2.5 rounded-sm ${className}`} />;
}

/** Returns every day of the period, also those without a change. */
function fillDays({ days, since, until }: BacktestResult): readonly Day[] {
  const known = new Map(days.map((day) => [day.day, day]));
  const all: Day[] = [];
  for (let at = Date.parse(since.slice(0, 10)); at < Date.parse(until); at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10);
    all.push(known.get(day) ?? { day, looser: 0, tighter: 0, other: 0 });
  }
  return all;
}

export function formatDay(day: string | undefined): string {
  if (day === undefined) return "";
  return new Date(day).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}
