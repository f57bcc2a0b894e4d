import { Ban, CircleCheck, CircleHelp, ListChecks, type LucideIcon, UserCheck } from "lucide-react";
import type { CapabilitySummary } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";

type Ruling = NonNullable<CapabilitySummary["ruling"]>;

const rulings: Record<Ruling["ruling"], readonly [LucideIcon, string, string]> = {
  allow: [CircleCheck, "Allowed", "text-good"],
  check: [ListChecks, "Checks run first", "text-ink"],
  ask: [UserCheck, "People decide", "text-ink"],
  block: [Ban, "Blocked", "text-critical"],
};

/** Says how policy rules on calls of the reader, as far as it does not depend on the input. */
export function ExpectedRuling({ ruling }: { readonly ruling: CapabilitySummary["ruling"] }) {
  if (!ruling)
    return (
      <p className="flex items-start gap-1.5 text-sm">
        <CircleHelp size={15} aria-hidden="true" className="mt-0.5 flex-none text-unknown" />
        <span>
          <span className="font-medium">Depends on the input</span>
        </span>
      </p>
    );
  const [Icon, word, color] = rulings[ruling.ruling];
  const { sentence, dependsOnCall } = ruling;
  return (
    <p className="flex items-start gap-1.5 text-sm">
      <Icon size={15} aria-hidden="true" className={`mt-0.5 flex-none ${color}`} />
      <span>
        <span className="font-medium">{word}.</span>{" "}
        <span className="text-muted">
          <Foreign text={sentence} />
          {dependsOnCall && " The input can change this."}
        </span>
      </span>
    </p>
  );
}
