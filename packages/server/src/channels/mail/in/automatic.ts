import type { ParsedMessage } from "./parse-message.ts";

/** Why Paraph ignores a mail that no person wrote as a reply. */
export type IgnoredReason = "bounce" | "receipt" | "auto-reply" | "calendar" | "mailing-list" | "own-mail";

/**
 * Returns why a mail is not a person's reply: a bounce, a read receipt, an automatic reply, an answer to an invitation, a
 * mail of a list, or a mail that Paraph sent itself. Paraph never answers such a mail, so that no loop can start.
 */
export function findAutomaticReason(
  message: ParsedMessage,
  own: readonly string[],
): IgnoredReason | undefined {
  const first = (name: string) => message.headers.get(name)?.[0]?.toLowerCase();
  const type = first("content-type") ?? "";
  if (type.startsWith("multipart/report"))
    return type.includes("disposition-notification") ? "receipt" : "bounce";
  if (message.headers.has("x-failed-recipients") || first("return-path") === "<>") return "bounce";
  const [from = ""] = message.addresses.from;
  if (/^(mailer-daemon|postmaster)@/i.test(from)) return "bounce";
  if (own.includes(from.toLowerCase())) return "own-mail";
  if (type.startsWith("text/calendar") || message.attachments.some(isCalendar)) return "calendar";
  if (isAutoReply(first) || autoSubject.test(message.subject)) return "auto-reply";
  return message.headers.has("list-id") || first("precedence") === "list" ? "mailing-list" : undefined;
}

function isCalendar(type: string): boolean {
  return type === "text/calendar" || type === "application/ics";
}

function isAutoReply(first: (name: string) => string | undefined): boolean {
  const submitted = first("auto-submitted");
  if (submitted !== undefined && submitted.split(";")[0]?.trim() !== "no") return true;
  if (/^(auto_reply|auto-reply|bulk|junk)$/.test(first("precedence") ?? "")) return true;
  const marks = ["x-autoreply", "x-autorespond", "x-auto-reply-from", "x-autoresponder", "x-mail-autoreply"];
  return marks.some((name) => first(name) !== undefined);
}

/** Subjects of automatic replies in eight languages, for servers that set no header. */
const autoSubject =
  /^(automatic reply|auto-reply|autoreply|out of (the )?office|automatische antwort|abwesenheitsnotiz|réponse automatique|absence du bureau|respuesta automática|fuera de la oficina|risposta automatica|fuori sede|resposta automática|fora do escritório|automatisch antwoord|afwezig|odpowiedź automatyczna|automatyczna odpowiedź|nieobecność)\b/iu;
