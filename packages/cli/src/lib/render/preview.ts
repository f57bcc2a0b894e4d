import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { PreviewResultView } from "../api/api-views.ts";
import type { Paint, Style } from "../terminal/output.ts";
import { formatChanges } from "./changes.ts";
import { formatGuardList, formatPreviewTable, summarizePlan, toStepRows } from "./plan.ts";

/** Formats the preview of a call or a plan, with the required approvals. */
export function formatPreview(foreseen: PreviewResultView, paint: Paint): string {
  return [
    ...formatEffect(foreseen, paint),
    "",
    formatVerdict(foreseen, paint),
    ...formatGuardsAndChecks(foreseen, paint),
  ].join("\n");
}

function formatEffect({ capability, preview, fault }: PreviewResultView, paint: Paint): string[] {
  if (preview?.steps) {
    const steps = toStepRows(preview);
    return [
      `${paint("bold", escapeInvisible(capability))}  ${summarizePlan(steps)}`,
      "",
      formatPreviewTable(steps, paint),
    ];
  }
  const head = paint("bold", escapeInvisible(capability));
  if (preview && preview.changes.length > 0) return [head, "", formatChanges(preview.changes, paint)];
  if (preview) return [head, "", "  The call would change nothing."];
  return fault ? [head] : [head, "", "  There is no preview, so the changes are unknown."];
}

/**
 * Formats the ruling. If approvals are required, leaves out the ruling's reason, because each approval shows its own
 * reason.
 */
function formatVerdict({ ruling, sentence: said, guards, fault }: PreviewResultView, paint: Paint): string {
  const [mark, style] = rulingSentences[ruling];
  const sentence = guards ? "" : said;
  const why = fault
    ? `${escapeInvisible(sentence)} ${escapeInvisible(fault.message)} (${escapeInvisible(fault.code)})`
    : escapeInvisible(sentence);
  return `  ${`${paint(["bold", style], mark)}  ${why}`.trimEnd()}\n  ${paint("dim", "This is only a preview. Nothing was changed or requested.")}`;
}

const rulingSentences: Record<
  PreviewResultView["ruling"],
  readonly [string, Exclude<Style, readonly unknown[]>]
> = {
  allow: ["The call would be allowed.", "green"],
  check: ["The call would be checked first.", "yellow"],
  ask: ["The call would need approval.", "yellow"],
  block: ["The call would be refused.", "red"],
};

function formatGuardsAndChecks({ guards = [], checks = [] }: PreviewResultView, paint: Paint): string[] {
  return [
    ...(guards.length > 0 ? ["", formatGuardList(guards, paint)] : []),
    ...(checks.length > 0 ? ["", `  checks: ${checks.map(escapeInvisible).join(", ")}`] : []),
  ];
}
