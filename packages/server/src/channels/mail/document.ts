import { type CheckResult, explainNewRound, type Guard } from "@paraph/core";
import { formatDuration, formatTime } from "../../web/html/time.ts";
import { formatFingerprint } from "../../web/html/values.ts";
import { effectTexts } from "../../web/sections/plan-section.ts";
import type { ChannelMessage } from "../channel.ts";
import type { CallContent, NoticeContent, SummaryContent } from "../notice-content.ts";
import { buildAnswer } from "./answer-document.ts";
import { listChanges, showsChangesWhole } from "./changes-block.ts";
import { describeOutcome } from "./describe-outcome.ts";
import { toQuote } from "./quoted-text.ts";
import { buildRequestMail } from "./requests/request-document.ts";

/**
 * A mail, before it is rendered as text and as HTML. Any text in it may come from outside of Paraph, so both renderers
 * escape all of it.
 */
export interface MailDocument {
  readonly subject: string;
  /** The tone of the status: a decision is needed, the news is bad, or nothing is left to do. */
  readonly tone: "waiting" | "bad" | "still";
  readonly status: string;
  readonly title: string;
  readonly blocks: readonly MailBlock[];
  readonly action: { readonly text: string; readonly href: string };
  readonly footer: string;
  readonly preferences: string;
  readonly attachment?: {
    readonly filename: string;
    readonly contentType: string;
    readonly content: string;
  };
}

/** A part of a mail. */
export type MailBlock =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly title: string; readonly items: readonly MailItem[] }
  | { readonly kind: "facts"; readonly rows: readonly (readonly [string, string])[] }
  /** Text of several lines that someone outside of Paraph wrote. The title says who. */
  | { readonly kind: "quote"; readonly title: string; readonly text: QuotedText };

/** An item of a list, with a quoted text below it. */
export interface MailItem {
  readonly text: string;
  readonly note?: string;
  readonly quote?: QuotedText;
}

/** The first lines of a foreign text, and the number of lines that only the page shows. */
export interface QuotedText {
  readonly lines: readonly string[];
  readonly left: number;
}

/** Builds the mail for a notice. */
export function buildMailDocument(content: NoticeContent, reply?: ChannelMessage["reply"]): MailDocument {
  if (content.kind === "answer") return buildAnswer(content);
  if (content.kind === "mail-request") return buildRequestMail(content, reply);
  return content.kind === "summary" ? buildSummary(content) : buildCallMail(content, reply);
}

function buildSummary({ waiting, ended, links }: SummaryContent): MailDocument {
  const waitText = `${waiting.toLocaleString("en-GB")} ${waiting === 1 ? "request waits" : "requests wait"} for you`;
  const endText = `${ended.toLocaleString("en-GB")} ${ended === 1 ? "request that you were told about has" : "requests that you were told about have"} ended`;
  const title = waiting > 0 ? waitText : endText;
  return {
    subject: title,
    tone: waiting > 0 ? "waiting" : "still",
    status: "Summary",
    title,
    blocks: [
      {
        kind: "paragraph",
        text: "Too many notices came at once, so Paraph sends this summary instead of one mail for each.",
      },
      ...(waiting > 0 && ended > 0 ? [{ kind: "paragraph", text: `${endText}.` } as const] : []),
    ],
    action: { text: "Open your approvals", href: links.page },
    footer: "You get this mail because you may approve requests in Paraph.",
    preferences: links.preferences,
  };
}

function buildCallMail(content: CallContent, reply: ChannelMessage["reply"]): MailDocument {
  const { headline, links, requester } = content;
  const isOutcome = content.kind === "outcome";
  return {
    subject: `Approval: ${headline} (${requester.id})`,
    ...describeStatus(content),
    title: headline,
    blocks: [
      ...describeCause(content),
      { kind: "paragraph", text: describeRequester(content) },
      ...(isOutcome ? [] : describeRequest(content)),
      { kind: "facts", rows: listFacts(content) },
    ],
    action: { text: isOutcome ? "Open the request" : "Review and decide", href: links.page },
    footer: isOutcome
      ? "You get this mail because Paraph told you about this request."
      : `You get this mail because you may approve this request. Decide on the page, after login. ${describeReply(reply)}`,
    preferences: links.preferences,
  };
}

function describeReply(reply: ChannelMessage["reply"]): string {
  if (!reply) return "A reply to this mail decides nothing.";
  const words =
    'Or reply with one of these as the first line: "deny: reason", "return: instructions", "comment: text", "ask: question", "on it"';
  return reply.approves ? `${words}, or "approve" alone.` : `${words}. A reply cannot approve this request.`;
}

