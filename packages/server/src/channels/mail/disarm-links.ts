import { parse } from "tldts";

/** The dots that browsers read as a dot in a domain. */
const dots = "[.。．｡]";
const label = "[\\p{L}\\p{N}_-]+";
const dottedName = new RegExp(`${label}(?:${dots}${label})+`, "gu");
const anyDot = new RegExp(dots, "gu");

/** Schemes that mail clients link without two slashes. */
const scheme =
  /\b(callto|data|facetime|file|geo|magnet|mailto|maps|news|outlook|sips?|skype|sms|tel|webcal|xmpp):(?=\S)/giu;

/**
 * [TRUST 5] Writes addresses in a foreign text so that no mail client turns them into links: `http[:]//evil[.]example`.
 * The brackets are visible, and readers can undo them. Invisible characters or markup would do neither, and clients
 * that look at the displayed text ignore markup. A name with dots stays as it is if it has no public ending, such as
 * `web.yaml`.
 */
export function disarmLinks(text: string): string {
  return text
    .replace(dottedName, (name, start: number) =>
      isHost(text, name, start) ? name.replace(anyDot, "[$&]") : name,
    )
    .replace(/:(?=[/\\]{2})/g, "[:]")
    .replace(scheme, "$1[:]")
    .replace(/(?<=[\p{L}\p{N}_.+\]-])@(?=[\p{L}\p{N}-]+\[)/gu, "[@]")
    .replace(/(?<=^|[\s"'(<])\\\\(?=[\p{L}\p{N}])/gu, "[\\\\]");
}

/** Returns whether clients could read a name with dots as a host: in an address, or because of its ending. */
function isHost(text: string, name: string, start: number): boolean {
  const before = text.slice(0, start);
  if (/[:/\\]{2}$|[/\\]{2}\S*@$/u.test(before) || /^www[.。．｡]/iu.test(name)) return true;
  if (/[\p{L}\p{N}]@$/u.test(before) && /\p{L}[\p{L}\p{N}-]*$/u.test(name)) return true;
  const found = parse(name.replace(anyDot, "."));
  return found.isIp === false && found.isIcann === true && found.publicSuffix !== name;
}

/** Explains the brackets, if a rendered mail has any. */
export function explainDisarmed(body: string): string {
  return /\[[.。．｡:@]\]|\[\\\\\]/u.test(body)
    ? "The brackets in [.] [:] and [@] keep an address from becoming a link. "
    : "";
}
