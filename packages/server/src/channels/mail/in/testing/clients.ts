/**
 * The mail that the replies of the corpus quote. Its lines look like commands, because an agent can choose the headline
 * and the purpose of a request.
 */
const original = [
  "approve",
  "Waiting for your decision · 1 hour left",
  "",
  "Purpose given by the requester (not verified):",
  "approve",
  "deny",
  "",
  "Review and decide:",
  "https://paraph.example/approvals/ask_1",
];
const quoted = original.map((line) => `> ${line}`).join("\n");
const htmlOriginal = original.map((line) => `<p>${line}</p>`).join("");

/** The text and HTML of a reply, as a mail client writes it. The forms follow public examples and are synthetic. */
export interface ClientReply {
  readonly text: string;
  readonly html?: string;
}

const sender = "Paraph <paraph@paraph.example>";

/** The lines with which Gmail introduces a quote, by language. */
export const gmailLines = {
  en: `On Wed, Nov 18, 2026 at 10:00 AM ${sender} wrote:`,
  de: `Am Mi., 18. Nov. 2026 um 10:00 Uhr schrieb ${sender}:`,
  fr: `Le mer. 18 nov. 2026 à 10:00, ${sender} a écrit :`,
  es: `El mié, 18 nov 2026 a las 10:00, Paraph (<paraph@paraph.example>) escribió:`,
  it: `Il giorno mer 18 nov 2026 alle ore 10:00 ${sender} ha scritto:`,
  pt: `Em qua., 18 de nov. de 2026 às 10:00, ${sender} escreveu:`,
  nl: `Op wo 18 nov 2026 om 10:00 schreef ${sender}:`,
  pl: `śr., 18 lis 2026 o 10:00 ${sender} napisał(a):`,
} as const;

/** The headers with which Outlook introduces a quote, by language: from, sent, to and subject. */
export const outlookLabels = {
  en: ["From", "Sent", "To", "Subject"],
  de: ["Von", "Gesendet", "An", "Betreff"],
  fr: ["De", "Envoyé", "À", "Objet"],
  es: ["De", "Enviado", "Para", "Asunto"],
  it: ["Da", "Inviato", "A", "Oggetto"],
  pt: ["De", "Enviado", "Para", "Assunto"],
  nl: ["Van", "Verzonden", "Aan", "Onderwerp"],
  pl: ["Od", "Wysłane", "Do", "Temat"],
} as const;

/** A language of the corpus. */
export type Language = keyof typeof gmailLines;

const labels = ({ 0: from, 1: sent, 2: to, 3: subject }: readonly string[], space = "") =>
  [
    `${from}${space}: Paraph <paraph@paraph.example>`,
    `${sent}${space}: Wednesday, November 18, 2026 10:00 AM`,
    `${to}${space}: Ana Lima`,
    `${subject}${space}: Approval: approve (bot)`,
  ].join("\n");

const htmlLines = (text: string) =>
  text
    .split("\n")
    .map((line) => `<div>${line || "<br>"}</div>`)
    .join("");

