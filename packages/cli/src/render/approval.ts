import type { Json } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { Paint } from "../output.ts";
import { moment, until } from "../times.ts";
import type { RoundView } from "../views.ts";
import { bar, changesText } from "./changes.ts";
import { checksLines } from "./checks.ts";
import { fields } from "./fields.ts";
import { notUndoneLines } from "./not-undone.ts";
import { onWhat, planSummary, stepsIn } from "./plan.ts";

interface Showing {
  readonly now: number;
  readonly whole: boolean;
  /** Steps of a plan that the reader is about to leave out. */
  readonly declined?: readonly string[];
}

/** One approval as its approver needs it; what the agent says is set apart. `whole`: with the input behind the changes. */
export function approvalText(round: RoundView, paint: Paint, { now, whole, declined = [] }: Showing): string {
  const expires = Date.parse(round.expiresAt);
  return [
    `${paint("bold", title(round))}  ${paint(round.status === "open" ? "yellow" : "dim", standing(round, now))}`,
    "",
    fields(
      [
        ["who asks", asker(round)],
        round.editedBy === undefined
          ? undefined
          : ["edited by", `${escapeInvisible(round.editedBy)}, who wrote the input as it is now`],
        ["why asked", round.guards.map((guard) => guardText(guard, paint)).join("\n")],
        ...risk(round),
        round.parent && ["step of", `${round.parent.call}, as ${escapeInvisible(round.parent.step)}`],
        ...round.votes.map(voteField),
        ["until", moment(expires)],
        ["approval", `${round.approval}, round ${round.round}`],
        ["call", round.call],
        ["fingerprint", round.fingerprint],
        round.masked.length > 0
          ? ["hidden", `${round.masked.map(escapeInvisible).join(", ")} (sensitive)`]
          : undefined,
      ],
      paint,
    ),
    "",
    ...checksLines(round.checks, paint),
    ...purpose(round, paint),
    ...(round.preview?.steps
      ? plan(round, paint, { whole, declined: [...(round.declined ?? []), ...declined] })
      : substance(round, paint, whole)),
    ...notUndoneLines(round.notUndone, paint),
  ].join("\n");
}

function standing({ status, expiresAt }: RoundView, now: number): string {
  if (status !== "open") return status;
  const expires = Date.parse(expiresAt);
  return expires <= now ? "expired" : `expires ${until(expires, now)}`;
}

function voteField({ decision, as, by, at }: RoundView["votes"][number]): [string, string] {
  const word = decision === "deny" ? "denied" : as === "confirmation" ? "confirmed" : "approved";
  return [word, `by ${escapeInvisible(by)}, ${moment(Date.parse(at))}`];
}

function title(round: RoundView): string {
  const what = round.contract?.summary;
  return what === undefined
    ? escapeInvisible(round.capability)
    : `${escapeInvisible(what)} (${escapeInvisible(round.capability)})`;
}

function asker({ principal: { id, kind, owner, onBehalfOf } }: RoundView): string {
  const person = onBehalfOf === undefined ? "" : `, for ${escapeInvisible(onBehalfOf)}`;
  const authority = owner === undefined ? "" : `, on the authority of ${escapeInvisible(owner)}`;
  return `${escapeInvisible(id)} (${escapeInvisible(kind)})${person}${authority}`;
}

function guardText(
  { id, sentence, quorum, group, steps }: RoundView["guards"][number],
  paint: Paint,
): string {
  const people = quorum === 1 ? "one person" : `${quorum} people`;
  const members = group === undefined ? "" : ` of ${escapeInvisible(group)}`;
  const which = steps ? `, for ${steps.map(escapeInvisible).join(", ")}` : "";
  return `${escapeInvisible(sentence)}\n${paint("dim", `policy ${escapeInvisible(id)}, ${people}${members}${which}`)}`;
}

