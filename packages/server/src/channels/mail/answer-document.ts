import type { AnswerContent } from "../notice-content.ts";
import type { MailDocument } from "./document.ts";
import type { AnswerCode } from "./in/assess-reply.ts";
import { requestAnswerTexts } from "./requests/answer-texts.ts";

const notVerified =
  "Paraph could not verify that this reply came from you, because your mail provider's signature (DKIM) is missing or invalid. If you did not write it, someone may know the address for replies: tell your administrator.";
const onPage = "Decide on the page instead.";

/** Why a reply had no effect, and what to do next. */
const texts: Readonly<Record<AnswerCode, string>> = {
  empty: "Your reply has no text above the quoted mail, or none after the command.",
  "below-quote":
    "Your text is below the quoted mail. Paraph reads only text above it. Write the command as the first line.",
  unclear: "The first line of your reply is not a command.",
  "several-commands": "Your reply has more than one command. Write one.",
  "not-alone":
    "An approval must be the only line above the quoted mail, so that no condition is overlooked. If your signature has no line with two hyphens above it, remove it.",
  "html-only":
    "Your reply has no plain text, so it cannot approve. Send it as plain text, or decide on the page.",
  "several-senders": notVerified,
  "not-signed": notVerified,
  "signature-invalid": notVerified,
  "not-aligned": notVerified,
  "dns-failed": `${notVerified} The lookup of the key failed, so you can also reply again later.`,
  "other-sender":
    "A reply to this request came from an address that is not yours in Paraph. Only you can reply to the mails that you get. If you forwarded the mail, the other person decides with their own login.",
  expired: "The request expired before your reply arrived.",
  "reply-not-allowed": `The policy of this request does not allow approvals by mail. ${onPage}`,
  "risk-too-high": `Requests of high or critical risk cannot be approved by mail. ${onPage}`,
  "address-not-signed": `The signature of your mail provider does not cover the recipient, so your reply cannot approve. ${onPage}`,
  "format-not-signed": `The signature of your mail provider does not cover the format of your reply, so someone could have changed how it reads. ${onPage}`,
  "not-shown-in-full": `The mail did not show every change, so your reply cannot approve. ${onPage}`,
  "token-used": "An earlier reply to this mail already approved.",
  "already-decided": "The request was already decided, or it changed. Open the page for its current state.",
  "not-allowed": "You may not decide about this request.",
  "page-needed": `Paraph could not record your reply. ${onPage}`,
};

/** Builds the mail that answers a reply without effect. */
export function buildAnswer({ about, code, links }: AnswerContent): MailDocument {
  const title = "Your reply had no effect";
  const known: Readonly<Record<string, string>> = about === "request" ? requestAnswerTexts : texts;
  const document = {
    subject: title,
    tone: "bad",
    status: "Nothing was changed",
    title,
    footer: "You get this mail because a reply to your mail from Paraph arrived.",
    preferences: links.preferences,
  } as const;
  const text = { kind: "paragraph", text: known[code] ?? texts["page-needed"] } as const;
  if (about === "request")
    return { ...document, blocks: [text], action: { text: "Open Paraph", href: links.page } };
  return {
    ...document,
    blocks: [
      text,
      {
        kind: "list",
        title: "The first line of a reply can be",
        items: [
          { text: "deny: reason" },
          { text: "return: instructions", note: "Denies, and tells the requester what to do instead." },
          { text: "comment: text" },
          { text: "ask: question" },
          { text: "on it", note: "The others see that you look at the request." },
          {
            text: "approve",
            note: "Alone, and only if the mail about the request says that a reply may approve.",
          },
        ],
      },
    ],
    action: { text: "Open the request", href: links.page },
  };
}
