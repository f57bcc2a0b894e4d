import { type CheckResult, explainNewRound, type Guard } from "@paraph/core";
import { formatDuration, formatTime } from "../../web/html/time.ts";
import { formatFingerprint } from "../../web/html/values.ts";
import { changeVerbs } from "../../web/sections/change-list.ts";
import { effectTexts } from "../../web/sections/plan-section.ts";
import { describeOutcome } from "../mail/describe-outcome.ts";
import type { CallContent, SummaryContent } from "../notice-content.ts";
import {
  type Block,
  bold,
  box,
  button,
  buttons,
  cut,
  dialog,
  escapeText,
  footnote,
  header,
  line,
  quote,
  type RichPart,
  rich,
  showLines,
  text,
  textField,
  time,
} from "./blocks.ts";

/** A message for Slack. `text` is for notifications and screen readers. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The request of a button or a dialog. It comes back from Slack, and gives no right. */
export interface SlackSubject {
  readonly tenant: string;
  readonly approval: string;
  readonly digest: string;
}

/** The decisions that a dialog asks for. */
export type DialogDecision = "approve" | "deny" | "return";

/** The characters of changes that one message shows. Slack limits the size of messages and dialogs. */
const maxChangeText = 2_800;
const maxText = 300;
const maxHeadline = 200;

/** Composes the message about a call. It has buttons while the request waits for a decision. */
export function composeCall(content: CallContent, tenant: string): SlackMessage {
  const { headline, kind, requester } = content;
  if (kind === "outcome") return composeOutcome(content);
  const subject: SlackSubject = { tenant, approval: content.approval, digest: content.digest };
  return {
    text: escapeText(cut(`Approval: ${headline} (${requester.id})`, maxText)),
    blocks: [
      header(headline),
      ...describeRequest(content),
      createButtons(content, subject),
      footnote(...listNotes(content)),
    ],
  };
}

function composeOutcome(content: CallContent): SlackMessage {
  const { headline, reason, links, digest } = content;
  const { status } = describeOutcome(content);
  return {
    text: escapeText(cut(`${headline}: ${status}`, maxText)),
    blocks: [
      header(headline),
      rich(
        line(text(cut(status, maxText))),
        ...(reason === undefined
          ? []
          : [line(bold("Reason given by the approver")), quote(cutLines(reason, 1_000))]),
      ),
      buttons(button("open", "Open the request", { url: links.page })),
      footnote(`Fingerprint ${formatFingerprint(digest)}`),
    ],
  };
}

