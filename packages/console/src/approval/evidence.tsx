import { CircleCheck, CircleX, ShieldAlert, TriangleAlert, Undo2 } from "lucide-react";
import type { Round } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";

/** The effects that an undo leaves, and why. */
export function NotUndoneList({ notUndone }: Pick<Round, "notUndone">) {
  return (
    <ul className="grid gap-1">
      {notUndone.map(({ step, capability, reason }) => (
        <li key={step} className="flex gap-2 text-sm">
          <Undo2 size={16} aria-hidden="true" className="mt-0.5 flex-none text-high" />
          <span>
            <Foreign text={step} /> ({capability}): {reason}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The results of the checks that policy demanded, with their findings. */
export function CheckList({ checks }: Pick<Round, "checks">) {
  return (
    <ul className="grid gap-1.5 text-sm">
      {checks.map((check) => (
        <CheckLine key={check.check} check={check} />
      ))}
    </ul>
  );
}

function CheckLine({ check }: { readonly check: Round["checks"][number] }) {
  const Icon = check.error ? ShieldAlert : check.passed ? CircleCheck : CircleX;
  const color = check.error ? "text-unknown" : check.passed ? "text-good" : "text-critical";
  const word = check.error ? "could not run" : check.passed ? "passed" : "failed";
  return (
    <li className="flex gap-2">
      <Icon size={16} aria-hidden="true" className={`mt-0.5 flex-none ${color}`} />
      <div className="min-w-0">
        <span className="font-medium">{check.check}</span> <span className="text-muted">{word}</span>
        {check.findings.map(({ code, path, sentence }) => (
          <p key={`${code}${path}`} className="text-muted">
            <TriangleAlert size={13} aria-hidden="true" className="mr-1 inline" />
            <Foreign text={sentence} />
          </p>
        ))}
      </div>
    </li>
  );
}
