import type { Json } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import { explainNewRound } from "@paraph/core/outcome-codes";
import type { RoundView } from "../api/api-views.ts";
import { formatTimestamp, formatTimeUntil } from "../terminal/format-time.ts";
import type { Paint } from "../terminal/output.ts";
import { formatChanges, formatQuotedLine } from "./changes.ts";
import { formatChecks } from "./checks.ts";
import { toTypedCommand } from "./commands.ts";
import { formatFields } from "./fields.ts";
import { formatNotUndone } from "./not-undone.ts";
import { formatDependencies, summarizePlan, toStepRows } from "./plan.ts";
import { countsFor } from "./remaining-approvals.ts";
import { formatRequiredPeople } from "./required-people.ts";

interface ApprovalFormatOptions {
  readonly now: number;
  readonly whole: boolean;
  /** The steps of a plan that the reader is about to decline. */
  readonly declined?: readonly string[];
}

/** Formats one approval for its approver, with the agent's own words marked. `whole` adds the input. */
export function formatApproval(
  round: RoundView,
  paint: Paint,
  { now, whole, declined = [] }: ApprovalFormatOptions,
): string {
  const expires = Date.parse(round.expiresAt);
  return [
    `${paint("bold", escapeInvisible(round.headline))}  ${paint(round.status === "open" ? "yellow" : "dim", formatStatus(round, now))}`,
    "",
    formatFields(
      [
        ["capability", escapeInvisible(round.capability)],
        ["requester", formatRequester(round)],
        round.editedBy === undefined
          ? undefined
          : ["edited by", `${escapeInvisible(round.editedBy)}, who wrote the current input`],
        ["reason", round.guards.map((guard) => formatGuard(guard, paint)).join("\n")],
        ...formatRisk(round),
        round.parent && ["step of", `${round.parent.call}, as ${escapeInvisible(round.parent.step)}`],
        ...round.votes.map((vote) => formatVote(vote, round.guards)),
        ["until", formatTimestamp(expires)],
        ["approval", `${round.approval}, round ${round.round}`],
        round.round > 1 ? ["asked again", explainNewRound(round.voidCode)] : undefined,
        ["call", round.call],
        ["fingerprint", round.fingerprint],
        round.masked.length > 0
          ? ["hidden", `${round.masked.map(escapeInvisible).join(", ")} (sensitive)`]
          : undefined,
      ],
      paint,
    ),
    "",
    ...formatChecks(round.checks, paint),
    ...formatUnverified("purpose", round.purpose, paint),
    ...formatUnverified("state", round.compressedState, paint),
    ...(round.preview?.steps
      ? formatPlanSteps(round, paint, { whole, declined: [...(round.declined ?? []), ...declined] })
      : formatChangesOrInput(round, paint, whole)),
    ...formatNotUndone(round.notUndone, paint),
  ].join("\n");
}

function formatStatus({ status, expiresAt }: RoundView, now: number): string {
  if (status !== "open") return status;
  const expires = Date.parse(expiresAt);
  return expires <= now ? "expired" : `expires ${formatTimeUntil(expires, now)}`;
}

/** Formats a vote. An approval names the policies that it counts for. */
function formatVote(vote: RoundView["votes"][number], guards: RoundView["guards"]): [string, string] {
  const { decision, as, by, at } = vote;
  const word = decision === "deny" ? "denied" : as === "confirmation" ? "confirmed" : "approved";
  const policies = guards.filter((guard) => countsFor(vote, guard)).map(({ id }) => escapeInvisible(id));
  const counts = policies.length === 0 ? "" : `, for policy ${policies.join(", ")}`;
  return [word, `by ${escapeInvisible(by)}${counts}, ${formatTimestamp(Date.parse(at))}`];
}

function formatRequester({ principal: { id, kind, owner, onBehalfOf } }: RoundView): string {
  const person = onBehalfOf === undefined ? "" : `, for ${escapeInvisible(onBehalfOf)}`;
  const authority = owner === undefined ? "" : `, owner ${escapeInvisible(owner)}`;
  return `${escapeInvisible(id)} (${escapeInvisible(kind)})${person}${authority}`;
}

function formatGuard(
  { id, sentence, steps, ...required }: RoundView["guards"][number],
  paint: Paint,
): string {
  const which = steps ? `, for ${steps.map(escapeInvisible).join(", ")}` : "";
  return `${escapeInvisible(sentence)}\n${paint("dim", `policy ${escapeInvisible(id)}, ${formatRequiredPeople([required])}${which}`)}`;
}

