import { clients } from "./clients.ts";
import type { CorpusCase } from "./corpus-case.ts";
import { tokens } from "./world.ts";

const token = tokens.ana;
const forged = (name: string, mail: CorpusCase["mail"], verdict: string): CorpusCase => ({
  name,
  mail,
  verdict,
  genuine: false,
});
const address = (one: string) => `approvals+${one}@paraph.example`;
const eve = "Ana Lima <eve@evil.example>";

const quotesEvil =
  "comment: why so much?\n\n-----Original Message-----\nFrom: Paraph\nSubject: x\n\n--evil\nContent-Type: text/plain\n\napprove\n--evil--\n";
const withoutType = { headers: ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version"] };
const setType = (type: string) => (mail: string) =>
  mail.replace(/Content-Type: [^\r]*/, `Content-Type: ${type}`);

/** Mails that say approve, and that the approver did not write for this notice. */
export const forgedCases: readonly CorpusCase[] = [
  forged("no signature", { token, text: "approve", sign: false }, "answer: not-signed"),
  forged(
    "another person's signature",
    { token, text: "approve", sign: { domain: "evil.example" } },
    "answer: not-aligned",
  ),
  forged(
    "a signature of a subdomain",
    { token, text: "approve", sign: { domain: "news.example.com" } },
    "answer: not-aligned",
  ),
  forged(
    "a signature of a domain that ends alike",
    { token, text: "approve", sign: { domain: "ample.com" } },
    "answer: not-aligned",
  ),
  forged(
    "a signature of a top-level domain",
    { token, text: "approve", sign: { domain: "com" } },
    "answer: signature-invalid",
  ),
  forged("an attacker with the token", { from: eve, token, text: "approve" }, "answer: other-sender"),
  forged(
    "the approver's address as a display name",
    { from: '"ana@example.com" <eve@evil.example>', token, text: "approve" },
    "answer: other-sender",
  ),
  forged(
    "an encoded display name with an address",
    { from: "=?utf-8?B?YW5hQGV4YW1wbGUuY29tIDw+?= <eve@evil.example>", token, text: "approve" },
    "answer: other-sender",
  ),
  forged("a look-alike domain", { from: "ana@examp1e.com", token, text: "approve" }, "answer: other-sender"),
  forged(
    "another address of the same domain",
    { from: "mallory@example.com", token, text: "approve" },
    "answer: other-sender",
  ),
  forged(
    "a plus address of the approver",
    { from: "ana+x@example.com", token, text: "approve" },
    "answer: other-sender",
  ),
  forged(
    "two From headers, the attacker's signed",
    {
      from: eve,
      token,
      text: "approve",
      tamper: (mail) => mail.replace("\r\nTo: ", "\r\nFrom: ana@example.com\r\nTo: "),
    },
    "answer: several-senders",
  ),
  forged(
    "two From headers, the first one added",
    {
      from: eve,
      token,
      text: "approve",
      tamper: (mail) => `From: ana@example.com\r\n${mail}`,
    },
    "answer: several-senders",
  ),
  forged(
    "two addresses in From",
    { from: "ana@example.com, eve@evil.example", token, text: "approve", sign: { domain: "evil.example" } },
    "answer: several-senders",
  ),
  forged(
    "a group in From",
    {
      from: "Approvers: ana@example.com, eve@evil.example;",
      token,
      text: "approve",
      sign: { domain: "evil.example" },
    },
    "answer: several-senders",
  ),
  forged(
    "Sender and Reply-To of the approver",
    { from: eve, token, headers: ["Sender: ana@example.com", "Reply-To: ana@example.com"], text: "approve" },
    "answer: other-sender",
  ),
  forged(
    "a changed body",
    { token, text: "deny", tamper: (mail) => mail.replace("\r\n\r\ndeny", "\r\n\r\napprove") },
    "answer: signature-invalid",
  ),
  forged(
    "a changed From",
    {
      from: eve,
      token,
      text: "approve",
      tamper: (mail) => mail.replace("eve@evil.example>", "ana@example.com>"),
    },
    "answer: signature-invalid",
  ),
  forged(
    "a body with a text in front",
    { token, text: "deny", tamper: (mail) => mail.replace("\r\n\r\n", "\r\n\r\napprove\r\n") },
    "answer: signature-invalid",
  ),
  forged(
    "a text after the signed length",
    { token, text: "comment: a\n", sign: { limited: true }, tamper: (mail) => `${mail}approve\r\n` },
    "answer: signature-invalid",
  ),
  forged(
    "a body that is signed up to a length, unchanged",
    { token, text: "approve", sign: { limited: true } },
    "answer: signature-invalid",
  ),
  forged(
    "an expired signature",
    { token, text: "approve", sign: { expires: new Date("2026-11-18T10:01:00Z") } },
    "answer: signature-invalid",
  ),
  forged(
    "a domain whose key cannot be looked up",
    { from: "ana@down.example", token, text: "approve" },
    "answer: dns-failed",
  ),
  forged(
    "a domain that only tests DKIM",
    { from: "ana@testing.example", token, text: "approve" },
    "answer: signature-invalid",
  ),
  forged(
    "results that the attacker wrote",
    {
      token,
      text: "approve",
      sign: false,
      headers: ["Authentication-Results: mx.paraph.example; dkim=pass header.d=example.com; dmarc=pass"],
    },
    "answer: not-signed",
  ),
  forged(
    "a seal of an unknown sealer",
    {
      token,
      text: "approve",
      sign: false,
      seal: { domain: "evil.example", results: "evil.example; dkim=pass header.d=example.com" },
    },
    "answer: not-signed",
  ),
  forged(
    "a trusted seal over a mail without the sender's signature",
    {
      token,
      text: "approve",
      sign: { domain: "evil.example" },
      tamper: (mail) => mail.replace("Subject: Re:", "Subject: [list] Re:"),
      seal: {
        domain: "lists.example.net",
        results: "lists.example.net; dkim=pass header.d=evil.example; spf=pass",
      },
    },
    "answer: signature-invalid",
  ),
  forged(
    "a trusted seal over a failed signature",
    {
      token,
      text: "approve",
      sign: false,
      seal: { domain: "lists.example.net", results: "lists.example.net; dkim=fail header.d=example.com" },
    },
    "answer: not-signed",
  ),

  // The body is signed, but not the header that says how to read it. The quoted mail holds a text of the attacker.
  ...[
    [
      "an unsigned content type with a boundary from the quote",
      withoutType,
      setType("multipart/mixed; boundary=evil"),
    ],
    [
      "a content type with a parameter that hides the boundary",
      withoutType,
      setType('multipart/mixed; boundary*=evil; x="; boundary=a"'),
    ],
    ["an unsigned content type that reads the body as a mail", withoutType, setType("message/rfc822")],
    [
      "a second content type above a signed one",
      undefined,
      (mail: string) => `Content-Type: multipart/mixed; boundary=evil\r\n${mail}`,
    ],
  ].map(([name, sign, tamper]) =>
    forged(
      name as string,
      { token, text: quotesEvil, ...(sign && { sign }), tamper } as CorpusCase["mail"],
      "answer: format-not-signed",
    ),
  ),

  // Replays: a genuine mail of the approver, sent to the address of another request.
  forged(
    "a reply about another request, with an unsigned recipient",
    {
      token: tokens.highRisk,
      text: "approve",
      sign: { headers: ["From", "Subject", "Date"] },
      tamper: (mail) => mail.replace(tokens.highRisk, token),
    },
    "answer: address-not-signed",
  ),
  forged(
    "a reply about another request, with a changed recipient",
    {
      token: tokens.highRisk,
      text: "approve",
      tamper: (mail) => mail.replace(tokens.highRisk, token),
    },
    "answer: signature-invalid",
  ),
  forged(
    "a reply about another request, with a second recipient header",
    {
      token: tokens.notAllowed,
      text: "approve",
      sign: { headers: ["From", "To", "Subject"] },
      tamper: (mail) => mail.replace("\r\nSubject:", `\r\nCc: ${address(token)}\r\nSubject:`),
    },
    "ignore: no-token",
  ),
  forged(
    "a mail to someone else, with an added Cc",
    {
      to: "bo@example.org",
      text: "approve",
      sign: { headers: ["From", "To", "Subject"] },
      tamper: (mail) => mail.replace("\r\nSubject:", `\r\nCc: ${address(token)}\r\nSubject:`),
    },
    "answer: address-not-signed",
  ),
  forged(
    "a mail to someone else, with a second To in front",
    {
      to: "bo@example.org",
      text: "approve",
      sign: { headers: ["From", "To", "Subject"] },
      tamper: (mail) => `To: ${address(token)}\r\n${mail}`,
    },
    "answer: address-not-signed",
  ),

  // Tokens.
  forged(
    "another person's token",
    { from: "bo@example.org", token, text: "approve" },
    "answer: other-sender",
  ),
  forged(
    "the token of another person, from the approver",
    { token: tokens.bo, text: "approve" },
    "answer: other-sender",
  ),
  forged("a token of another tenant", { token: tokens.otherTenant, text: "approve" }, "answer: other-sender"),
  forged(
    "a person who left",
    { from: "left@example.com", token: tokens.left, text: "approve" },
    "ignore: unknown-recipient",
  ),
  forged("an unknown token", { token: tokens.unknown, text: "approve" }, "ignore: no-token"),
  forged(
    "two tokens",
    { to: `${address(token)}, ${address(tokens.bo)}`, text: "approve" },
    "ignore: no-token",
  ),
  forged("no token", { to: "approvals@paraph.example", text: "approve" }, "ignore: no-token"),
  forged(
    "a token that is too short",
    { to: "approvals+aaaa@paraph.example", text: "approve" },
    "ignore: no-token",
  ),
  forged(
    "a token at another domain",
    { to: `approvals+${token}@evil.example`, text: "approve" },
    "ignore: no-token",
  ),
  forged(
    "a token in the display name",
    { to: `"${address(token)}" <approvals@paraph.example>`, text: "approve" },
    "ignore: no-token",
  ),
  forged(
    "a token in the quoted text only",
    { to: "approvals@paraph.example", text: `approve\n\n> Reply-To: ${address(token)}` },
    "ignore: no-token",
  ),
  forged(
    "a token in Delivered-To only",
    { to: "approvals@paraph.example", headers: [`Delivered-To: ${address(token)}`], text: "approve" },
    "ignore: no-token",
  ),
  forged(
    "a forward to a colleague who replies",
    { from: "bo@example.org", token, ...clients.forwardGmail("approve") },
    "answer: other-sender",
  ),
];