/** Of a plan, what its steps are and what becomes of them; its own says nothing. */
function risk(round: RoundView): [string, string][] {
  const { contract, preview } = round;
  if (!preview?.steps) return contract ? [["risk", `${contract.risk} (${contract.effect})`]] : [];
  const { title, onFailure } = documentIn(round);
  return [
    ...(title === undefined ? [] : [["called (unchecked)", escapeInvisible(title)] as [string, string]]),
    ["steps", planSummary(stepsIn(preview))],
    ["on failure", onFailures[onFailure ?? "stop"]],
  ];
}

function purpose({ purpose: said }: RoundView, paint: Paint): string[] {
  if (!said) return [];
  const lines = escapeInvisibleLines(said.text).map((line) => bar(line, paint));
  return [`  ${paint("magenta", "the agent says (unchecked)")}`, ...lines, ""];
}

/** Step by step: what each is, what it changes, and what that rests on. */
function plan(
  round: RoundView,
  paint: Paint,
  { whole, declined }: { readonly whole: boolean; readonly declined: readonly string[] },
): string[] {
  const steps = stepsIn(round.preview!);
  const inputs = new Map((documentIn(round).steps ?? []).map(({ id, input }) => [id, input]));
  const lines = steps.flatMap((step, index) => {
    const out = declined.includes(step.step);
    const kind = `${escapeInvisible(step.capability)} (${step.effect}, ${step.risk})`;
    const head = `  ${paint("bold", `${index + 1}. ${escapeInvisible(step.step)}`)}  ${kind}${out ? `  ${paint("red", "left out")}` : ""}`;
    const rests = (step.restsOn ?? []).length > 0 || !step.seen ? [`  ${paint("yellow", onWhat(step))}`] : [];
    // What cannot be shown yet is told by its input, every byte of it.
    const input = step.seen ? [] : jsonLines(inputs.get(step.step), paint);
    return [
      head,
      ...rests,
      ...input,
      ...(step.changes?.length ? [changesText(step.changes, paint)] : []),
      "",
    ];
  });
  if (!whole) return [...lines, paint("dim", `  The plan it comes from: paraph approval ${round.approval}`)];
  return [...lines, `  ${paint("bold", "the whole plan")}`, ...jsonLines(round.input, paint)];
}

function jsonLines(value: Json = null, paint: Paint): string[] {
  return escapeInvisibleJson(value, 2)
    .split("\n")
    .map((line) => bar(line, paint));
}

interface PlanWords {
  readonly title?: string;
  readonly onFailure?: keyof typeof onFailures;
  readonly steps?: readonly { readonly id: string; readonly input: Json }[];
}

/** The plan's document, as far as it may be seen. */
function documentIn({ input }: RoundView): PlanWords {
  return typeof input === "object" && input !== null ? (input as PlanWords) : {};
}

const onFailures = {
  stop: "begin no further step",
  continue: "go on with those whose inputs exist",
  compensate: "undo what was done, in reverse order",
} as const;

/** The changes, and the input they come from; without a preview every byte of the input is all there is. */
function substance(round: RoundView, paint: Paint, whole: boolean): string[] {
  const changes = round.preview?.changes ?? [];
  const input = escapeInvisibleJson(round.input ?? null, 2).split("\n");
  const inputText = input.map((line) => bar(line, paint));
  if (changes.length === 0) return [`  ${paint("yellow", why(round))}`, ...inputText];
  if (whole) return [changesText(changes, paint), "", `  ${paint("bold", "the whole input")}`, ...inputText];
  const more = `  The input it comes from: paraph approval ${round.approval}`;
  return [changesText(changes, paint), paint("dim", more)];
}

function why({ previewed, preview, contract }: RoundView): string {
  if (!contract) return "The contract it was asked under is gone; what is known of the input:";
  if (previewed && preview) return "The preview shows no change. The whole input:";
  if (previewed) return "The preview is hidden from you. The input:";
  return "There is no preview: nobody knows what exactly would change. The whole input:";
}
