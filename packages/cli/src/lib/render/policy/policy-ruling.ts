import type { RulingKind } from "../../api/policy-views.ts";
import type { Style } from "../../terminal/output.ts";

/** Rulings from what hinders nobody to what stops everybody. */
export const rulingKinds: readonly RulingKind[] = ["allow", "check", "ask", "block"];

export function pickRulingStyle(kind: RulingKind): Exclude<Style, readonly unknown[]> {
  return ({ allow: "green", check: "cyan", ask: "yellow", block: "red" } as const)[kind] ?? "reset";
}

/** What was, or would have been, done to a call. */
export const rulingResults: Readonly<Record<RulingKind, string>> = {
  allow: "let pass",
  check: "checked",
  ask: "asked about",
  block: "refused",
};

/** `12,431 calls` */
export function formatCallCount(number: number): string {
  return `${formatNumber(number)} ${number === 1 ? "call" : "calls"}`;
}

export function formatNumber(number: number): string {
  return number.toLocaleString("en");
}
