import type { FoundSecret } from "./job.ts";

/**
 * Patterns that secretlint's preset lacks. Every repetition is bounded, and no two adjacent repetitions share a
 * character. The matching time is therefore proportional to the length of the text.
 */
const secretPatterns: readonly (readonly [like: string, form: RegExp])[] = [
  ["paraph", /\bparaph_[a-z][a-z0-9]{1,30}_[a-z0-9]{8}_[A-Za-z0-9-]{32,64}/g],
  ["privatekey", /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----[\r\n\\]/g],
  ["age", /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g],
  ["aws-key-id", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ["azure-storage", /AccountKey=[A-Za-z0-9+/]{86}==/g],
  ["digitalocean", /\bdo[opr]_v1_[a-f0-9]{64}\b/g],
  ["discord", /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,80}/g],
  ["google-api", /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/g],
  ["google-oauth", /\bGOCSPX-[0-9A-Za-z_-]{28}(?![0-9A-Za-z_-])/g],
  ["jwt", /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000}/g],
  ["mailgun", /\bkey-[0-9a-f]{32}\b/g],
  ["model-api", /\bsk-(?:proj|ant|or|svcacct)-[A-Za-z0-9_-]{24,200}/g],
  ["new-relic", /\bNRAK-[A-Z0-9]{27}\b/g],
  ["npmrc", /:_(?:authToken|auth|password)=[A-Za-z0-9+/_-]{20,400}/g],
  ["pypi", /\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,400}/g],
  ["telegram", /\b\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g],
  ["twilio", /\bSK[0-9a-f]{32}\b/g],
];

/** Patterns that find a secret only if the captured value also looks random. */
const carrierPatterns: readonly (readonly [like: string, form: RegExp])[] = [
  [
    "assignment",
    /(?:password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|secret[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret|private[_-]?key|signing[_-]?key|encryption[_-]?key)(?:[_-]?(?:prod|production|live|dev|test|staging|value|\d{1,2}))?["'`\\]{0,2}\s{0,3}(?:=>|:=|=|:)\s{0,3}["'`\\]{0,2}(?<value>[^\s"'`,;\\]{8,200})/gi,
  ],
  [
    "auth-header",
    /\b(?:[Bb]earer|[Bb]asic)\s{1,3}(?<value>(?=[^\s]{0,60}[A-Z])(?=[^\s]{0,60}[a-z])[A-Za-z0-9._~+/=-]{20,2000})/g,
  ],
  ["url-password", /[a-z0-9+]:\/\/[^\s:@/"']{0,100}:(?<value>[^\s:@/"']{8,200})@/gi],
];

export function findKnownSecrets(text: string): FoundSecret[] {
  const plain = secretPatterns.flatMap(([like, form]) =>
    [...text.matchAll(form)].map(({ 0: { length }, index }) => ({ like, start: index, end: index + length })),
  );
  const carried = carrierPatterns.flatMap(([like, form]) =>
    [...text.matchAll(form)]
      .filter(({ groups }) => isRandomLooking(groups?.value ?? ""))
      .map(({ 0: { length }, index }) => ({ like, start: index, end: index + length })),
  );
  return [...plain, ...carried];
}

/** Matches placeholders for a secret and code that loads one. */
const placeholderPattern =
  /[<>{}()[\]|]|\$[A-Za-z_]|%[A-Z_]+%|\*{3}|x{4}|\.{3}|:\/\/|^[./~]|example|sample|dummy|placeholder|changeme|change_me|redacted|your[_-]|^my[_-]|process\.env|^env\.|^vault:|^arn:/i;
const identifierPattern = /^[A-Za-z_$][A-Za-z]*(?:[._-][A-Za-z$]+)*$/;

/**
 * Whether a value looks random, or like a password with mixed characters, and not like a word, a name or a placeholder.
 */
function isRandomLooking(value: string): boolean {
  if (placeholderPattern.test(value) || identifierPattern.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  if (!/\d/.test(value)) return false;
  const surprise = computeEntropy(value);
  return (
    (kinds >= 3 && value.length >= 10 && surprise >= 3) ||
    (kinds >= 2 && value.length >= 20 && surprise >= 3.3)
  );
}

/** Computes the Shannon entropy in bits per character. */
function computeEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
