import type { Change, Preview, StepPreview } from "../capability/capability.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import type { Checked, CheckResult } from "../policy/check.ts";

type FormatName =
  | keyof (Preview & Change & StepPreview)
  | keyof (PlanDocument & PlanDocument["steps"][number])
  | keyof (Checked & CheckResult & CheckResult["findings"][number]);

/**
 * [TRUST 6] The names of members in Paraph's own formats, which are no secrets. They stay even if a masked value is the
 * same. Otherwise a requester could hide the diffs of a plan from approvers with the sensitive value `diff` in one step.
 */
export const formatNames: Readonly<Record<FormatName | "$literal" | "$from", true>> = {
  ...{ changes: true, basis: true, steps: true },
  ...{ kind: true, target: true, summary: true, diff: true, details: true, incomplete: true },
  ...{ id: true, capability: true, version: true, effect: true, risk: true, cost: true },
  ...{ previewed: true, inputKnown: true, dependsOn: true, visibility: true, headline: true },
  ...{ title: true, onFailure: true, input: true, after: true, requires_confirmation: true },
  ...{ subject: true, results: true, check: true, passed: true, score: true, findings: true, error: true },
  ...{ code: true, path: true, sentence: true, $literal: true, $from: true },
};
