import { type ConfigText, formatConfigText, toSecretName, UnsupportedServerError } from "./config-text.ts";

/** The secret values of an import, by name. They are stored so that only their owner can read them. */
export class SecretStore {
  readonly #values = new Map<string, string>();
  readonly #known: (name: string) => string | undefined;

  /** `known` returns the value that is already stored under a name. */
  constructor(known: (name: string) => string | undefined) {
    this.#known = known;
  }

  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** Returns the name for a value. Equal values get the same name, and different values get different names. */
  nameFor(value: string, ...parts: readonly string[]): string {
    if (!/^[\x20-\x7e]*[\x21-\x7e]$/.test(value))
      throw new UnsupportedServerError(
        "one of its secret values is empty, ends with a space, or contains characters other than visible ASCII",
      );
    const wanted = toSecretName(...parts);
    for (let count = 1; ; count++) {
      const name = count === 1 ? wanted : `${wanted}_${count}`;
      const there = this.#values.get(name) ?? this.#known(name);
      if (there !== undefined && there !== value) continue;
      this.#values.set(name, value);
      return name;
    }
  }
}

/**
 * Replaces the value of an environment variable with a secret, unless the value is clearly harmless. In doubt, the
 * function replaces the value, because replacing a harmless value does no damage.
 */
export function replaceSecretValue(
  name: string,
  text: ConfigText,
  owner: string,
  secrets: SecretStore,
): string {
  return replaceSecrets(
    text,
    (plain) => (isHarmless(name, plain) ? undefined : [prefixName(owner, name)]),
    secrets,
  );
}

/** Always replaces the value of a header with a secret. A scheme such as `Bearer` stays readable. */
export function replaceSecretHeader(
  name: string,
  text: ConfigText,
  owner: string,
  secrets: SecretStore,
): string {
  const [first] = text;
  const [scheme = ""] = (first?.kind === "plain" && /^(?:Bearer|Basic|Token) +/i.exec(first.text)) || [];
  const rest =
    scheme === ""
      ? text
      : [
          { kind: "plain" as const, text: (first as { text: string }).text.slice(scheme.length) },
          ...text.slice(1),
        ];
  const part = name.toLowerCase() === "authorization" ? "TOKEN" : name;
  return scheme + replaceSecrets(rest, () => [prefixName(owner, part)], secrets);
}

/**
 * Replaces an argument with a secret only if the argument looks like a secret. Most arguments are paths and words that
 * people want to read.
 */
export function replaceSecretArgument(
  text: ConfigText,
  before: string | undefined,
  owner: string,
  secrets: SecretStore,
): string {
  return replaceSecrets(
    text,
    (plain) => (isSecretArgument(plain, before) ? [owner, "ARGUMENT"] : undefined),
    secrets,
  );
}

export function isSecretArgument(text: string, before: string | undefined): boolean {
  const [, option, value] = /^(?:--?)?([A-Za-z_][\w-]*)=(.+)$/.exec(text) ?? [];
  if (option !== undefined && isSecretName(option) && value !== undefined) return true;
  if (before !== undefined && /^--?[\w-]+$/.test(before) && isSecretName(before) && !text.startsWith("-"))
    return true;
  if (/^[A-Za-z-]+: ?\S/.test(text) && isSecretName(text.split(":")[0]!)) return true;
  return hasPassword(text) || isToken(text) || isRandom(text);
}

/** Whether a URL contains a secret that must not be in a committed file. */
export function hasSecretInUrl(address: string): boolean {
  if (!URL.canParse(address)) return true;
  const { searchParams, pathname, username, password } = new URL(address);
  if (username || password) return true;
  const words = [...searchParams.values(), ...pathname.split("/")];
  return [...searchParams.keys()].some(isSecretName) || words.some((word) => isToken(word) || isRandom(word));
}

function replaceSecrets(
  text: ConfigText,
  secretParts: (plain: string) => string[] | undefined,
  secrets: SecretStore,
): string {
  const kept = text.map((part) => {
    if (part.kind === "reference" || part.text === "") return part;
    const parts = secretParts(part.text);
    if (parts === undefined) return part;
    return { kind: "reference" as const, name: secrets.nameFor(part.text, ...parts) };
  });
  return formatConfigText(kept);
}

function isHarmless(name: string, value: string): boolean {
  if (isSecretName(name) || hasPassword(value) || isToken(value) || isRandom(value)) return false;
  if (/^(?:true|false|yes|no|on|off|\d{1,5}|\.?\.?\/[\w./@ -]*|[A-Z]:\\.*)$/i.test(value)) return true;
  if (
    /^(?:debug|info|warn|warning|error|trace|silent|production|development|test|staging|stdio|http|json|utf-?8)$/i.test(
      value,
    )
  )
    return true;
  return /^https?:\/\//.test(value) && !hasSecretInUrl(value);
}

function isSecretName(name: string): boolean {
  return /key|token|secret|pass|pwd|auth|cred|cookie|session|signature|private|bearer|dsn|conn|database_?url/i.test(
    name,
  );
}

function hasPassword(text: string): boolean {
  return /:\/\/[^/\s@]*:[^/\s@]+@/.test(text) || /\b(?:password|pwd)=/i.test(text);
}

/** Whether the text starts like a token of a known service. */
function isToken(text: string): boolean {
  return /(?:^|[^A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|sk_|rk_|pk_|lin_api_|ntn_|secret_|AKIA|AIza|ya29\.|eyJ|npm_|hf_|dop_v1_|shpat_|SG\.)[\w.-]{8,}/.test(
    text,
  );
}

/** Whether the text is long and mixes letters and digits, unlike a word. */
function isRandom(text: string): boolean {
  return /^[\w+=.~-]{20,}$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text);
}

function prefixName(owner: string, name: string): string {
  const [start, whole] = [toSecretName(owner), toSecretName(name)];
  return whole.startsWith(start) ? whole : `${start}_${whole}`;
}
