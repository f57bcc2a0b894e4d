import { generateKeyPairSync } from "node:crypto";
import { sealMessage } from "mailauth/lib/arc/index.js";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { toReplyAddress } from "../reply-token.ts";
import type { ResolveDns } from "../sender-proof.ts";

/** The address for replies in the corpus. */
export const replyAddress = "approvals@paraph.example";

const selector = "s1";
const keys = new Map<string, { readonly privateKey: string; readonly record: string }>();

/** Returns the DKIM key of a domain. Each domain of the corpus has its own. */
function findKey(domain: string) {
  const known = keys.get(domain);
  if (known) return known;
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  // A DKIM record holds the 32 bytes of the key, without the header of the encoding.
  const bytes = publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64");
  const key = {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    record: `v=DKIM1; k=ed25519; p=${bytes}`,
  };
  keys.set(domain, key);
  return key;
}

/** Creates the RSA key of Paraph's own domain, publishes it, and returns the options and the private key to sign with. */
export function createOwnKey() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    record: `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`,
  };
  const domain = replyAddress.slice(replyAddress.indexOf("@") + 1);
  keys.set(domain, key);
  return { domain, selector, privateKey: key.privateKey };
}

/** Returns the DKIM record of a domain, for the DNS of another process. */
export function readRecord(domain: string): string {
  return findKey(domain).record;
}

/** Returns the domains with a valid signature on a mail, by the keys of the corpus. */
export async function listSigners(raw: Buffer): Promise<readonly string[]> {
  const { results } = await dkimVerify(raw, { resolver: resolveDns, minBitLength: 1024 });
  return results.flatMap(({ status, signingDomain }) =>
    status.result === "pass" && typeof signingDomain === "string" ? signingDomain : [],
  );
}

/** A DNS that knows the keys of the corpus. `down.example` never answers. */
export const resolveDns: ResolveDns = async (name) => {
  const [, domain = ""] = name.split("._domainkey.");
  if (domain === "down.example") throw Object.assign(new Error("timeout"), { code: "ETIMEOUT" });
  const key = keys.get(domain);
  if (!key) throw Object.assign(new Error("no record"), { code: "ENOTFOUND" });
  return [[domain === "testing.example" ? `${key.record}; t=y` : key.record]];
};

/** A mail to write. */
export interface Draft {
  readonly from?: string;
  /** The token in the address of the reply. */
  readonly token?: string;
  readonly to?: string;
  readonly subject?: string;
  /** The Message-ID, to repeat a mail. */
  readonly messageId?: string;
  /** Further header lines. */
  readonly headers?: readonly string[];
  readonly text?: string;
  readonly html?: string;
  /** The content type and body, instead of `text` and `html`. */
  readonly whole?: readonly [type: string, body: string];
  /** The signature (default: by the domain of the sender). */
  readonly sign?: false | SignOptions;
  /** Changes the mail after it was signed. */
  readonly tamper?: (mail: string) => string;
  /** Seals the mail after a change that broke its signature, as a list server does. */
  readonly seal?: { readonly domain: string; readonly results: string };
}

/** The options of a signature. */
export interface SignOptions {
  readonly domain?: string;
  readonly headers?: readonly string[];
  /** Whether the signature covers only the body as it was, so that text can be appended. */
  readonly limited?: boolean;
  readonly expires?: Date;
}

const defaultHeaders = [
  ...["From", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References"],
  ...["MIME-Version", "Content-Type"],
];

let count = 0;

/** Writes a mail as its bytes. */
export async function writeMail(draft: Draft): Promise<Buffer> {
  const { from = "Ana Lima <ana@example.com>", token, sign = {}, tamper = (mail) => mail, seal } = draft;
  const to = draft.to ?? `Paraph <${toReplyAddress(replyAddress, token ?? "")}>`;
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? "";
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${draft.subject ?? "Re: Approval: approve (bot)"}`,
    "Date: Wed, 18 Nov 2026 10:00:00 +0000",
    `Message-ID: ${draft.messageId ?? `<m${++count}@${domain}>`}`,
    "In-Reply-To: <notice_1@paraph.example>",
    "References: <notice_1@paraph.example>",
    "MIME-Version: 1.0",
    ...(draft.headers ?? []),
  ];
  const mail = [...lines, ...writeBody(draft)].join("\r\n");
  const signed = sign === false ? mail : `${await signMail(mail, domain, sign)}${mail}`;
  const sent = tamper(signed);
  if (!seal) return Buffer.from(sent);
  const set = await sealMessage(Buffer.from(sent), {
    signingDomain: seal.domain,
    selector,
    privateKey: findKey(seal.domain).privateKey,
    cv: "none",
    authResults: seal.results,
    headerList: defaultHeaders,
  });
  return Buffer.concat([set, Buffer.from(sent)]);
}

async function signMail(mail: string, sender: string, { domain = sender, ...options }: SignOptions) {
  const { privateKey } = findKey(domain);
  const data = {
    signingDomain: domain,
    selector,
    privateKey,
    headerList: [...(options.headers ?? defaultHeaders)],
    ...(options.limited && { maxBodyLength: Buffer.byteLength(mail.slice(mail.indexOf("\r\n\r\n") + 4)) }),
  };
  const { signatures, errors } = await dkimSign(Buffer.from(mail), {
    ...data,
    signatureData: [data],
    signTime: new Date("2026-11-18T10:00:00Z"),
    ...(options.expires && { expires: options.expires }),
  });
  if (errors.length > 0) throw new Error(`The corpus could not sign a mail: ${JSON.stringify(errors)}`);
  return signatures;
}

const boundary = "=_corpus";

function writeBody({ text, html, whole }: Draft): readonly string[] {
  if (whole) return [`Content-Type: ${whole[0]}`, "", toCrlf(whole[1])];
  const plain = ['Content-Type: text/plain; charset="utf-8"', "Content-Transfer-Encoding: 8bit", ""];
  const rich = ['Content-Type: text/html; charset="utf-8"', "Content-Transfer-Encoding: 8bit", ""];
  if (html === undefined) return [...plain, toCrlf(text ?? "")];
  if (text === undefined) return [...rich, toCrlf(html)];
  return [
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...[`--${boundary}`, ...plain, toCrlf(text)],
    ...[`--${boundary}`, ...rich, toCrlf(html)],
    `--${boundary}--`,
    "",
  ];
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}
