import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { explainOutcome } from "@paraph/core/outcome-codes";
import type { CallView } from "../api/api-views.ts";
import { describeWaiting } from "../calls/follow-call.ts";
import { formatDuration, formatTimestamp, formatTimeUntil } from "../terminal/format-time.ts";
import type { CliOutput, Paint } from "../terminal/output.ts";
import { wrapToWidth } from "../terminal/width.ts";
import { formatChanges } from "./changes.ts";
import { formatCommands } from "./commands.ts";
import { pickOutcomeStyle } from "./outcome.ts";
import { formatRequiredPeople } from "./required-people.ts";

/** Prints a closed call: its output as data, and everything else as messages. */
export function printOutcome(call: CallView, output: CliOutput): void {
  const paint = output.paintInfo;
  const { kind, code } = call.outcome!;
  if (call.output !== undefined) output.data(escapeInvisibleJson(sortKeys(call.output), 2));
  const why = code === "done" || code === kind ? "" : ` (${escapeInvisible(code)})`;
  output.info(
    `${paint(["bold", pickOutcomeStyle(kind)], pickMark(kind) + kind)}${why}  ${formatElapsed(call)}${call.call}`,
  );
  if (call.error !== undefined) output.info(indentText(formatValue(call.error), paint));
  const reason = explainUncertainEnd(call);
  if (reason !== undefined) output.info(indentText(reason, paint));
  if (call.refusal) output.info(indentText(formatRefusal(call.refusal), paint));
  if (kind === "superseded" && call.successor !== undefined)
    output.info(
      indentText(
        `${call.editedBy === undefined ? "The contract changed" : `${escapeInvisible(call.editedBy)} edited the call`}. ${call.successor} replaces it${call.reason === undefined ? "" : `. Reason: ${formatValue(call.reason)}`}`,
        paint,
      ),
    );
  if (call.resolution) output.info(indentText(formatResolution(call.resolution), paint));
  if (kind === "denied" && call.reason !== undefined)
    output.info(
      indentText(
        `${call.instructions === undefined ? "reason" : "instructions"}: ${formatValue(call.reason)}`,
        paint,
      ),
    );
  const advice = adviseNextStep(call);
  if (advice !== undefined) output.info(paint("dim", `  ${advice}`));
  const waysOn = suggestResolutionCommands(call);
  if (waysOn.length > 0) output.info(`\n${formatCommands(waysOn, paint)}`);
}

/** Returns the words for the code of a call that failed or whose outcome is unknown, if it has no error of its own. */
export function explainUncertainEnd({ outcome, error }: CallView): string | undefined {
  if (error !== undefined || (outcome?.kind !== "unknown" && outcome?.kind !== "failed")) return undefined;
  return explainOutcome(outcome);
}

export function formatRefusal({ policies, sentence }: NonNullable<CallView["refusal"]>): string {
  if (policies.length === 0) return `${escapeInvisible(sentence)} (no policy permits it)`;
  const word = policies.length === 1 ? "policy" : "policies";
  return `${escapeInvisible(sentence)} (${word} ${policies.map(escapeInvisible).join(", ")})`;
}

export function formatResolution({ by, finding }: NonNullable<CallView["resolution"]>): string {
  return `${escapeInvisible(by)} found that it ${finding === "happened" ? "happened" : "did not happen"}.`;
}

/** Formats when and why the payloads of a call were erased. */
export function formatErasure({ at, reason }: NonNullable<CallView["erased"]>): string {
  return `on ${formatTimestamp(Date.parse(at))}: ${escapeInvisible(reason)}`;
}

/**
 * Suggests commands for a call with an unknown outcome. If the recorded finding is that the effect did not happen,
 * suggests a retry, unless the call is a plan.
 */
export function suggestResolutionCommands({
  call,
  outcome,
  resolution,
  links,
}: CallView): readonly (readonly [string, string])[] {
  if (outcome?.kind !== "unknown") return [];
  if (resolution?.finding === "not-happened")
    return links?.retry === undefined ? [] : [[`paraph retry ${call}`, "request the same call again"]];
  if (resolution) return [];
  const probe = [`paraph probe ${call}`, "probe the external system again"] as const;
  return [
    // With this code, the contract has no probe.
    ...(outcome.code === "no-key-no-probe" ? [] : [probe]),
    [`paraph resolve ${call} happened --reason …`, "record that it happened"],
    [`paraph resolve ${call} not-happened --reason …`, "record that it did not happen"],
  ];
}

/** Prints an open call: the awaited event or approval, its deadline, and the next command. */
export function printOpenCall(call: CallView, output: CliOutput, now: number): void {
  const paint = output.paintInfo;
  const asked = call.waiting?.approval;
  if (!asked) {
    output.info(`${paint(["bold", "yellow"], `… ${describeWaiting(call)}`)}  ${call.call}`);
    output.info(`\n${formatCommands([[`paraph show ${call.call}`, "show its status"]], paint)}`);
    return;
  }
  output.info(`${paint(["bold", "yellow"], "? waiting for approval")}  ${call.call}`);
  output.info(indentText(escapeInvisible(call.headline), paint));
  for (const guard of asked.guards) output.info(indentText(escapeInvisible(guard.sentence), paint));
  const people = formatRequiredPeople(asked.guards);
  const expires = Date.parse(asked.expiresAt);
  output.info(
    paint(
      "dim",
      `  ${people.charAt(0).toUpperCase()}${people.slice(1)} must approve by ${formatTimestamp(expires)} (${formatTimeUntil(expires, now)}).`,
    ),
  );
  if (call.preview) output.info(`\n${formatChanges(call.preview.changes, paint)}`);
  const next = [
    [`paraph approve ${asked.id}`, "review, then approve or deny"],
    ["paraph approvals", "list open approvals"],
  ] as const;
  output.info(`\n${formatCommands(next, paint)}`);
}

function adviseNextStep({ call, outcome, error, refusal, resolution }: CallView): string | undefined {
  switch (outcome!.kind) {
    case "refused":
      if (refusal)
        return `Nothing was done. Run \`paraph policy explain ${call}\` to see why, or ask an administrator to change the policy.`;
      return error === undefined
        ? `Nothing was done. Run \`paraph show ${call}\` to see why.`
        : "Nothing was done.";
    case "denied":
    case "expired":
    case "cancelled":
      return "Nothing was done.";
    case "unknown":
      return resolution
        ? undefined
        : "The call may or may not have taken effect. Check the external system, then record the result.";
    default:
      return undefined;
  }
}

function pickMark(kind: string): string {
  return kind === "succeeded" ? "✔ " : kind === "unknown" ? "? " : "✘ ";
}

function formatElapsed({ createdAt, closedAt }: CallView): string {
  return closedAt === undefined ? "" : `${formatDuration(Date.parse(closedAt) - Date.parse(createdAt))}  `;
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? escapeInvisible(value) : escapeInvisibleJson(value);
}

function indentText(text: string, paint: Paint): string {
  return wrapToWidth(text, paint.width && paint.width - 2)
    .map((line) => `  ${line}`)
    .join("\n");
}

/**
 * Sorts the keys, because the database reorders them. After sorting, an output looks the same whether it comes directly
 * from its call or from the database.
 */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sortKeys(field)]));
}
