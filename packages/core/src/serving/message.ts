import { bytesToHex } from "@noble/hashes/utils.js";
import type { Json } from "../json.ts";
import type { Signer } from "../ports.ts";
import { fromBase64, text, utf8 } from "../receipts/bytes.ts";
import { type Envelope, envelopeText, preAuthEncoding, signEnvelope } from "../receipts/dsse.ts";
import { isSignatureValid, type PublicKey } from "../receipts/keys.ts";

/**
 * What Paraph and a service that hosts capabilities send each other: DSSE envelopes around JSON, as receipts are. Everything
 * that counts is inside what is signed, so that no proxy between the two can lend it another meaning.
 */
type MessageKind = "request" | "answer";

export interface ServingMessage {
  readonly payload: Json;
  /** Over the bytes that were signed: an answer names its request by it. */
  readonly digest: string;
}

/** The largest message either side sends or takes in, in bytes. */
export const maxMessageBytes = 8 * 1024 * 1024;

/** Deeper than this, nobody's data is. */
const maxDepth = 64;

const payloadTypeFor = (kind: MessageKind) => `application/vnd.paraph.serving-${kind}.v1+json`;

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

/** [P11] Undefined unless it is whole, of this kind, plain data, and signed by one of these keys. Never throws. */
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

/** The platform's own, since a message may be large and others wait meanwhile. */
async function digestMessage(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** [TRUST 24] Safe to walk, and with a canonical form. */
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
