import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from "lucide-react";
import type { Adapter } from "../api/types.ts";

const states: Record<Adapter["state"], readonly [LucideIcon, string, string]> = {
  ready: [CircleCheck, "Ready", "text-good"],
  degraded: [TriangleAlert, "Degraded", "text-high"],
  unavailable: [CircleX, "Unavailable", "text-critical"],
};

/** Shows the health of an adapter as an icon and a word. */
export function AdapterState({ state }: { readonly state: Adapter["state"] }) {
  const [Icon, word, color] = states[state];
  return (
    <span className={`inline-flex items-center gap-1.5 text-sm font-medium whitespace-nowrap ${color}`}>
      <Icon size={15} aria-hidden="true" />
      {word}
    </span>
  );
}
