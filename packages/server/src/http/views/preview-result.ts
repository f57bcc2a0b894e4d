import type { Evaluated } from "@paraph/core";
import type { PreviewResultView } from "../schemas/plan.ts";
import { toGuardView } from "./waiting-view.ts";

/** Returns the preview and the ruling of a call that was not requested. */
export function toPreviewResult(capability: string, considered: Evaluated): PreviewResultView {
  if (considered.kind === "unpreviewed") {
    const { code, message } = considered.fault;
    return {
      capability,
      ruling: "block",
      sentence: "The preview failed, so the changes are unknown.",
      policies: [],
      previewed: false,
      preview: null,
      fault: { code, message },
    };
  }
  const { ruling } = considered.ruledCall;
  const preview = considered.kind === "ruled" ? considered.preview : undefined;
  return {
    capability,
    ruling: ruling.kind,
    sentence: ruling.sentence,
    policies: [...ruling.policies],
    ...(ruling.kind === "ask" && { guards: ruling.guards.map(toGuardView) }),
    ...(ruling.kind === "check" && { checks: [...ruling.checks] }),
    previewed: preview !== undefined,
    preview: (preview ?? null) as PreviewResultView["preview"],
  };
}
