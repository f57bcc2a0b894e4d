import { ParaphError } from "../paraph-error.ts";
import { base64, fromBase64, utf8 } from "./bytes.ts";

/** Dead Simple Signing Envelope, as in-toto and sigstore use it. */
export interface Envelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** What is signed: type and payload with their lengths, so that neither can be taken for part of the other. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = utf8(`DSSEv1 ${utf8(payloadType).length} ${payloadType} ${payload.length} `);
  const whole = new Uint8Array(head.length + payload.length);
  whole.set(head);
  whole.set(payload, head.length);
  return whole;
}

export async function signEnvelope(
  payloadType: string,
  payload: string,
  signer: { readonly keyId: string; sign(bytes: Uint8Array): Promise<Uint8Array> },
): Promise<Envelope> {
  const bytes = utf8(payload);
  const sig = await signer.sign(preAuthEncoding(payloadType, bytes));
  // Most payloads are ASCII, whose characters are their bytes: the platform encodes those at once.
  const encoded = bytes.length === payload.length ? btoa(payload) : base64(bytes);
  return { payloadType, payload: encoded, signatures: [{ keyid: signer.keyId, sig: base64(sig) }] };
}

/** The envelope's canonical form. Its members are base64 and plain names, so sorting them is all there is to do. */
export function envelopeText({ payload, payloadType, signatures }: Envelope): string {
  return JSON.stringify({
    payload,
    payloadType,
    signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig })),
  });
}

/** Base64 in its one canonical spelling: a changed padding bit is a changed receipt. */
export function strictBase64(encoded: string, what: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = fromBase64(encoded);
    if (base64(bytes) === encoded) return bytes;
  } catch {
    // Told below.
  }
  throw new ParaphError(
    "receipt-invalid",
    `The ${what} is not proper base64: the file was damaged or changed.`,
  );
}
