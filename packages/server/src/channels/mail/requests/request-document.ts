import { formatTime } from "../../../web/html/time.ts";
import { formatFingerprint } from "../../../web/html/values.ts";
import { remainingTexts } from "../../../web/sections/not-undone-section.ts";
import { effectTexts } from "../../../web/sections/plan-section.ts";
import type { ChannelMessage } from "../../channel.ts";
import type { PlanFault, RequestContent, ShownStep, UndoOffer } from "../../request-content.ts";
import { listChanges } from "../changes-block.ts";
import { describeOutcome } from "../describe-outcome.ts";
import type { MailBlock, MailDocument } from "../document.ts";
import { toQuote } from "../quoted-text.ts";

type About<Kind extends RequestContent["about"]> = Extract<RequestContent, { about: Kind }>;

/** Builds the mail that answers a request by mail. */
export function buildRequestMail(content: RequestContent, reply: ChannelMessage["reply"]): MailDocument {
  const document = buildParts(content, reply);
  return {
    subject: "Your request",
    action: {
      text: content.about === "outcome" ? "Open the request" : "Open Paraph",
      href: content.links.page,
    },
    footer: "You get this mail because you sent a request to Paraph by mail.",
    preferences: content.links.preferences,
    ...document,
  };
}

type Parts = Pick<MailDocument, "tone" | "status" | "title" | "blocks" | "attachment">;

function buildParts(content: RequestContent, reply: ChannelMessage["reply"]): Parts {
  switch (content.about) {
    case "questions":
      return buildQuestions(content);
    case "plan":
      return buildPlan(content, reply);
    case "refusal":
      return buildRefusal(content);
    case "outcome":
      return buildOutcome(content);
  }
}

function buildQuestions({ questions, steps, wantsFacts }: About<"questions">): Parts {
  const how =
    questions.length === 1
      ? "Reply with the answer, and nothing else."
      : "Reply with one line for each question, in this order, and nothing else.";
  return {
    tone: "waiting",
    status: "Nothing was requested yet",
    title: wantsFacts ? "Some facts are missing" : "Paraph needs other words",
    blocks: [
      ...(steps.length > 0 ? [listDrafts(steps)] : []),
      {
        kind: "list",
        title: questions.length === 1 ? "Question" : "Questions",
        items: questions.map(({ message, options }) => ({
          text: message,
          ...(options && { note: `Possible answers: ${options.join(", ")}` }),
        })),
      },
      {
        kind: "paragraph",
        text: wantsFacts ? how : "Reply with the whole request in other words. It replaces your first one.",
      },
    ],
  };
}

function listDrafts(steps: About<"questions">["steps"]): MailBlock {
  const items = steps.map(({ capability, object }, index) => ({
    text: `${index + 1}. ${capability}`,
    ...(object !== undefined && { quote: toQuote(object) }),
  }));
  return { kind: "list", title: "The plan so far", items };
}

const planFaults: Readonly<Record<PlanFault, string>> = {
  "plan-blocked": "Policy blocks this plan, so it cannot be requested.",
  "plan-sensitive":
    "The plan has sensitive fields, which mails do not show. Request it with `paraph ask` or in the console.",
  "plan-too-large":
    "A mail cannot show this plan in full, so a reply cannot confirm it. Request it with `paraph ask` or in the console.",
  "plan-risk":
    "The plan has a step of high risk and needs no approval, so a reply cannot confirm it. Request it with `paraph ask` or in the console.",
};

function buildPlan(content: About<"plan">, reply: ChannelMessage["reply"]): Parts {
  const { steps, changes, sentence, fault, fingerprint, expiresAt } = content;
  const isConfirmable = fault === undefined && reply?.approves === true;
  const next =
    fault === undefined
      ? 'To request exactly this plan, reply with "confirm" as the only line. To drop it, reply with "cancel".'
      : planFaults[fault];
  return {
    tone: fault === undefined ? "waiting" : "bad",
    status: isConfirmable ? "Nothing was requested yet. Confirm the plan" : "Nothing was requested",
    title: steps.length === 1 ? "The plan has one step" : `The plan has ${steps.length} steps`,
    blocks: [
      { kind: "list", title: "Steps", items: steps.map(toStepItem) },
      ...(changes.length > 0 ? listChanges(changes) : []),
      { kind: "paragraph", text: `Policy: ${sentence}` },
      { kind: "paragraph", text: next },
      {
        kind: "facts",
        rows: [
          ["Fingerprint", formatFingerprint(fingerprint)],
          ...(isConfirmable ? [["Expires", formatTime(expiresAt)] as const] : []),
        ],
      },
    ],
  };
}

