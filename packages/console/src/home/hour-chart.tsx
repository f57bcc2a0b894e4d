import { type Hour, roundUpAxis, series } from "./hours.ts";

/** A bar for each hour, stacked by how calls ended. The table has the same numbers for everyone who cannot see bars. */
export function HourChart({ hours }: { readonly hours: readonly Hour[] }) {
  return (
    <div className="p-3.5">
      <OutcomeBars periods={hours} ticks={4} formatStart={formatHour} />
      <details className="mt-3">
        <summary className="link w-fit cursor-pointer text-sm max-md:min-h-7">Show as a table</summary>
        <HourTable hours={hours} />
      </details>
    </div>
  );
}

/** A bar for each period, stacked by how calls ended, with the totals above. A table must have the same numbers. */
export function OutcomeBars({
  periods: hours,
  ticks,
  formatStart,
}: {
  readonly periods: readonly Hour[];
  /** The number of times below the bars, at equal distances. */
  readonly ticks: number;
  readonly formatStart: (start: number) => string;
}) {
  const totals = series.map((_, index) => hours.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0));
  const sum = totals.reduce((all, total) => all + total, 0);
  const hasUnknown = series.some(({ name }, index) => name === "Unknown" && (totals[index] ?? 0) > 0);
  const top = roundUpAxis(Math.max(...hours.map(({ total }) => total)));
  return (
    <>
      <dl className="grid grid-cols-4 gap-2 max-sm:grid-cols-2">
        {series.map(({ name, color }, index) => (
          <div key={name} className="flex flex-col-reverse">
            <dt className="flex items-center gap-1.5 text-sm text-muted">
              <span className={`size-2.5 flex-none rounded-xs ${color}`} />
              {name}
            </dt>
            <dd className="text-xl font-semibold">{totals[index]?.toLocaleString("en-GB")}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-sm text-muted">
        {sum === 1 ? "1 call" : `${sum.toLocaleString("en-GB")} calls`} ended. Each step of a plan counts.
        {hasUnknown && " An unknown outcome stays counted after someone has found out what happened."}
      </p>
      <div aria-hidden="true" className="mt-4 flex gap-2">
        <div className="flex h-44 flex-col justify-between text-right text-xs leading-none text-muted">
          <span>{top.toLocaleString("en-GB")}</span>
          <span>{(top / 2).toLocaleString("en-GB")}</span>
          <span>0</span>
        </div>
        <div className="min-w-0 flex-1">
          <div className="relative flex h-44 items-end gap-px border-b border-line sm:gap-1">
            <span className="absolute inset-x-0 top-0 border-t border-line" />
            <span className="absolute inset-x-0 top-1/2 border-t border-line" />
            {hours.map((hour) => (
              <Bar key={hour.start} hour={hour} top={top} formatStart={formatStart} />
            ))}
          </div>
          <div className="mt-1.5 flex text-xs text-muted">
            {hours
              .filter((_, index) => index % (hours.length / ticks) === 0)
              .map(({ start }) => (
                <span key={start} className="flex-1">
                  {formatStart(start)}
                </span>
              ))}
          </div>
        </div>
      </div>
    </>
  );
}

function Bar({
  hour: { start, counts, total },
  top,
  formatStart,
}: {
  readonly hour: Hour;
  readonly top: number;
  readonly formatStart: (start: number) => string;
}) {
  const parts = series.map(({ name }, index) => `${name} ${counts[index]}`).join(", ");
  return (
    <div
      title={`${formatStart(start)}: ${parts}`}
      className="relative flex h-full min-w-0 flex-1 flex-col-reverse gap-px hover:bg-sunken"
    >
      {total > 0 &&
        series.map(({ name, color }, index) => {
          const count = counts[index] ?? 0;
          return (
            count > 0 && (
              <span
                key={name}
                className={`min-h-0.5 rounded-xs ${color}`}
                style={{ height: `${(count / top) * 100}%` }}
              />
            )
          );
        })}
    </div>
  );
}

function HourTable({ hours }: { readonly hours: readonly Hour[] }) {
  const busy = hours.filter(({ total }) => total > 0);
  if (busy.length === 0)
    return <p className="mt-2 text-sm text-muted">No call ended in the last 24 hours.</p>;
  return (
    <div className="mt-2 overflow-x-auto">
      <table className="w-full text-right text-sm">
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="py-1.5 text-left font-medium">
              Hour
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="py-1.5 pl-2 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.map(({ start, counts }) => (
            <tr key={start} className="border-b border-line">
              <th scope="row" className="py-1.5 text-left font-normal whitespace-nowrap">
                {formatHour(start)}
              </th>
              {series.map(({ name }, index) => (
                <td key={name} className="py-1.5 pl-2">
                  {counts[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function formatHour(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}
