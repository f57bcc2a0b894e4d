import { sha256 } from "@noble/hashes/sha2.js";
import type { Json } from "../json.ts";
import { base64, fromBase64, text, utf8 } from "./bytes.ts";
import { canonical } from "./digest.ts";

/**
 * A WebAuthn assertion with which a person proved an approval. All binary values are base64url without padding. The
 * proof contains everything that a verifier needs, and no secret.
 */
export interface PasskeyProof {
  readonly kind: "passkey";
  /** The id of the credential. */
  readonly credential: string;
  /** The public key of the credential, as a DER SubjectPublicKeyInfo. */
  readonly publicKey: string;
  /** The COSE algorithm: -7 (ES256), -8 (EdDSA) or -257 (RS256). */
  readonly alg: PasskeyAlgorithm;
  /** The host name to which the credential belongs. */
  readonly rpId: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** The COSE numbers of the algorithms that Paraph accepts. */
export const passkeyAlgorithms = [-7, -8, -257] as const;
/** The COSE number of an accepted algorithm. */
export type PasskeyAlgorithm = (typeof passkeyAlgorithms)[number];

/** The approval that an assertion proves. */
export interface PasskeySubject {
  readonly tenant: string;
  readonly call: string;
  readonly round: number;
  /** [P5] The digest of the content that the person approves. */
  readonly digest: string;
  /** The person. */
  readonly by: string;
  /** The steps that the person leaves out. */
  readonly declined?: readonly string[] | undefined;
  /** The digest of the person's answer, if the capability asks for one. */
  readonly answerDigest?: string | undefined;
}

/**
 * Returns the WebAuthn challenge of an approval, as base64url. The challenge names everything that the vote approves,
 * so an assertion proves no other content, person, round or answer.
 */
export function passkeyChallenge(subject: PasskeySubject): string {
  const { tenant, call, round, digest, by, declined = [], answerDigest = null } = subject;
  const record: Json = {
    purpose: "paraph.approve",
    version: 1,
    tenant,
    call,
    round,
    digest,
    by,
    declined: [...declined],
    answerDigest,
  };
  return toBase64url(sha256(utf8(canonical(record))));
}

/**
 * Returns the reason why an assertion does not prove the approval, or undefined if it does. The check needs neither
 * network nor clock nor database.
 */
export async function findPasskeyFault(
  proof: PasskeyProof,
  subject: PasskeySubject,
): Promise<string | undefined> {
  try {
    const clientData = fromBase64url(proof.clientData);
    const authenticatorData = fromBase64url(proof.authenticatorData);
    return (
      findClientDataFault(JSON.parse(text(clientData)), proof, subject) ??
      findAuthenticatorFault(authenticatorData, proof) ??
      ((await isSigned(proof, authenticatorData, clientData))
        ? undefined
        : "the signature of a passkey does not match")
    );
  } catch {
    return "a passkey assertion is malformed";
  }
}

function findClientDataFault(
  client: Readonly<Record<string, unknown>>,
  { rpId }: PasskeyProof,
  subject: PasskeySubject,
): string | undefined {
  if (client.type !== "webauthn.get") return "a passkey assertion has the wrong type";
  if (client.challenge !== passkeyChallenge(subject))
    return "a passkey assertion was made for another digest, person, round or answer";
  const { hostname } = new URL(String(client.origin));
  if (client.crossOrigin === true || (hostname !== rpId && !hostname.endsWith(`.${rpId}`)))
    return "a passkey assertion was made on another site";
  return undefined;
}

const userPresent = 0x01;
const userVerified = 0x04;

function findAuthenticatorFault(data: Uint8Array, { rpId }: PasskeyProof): string | undefined {
  if (data.length < 37) return "a passkey assertion is malformed";
  if (toBase64url(data.subarray(0, 32)) !== toBase64url(sha256(utf8(rpId))))
    return "a passkey assertion was made for another site";
  const flags = data[32] ?? 0;
  return (flags & userPresent) === 0 || (flags & userVerified) === 0
    ? "a passkey assertion was made without user verification"
    : undefined;
}

const webCryptoAlgorithms = {
  "-7": { import: { name: "ECDSA", namedCurve: "P-256" }, verify: { name: "ECDSA", hash: "SHA-256" } },
  "-8": { import: { name: "Ed25519" }, verify: { name: "Ed25519" } },
  "-257": {
    import: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    verify: { name: "RSASSA-PKCS1-v1_5" },
  },
} as const;

async function isSigned(
  { alg, publicKey, signature }: PasskeyProof,
  authenticatorData: Uint8Array,
  clientData: Uint8Array,
): Promise<boolean> {
  const algorithm = webCryptoAlgorithms[`${alg}`];
  const key = await crypto.subtle.importKey("spki", fromBase64url(publicKey), algorithm.import, false, [
    "verify",
  ]);
  const signed = new Uint8Array([...authenticatorData, ...sha256(clientData)]);
  const given = fromBase64url(signature);
  return crypto.subtle.verify(algorithm.verify, key, alg === -7 ? toRawSignature(given) : given, signed);
}

/** Converts an ECDSA signature from DER, as WebAuthn has it, to the two 32-byte numbers that Web Crypto needs. */
function toRawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    const number = der.subarray(at + 2, at + 2 + length);
    const digits = number[0] === 0 ? number.subarray(1) : number;
    raw.set(digits, end - digits.length);
    at += 2 + length;
  }
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || at !== der.length) throw new Error("not DER");
  return raw;
}

function toBase64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64url(encoded: string): Uint8Array<ArrayBuffer> {
  return fromBase64(encoded.replaceAll("-", "+").replaceAll("_", "/"));
}
