import type { RulingKind } from "@paraph/core";
import type { Style } from "../../terminal/output.ts";

export function pickRulingStyle(kind: RulingKind): Exclude<Style, readonly unknown[]> {
  return ({ allow: "green", check: "cyan", ask: "yellow", block: "red" } as const)[kind] ?? "dim";
}

/** The word for the effect of each ruling on a call, for example `refused` for `block`. */
export const rulingResults: Readonly<Record<RulingKind, string>> = {
  allow: "allowed",
  check: "checked",
  ask: "asked about",
  block: "refused",
};

/** Formats a count: `12,431 calls`. */
export function formatCallCount(number: number): string {
  return `${formatNumber(number)} ${number === 1 ? "call" : "calls"}`;
}

export function formatNumber(number: number): string {
  return number.toLocaleString("en");
}
