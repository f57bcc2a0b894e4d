import { visible, visibleJson } from "@paraph/core/visible";
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
  if (call.output !== undefined) output.data(visibleJson(call.output, 2));
  const why = code === "done" || code === kind ? "" : ` (${visible(code)})`;
  output.say(
    `${paint(["bold", outcomeStyle(kind)], mark(kind) + kind)}${why}  ${duration(call)}${call.call}`,
  );
  if (call.error !== undefined) output.say(indented(said(call.error), paint));
  if (kind === "superseded" && call.successor !== undefined)
    output.say(
      indented(
        `${call.editedBy === undefined ? "Its contract changed" : `${visible(call.editedBy)} edited it`}: ${call.successor} took its place${call.reason === undefined ? "" : `. reason: ${said(call.reason)}`}`,
        paint,
      ),
    );
  if (call.resolution)
    output.say(indented(`${visible(call.resolution.by)} found out: ${call.resolution.finding}`, paint));
  if (kind === "denied" && call.reason !== undefined)
    output.say(
      indented(`${call.instructions === undefined ? "reason" : "instructions"}: ${said(call.reason)}`, paint),
    );
  const advice = nextStep(call);
  if (advice !== undefined) output.say(paint("dim", `  ${advice}`));
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
  for (const guard of asked.guards) output.say(indented(visible(guard.sentence), paint));
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

function nextStep({ call, outcome, error }: CallView): string | undefined {
  switch (outcome!.kind) {
    case "refused":
      return error === undefined
        ? `Nothing was done. \`paraph show ${call}\` tells why.`
        : "Nothing was done.";
    case "denied":
    case "expired":
      return "Nothing was done.";
    case "unknown":
      return `Nobody knows whether it was done: look at the outside system, then say so with \`paraph resolve ${call}\`. \`paraph show ${call}\` tells how far it came.`;
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
  return typeof value === "string" ? visible(value) : visibleJson(value);
}

function indented(text: string, paint: Paint): string {
  return foldTo(text, paint.width && paint.width - 2)
    .map((line) => `  ${line}`)
    .join("\n");
}
