import { parse } from "tldts";

/** The dots that browsers read as a dot in a domain. */
const dots = "[.。．｡]";
const label = "[\\p{L}\\p{N}_-]";
// A name is found at its start only. A search from each of its characters would take quadratic time.
const dottedName = new RegExp(`(?<!${label})${label}+(?:${dots}${label}+)+`, "gu");
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
    .replace(/\S+/g, disarmNames)
    .replace(/:(?=[/\\]{2})/g, "[:]")
    .replace(scheme, "$1[:]")
    .replace(/(?<=[\p{L}\p{N}_.+\]-])@(?=[\p{L}\p{N}-]+\[)/gu, "[@]")
    .replace(/(?<=^|[\s"'(<])\\\\(?=[\p{L}\p{N}])/gu, "[\\\\]");
}

/** [TRUST 24] Disarms the names in one word. For each name it reads only the characters beside it. */
function disarmNames(word: string): string {
  const slashesAt = word.search(/[/\\]{2}/);
  return word.replace(dottedName, (name, start: number) => {
    const before = word.slice(Math.max(0, start - 3), start);
    const isAfterUser = slashesAt >= 0 && slashesAt + 2 < start && before.endsWith("@");
    return isAfterUser || isHost(name, before) ? name.replace(anyDot, "[$&]") : name;
  });
}

/** Returns whether clients could read a name with dots as a host: in an address, or because of its ending. */
function isHost(name: string, before: string): boolean {
  if (/[:/\\]{2}$/.test(before) || /^www[.。．｡]/iu.test(name)) return true;
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
