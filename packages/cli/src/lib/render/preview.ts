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
  if (preview) return [head, "", "  It would change nothing."];
  return fault ? [head] : [head, "", "  There is no preview: nobody knows what exactly would change."];
}

/** Formats the ruling. If approvals are required, the reason stands with each of them instead. */
function formatVerdict({ ruling, sentence: said, guards, fault }: PreviewResultView, paint: Paint): string {
  const [mark, style] = rulingSentences[ruling];
  const sentence = guards ? "" : said;
  const why = fault
    ? `${escapeInvisible(sentence)} ${escapeInvisible(fault.message)} (${escapeInvisible(fault.code)})`
    : escapeInvisible(sentence);
  return `  ${`${paint(["bold", style], mark)}  ${why}`.trimEnd()}\n  ${paint("dim", "Nothing was changed, and nobody was asked.")}`;
}

const rulingSentences: Record<
  PreviewResultView["ruling"],
  readonly [string, Exclude<Style, readonly unknown[]>]
> = {
  allow: ["It would be done.", "green"],
  check: ["It would be checked first.", "yellow"],
  ask: ["People would be asked.", "yellow"],
  block: ["It would be refused.", "red"],
};

function formatGuardsAndChecks({ guards = [], checks = [] }: PreviewResultView, paint: Paint): string[] {
  return [
    ...(guards.length > 0 ? ["", formatGuardList(guards, paint)] : []),
    ...(checks.length > 0 ? ["", `  checks: ${checks.map(escapeInvisible).join(", ")}`] : []),
  ];
}
