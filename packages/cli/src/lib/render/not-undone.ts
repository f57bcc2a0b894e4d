import type { NotUndone } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Paint } from "../terminal/output.ts";
import { formatQuotedLine } from "./changes.ts";

const reasons: Readonly<Record<NotUndone["reason"], string>> = {
  "no-undo": "its capability offers no undo",
  unknown: "its outcome is unknown",
  "plan-not-succeeded": "it is part of a plan that did not succeed",
  "left-out": "an edit removed its undo",
};

export function formatNotUndone(left: readonly NotUndone[], paint: Paint): string[] {
  if (left.length === 0) return [];
  const lines = left.map(({ step, capability, reason }) =>
    formatQuotedLine(`${escapeInvisible(step)} (${escapeInvisible(capability)}): ${reasons[reason]}`, paint),
  );
  return ["", `  ${paint("yellow", "stays after this undo")}`, ...lines];
}
