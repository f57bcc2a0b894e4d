import { bytesToHex } from "@noble/hashes/utils.js";
import type { Json } from "../json.ts";
import type { Signer } from "../ports.ts";
import { fromBase64, text, utf8 } from "../receipts/bytes.ts";
import { type Envelope, envelopeText, preAuthEncoding, signEnvelope } from "../receipts/dsse.ts";
import { isSignatureValid, type PublicKey } from "../receipts/keys.ts";

/**
 * The kinds of messages between Paraph and a service that hosts capabilities. Like receipts, messages are DSSE
 * envelopes around JSON. Everything that matters is signed, so that a proxy cannot change the meaning of a message.
 */
type MessageKind = "request" | "answer";

/** A verified message. */
export interface ServingMessage {
  readonly payload: Json;
  /** The digest of the signed bytes. An answer refers to its request by this digest. */
  readonly digest: string;
}

/** The maximum size in bytes of a message that either side sends or accepts. */
export const maxMessageBytes = 8 * 1024 * 1024;

/** The maximum nesting depth of a message. No legitimate message is nested more deeply. */
const maxDepth = 64;

const payloadTypeFor = (kind: MessageKind) => `application/vnd.paraph.serving-${kind}.v1+json`;

/** Signs a message, and returns its text and its digest. */
export async function sealMessage(
  kind: MessageKind,
  payload: Json,
  signer: Signer,
): Promise<{ readonly text: string; readonly digest: string }> {
  const said = JSON.stringify(payload);
  return {
    text: envelopeText(await signEnvelope(payloadTypeFor(kind), said, signer)),
    digest: await digestMessage(utf8(said)),
  };
}

/**
 * [P11] Returns the message if it is complete, of this kind, plain data, and signed with one of these keys. Otherwise
 * returns undefined. Never throws.
 */
export async function openMessage(
  kind: MessageKind,
  received: string,
  trusted: readonly PublicKey[],
): Promise<ServingMessage | undefined> {
  try {
    const { payloadType, payload, signatures } = JSON.parse(received) as Envelope;
    const [signature] = signatures;
    const key = trusted.find(({ kid }) => kid === signature?.keyid);
    if (payloadType !== payloadTypeFor(kind) || signatures.length !== 1 || !signature || !key)
      return undefined;
    const bytes = fromBase64(payload);
    const signed = preAuthEncoding(payloadType, bytes);
    if (!(await isSignatureValid(key, fromBase64(signature.sig), signed))) return undefined;
    const value = JSON.parse(text(bytes)) as Json;
    return isPlainJson(value) ? { payload: value, digest: await digestMessage(bytes) } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Digests a message with the asynchronous Web Crypto API, because synchronous hashing of a large message would block
 * other requests.
 */
async function digestMessage(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** [TRUST 24] Returns whether a value is safe to traverse and has a canonical form. */
export function isPlainJson(value: Json): boolean {
  const open: [value: Json, depth: number][] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [here, depth] = next;
    if (typeof here === "number" && !Number.isFinite(here)) return false;
    if (typeof here === "string" && !here.isWellFormed()) return false;
    if (typeof here !== "object" || here === null) continue;
    if (depth >= maxDepth || Object.hasOwn(here, "__proto__")) return false;
    for (const [name, member] of Object.entries(here)) {
      if (!name.isWellFormed()) return false;
      open.push([member, depth + 1]);
    }
  }
  return true;
}
