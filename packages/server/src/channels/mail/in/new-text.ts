/** The text that the sender wrote, and whether the mail has more text below a quote. */
export interface NewText {
  readonly lines: readonly string[];
  readonly hasTextBelowQuote: boolean;
}

/**
 * [TRUST 3] Returns the lines that the sender wrote above the first quoted text. Text between and below quotes does not
 * count, because a client that wraps long lines can leave a part of a quote without its mark.
 */
export function findNewText(text: string): NewText {
  const lines = text
    .slice(0, maxLength)
    .split(/\r\n|\r|\n/)
    .map(cleanLine);
  const quoteAt = lines.findIndex((_, index) => startsQuote(lines, index));
  const above = quoteAt < 0 ? lines : lines.slice(0, quoteAt);
  const below = quoteAt < 0 ? [] : lines.slice(quoteAt).filter((line) => !line.startsWith(">"));
  const signatureAt = above.findIndex(startsSignature);
  return {
    lines: (signatureAt < 0 ? above : above.slice(0, signatureAt)).filter((line) => line !== ""),
    hasTextBelowQuote: below.slice(1).some((line) => line !== ""),
  };
}

const maxLength = 100_000;
const maxLineLength = 2_000;

/** Removes characters that no reader sees, and turns special spaces into spaces. */
function cleanLine(line: string): string {
  return line
    .replaceAll(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .replaceAll(/[\s\u00a0]+/g, " ")
    .trim()
    .slice(0, maxLineLength);
}

function startsQuote(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  if (line === "") return false;
  if (/^[>|]/.test(line) || separators.test(line)) return true;
  if (isHeaderBlock(lines, index)) return true;
  return isAttribution(lines.slice(index, index + 3));
}

/** Lines that separate a reply from the earlier mail, in eight languages. */
const separators = new RegExp(
  [
    "^_{10,}$",
    "^-{10,}$",
    `^[-– ]{2,}\\s*(${[
      ...["original message", "forwarded message", "original appointment"],
      ...["ursprüngliche nachricht", "originalnachricht", "weitergeleitete nachricht"],
      ...["message d['’]origine", "message original", "message transféré", "message transmis"],
      ...["mensaje original", "mensaje reenviado"],
      ...["messaggio originale", "messaggio inoltrato"],
      ...["mensagem original", "mensagem encaminhada"],
      ...["oorspronkelijk bericht", "doorgestuurd bericht"],
      ...["oryginalna wiadomość", "wiadomość oryginalna", "wiadomość przekazana", "przekazana wiadomość"],
    ].join("|")})\\b`,
    `^(${[
      ...[
        "begin forwarded message",
        "anfang der weitergeleiteten nachricht",
        "début du message (réexpédié|transféré)",
      ],
      ...[
        "inicio del mensaje reenviado",
        "inizio messaggio inoltrato",
        "início da mensagem (reencaminhada|encaminhada)",
      ],
      ...["begin doorgestuurd bericht", "początek przekazywanej wiadomości"],
    ].join("|")})\\s*:`,
  ].join("|"),
  "iu",
);

/** Lines that introduce a quote, such as "On Monday, Ana wrote:", in eight languages. */
const attributions = [
  /^on\b.{4,300}\bwrote\s*:$/iu,
  /^am\b.{4,300}\bschrieb\b.{0,200}:$/iu,
  /^le\b.{4,300}\ba\s+écrit\s*:$/iu,
  /^el\b.{4,300}\bescribió\s*:$/iu,
  /^il\b.{4,300}\bha\s+scritto\s*:$/iu,
  /^(em|a|no dia)\b.{4,300}\bescreveu\s*:$/iu,
  /^op\b.{4,300}\bschreef\b.{0,200}:$/iu,
  /^(w dniu|dnia)\b.{4,300}\s(napisał\(a\)|napisała|napisał|pisze)\s*:$/iu,
];

/** Lines of clients that begin with a day or a name, whatever the language of the date is. */
const loneAttributions = [
  /^.{4,300}\s(napisał\(a\)|napisała|napisał|pisze)\s*:$/iu,
  /^.{4,300}<[^<>\s]+@[^<>\s]+>\s*(wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef)\s*:$/iu,
];

/** Returns whether the lines start with one that introduces a quote. Clients wrap it, and its first line has a date. */
function isAttribution(lines: readonly string[]): boolean {
  const [first = ""] = lines;
  if (!/\d/.test(first)) return false;
  if (loneAttributions.some((pattern) => pattern.test(first))) return true;
  return lines.some((_, index) => {
    const part = lines.slice(0, index + 1);
    return !part.includes("") && attributions.some((pattern) => pattern.test(part.join(" ")));
  });
}

const fromLabel = /^\*?(from|von|de|da|van|od|expéditeur|nadawca|remitente|mittente)\s?:\*?\s/iu;
const nextLabels =
  /^\*?(sent|date|to|subject|cc|gesendet|datum|an|betreff|envoyé|à|objet|destinataire|enviado( el)?|fecha|para|asunto|inviato|data|a|oggetto|enviada( em)?|assunto|verzonden|aan|onderwerp|wysłano|wysłane|do|temat)\s?:\*?(\s|$)/iu;

/** Returns whether a copy of the earlier mail's headers starts here, as Outlook writes it. */
function isHeaderBlock(lines: readonly string[], index: number): boolean {
  if (!fromLabel.test(lines[index] ?? "")) return false;
  const next = lines.slice(index + 1, index + 5).filter((line) => line !== "");
  return next.some((line) => nextLabels.test(line));
}

const phoneSignature = new RegExp(
  `^(${[
    ...[
      "sent from my ",
      "sent from outlook",
      "sent with ",
      "sent via ",
      "get outlook for ",
      "sent from yahoo",
      "sent from mail for ",
    ],
    ...["von meinem .{2,40} gesendet", "gesendet mit ", "gesendet von ", "diese nachricht wurde von mein"],
    ...["envoyé de mon ", "envoyé depuis ", "envoyé à partir d"],
    ...["enviado desde mi ", "enviado desde "],
    ...["inviato da(l mio)? "],
    ...["enviado do meu ", "enviado a partir d"],
    ...["verzonden vanaf ", "verstuurd vanaf ", "verzonden met "],
    ...["wysłane z ", "wysłano z "],
  ].join("|")})`,
  "iu",
);

function startsSignature(line: string): boolean {
  return line === "--" || line === "—" || phoneSignature.test(line);
}