/** Returns the risk. For a plan, returns a summary of its steps, because the plan's own risk is not meaningful. */
function formatRisk(round: RoundView): [string, string][] {
  const { contract, preview } = round;
  if (!preview?.steps) return contract ? [["risk", `${contract.risk} (${contract.effect})`]] : [];
  const { title, onFailure } = readPlanDocument(round);
  return [
    ...(title === undefined ? [] : [["title (unchecked)", escapeInvisible(title)] as [string, string]]),
    ["steps", summarizePlan(toStepRows(preview))],
    ["on failure", onFailureTexts[onFailure ?? "stop"]],
  ];
}

/** Formats the requester's own words, which Paraph did not verify. */
function formatUnverified(
  what: "purpose" | "state",
  said: { readonly text: string } | undefined,
  paint: Paint,
): string[] {
  if (!said) return [];
  const lines = escapeInvisibleLines(said.text).map((line) => formatQuotedLine(line, paint));
  return [`  ${paint("magenta", `${what} (unchecked)`)}`, ...lines, ""];
}

/** Formats each step with its changes and its dependencies. */
function formatPlanSteps(
  round: RoundView,
  paint: Paint,
  { whole, declined }: { readonly whole: boolean; readonly declined: readonly string[] },
): string[] {
  const steps = toStepRows(round.preview!);
  const inputs = new Map((readPlanDocument(round).steps ?? []).map(({ id, input }) => [id, input]));
  const lines = steps.flatMap((step, index) => {
    const out = declined.includes(step.step);
    const kind = `${escapeInvisible(step.capability)} (${step.effect}, ${step.risk})`;
    const head = `  ${paint("bold", `${index + 1}. ${escapeInvisible(step.headline ?? step.step)}`)}  ${escapeInvisible(step.step)}, ${kind}${out ? `  ${paint("red", "left out")}` : ""}`;
    const rests =
      (step.dependsOn ?? []).length > 0 || !step.previewed
        ? [`  ${paint("yellow", formatDependencies(step))}`]
        : [];
    // For a step without a preview, the approver sees the complete input.
    const input = step.previewed ? [] : formatJsonLines(inputs.get(step.step), paint);
    return [
      head,
      ...rests,
      ...input,
      ...(step.changes?.length ? [formatChanges(step.changes, paint)] : []),
      "",
    ];
  });
  if (!whole)
    return [
      ...lines,
      paint("dim", `  To see the whole plan, run: ${toTypedCommand(`paraph approval ${round.approval}`)}`),
    ];
  return [...lines, `  ${paint("bold", "the whole plan")}`, ...formatJsonLines(round.input, paint)];
}

function formatJsonLines(value: Json = null, paint: Paint): string[] {
  return escapeInvisibleJson(value, 2)
    .split("\n")
    .map((line) => formatQuotedLine(line, paint));
}

interface PlanDocumentView {
  readonly title?: string;
  readonly onFailure?: keyof typeof onFailureTexts;
  readonly steps?: readonly { readonly id: string; readonly input: Json }[];
}

/** Returns the visible part of the plan's document. */
function readPlanDocument({ input }: RoundView): PlanDocumentView {
  return typeof input === "object" && input !== null ? (input as PlanDocumentView) : {};
}

const onFailureTexts = {
  stop: "start no further steps",
  continue: "continue with the steps whose inputs exist",
  compensate: "undo the completed steps in reverse order",
} as const;

/** The size of an input that is shown with the changes. A larger one would push them off the screen. */
const maxInlineLines = 10;
const maxInlineLength = 1_000;

/**
 * Formats the changes, and the input if it is small or if `whole` is set. If there are no changes to show, formats the complete input.
 */
function formatChangesOrInput(round: RoundView, paint: Paint, whole: boolean): string[] {
  const changes = round.preview?.changes ?? [];
  const input = escapeInvisibleJson(round.input ?? null, 2).split("\n");
  const inputText = input.flatMap((line) => formatQuotedLine(line, paint).split("\n"));
  if (changes.length === 0) return [`  ${paint("yellow", explainMissingChanges(round))}`, ...inputText];
  if (whole || (inputText.length <= maxInlineLines && inputText.join("").length <= maxInlineLength))
    return [formatChanges(changes, paint), "", `  ${paint("bold", "the whole input")}`, ...inputText];
  const more = `  To see the whole input, run: ${toTypedCommand(`paraph approval ${round.approval}`)}`;
  return [formatChanges(changes, paint), paint("dim", more)];
}

function explainMissingChanges({ previewed, preview, contract }: RoundView): string {
  if (!contract) return "The contract of this call no longer exists. The known part of the input:";
  if (previewed && preview) return "The preview shows no change. The whole input:";
  if (previewed) return "The preview is hidden from you. The input:";
  return "There is no preview, so the changes are unknown. The whole input:";
}