/** Composes the message that replaces many. */
export function composeSummary({ waiting, ended, links }: SummaryContent): SlackMessage {
  const count = (number: number, one: string, many: string) =>
    `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
  const waitText = count(waiting, "request waits for a decision", "requests wait for a decision");
  const endText = `${count(ended, "request", "requests")} ended`;
  const title = waiting > 0 ? waitText : endText;
  const more = waiting > 0 && ended > 0 ? `${endText}. ` : "";
  return {
    text: title,
    blocks: [
      header(title),
      rich(line(text(`${more}Too many notices came at once, so this message counts them.`))),
      buttons(button("open", "Open your approvals", { url: links.page })),
    ],
  };
}

/** [TRUST 6] Returns whether Slack may offer to approve: the request allows it, and the dialog shows every change. */
export function canApproveInSlack(content: CallContent): boolean {
  const { chatApprovable, previewed, masked, changes } = content;
  if (!chatApprovable || !previewed || masked > 0 || changes.length === 0) return false;
  const { headline } = content;
  return describeChanges(content).isComplete && cut(headline, maxHeadline) === cut(headline, maxChangeText);
}

/** Composes the dialog in which a person decides. It carries the digest of what it shows. */
export function composeDialog(
  decision: DialogDecision,
  content: CallContent,
  subject: SlackSubject & { readonly message: string },
): Block {
  const metadata = JSON.stringify(subject);
  const submit = (label: string) => ({ label, callback: decision, metadata });
  const title = line(bold(cut(content.headline, maxHeadline)));
  if (decision === "approve") {
    const blocks = [rich(title), ...describeRequest(content), footnote(...listNotes(content))];
    return dialog("Approve request", blocks, submit("Approve"));
  }
  return decision === "deny"
    ? dialog("Deny request", [rich(title), textField("Reason (optional)", true)], submit("Deny"))
    : dialog(
        "Return request",
        [rich(title), textField("What should the requester do instead?", false)],
        submit("Return"),
      );
}

/** Composes a dialog that says how a decision ended. */
export function composeResult(title: string, words: string): Block {
  return dialog(title, [rich(line(text(words)))]);
}

function createButtons(content: CallContent, subject: SlackSubject): Block {
  const value = JSON.stringify(subject);
  const open = { url: content.links.page };
  return buttons(
    ...(canApproveInSlack(content)
      ? [button("approve", "Approve…", { value, style: "primary" }), button("open", "Open", open)]
      : [button("open", "Review and decide", { ...open, style: "primary" })]),
    button("deny", "Deny…", { value, style: "danger" }),
    button("return", "Return…", { value }),
    button("acknowledge", "I'm on it", { value }),
  );
}

function describeRequest(content: CallContent): readonly Block[] {
  const { risk, effect, expiresAt, now, requester, editedBy, capability, purpose } = content;
  const { id, owner, onBehalfOf } = requester;
  const left = formatDuration(expiresAt - now);
  const fact = (name: string, value: string | undefined) =>
    value === undefined ? [] : [line(bold(name), text(` ${value}`))];
  const parts = [
    [
      line(
        ...(risk === undefined ? [] : [bold(`${risk[0]!.toUpperCase()}${risk.slice(1)} risk`), text(" · ")]),
        ...(effect === undefined ? [] : [text(`${effectTexts[effect]} · `)]),
        text("answer by "),
        time(expiresAt, formatTime(expiresAt)),
        text(` (${left} left when sent)`),
      ),
      ...fact("Requester", onBehalfOf === undefined ? id : `${id} on behalf of ${onBehalfOf}`),
      ...fact("Owner", owner),
      ...fact("Edited by", editedBy),
      ...fact("Capability", capability),
      ...describeCause(content).map((words) => line(text(words))),
    ],
    listSection("Why approval is required", content.guards.map(describeGuard)),
    describeChanges(content).parts,
    listSection("Checks", content.checks.map(describeCheck)),
    purpose === undefined
      ? []
      : [line(bold("Purpose given by the requester (not verified)")), quote(cutLines(purpose, 1_000))],
  ];
  return parts.filter(({ length }) => length > 0).map((some) => rich(...some));
}

function describeCause({ escalatedTo, reassignedBy, acknowledgedBy, round, voidCode, votes }: CallContent) {
  const approved = votes.filter(({ decision }) => decision === "approve").map(({ by }) => by);
  return [
    escalatedTo !== undefined &&
      `No decision arrived in time, so Paraph also asked the group ${escalatedTo}.`,
    reassignedBy !== undefined && `${reassignedBy} reassigned this request.`,
    round > 1 && explainNewRound(voidCode),
    approved.length > 0 && `Approved by ${approved.join(", ")}. More approvals are needed.`,
    acknowledgedBy.length > 0 &&
      `${acknowledgedBy.join(", ")} ${acknowledgedBy.length === 1 ? "looks" : "look"} at this request.`,
  ].filter((words) => words !== false);
}

function listSection(title: string, items: readonly string[]): readonly RichPart[] {
  const elements = items.slice(0, 10).map((item) => line(text(cut(item, maxText))));
  const left = items.length - elements.length;
  if (left > 0) elements.push(line(text(`${left} more on the page`)));
  if (elements.length === 0) return [];
  return [line(bold(title)), { type: "rich_text_list", style: "bullet", elements }];
}

function describeGuard({ sentence, id, quorum, group, proof }: Guard): string {
  const people = quorum === 1 ? "1 approval" : `${quorum} approvals`;
  return `${sentence} (policy ${id}, needs ${people}${group === undefined ? "" : ` from ${group}`}${proof === "passkey" ? " with a passkey" : ""})`;
}

function describeCheck({ check, passed, error, findings }: CheckResult): string {
  const [first] = findings;
  const word = error ? "Could not run" : passed ? "Passed" : "Failed";
  return `${word}: ${check}${first ? `. ${first.sentence}` : ""}`;
}

/** [TRUST 6] Describes the changes as far as they fit, and says what only the page shows. */
function describeChanges({ changes, previewed }: CallContent): {
  readonly parts: readonly RichPart[];
  readonly isComplete: boolean;
} {
  if (changes.length === 0) {
    const words = previewed
      ? "The preview shows no changes. The page shows the full input."
      : "There is no preview that Slack can show. The page shows the full input.";
    return { parts: [line(text(words))], isComplete: false };
  }
  const parts: RichPart[] = [line(bold("What will change"))];
  let room = maxChangeText;
  let shown = 0;
  for (const { kind, target, summary, diff, details } of changes) {
    const title = `${changeVerbs[kind] ?? "Affects"} ${target}${summary === undefined ? "" : `: ${summary}`}`;
    const length = cut(title, maxChangeText + 1).length + showLines(diff ?? "").length;
    if (details !== undefined || length > room) break;
    room -= length;
    parts.push(line(text(title)), ...(diff === undefined ? [] : [box(diff)]));
    shown++;
  }
  const left = changes.length - shown;
  if (left === 0) return { parts, isComplete: true };
  const next = changes[shown]!;
  const start = cut(`${changeVerbs[next.kind] ?? "Affects"} ${next.target}`, maxText);
  const rest =
    left === 1
      ? "Only the page shows this change in full."
      : `Only the page shows this and ${left - 1} more in full.`;
  return { parts: [...parts, line(text(start)), line(text(rest))], isComplete: false };
}

function listNotes(content: CallContent): readonly string[] {
  const { masked, digest, risk, guards } = content;
  const why =
    risk === "high" || risk === "critical"
      ? `${risk === "high" ? "High" : "Critical"} risk is approved on the page, not here.`
      : guards.some(({ proof }) => proof !== undefined)
        ? "Policy demands a passkey, so this is approved on the page."
        : "This request is approved on the page, because Slack cannot show all of it.";
  return [
    ...(canApproveInSlack(content) ? [] : [why]),
    ...(masked > 0 ? [`${masked} sensitive ${masked === 1 ? "field is" : "fields are"} hidden here.`] : []),
    `Fingerprint ${formatFingerprint(digest)}`,
  ];
}

function cutLines(given: string, max: number): string {
  const value = showLines(given);
  return value.length > max
    ? `${value.slice(0, max).toWellFormed()}\n… (${value.length - max} more characters on the page)`
    : value;
}
