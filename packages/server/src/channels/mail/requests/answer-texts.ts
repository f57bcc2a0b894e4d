import type { RequestAnswerCode } from "./perform-request.ts";

const howToReply =
  'Reply with "confirm" as the only line to request the plan, with "cancel" to drop it, or send a new request.';
const otherRequest = "Send another request as a new mail.";
const undoElsewhere = "Use `paraph undo` or the console.";
const sendAgain = "Send the request again as a new mail.";

/** Why a reply about a request by mail had no effect, and what to do next. */
export const requestAnswerTexts: Readonly<Record<RequestAnswerCode, string>> = {
  empty: "Your reply has no text above the quoted mail.",
  "below-quote":
    "Your text is below the quoted mail. Paraph reads only text above it. Write the reply as the first line.",
  "html-only": "Your reply has no plain text. Send it as plain text.",
  "several-parts": "Your reply has a text file or another mail attached. Send the words alone.",
  "mail-too-large": "Your reply is too large. Send the words without attachments and pictures.",
  "words-too-long": `Your reply is too long. ${sendAgain}`,
  "request-expired": `The request expired before your reply arrived. ${sendAgain}`,
  "request-used": "An earlier reply already had this effect.",
  "request-outdated":
    "The request changed or ended after the mail to which you replied. Reply to the latest mail about it, or send a new request.",
  "request-failed": `Paraph could not request the plan. ${sendAgain}`,
  "undo-wanted": `Paraph did not understand your reply. To undo the request, reply with "undo" as the only line. ${otherRequest}`,
  "undo-expired": `The time for an undo by reply is over. ${undoElsewhere}`,
  "not-undoable": `A reply cannot undo this request. ${undoElsewhere}`,
  "already-undone": "The request, or a part of it, is already undone or being undone.",
  "undo-failed": `Paraph could not request the undo. ${undoElsewhere}`,
  "confirm-not-alone":
    'The word "confirm", "cancel" or "undo" must be the only line above the quoted mail, so that no condition is overlooked. If your signature has no line with two hyphens above it, remove it.',
  "confirm-not-signed":
    "The signature of your mail provider does not cover the recipient, so your reply cannot confirm or undo a request. Use the command line or the console.",
  "not-confirmable": "A reply cannot confirm this plan. Use `paraph ask` or the console.",
  "confirm-wanted": `Paraph did not understand your reply. ${howToReply}`,
  "answers-unclear":
    "The number of lines in your reply is not the number of questions. Write one line for each question, in their order, and remove your signature.",
  "too-many-rounds": `This request has too many answers. ${sendAgain}`,
};
