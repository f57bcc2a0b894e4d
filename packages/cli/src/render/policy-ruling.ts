import type { Style } from "../output.ts";
import type { Kind } from "../policy-views.ts";

/** Rulings from what hinders nobody to what stops everybody. */
export const kinds: readonly Kind[] = ["allow", "check", "ask", "block"];

export function rulingStyle(kind: Kind): Exclude<Style, readonly unknown[]> {
  return ({ allow: "green", check: "cyan", ask: "yellow", block: "red" } as const)[kind] ?? "reset";
}

/** What was, or would have been, done to a call. */
export const done: Readonly<Record<Kind, string>> = {
  allow: "let pass",
  check: "checked",
  ask: "asked about",
  block: "refused",
};

/** `12,431 calls` */
export function calls(number: number): string {
  return `${grouped(number)} ${number === 1 ? "call" : "calls"}`;
}

export function grouped(number: number): string {
  return number.toLocaleString("en");
}
