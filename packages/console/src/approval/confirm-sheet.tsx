import { CircleCheck, ListX, RotateCcw, Undo2 } from "lucide-react";
import type { Round } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { countApproved, formatLeftOut, usePlanChoice } from "../plans/plan-choice.ts";
import { RiskTag } from "../ui/risk.tsx";
import { Sheet } from "../ui/sheet.tsx";

/** Repeats the fact before an approval of high or critical risk. */
export function ConfirmSheet({
  round,
  onClose,
  onApprove,
}: {
  readonly round: Round;
  readonly onClose: () => void;
  readonly onApprove: () => void;
}) {
  const { risk, fingerprint, contract, needsPasskey } = round;
  const choice = usePlanChoice();
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={
        <>
          <span className="mb-2 block">
            <RiskTag risk={risk} />
          </span>
          <Foreign text={round.headline} />?
        </>
      }
    >
      <ul className="my-4 divide-y divide-line border-y border-line">
        <li className="flex gap-3 py-2.5">
          <CircleCheck size={18} aria-hidden="true" className="flex-none text-good" />
          You have seen everything that changes.
        </li>
        {choice && choice.leftOut.length > 0 && (
          <li className="flex gap-3 py-2.5">
            <ListX size={18} aria-hidden="true" className="flex-none text-muted" />
            <span>
              <strong>
                {countApproved(choice)} of {choice.steps.length} steps.
              </strong>{" "}
              {formatLeftOut(choice)}
            </span>
          </li>
        )}
        {contract?.effect === "destroy" && (
          <li className="flex gap-3 py-2.5">
            <Undo2 size={18} aria-hidden="true" className="flex-none text-high" />
            <span>
              <strong>This deletes something.</strong> {round.capability} is destructive.
            </span>
          </li>
        )}
        <li className="flex gap-3 py-2.5">
          <RotateCcw size={18} aria-hidden="true" className="flex-none text-muted" />
          <span>
            Your approval counts for exactly this: <code>{fingerprint.replaceAll(/.{4}(?=.)/g, "$& ")}</code>.
            If the state changes, Paraph asks again.
          </span>
        </li>
      </ul>
      <div className="grid gap-2">
        <button
          type="button"
          className={`btn min-h-12 ${risk === "high" ? "btn-primary" : "btn-critical"}`}
          onClick={onApprove}
        >
          {needsPasskey ? "Approve with passkey" : "Approve"}
        </button>
        <button type="button" className="btn min-h-12" onClick={onClose}>
          Go back
        </button>
      </div>
    </Sheet>
  );
}