function toStepItem({ capability, headline, effect, risk, input }: ShownStep, index: number) {
  const facts = [
    ...(headline === undefined ? [] : [`Capability: ${capability}.`]),
    ...(risk === undefined || effect === undefined
      ? []
      : [`Risk: ${risk}. Effect: ${effectTexts[effect].toLowerCase()}.`]),
  ];
  return {
    text: `${index + 1}. ${headline ?? capability}`,
    ...(facts.length > 0 && { note: facts.join(" ") }),
    ...(input !== undefined && { quote: toQuote(input) }),
  };
}

/** Why a mail did not become a plan, and what to do next. */
const refusals: Readonly<Record<string, string>> = {
  empty: "Your mail has no text. Write the request as plain text.",
  "below-quote":
    "Your text is below a quoted or forwarded mail. Paraph reads only text above it. Quoted text is never a request.",
  "html-only": "Your mail has no plain text. Send it as plain text.",
  "several-parts":
    "Your mail has a text file or another mail attached. Paraph does not read these as a request. Send the words alone.",
  "mail-too-large": "Your mail is too large. Send the words without attachments and pictures.",
  "words-too-long": "Your request is too long. Split it into several requests.",
  "rate-limited":
    "You sent too many requests within an hour, so Paraph did not read this one. Send it again later. Further mails get no answer until then.",
  "no-words": "Your mail has no words of your own. Write the request above any quoted or forwarded text.",
  "hidden-characters": "Your request contains invisible characters. Type it again as plain text.",
  "quote-unclosed": "Your request contains a quotation mark that is not closed.",
  "no-capability":
    "None of the capabilities that you may use has this action. Begin with an action, such as “Write”, “Delete” or “Refund”.",
  "too-many-steps": "Your request has too many steps. Split it into several requests.",
  "limit-reached": "You reached a limit. Send the request again later.",
  frozen: "Your access, or a capability of the request, is frozen. Ask your administrator.",
};

function buildRefusal({ code }: About<"refusal">): Parts {
  return {
    tone: "bad",
    status: "Nothing was requested",
    title: "Your mail did not become a request",
    blocks: [
      {
        kind: "paragraph",
        text:
          refusals[code] ??
          `Paraph could not understand this request (${code}). Use \`paraph ask\` or the console.`,
      },
    ],
  };
}

/** Why a reply cannot request the undo, and what to do instead. */
const undoFaults: Readonly<Record<PlanFault, string>> = {
  "plan-blocked": "Policy blocks the undo of this request.",
  "plan-sensitive":
    "The undo has sensitive fields, which mails do not show. Request it with `paraph undo` or in the console.",
  "plan-too-large":
    "A mail cannot show the undo in full, so a reply cannot request it. Request it with `paraph undo` or in the console.",
  "plan-risk":
    "The undo has a step of high risk and needs no approval, so a reply cannot request it. Request it with `paraph undo` or in the console.",
};

function describeUndo({ steps, changes, sentence, fault }: UndoOffer): readonly MailBlock[] {
  if (fault !== undefined) return [{ kind: "paragraph", text: undoFaults[fault] }];
  return [
    {
      kind: "paragraph",
      text: `To undo the request within 24 hours, reply with "undo" as the only line. Policy: ${sentence}`,
    },
    {
      kind: "list",
      title: "The undo",
      items: steps.map(({ capability, headline }, index) => ({
        text: `${index + 1}. ${headline ?? capability}`,
        ...(headline !== undefined && { note: `Capability: ${capability}.` }),
      })),
    },
    ...(changes.length > 0 ? listChanges(changes) : []),
  ];
}

function listRemaining({ isUndo, remaining }: About<"outcome">): readonly MailBlock[] {
  if (remaining.length === 0) return [];
  const title = isUndo ? "The undo did not change" : "The undo cannot change";
  const items = remaining.map(({ step, capability, reason }) => ({
    text: `Step ${step}: ${capability}`,
    note: remainingTexts[reason],
  }));
  return [{ kind: "list", title, items }];
}

function buildOutcome(content: About<"outcome">): Parts {
  const { outcome, votes, steps, receipt, call, isUndo, undo } = content;
  const status =
    votes.length > 0 && votes.every(({ decision }) => decision === "approve") ? "approved" : "open";
  const attachment: readonly MailBlock[] =
    receipt === undefined
      ? []
      : [
          {
            kind: "paragraph",
            text: "The signed receipt is attached. It holds no content of the request. Check it with `paraph verify`.",
          },
        ];
  return {
    ...describeOutcome({ status, outcome, votes }),
    title: isUndo ? "Your undo ended" : "Your request ended",
    blocks: [
      {
        kind: "list",
        title: "Steps",
        items: steps.map(({ capability, result }, index) => ({
          text: `${index + 1}. ${capability}`,
          note: result,
        })),
      },
      ...attachment,
      ...(undo ? describeUndo(undo) : []),
      ...listRemaining(content),
      { kind: "facts", rows: [["Call", call]] },
    ],
    ...(receipt !== undefined && {
      attachment: { filename: `receipt-${call}.json`, contentType: "application/json", content: receipt },
    }),
  };
}
