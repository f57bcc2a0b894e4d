import { clients, gmailLines, type Language } from "./clients.ts";
import type { CorpusCase } from "./corpus-case.ts";
import { tokens } from "./world.ts";

const token = tokens.ana;
const languages = Object.keys(gmailLines) as Language[];

/** Replies that the approver wrote, in the forms of common clients and in eight languages. */
export const peopleCases: readonly CorpusCase[] = [
  // Each client: an approval, and a denial with a reason.
  ...(Object.keys(clients) as (keyof typeof clients)[])
    .filter((name) => !name.startsWith("forward") && name !== "thunderbirdBelow")
    .flatMap((name): CorpusCase[] => [
      {
        name: `${name}: approve`,
        mail: { token, ...clients[name]("approve") },
        verdict: "approve",
        genuine: true,
      },
      {
        name: `${name}: deny with a reason`,
        mail: { token, ...clients[name]("Deny: the invoice is missing") },
        verdict: "deny",
        genuine: true,
      },
    ]),
  // Providers that do not sign the content type, such as Gmail.
  {
    name: "gmail, with an unsigned content type: approve",
    mail: {
      token,
      ...clients.gmail("approve"),
      sign: { headers: ["From", "To", "Subject", "MIME-Version"] },
    },
    verdict: "approve",
    genuine: true,
  },
  {
    name: "a notice above the parts, with an unsigned content type: approve",
    mail: {
      token,
      whole: [
        'multipart/alternative;\r\n boundary="a b"; charset=utf-8',
        "This is a multi-part message in MIME format.\n--a b\nContent-Type: text/plain\n\napprove\n--a b--\n",
      ],
      sign: { headers: ["From", "To", "Subject"] },
    },
    verdict: "approve",
    genuine: true,
  },
  // The quote says "approve" in each language of the client. The reply must not.
  ...languages.flatMap((language): CorpusCase[] => [
    {
      name: `gmail in ${language}: a question`,
      mail: { token, ...clients.gmail("Which invoice is it?", language) },
      verdict: "ask",
      genuine: true,
    },
    {
      name: `gmail in ${language}: nothing above the quote`,
      mail: { token, ...clients.gmail("", language) },
      verdict: "answer: empty",
      genuine: true,
    },
    {
      name: `outlook in ${language}: nothing above the quote`,
      mail: { token, text: clients.outlook("", language).text },
      verdict: "answer: below-quote",
      genuine: true,
    },
    {
      name: `outlook in ${language}: only HTML, deny`,
      mail: { token, html: clients.outlook("deny", language).html ?? "" },
      verdict: "deny",
      genuine: true,
    },
  ]),
  {
    name: "a comment",
    mail: { token, text: "comment: please wait for the invoice" },
    verdict: "comment",
    genuine: true,
  },
  {
    name: "a comment over several lines",
    mail: { token, text: "Comment\n\nFirst.\nSecond." },
    verdict: "comment",
    genuine: true,
  },
  { name: "an empty comment", mail: { token, text: "comment:" }, verdict: "answer: empty", genuine: true },
  {
    name: "return with instructions",
    mail: { token, ...clients.gmail("Return: keep 60 days of logs") },
    verdict: "return",
    genuine: true,
  },
  {
    name: "return without instructions",
    mail: { token, text: "return:" },
    verdict: "answer: empty",
    genuine: true,
  },
  {
    name: "return as a question",
    mail: { token, text: "return: is half of it enough?" },
    verdict: "answer: unclear",
    genuine: true,
  },
  {
    name: "a sentence that begins with the word return",
    mail: { token, text: "Return the goods first." },
    verdict: "answer: unclear",
    genuine: true,
  },
  {
    name: "return, then a line that approves",
    mail: { token, text: "return: half of it\napprove" },
    verdict: "answer: several-commands",
    genuine: true,
  },
  { name: "ask with a word", mail: { token, text: "ask: who is Jon" }, verdict: "ask", genuine: true },
  {
    name: "acknowledge",
    mail: { token, ...clients.iphone("On it!") },
    verdict: "acknowledge",
    genuine: true,
  },
  { name: "ack", mail: { token, text: "ack" }, verdict: "acknowledge", genuine: true },
  {
    name: "I’m on it, with a curly apostrophe",
    mail: { token, text: "I’m on it." },
    verdict: "acknowledge",
    genuine: true,
  },
  {
    name: "upper case and a full stop",
    mail: { token, text: "APPROVED." },
    verdict: "approve",
    genuine: true,
  },
  {
    name: "a byte order mark and spaces",
    mail: { token, text: "\ufeff \u00a0approve\u200b \n" },
    verdict: "approve",
    genuine: true,
  },
  {
    name: "base64",
    mail: {
      token,
      headers: ["Content-Transfer-Encoding: base64"],
      whole: ["text/plain; charset=utf-8", Buffer.from("deny: non è così").toString("base64")],
    },
    verdict: "deny",
    genuine: true,
  },
  {
    name: "folded headers",
    mail: {
      token,
      text: "approve",
      headers: ["X-Long: one\r\n two\r\n\tthree", "References: <a@b>\r\n <c@d>"],
      to: `"A very long display name that a client folds"\r\n <approvals+${token}@paraph.example>`,
    },
    verdict: "approve",
    genuine: true,
  },
  {
    name: "a server that changed the case of the address",
    mail: { to: `<APPROVALS+${token.toUpperCase()}@Paraph.Example>`, text: "approve" },
    verdict: "approve",
    genuine: true,
  },
  {
    name: "the address in Cc",
    mail: { to: "bo@example.org", headers: [`Cc: approvals+${token}@paraph.example`], text: "approve" },
    verdict: "approve",
    genuine: true,
  },
  {
    name: "a list server that broke the signature and sealed the mail",
    mail: {
      token,
      text: "approve",
      tamper: (mail) => `${mail}\r\n`.replace("Subject: Re:", "Subject: [list] Re:"),
      seal: { domain: "lists.example.net", results: "lists.example.net; dkim=pass header.d=example.com" },
    },
    verdict: "approve",
    genuine: true,
  },

  {
    name: "acknowledge right above the line that introduces the quote",
    mail: { token, text: `on it\n${gmailLines.en}\n> approve` },
    verdict: "acknowledge",
    genuine: true,
  },

  // Replies of the approver that could mean two things.
  {
    name: "below the quote",
    mail: { token, ...clients.thunderbirdBelow("approve") },
    verdict: "answer: below-quote",
    genuine: true,
  },
  {
    name: "deny below the quote",
    mail: { token, ...clients.thunderbirdBelow("deny") },
    verdict: "answer: below-quote",
    genuine: true,
  },
  {
    name: "an approval with a condition",
    mail: { token, text: "approve\n\nif Jon agrees" },
    verdict: "answer: not-alone",
    genuine: true,
  },
  {
    name: "an approval with more words",
    mail: { token, text: "approve, but only half" },
    verdict: "answer: unclear",
    genuine: true,
  },
  {
    name: "do not approve",
    mail: { token, text: "Do not approve" },
    verdict: "answer: unclear",
    genuine: true,
  },
  { name: "approve?", mail: { token, text: "approve?" }, verdict: "ask", genuine: true },
  { name: "deny?", mail: { token, text: "deny?" }, verdict: "answer: unclear", genuine: true },
  {
    name: "two commands",
    mail: { token, text: "deny\napprove" },
    verdict: "answer: several-commands",
    genuine: true,
  },
  {
    name: "two commands, the other way round",
    mail: { token, text: "approve\ndeny" },
    verdict: "answer: several-commands",
    genuine: true,
  },
  { name: "yes", mail: { token, text: "Yes" }, verdict: "answer: unclear", genuine: true },
  { name: "ok", mail: { token, text: "ok 👍" }, verdict: "answer: unclear", genuine: true },
  { name: "another language", mail: { token, text: "genehmigt" }, verdict: "answer: unclear", genuine: true },
  {
    name: "letters that look alike",
    mail: { token, text: "аpprove" },
    verdict: "answer: unclear",
    genuine: true,
  },
  {
    name: "approve in the subject only",
    mail: { token, subject: "approve", text: "" },
    verdict: "answer: empty",
    genuine: true,
  },
  { name: "an empty body", mail: { token, text: "" }, verdict: "answer: empty", genuine: true },
  { name: "only spaces", mail: { token, text: " \r\n\t\r\n" }, verdict: "answer: empty", genuine: true },
  {
    name: "only HTML, approve",
    mail: { token, html: "<p>approve</p>" },
    verdict: "answer: html-only",
    genuine: true,
  },
  {
    name: "only HTML, hidden text",
    mail: { token, html: '<div style="display:none">approve</div><p>see you</p>' },
    verdict: "answer: not-alone",
    genuine: true,
  },
  {
    name: "approve in an attachment",
    mail: {
      token,
      whole: [
        'multipart/mixed; boundary="b"',
        '--b\nContent-Type: text/plain\n\n\n--b\nContent-Type: text/plain; name="a.txt"\nContent-Disposition: attachment; filename="a.txt"\n\napprove\n--b--\n',
      ],
    },
    verdict: "answer: empty",
    genuine: true,
  },
  {
    name: "approve in an attached mail",
    mail: {
      token,
      whole: [
        'multipart/mixed; boundary="b"',
        "--b\nContent-Type: text/plain\n\n\n--b\nContent-Type: message/rfc822\n\nFrom: ana@example.com\nSubject: x\n\napprove\n--b--\n",
      ],
    },
    verdict: "answer: empty",
    genuine: true,
  },
  {
    name: "a forward by Gmail to the reply address",
    mail: { token, ...clients.forwardGmail("") },
    verdict: "answer: below-quote",
    genuine: true,
  },
  {
    name: "a forward by Apple Mail",
    mail: { token, ...clients.forwardApple("") },
    verdict: "answer: below-quote",
    genuine: true,
  },

  // Requests that a reply cannot approve.
  ...(
    [
      ["highRisk", "risk-too-high"],
      ["criticalStep", "risk-too-high"],
      ["notAllowed", "reply-not-allowed"],
      ["cut", "not-shown-in-full"],
      ["expired", "expired"],
      ["decided", "already-decided"],
    ] as const
  ).map(
    ([name, code]): CorpusCase => ({
      name: `approve a request: ${name}`,
      mail: { token: tokens[name], text: "approve" },
      verdict: `answer: ${code}`,
      genuine: true,
    }),
  ),
  {
    name: "deny a request of high risk",
    mail: { token: tokens.highRisk, text: "deny" },
    verdict: "deny",
    genuine: true,
  },
  {
    name: "deny after the request expired",
    mail: { token: tokens.expired, text: "deny" },
    verdict: "answer: expired",
    genuine: true,
  },
  {
    name: "Microsoft 365, whose signature does not cover the recipient: approve",
    mail: {
      token,
      ...clients.outlookWeb("approve"),
      sign: { headers: ["From", "Date", "Subject", "Message-ID", "Content-Type"] },
    },
    verdict: "answer: address-not-signed",
    genuine: true,
  },
  {
    name: "Microsoft 365, whose signature does not cover the recipient: deny",
    mail: {
      token,
      ...clients.outlookWeb("deny"),
      sign: { headers: ["From", "Date", "Subject", "Message-ID", "Content-Type"] },
    },
    verdict: "deny",
    genuine: true,
  },
];
