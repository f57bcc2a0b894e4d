import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { Bound, Freeze, Grant, Key } from "../administration-views.ts";
import type { Output, Paint } from "../output.ts";
import { type Column, table } from "../table.ts";
import { ago, until } from "../times.ts";
import type { CallView } from "../views.ts";
import { commands } from "./commands.ts";

export function awaitsNobody(call: CallView): boolean {
  return call.outcome?.kind === "succeeded" && call.output !== undefined;
}

export interface Done {
  /** What was done, in one sentence. */
  readonly sentence: string;
  /** What to type to take it back. */
  readonly back?: readonly [command: string, meaning: string];
}

/** What was done, and the call that proves it. */
export function tellDone(output: Output, call: CallView, { sentence, back }: Done): void {
  const paint = output.paintTalk;
  output.say(`${paint(["bold", "green"], "✔")} ${escapeInvisible(sentence)}  ${paint("dim", call.call)}`);
  if (back) output.say(`\n${commands([back], paint)}`);
}

export function freezesText(freezes: readonly Freeze[], paint: Paint, now: number): string {
  const columns: Column<Freeze>[] = [
    { title: "ID", text: ({ freeze }) => freeze },
    {
      title: "FROZEN",
      text: ({ kind, subject }) => `${kind} ${subject}`,
      flexible: true,
      style: () => "cyan",
    },
    { title: "BY", text: ({ by }) => by, flexible: true },
    { title: "SINCE", text: ({ at }) => ago(Date.parse(at), now) },
  ];
  return table(columns, freezes, paint);
}

export function grantsText(grants: readonly Grant[], paint: Paint, now: number): string {
  const columns: Column<Grant>[] = [
    { title: "ID", text: ({ grant }) => grant },
    {
      title: "FOR",
      text: ({ capability }) => capability,
      style: ({ breakGlass }) => (breakGlass ? ["bold", "red"] : undefined),
    },
    { title: "WHOSE", text: ({ principal = "anybody" }) => principal, flexible: true },
    { title: "LEFT", text: ({ countLeft }) => String(countLeft), right: true },
    { title: "ENDS", text: ({ expiresAt }) => until(Date.parse(expiresAt), now), style: () => "yellow" },
    { title: "WHERE", text: ({ bounds }) => boundsText(bounds), flexible: true },
    { title: "BY", text: ({ people }) => people.map(({ by }) => by).join(", "), flexible: true },
  ];
  return table(columns, grants, paint);
}

export function keysText(keys: readonly Key[], paint: Paint, now: number): string {
  const columns: Column<Key>[] = [
    { title: "ID", text: ({ key }) => key },
    { title: "WHOSE", text: ({ principal }) => principal, flexible: true },
    { title: "REACHES", text: ({ scopes }) => scopes?.join(" ") ?? "everything", flexible: true },
    {
      title: "STANDS",
      text: (key) => standing(key, now),
      style: (key) => (standing(key, now).startsWith("in force") ? "green" : "red"),
    },
    {
      title: "USED",
      text: ({ lastUsed }) => (lastUsed === undefined ? "never" : ago(Date.parse(lastUsed), now)),
    },
    { title: "LABEL", text: ({ label = "" }) => label, flexible: true },
  ];
  return table(columns, keys, paint);
}

function standing({ revokedAt, expiresAt }: Key, now: number): string {
  if (revokedAt !== undefined) return "revoked";
  if (expiresAt === undefined) return "in force";
  const ends = Date.parse(expiresAt);
  return ends <= now ? "expired" : `in force, ends ${until(ends, now)}`;
}

function boundsText(bounds: Readonly<Record<string, Bound>>): string {
  const parts = Object.entries(bounds).map(([path, bound]) => `${path} ${JSON.stringify(bound)}`);
  return parts.length === 0 ? "anything" : escapeInvisible(parts.join(", "));
}
