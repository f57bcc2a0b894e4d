import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint, Style } from "../output.ts";
import type { ForeseenView } from "../views.ts";
import { changesText } from "./changes.ts";
import { guardLines, planSummary, previewTable, stepsIn } from "./plan.ts";

/** What would become of a call or a plan, and who would be asked. */
export function foreseenText(foreseen: ForeseenView, paint: Paint): string {
  return [...substance(foreseen, paint), "", verdict(foreseen, paint), ...asked(foreseen, paint)].join("\n");
}

function substance({ capability, preview, fault }: ForeseenView, paint: Paint): string[] {
  if (preview?.steps) {
    const steps = stepsIn(preview);
    return [
      `${paint("bold", escapeInvisible(capability))}  ${planSummary(steps)}`,
      "",
      previewTable(steps, paint),
    ];
  }
  const head = paint("bold", escapeInvisible(capability));
  if (preview && preview.changes.length > 0) return [head, "", changesText(preview.changes, paint)];
  if (preview) return [head, "", "  It would change nothing."];
  return fault ? [head] : [head, "", "  There is no preview: nobody knows what exactly would change."];
}

/** Why people are asked is said beside whom. */
function verdict({ ruling, sentence: said, guards, fault }: ForeseenView, paint: Paint): string {
  const [mark, style] = words[ruling];
  const sentence = guards ? "" : said;
  const why = fault
    ? `${escapeInvisible(sentence)} ${escapeInvisible(fault.message)} (${escapeInvisible(fault.code)})`
    : escapeInvisible(sentence);
  return `  ${`${paint(["bold", style], mark)}  ${why}`.trimEnd()}\n  ${paint("dim", "Nothing was changed, and nobody was asked.")}`;
}

const words: Record<ForeseenView["ruling"], readonly [string, Exclude<Style, readonly unknown[]>]> = {
  allow: ["It would be done.", "green"],
  check: ["It would be checked first.", "yellow"],
  ask: ["People would be asked.", "yellow"],
  block: ["It would be refused.", "red"],
};

function asked({ guards = [], checks = [] }: ForeseenView, paint: Paint): string[] {
  return [
    ...(guards.length > 0 ? ["", guardLines(guards, paint)] : []),
    ...(checks.length > 0 ? ["", `  checks: ${checks.map(escapeInvisible).join(", ")}`] : []),
  ];
}
