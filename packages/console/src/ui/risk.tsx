import type { Risk } from "../api/types.ts";

const order: readonly Risk[] = ["low", "medium", "high", "critical"];
const words: Record<Risk, string> = { low: "Low", medium: "Medium", high: "High", critical: "Critical" };
const colors: Record<Risk, string> = {
  low: "text-low",
  medium: "text-medium",
  high: "text-high",
  critical: "text-critical",
};
const softColors: Record<Risk, string> = {
  low: "bg-low-soft text-low",
  medium: "bg-medium-soft text-medium",
  high: "bg-high-soft text-high",
  critical: "bg-critical-soft text-critical",
};

/** Shows a risk as bars and a word, so that it does not depend on color. */
export function RiskMark({ risk }: { readonly risk: Risk }) {
  return (
    <span className={`inline-flex items-center gap-1.5 font-semibold whitespace-nowrap ${colors[risk]}`}>
      <RiskBars risk={risk} />
      {words[risk]}
    </span>
  );
}

/** Shows a risk as a tag, such as `High risk`. */
export function RiskTag({ risk }: { readonly risk: Risk | undefined }) {
  if (risk === undefined) return <span className="tag bg-unknown-soft text-unknown">Unknown risk</span>;
  return (
    <span className={`tag ${softColors[risk]}`}>
      <RiskBars risk={risk} />
      {words[risk]} risk
    </span>
  );
}

function RiskBars({ risk }: { readonly risk: Risk }) {
  const level = order.indexOf(risk);
  return (
    <svg viewBox="0 0 14 12" width="14" height="12" fill="currentColor" aria-hidden="true">
      {order.map((one, index) => (
        <rect
          key={one}
          x={index * 3.6}
          y={9 - index * 3}
          width="2.6"
          height={3 + index * 3}
          rx=".8"
          opacity={index > level ? 0.28 : 1}
        />
      ))}
    </svg>
  );
}
