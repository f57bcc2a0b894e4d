import { clients } from "./clients.ts";
import type { CorpusCase } from "./corpus-case.ts";
import { tokens } from "./world.ts";

const token = tokens.ana;
const automatic = (name: string, mail: CorpusCase["mail"], reason: string): CorpusCase => ({
  name,
  mail: { token, text: "approve", ...mail },
  verdict: `ignore: ${reason}`,
  genuine: false,
});

const report = (type: string, status: string): CorpusCase["mail"] => ({
  whole: [
    `multipart/report; report-type=${type}; boundary="b"`,
    `--b\nContent-Type: text/plain\n\napprove\n--b\nContent-Type: message/${type}\n\n${status}\n--b--\n`,
  ],
});

const invitation = (method: string) =>
  `BEGIN:VCALENDAR\nMETHOD:${method}\nBEGIN:VEVENT\nUID:1\nSUMMARY:approve\nEND:VEVENT\nEND:VCALENDAR\n`;

/** Subjects of automatic replies without any header that says so, in eight languages. */
const subjects = [
  "Automatic reply: Approval: approve (bot)",
  "Automatische Antwort: Approval",
  "=?utf-8?Q?R=C3=A9ponse_automatique_=3A_Approval?=",
  "=?utf-8?Q?Respuesta_autom=C3=A1tica=3A_Approval?=",
  "Risposta automatica: Approval",
  "=?utf-8?Q?Resposta_autom=C3=A1tica=3A_Approval?=",
  "Automatisch antwoord: Approval",
  "=?utf-8?Q?Odpowied=C5=BA_automatyczna=3A_Approval?=",
];

/** Mails that no person wrote as a reply. All come from the approver's own address, and are signed. */
export const automaticCases: readonly CorpusCase[] = [
  automatic("Auto-Submitted", { headers: ["Auto-Submitted: auto-replied (vacation)"] }, "auto-reply"),
  automatic("Auto-Submitted, folded", { headers: ["Auto-Submitted:\r\n auto-generated"] }, "auto-reply"),
  automatic("X-Autoreply", { headers: ["X-Autoreply: yes"] }, "auto-reply"),
  automatic("X-Autorespond", { headers: ["X-Autorespond: away"] }, "auto-reply"),
  automatic("Precedence: auto_reply", { headers: ["Precedence: auto_reply"] }, "auto-reply"),
  automatic("Precedence: bulk", { headers: ["Precedence: bulk"] }, "auto-reply"),
  automatic("Precedence: list", { headers: ["Precedence: list"] }, "mailing-list"),
  automatic("a mailing list", { headers: ["List-Id: <all.example.com>"] }, "mailing-list"),
  ...subjects.map((subject, index) =>
    automatic(`out of office, by subject ${index + 1}`, { subject }, "auto-reply"),
  ),
  automatic(
    "out of office that quotes",
    { headers: ["Auto-Submitted: auto-replied"], ...clients.gmail("approve") },
    "auto-reply",
  ),
  automatic(
    "a bounce",
    report("delivery-status", "Final-Recipient: rfc822; ana@example.com\nAction: failed"),
    "bounce",
  ),
  automatic(
    "a read receipt",
    report("disposition-notification", "Disposition: manual-action; displayed"),
    "receipt",
  ),
  automatic("a bounce without a report", { headers: ["X-Failed-Recipients: ana@example.com"] }, "bounce"),
  automatic("an empty return path", { headers: ["Return-Path: <>"] }, "bounce"),
  automatic("a mailer daemon", { from: "MAILER-DAEMON@example.com" }, "bounce"),
  automatic("Paraph's own mail", { from: "Paraph <paraph@paraph.example>" }, "own-mail"),
  automatic(
    "an answer to an invitation",
    { whole: ["text/calendar; method=REPLY", invitation("REPLY")] },
    "calendar",
  ),
  automatic(
    "an answer to an invitation, with a text",
    {
      whole: [
        'multipart/alternative; boundary="b"',
        `--b\nContent-Type: text/plain\n\napprove\n--b\nContent-Type: text/calendar; method=REPLY\n\n${invitation("REPLY")}--b--\n`,
      ],
    },
    "calendar",
  ),
  automatic(
    "an invitation",
    {
      whole: [
        'multipart/mixed; boundary="b"',
        `--b\nContent-Type: text/plain\n\napprove\n--b\nContent-Type: application/ics; name="invite.ics"\n\n${invitation("REQUEST")}--b--\n`,
      ],
    },
    "calendar",
  ),
];
