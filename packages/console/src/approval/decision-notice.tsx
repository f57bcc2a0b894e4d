import { Link } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import { Notice } from "../ui/states.tsx";
import type { useDecision } from "./use-decision.ts";

/** Says what became of a decision that was not recorded, or of which this is not known. */
export function DecisionNotice({ decision }: { readonly decision: ReturnType<typeof useDecision> }) {
  switch (decision.state) {
    case "unknown":
      return (
        <Strip tone="unknown">
          <strong>Not known whether your answer arrived.</strong> The server did not answer in time.{" "}
          <button type="button" className="link" onClick={decision.lookUp}>
            Look it up
          </button>
        </Strip>
      );
    case "not-arrived":
      return (
        <Strip tone="failed">
          <strong>Your answer did not arrive.</strong> Nothing was decided. You can decide again.
        </Strip>
      );
    case "not-signed":
      return (
        <Strip tone="failed">
          <strong>Nothing was sent.</strong> {decision.message} You can decide again.
        </Strip>
      );
    case "rejected":
      return (
        <Strip tone="failed">
          <strong>{decision.problem.title}.</strong> {decision.problem.detail}{" "}
          {decision.problem.code === "passkey-invalid" && (
            <Link to="/passkeys" className="link">
              Your passkeys
            </Link>
          )}{" "}
          <span className="text-xs text-muted">Request {decision.problem.instance}</span>
        </Strip>
      );
    default:
      return null;
  }
}

function Strip({ tone, children }: { readonly tone: "unknown" | "failed"; readonly children: ReactNode }) {
  return (
    <div className="mb-3">
      <Notice tone={tone} icon={CircleHelp} isAlert>
        {children}
      </Notice>
    </div>
  );
}
