import { ParaphError } from "../paraph-error.ts";
import { base64, fromBase64, utf8 } from "./bytes.ts";

/** A Dead Simple Signing Envelope, as in-toto and sigstore use it. */
export interface Envelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly Signature[];
}

/** The signature of an envelope in base64, and the id of its key. */
export interface Signature {
  readonly keyid: string;
  readonly sig: string;
}

/**
 * Returns the signed bytes. They include the lengths of type and payload, so that neither can be taken for a part of
 * the other.
 */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = utf8(`DSSEv1 ${utf8(payloadType).length} ${payloadType} ${payload.length} `);
  const whole = new Uint8Array(head.length + payload.length);
  whole.set(head);
  whole.set(payload, head.length);
  return whole;
}

/** Signs a payload and returns its envelope. */
export async function signEnvelope(
  payloadType: string,
  payload: string,
  signer: { readonly keyId: string; sign(bytes: Uint8Array): Promise<Uint8Array> },
): Promise<Envelope> {
  const bytes = utf8(payload);
  const sig = await signer.sign(preAuthEncoding(payloadType, bytes));
  return toEnvelope(payloadType, payload, { keyid: signer.keyId, sig: base64(sig) });
}

/** Returns the envelope of a payload that was signed before. */
export function toEnvelope(payloadType: string, payload: string, signature: Signature): Envelope {
  const bytes = utf8(payload);
  // If the payload is ASCII, as most payloads are, its text is encoded directly, which is faster.
  const encoded = bytes.length === payload.length ? btoa(payload) : base64(bytes);
  return { payloadType, payload: encoded, signatures: [signature] };
}

/**
 * Returns the envelope's canonical form. The values are only base64 and plain names, so sorting the keys is enough to
 * make the form canonical.
 */
export function envelopeText({ payload, payloadType, signatures }: Envelope): string {
  return JSON.stringify({
    payload,
    payloadType,
    signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig })),
  });
}

/**
 * Decodes base64 and rejects every spelling except the canonical one. Otherwise a receipt with a changed padding bit
 * would still decode to the same bytes.
 */
export function strictBase64(encoded: string, what: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = fromBase64(encoded);
    if (base64(bytes) === encoded) return bytes;
  } catch {
    // The error below reports it.
  }
  throw new ParaphError(
    "receipt-invalid",
    `The ${what} of the receipt is not valid base64, so the file was damaged or changed. Download the receipt again.`,
  );
}