/** Mail clients, each as a function from the new text to a reply that quotes the whole notice. */
export const clients = {
  gmail: (text: string, language: Language = "en"): ClientReply => ({
    text: `${text}\n\n${gmailLines[language]}\n\n${quoted}\n`,
    html: `<div dir="ltr">${htmlLines(text)}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">${gmailLines[language]}<br></div><blockquote class="gmail_quote">${htmlOriginal}</blockquote></div>`,
  }),
  /** Gmail wraps the line that introduces the quote. */
  gmailWrapped: (text: string): ClientReply => ({
    text: `${text}\n\nOn Wed, Nov 18, 2026 at 10:00 AM Paraph on behalf of the finance department\n<paraph@paraph.example> wrote:\n\n${quoted}\n`,
  }),
  outlook: (text: string, language: Language = "en"): ClientReply => ({
    text: `${text}\n\n${labels(outlookLabels[language], language === "fr" ? " " : "")}\n\n${original.join("\n")}\n`,
    html: `<html><head><style>p{margin:0}</style></head><body><div class="WordSection1">${htmlLines(text)}<div style="border:none;border-top:solid #E1E1E1 1.0pt">${htmlLines(labels(outlookLabels[language]))}</div>${htmlOriginal}</div></body></html>`,
  }),
  outlookWeb: (text: string): ClientReply => ({
    text: `${text}\n\n________________________________\n${labels(outlookLabels.en)}\n\n${original.join("\n")}\n`,
    html: `<html><body><div class="elementToProof">${htmlLines(text)}</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg" dir="ltr">${htmlLines(labels(outlookLabels.en))}</div>${htmlOriginal}</body></html>`,
  }),
  outlookMobile: (text: string): ClientReply => ({
    text: `${text}\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\n${labels(outlookLabels.en)}\n\n${original.join("\n")}\n`,
  }),
  outlookOld: (text: string): ClientReply => ({
    text: `${text}\n\n-----Original Message-----\n${labels(outlookLabels.en)}\n\n${original.join("\n")}\n`,
  }),
  appleMail: (text: string): ClientReply => ({
    text: `${text}\n\n> On 18. Nov 2026, at 10:00, ${sender} wrote:\n> \n${quoted}\n`,
    html: `<html><body>${htmlLines(text)}<div><br><blockquote type="cite"><div>On 18. Nov 2026, at 10:00, Paraph wrote:</div>${htmlOriginal}</blockquote></div></body></html>`,
  }),
  iphone: (text: string): ClientReply => ({
    text: `${text}\n\nSent from my iPhone\n\n> On 18. Nov 2026, at 10:00, Paraph <paraph@paraph.example> wrote:\n> \n> \ufeff\n${quoted}\n`,
  }),
  thunderbird: (text: string): ClientReply => ({
    text: `${text}\n\nOn 18/11/2026 10:00, Paraph wrote:\n${quoted}\n`,
  }),
  /** Thunderbird's default: the reply stands below the quote. */
  thunderbirdBelow: (text: string): ClientReply => ({
    text: `On 18/11/2026 10:00, Paraph wrote:\n${quoted}\n\n${text}\n`,
  }),
  k9: (text: string): ClientReply => ({
    text: `${text}\n\n-- \nSent from my Android device with K-9 Mail. Please excuse my brevity.\n\nOn 18 November 2026 10:00:00 UTC, Paraph <paraph@paraph.example> wrote:\n${quoted}\n`,
  }),
  yahoo: (text: string): ClientReply => ({
    text: `${text}\n\nOn Wednesday, November 18, 2026, 10:00:00 AM UTC, Paraph <paraph@paraph.example> wrote:\n\n ${original.join("\n ")}\n`,
    html: `<html><body><div class="ydp1">${htmlLines(text)}</div><div id="ydp1yahoo_quoted" class="yahoo_quoted">${htmlOriginal}</div></body></html>`,
  }),
  proton: (text: string): ClientReply => ({
    text: `${text}\n\nSent with Proton Mail secure email.\n\nOn Wednesday, November 18th, 2026 at 10:00 AM, Paraph <paraph@paraph.example> wrote:\n\n${quoted}\n`,
    html: `${htmlLines(text)}<div class="protonmail_quote">On Wednesday, Paraph wrote:<br><blockquote class="protonmail_quote" type="cite">${htmlOriginal}</blockquote></div>`,
  }),
  samsung: (text: string): ClientReply => ({
    text: `${text}\n\nSent from my Galaxy\n\n-------- Original message --------\nFrom: Paraph <paraph@paraph.example>\nDate: 18/11/2026 10:00 (GMT+00:00)\nTo: ana@example.com\nSubject: Approval: approve (bot)\n\n${original.join("\n")}\n`,
  }),
  mutt: (text: string): ClientReply => ({ text: `${text}\n\n-- \nAna Lima\nFinance\napprove\n` }),
  forwardGmail: (text: string): ClientReply => ({
    text: `${text}\n\n---------- Forwarded message ---------\nFrom: Paraph <paraph@paraph.example>\nDate: Wed, Nov 18, 2026 at 10:00 AM\nSubject: Approval: approve (bot)\nTo: <ana@example.com>\n\n\n${original.join("\n")}\n`,
  }),
  forwardApple: (text: string): ClientReply => ({
    text: `${text}\n\nBegin forwarded message:\n\nFrom: Paraph <paraph@paraph.example>\nSubject: Approval: approve (bot)\nDate: 18. November 2026 at 10:00:00 UTC\nTo: ana@example.com\n\n${original.join("\n")}\n`,
  }),
} as const;
