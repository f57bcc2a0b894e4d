import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { awaited } from "../follow.ts";
import type { Output, Paint } from "../output.ts";
import { moment, span, until } from "../times.ts";
import type { CallView } from "../views.ts";
import { foldTo } from "../width.ts";
import { changesText } from "./changes.ts";
import { commands } from "./commands.ts";
import { outcomeStyle } from "./outcome.ts";

/** How a call ended: its output as data, everything about it as talk. */
export function tellEnd(call: CallView, output: Output): void {
  const paint = output.paintTalk;
  const { kind, code } = call.outcome!;
  if (call.output !== undefined) output.data(escapeInvisibleJson(inOrder(call.output), 2));
  const why = code === "done" || code === kind ? "" : ` (${escapeInvisible(code)})`;
  output.say(
    `${paint(["bold", outcomeStyle(kind)], mark(kind) + kind)}${why}  ${duration(call)}${call.call}`,
  );
  if (call.error !== undefined) output.say(indented(said(call.error), paint));
  if (call.refusal) output.say(indented(refusalText(call.refusal), paint));
  if (kind === "superseded" && call.successor !== undefined)
    output.say(
      indented(
        `${call.editedBy === undefined ? "Its contract changed" : `${escapeInvisible(call.editedBy)} edited it`}: ${call.successor} took its place${call.reason === undefined ? "" : `. reason: ${said(call.reason)}`}`,
        paint,
      ),
    );
  if (call.resolution) output.say(indented(foundOut(call.resolution), paint));
  if (kind === "denied" && call.reason !== undefined)
    output.say(
      indented(`${call.instructions === undefined ? "reason" : "instructions"}: ${said(call.reason)}`, paint),
    );
  const advice = nextStep(call);
  if (advice !== undefined) output.say(paint("dim", `  ${advice}`));
  const waysOn = findOut(call);
  if (waysOn.length > 0) output.say(`\n${commands(waysOn, paint)}`);
}

/** Why policy refused a call, and which policies did. */
export function refusalText({ policies, sentence }: NonNullable<CallView["refusal"]>): string {
  if (policies.length === 0) return `${escapeInvisible(sentence)} (no policy permits it)`;
  const word = policies.length === 1 ? "policy" : "policies";
  return `${escapeInvisible(sentence)} (${word} ${policies.map(escapeInvisible).join(", ")})`;
}

/** What a person or the outside system said about an outcome that nobody knew. */
export function foundOut({ by, finding }: NonNullable<CallView["resolution"]>): string {
  return `${escapeInvisible(by)} found out that it ${finding === "happened" ? "happened" : "did not happen"}.`;
}

/** What can be done about an outcome that nobody knows, and about one that is known not to have been. */
export function findOut({ call, outcome, resolution }: CallView): readonly (readonly [string, string])[] {
  if (outcome?.kind !== "unknown") return [];
  if (resolution?.finding === "not-happened") return [[`paraph retry ${call}`, "ask for the same once more"]];
  if (resolution) return [];
  return [
    [`paraph probe ${call}`, "ask the outside system once more, where it can tell"],
    [`paraph resolve ${call} happened --reason …`, "you looked, and it is there"],
    [`paraph resolve ${call} not-happened --reason …`, "you looked, and it is not"],
  ];
}

/** A call that is not over: what is awaited, from whom, until when, and what to type next. */
export function tellOpen(call: CallView, output: Output, now: number): void {
  const paint = output.paintTalk;
  const asked = call.waiting?.approval;
  if (!asked) {
    output.say(`${paint(["bold", "yellow"], `… ${awaited(call)}`)}  ${call.call}`);
    output.say(`\n${commands([[`paraph show ${call.call}`, "how it stands"]], paint)}`);
    return;
  }
  output.say(`${paint(["bold", "yellow"], "? waiting for a person")}  ${call.call}`);
  for (const guard of asked.guards) output.say(indented(escapeInvisible(guard.sentence), paint));
  const people = Math.max(1, ...asked.guards.map(({ quorum }) => quorum));
  const expires = Date.parse(asked.expiresAt);
  output.say(
    paint(
      "dim",
      `  ${people === 1 ? "One person has" : `${people} people have`} until ${moment(expires)} (${until(expires, now)}).`,
    ),
  );
  if (call.preview) output.say(`\n${changesText(call.preview.changes, paint)}`);
  const next = [
    [`paraph approve ${asked.id}`, "look, then say yes or no"],
    ["paraph approvals", "everything that waits"],
  ] as const;
  output.say(`\n${commands(next, paint)}`);
}

function nextStep({ call, outcome, error, refusal, resolution }: CallView): string | undefined {
  switch (outcome!.kind) {
    case "refused":
      if (refusal)
        return `Nothing was done. See \`paraph policy explain ${call}\`, or ask an administrator to change the policy.`;
      return error === undefined
        ? `Nothing was done. \`paraph show ${call}\` tells why.`
        : "Nothing was done.";
    case "denied":
    case "expired":
    case "cancelled":
      return "Nothing was done.";
    case "unknown":
      return resolution ? undefined : "Nobody knows whether it was done: find out, and say what you found.";
    default:
      return undefined;
  }
}

function mark(kind: string): string {
  return kind === "succeeded" ? "✔ " : kind === "unknown" ? "? " : "✘ ";
}

function duration({ createdAt, closedAt }: CallView): string {
  return closedAt === undefined ? "" : `${span(Date.parse(closedAt) - Date.parse(createdAt))}  `;
}

function said(value: unknown): string {
  return typeof value === "string" ? escapeInvisible(value) : escapeInvisibleJson(value);
}

function indented(text: string, paint: Paint): string {
  return foldTo(text, paint.width && paint.width - 2)
    .map((line) => `  ${line}`)
    .join("\n");
}

/** An output reads alike whenever it is shown, whether it comes fresh from its call or out of the database, which keeps fields in an order of its own. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, inOrder(field)]));
}
