import { Ban, CircleCheck, ListChecks, type LucideIcon, UserCheck } from "lucide-react";
import type { PreviewResult, WhatIf } from "../api/types.ts";
import { Sentence } from "../lib/foreign.tsx";

/** The icon, the color and the words of each ruling. */
const rulings: Record<WhatIf["ruling"], readonly [LucideIcon, string, string]> = {
  allow: [CircleCheck, "text-good", "Paraph would perform it"],
  check: [ListChecks, "text-ink", "Paraph would run checks first"],
  ask: [UserCheck, "text-ink", "Paraph would ask people first"],
  block: [Ban, "text-critical", "Paraph would refuse it"],
};

/** The ruling that policy would make on a request, with its reasons. */
export function RulingCard({ result }: { readonly result: WhatIf | PreviewResult }) {
  const { ruling, sentence, policies, guards = [], checks = [], previewed, fault } = result;
  const [Icon, color, title] = rulings[ruling];
  return (
    <section aria-labelledby="ruling" className="card p-4">
      <h2 id="ruling" className="flex items-center gap-2 text-xl font-semibold">
        <Icon size={20} aria-hidden="true" className={`flex-none ${color}`} />
        {title}
      </h2>
      <p className="mt-1">
        <Sentence text={sentence} />
      </p>
      {guards.length > 0 && (
        <ul className="mt-3 grid gap-1">
          {guards.map(({ id, sentence: own, quorum, group }) => (
            <li key={id}>
              {own !== sentence && <Sentence text={`${own} `} />}
              <span className="text-muted">
                {quorum === 1 ? "One approval" : `${quorum} approvals`}
                {group !== undefined && ` from ${group}`}.
              </span>
            </li>
          ))}
        </ul>
      )}
      {checks.length > 0 && <p className="mt-3">Checks: {checks.join(", ")}</p>}
      {fault && (
        <p className="mt-3 text-critical">
          The preview failed: <code>{fault.code}</code>{" "}
          {"message" in fault && <Sentence text={fault.message} />}
        </p>
      )}
      <p className="mt-3 text-sm text-muted">
        {policies.length === 0 ? "No policy decided." : "Because of "}
        {policies.map((id) => (
          <code key={id} className="mr-2 [overflow-wrap:anywhere]">
            {id}
          </code>
        ))}
        {previewed ? "Ruled with a preview of the current state." : "Ruled without a preview."}
      </p>
    </section>
  );
}