function describeStatus(content: CallContent): Pick<MailDocument, "tone" | "status"> {
  const { kind, expiresAt, now } = content;
  const left = `${formatDuration(expiresAt - now)} left`;
  switch (kind) {
    case "request":
      return { tone: "waiting", status: `Waiting for your decision · ${left}` };
    case "reminder":
      return { tone: "waiting", status: `Reminder: still waiting for a decision · ${left}` };
    case "escalation":
      return { tone: "waiting", status: `Escalated: still waiting for a decision · ${left}` };
    case "outcome":
      return describeOutcome(content);
  }
}

/** Says why this mail comes, where the kind of the notice does not say it. */
function describeCause({
  kind,
  escalatedTo,
  reassignedBy,
  acknowledgedBy,
  round,
  voidCode,
  reason,
}: CallContent): readonly MailBlock[] {
  if (kind === "outcome")
    return reason === undefined
      ? []
      : [{ kind: "quote", title: "Reason given by the approver", text: toQuote(reason) }];
  const texts = [
    escalatedTo !== undefined &&
      `No decision arrived in time, so Paraph also asked the group ${escalatedTo}.`,
    acknowledgedBy.length > 0 &&
      `${acknowledgedBy.join(", ")} ${acknowledgedBy.length === 1 ? "looks" : "look"} at this request.`,
    reassignedBy !== undefined && `${reassignedBy} reassigned this request to you.`,
    round > 1 && explainNewRound(voidCode),
  ].filter((text) => text !== false);
  return texts.map((text) => ({ kind: "paragraph", text }));
}

function describeRequester({ requester, editedBy, risk, effect, capability }: CallContent): string {
  const { id, kind, owner, onBehalfOf } = requester;
  return [
    `Requested by ${id} (${kind})${onBehalfOf === undefined ? "" : ` on behalf of ${onBehalfOf}`}.`,
    ...(owner === undefined ? [] : [`Owner: ${owner}.`]),
    ...(editedBy === undefined ? [] : [`${editedBy} edited the input.`]),
    `Capability: ${capability}.`,
    ...(risk === undefined || effect === undefined
      ? []
      : [`Risk: ${risk}. Effect: ${effectTexts[effect].toLowerCase()}.`]),
  ].join(" ");
}

/** Describes what an approver needs to know before opening the page. */
function describeRequest(content: CallContent): readonly MailBlock[] {
  const { guards, checks, purpose, masked } = content;
  return [
    ...(guards.length > 0
      ? [{ kind: "list", title: "Why approval is required", items: guards.map(toGuardItem) } as const]
      : []),
    ...describeChanges(content),
    ...(masked > 0
      ? [
          {
            kind: "paragraph",
            text: `${masked} sensitive ${masked === 1 ? "field is" : "fields are"} hidden in this mail.`,
          } as const,
        ]
      : []),
    ...(checks.length > 0
      ? [{ kind: "list", title: "Checks", items: checks.map(toCheckItem) } as const]
      : []),
    ...(purpose === undefined
      ? []
      : [
          {
            kind: "quote",
            title: "Purpose given by the requester (not verified)",
            text: toQuote(purpose),
          } as const,
        ]),
  ];
}

function toGuardItem({ sentence, id, quorum, group, proof }: Guard): MailItem {
  const people = quorum === 1 ? "1 approval" : `${quorum} approvals`;
  return {
    text: sentence,
    note: `policy ${id}, needs ${people}${group === undefined ? "" : ` from ${group}`}${proof === "passkey" ? " with a passkey" : ""}`,
  };
}

function describeChanges({ changes, previewed }: CallContent): readonly MailBlock[] {
  if (changes.length === 0) {
    const text = previewed
      ? "The preview shows no changes. The page shows the full input."
      : "There is no preview that this mail can show. The page shows the full input.";
    return [{ kind: "paragraph", text }];
  }
  return listChanges(changes);
}

function toCheckItem({ check, passed, error, findings }: CheckResult): MailItem {
  const word = error ? "Could not run" : passed ? "Passed" : "Failed";
  const [first] = findings;
  return { text: `${word}: ${check}`, ...(first && { note: first.sentence }) };
}

function listFacts(content: CallContent): readonly (readonly [string, string])[] {
  const { kind, expiresAt, digest } = content;
  return [
    ...(kind === "outcome" ? [] : [["Expires", formatTime(expiresAt)] as const]),
    ["Fingerprint", formatFingerprint(digest)],
  ];
}

/** [TRUST 6] Returns whether a mail about this request shows every change in full. */
export function showsEveryChange({ changes, previewed, masked }: CallContent): boolean {
  return previewed && masked === 0 && changes.length > 0 && showsChangesWhole(changes);
}
