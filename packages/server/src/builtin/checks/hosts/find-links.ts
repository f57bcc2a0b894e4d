import { normalizeHost, removeEnd } from "./hostname.ts";

export type FoundLink =
  | { readonly kind: "link"; readonly host: string; readonly port: string; readonly userinfo: boolean }
  /** `javascript:` and similar links, which have no host. */
  | { readonly kind: "script" }
  | { readonly kind: "unreadable" };

/** The possible starts of a link. Browsers treat `\` as `/`, and most mail programs turn `www.` alone into a link. */
const linkStartPattern =
  /(?:\b[a-z][a-z0-9+.-]{0,30}:|(?<![\p{L}\p{N}:/\\])(?=[/\\]{2}[\p{L}\p{N}[]))[/\\]{2,}|\bwww\.|\b(?:https?|ftp):(?=[\p{L}\p{N}[])/giu;
const scriptLinkPattern =
  /\b(?:javascript|vbscript|livescript):(?=\S)|\bdata:(?=[\w.+/;=-]{0,100},)|\bfile:(?=[/\\])|\bblob:(?=\S)/iu;
/** Characters that end a link in prose, Markdown and HTML. */
const linkEndPattern = /[\s<>"'`|^{}]/u;

const maxAuthorityLength = 2_000;

export function* findLinks(written: string): Generator<FoundLink> {
  const text = normalizeSeparators(written);
  if (text.search(scriptLinkPattern) !== -1) yield { kind: "script" };
  for (const match of text.matchAll(linkStartPattern)) {
    const isBare = match[0].toLowerCase() === "www.";
    const start = match.index + (isBare ? 0 : match[0].length);
    if (!/^file:/i.test(match[0])) yield readLink(text, start);
  }
}

/** Replaces variants of `/`, `.` and `:` and their HTML escapes by the plain characters. */
function normalizeSeparators(written: string): string {
  const text = /[^\0-\x7f]/.test(written) ? written.toWellFormed().normalize("NFKC") : written;
  return text
    .replaceAll(/&#0{0,4}47;|&#x0{0,4}2f;|&sol;/gi, "/")
    .replaceAll(/&#0{0,4}58;|&#x0{0,4}3a;|&colon;/gi, ":");
}

/** Reads the authority `user@host:port`, which is everything up to the first `/`, `?` or `#`. */
function readLink(text: string, start: number): FoundLink {
  const reach = text.slice(start, start + maxAuthorityLength);
  const stop = reach.search(/[/\\?#\s<>"'`|^{}]/u);
  // An authority of this length is longer than any valid one. The function does not truncate it, because a truncated
  // authority could look like an allowed host.
  if (stop === -1 && reach.length === maxAuthorityLength) return { kind: "unreadable" };
  const length = stop === -1 ? reach.length : stop;
  // Treats a host that continues after a line break as unreadable. Browsers remove line breaks inside an attribute, so
  // they read `example.com⏎.evil.net` as one host.
  if (/^[\t\r\n]+[.@]/.test(reach.slice(length))) return { kind: "unreadable" };
  const authority = trimPunctuation(reach.slice(0, length), stop === -1 || linkEndPattern.test(reach[stop]!));
  return parseAuthority(authority);
}

/** Removes punctuation at the end of the authority if prose follows. Such punctuation does not belong to the link. */
function trimPunctuation(authority: string, proseFollows: boolean): string {
  if (!proseFollows) return authority;
  const bare = removeEnd(authority, ".,;:!?)*_~");
  return bare.includes("[") ? bare : removeEnd(bare, "])}.,;:!?*_~");
}

function parseAuthority(authority: string): FoundLink {
  const at = authority.lastIndexOf("@");
  const [, name = "", port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(\d{0,5}))?$/.exec(authority.slice(at + 1)) ?? [];
  const host = normalizeHost(decodeName(name));
  if (host === undefined) return { kind: "unreadable" };
  return { kind: "link", host, port: port === "80" || port === "443" ? "" : port, userinfo: at !== -1 };
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}
