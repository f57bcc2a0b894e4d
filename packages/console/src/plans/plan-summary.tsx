import {
  ArrowRight,
  CircleHelp,
  Eye,
  type LucideIcon,
  Minus,
  Pencil,
  Play,
  Plus,
  Send,
  Sparkles,
  TriangleAlert,
} from "lucide-react";
import type { Change } from "../api/types.ts";
import { changeVerbs, countChanges } from "./count-changes.ts";
import type { PlanStep } from "./plan-step.ts";

type Look = readonly [icon: LucideIcon, color: string];

const looks: Record<Change["kind"], Look> = {
  delete: [Minus, "text-removed"],
  send: [Send, "text-high"],
  run: [Play, "text-high"],
  update: [Pencil, "text-medium"],
  move: [ArrowRight, "text-ink"],
  create: [Plus, "text-added"],
  other: [Sparkles, "text-muted"],
};
const later: Look = [CircleHelp, "text-unknown"];
const never: Look = [TriangleAlert, "text-high"];
const read: Look = [Eye, "text-muted"];

/** Returns the icon, the color and the words for what a step does. */
export function describeStep({ changes, preview, isRead }: PlanStep): readonly [LucideIcon, string, string] {
  const kinds = new Set(changes.map(({ kind }) => kind));
  const gravest = changeVerbs.find(([kind]) => kinds.has(kind));
  if (gravest) return [...looks[gravest[0]], gravest[1]];
  if (isRead) return [...read, "reads, changes nothing"];
  return preview === "later"
    ? [...later, "known later"]
    : preview === "never"
      ? [...never, "no preview"]
      : [...read, "changes nothing"];
}

/** The changes of a plan by kind, the gravest first. */
export function PlanSummary({ steps }: { readonly steps: readonly PlanStep[] }) {
  const counts = countChanges(steps);
  const count = (preview: PlanStep["preview"]) =>
    steps.filter((step) => step.preview === preview && !step.isRead).length;
  const cells: readonly (readonly [Look, number, string])[] = [
    ...changeVerbs.map(([kind, verb]) => [looks[kind], counts.get(kind) ?? 0, verb] as const),
    [later, count("later"), "known later"],
    [never, count("never"), "without preview"],
    [read, steps.filter(({ isRead }) => isRead).length, "read only"],
  ];
  return (
    <dl className="my-3 flex flex-wrap gap-px overflow-hidden rounded-card border border-line bg-line">
      {cells
        .filter(([, number]) => number > 0)
        .map(([[Icon, color], number, word]) => (
          <div key={word} className={`flex flex-1 items-center gap-1.5 bg-surface px-3.5 py-2 ${color}`}>
            <dt className="order-last text-sm whitespace-nowrap">{word}</dt>
            <Icon size={15} aria-hidden="true" className="flex-none" />
            <dd className="text-lg leading-5 font-semibold">{number.toLocaleString("en-GB")}</dd>
          </div>
        ))}
    </dl>
  );
}
