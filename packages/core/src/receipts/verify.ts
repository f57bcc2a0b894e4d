import type { Json } from "../json.ts";
import { text } from "./bytes.ts";
import { commitment, digest } from "./digest.ts";
import { type Envelope, preAuthEncoding, strictBase64 } from "./dsse.ts";
import { findRevocation, isSignatureValid, type PublicKey } from "./keys.ts";
import {
  type ReceiptBundle,
  type ReceiptPredicate,
  receiptMediaType,
  receiptType,
  type Statement,
  statementType,
} from "./receipt.ts";
import { verifyPasskeys } from "./verify-passkeys.ts";
import { assertValid, invalid, verifyPredicate } from "./verify-predicate.ts";

/** The result of a successful verification. */
export interface VerifiedReceipt {
  readonly story: ReceiptPredicate;
  readonly keyId: string;
  /**
   * The time from which the operator revoked the key, in milliseconds since 1970. The receipt claims an earlier time. That is no
   * proof, because a thief of the key can write any time into a receipt.
   */
  readonly keyRevokedAt?: number;
  /** The people whose approval a valid passkey assertion proves. Missing if the receipt has none. */
  readonly passkeys?: readonly string[];
  /** Names of the disclosed payloads, which match the signed commitments. */
  readonly disclosed: readonly string[];
}

/** The checks of a verification, in order. */
export const receiptChecks = [
  "format",
  "signature",
  "statement",
  "rules",
  "passkeys",
  "revocation",
  "disclosures",
] as const;

/** One check of a verification. */
export type ReceiptCheck = (typeof receiptChecks)[number];

/**
 * Verifies a receipt with public keys alone, without network, clock or database. Throws on the first fault. `onPassed`
 * learns each check that passed, so the failed one is the first that it does not learn.
 */
export async function verifyReceipt(
  bundle: unknown,
  trusted: readonly PublicKey[],
  onPassed: (check: ReceiptCheck) => void = () => {},
): Promise<VerifiedReceipt> {
  const { envelope, disclosures } = parseEnvelope(bundle);
  onPassed("format");
  const { payload, keyId } = await verifySignature(envelope, trusted);
  onPassed("signature");
  const story = parseStatement(payload).predicate;
  onPassed("statement");
  verifyPredicate(story);
  onPassed("rules");
  const passkeys = await verifyPasskeys(story);
  onPassed("passkeys");
  const keyRevokedAt = verifyRevocation(story, keyId, trusted);
  onPassed("revocation");
  const disclosed = verifyDisclosures(story, disclosures);
  onPassed("disclosures");
  return {
    story,
    keyId,
    ...(keyRevokedAt !== undefined && { keyRevokedAt }),
    ...(passkeys.length > 0 && { passkeys }),
    disclosed,
  };
}

/** Returns why a receipt does not verify. Every error counts, because only a receipt that passed all checks is verified. */
export function explainReceiptFault(error: unknown): string {
  return error instanceof Error && error.name === "ParaphError"
    ? error.message
    : "Paraph cannot verify the file, because the file does not have the format of a receipt.";
}

function parseEnvelope(bundle: unknown): ReceiptBundle {
  const whole = record(bundle, ["mediaType", "envelope", "disclosures"], "receipt");
  assertValid(
    whole.mediaType === "application/vnd.paraph.receipt.v1+json",
    "it is not a Paraph receipt of version 1",
  );
  const envelope = record(whole.envelope, ["payloadType", "payload", "signatures"], "envelope");
  assertValid(envelope.payloadType === receiptMediaType, "the envelope does not contain a statement");
  assertValid(typeof envelope.payload === "string", "the envelope is empty");
  assertValid(
    Array.isArray(envelope.signatures) && envelope.signatures.length === 1,
    "it must carry exactly one signature",
  );
  const signature = record((envelope.signatures as unknown[])[0], ["keyid", "sig"], "signature");
  assertValid(
    typeof signature.keyid === "string" && typeof signature.sig === "string",
    "the signature is malformed",
  );
  const disclosures = record(whole.disclosures, null, "disclosures");
  for (const disclosure of Object.values(disclosures)) {
    assertValid(
      typeof record(disclosure, ["salt", "value"], "disclosure").salt === "string",
      "a disclosure lacks its salt",
    );
  }
  return bundle as ReceiptBundle;
}

async function verifySignature(
  envelope: Envelope,
  trusted: readonly PublicKey[],
): Promise<{ payload: Uint8Array; keyId: string }> {
  const [signature] = envelope.signatures;
  const key = trusted.find((candidate) => candidate.kid === signature?.keyid);
  if (!signature || !key)
    throw invalid(
      "no trusted key has signed it; get the operator's public keys from `GET /v1/keys` of their server",
    );
  const payload = strictBase64(envelope.payload, "payload");
  const holds = await isSignatureValid(
    key,
    strictBase64(signature.sig, "signature"),
    preAuthEncoding(envelope.payloadType, payload),
  );
  assertValid(holds, "the signature does not match, because the receipt was changed after it was signed");
  return { payload, keyId: key.kid };
}

/**
 * Rejects a receipt that claims a time from which its key is revoked. Returns the time of the revocation if the receipt
 * claims to be earlier.
 */
function verifyRevocation(
  { events }: ReceiptPredicate,
  keyId: string,
  trusted: readonly PublicKey[],
): number | undefined {
  const revokedAt = findRevocation(keyId, trusted);
  if (revokedAt === undefined) return undefined;
  assertValid(Number.isFinite(revokedAt), "the time from which its key is revoked cannot be read");
  assertValid(
    events.every(({ at }) => at < revokedAt),
    "its key is revoked, and the receipt is not from before the revocation",
  );
  return revokedAt;
}

function parseStatement(payload: Uint8Array): Statement {
  const statement = JSON.parse(text(payload)) as Statement;
  assertValid(
    statement._type === statementType && statement.predicateType === receiptType,
    "the statement has the wrong type",
  );
  const [subject] = statement.subject;
  assertValid(subject.name === statement.predicate.call, "the statement is about another call");
  assertValid(
    subject.digest.sha256 === digest(statement.predicate as unknown as Json),
    "the content of the statement does not match the digest of its subject",
  );
  return statement;
}

function verifyDisclosures(story: ReceiptPredicate, disclosures: ReceiptBundle["disclosures"]): string[] {
  return Object.entries(disclosures).map(([name, disclosure]) => {
    const said = story.commitments[name as keyof ReceiptPredicate["commitments"]];
    assertValid(
      said === commitment(disclosure.salt, disclosure.value),
      `the disclosed ${name} does not match the signed ${name}`,
    );
    return name;
  });
}

/**
 * Returns the value as an object. Throws unless the object has exactly these members. If `members` is null, any members
 * are allowed.
 */
function record(value: unknown, members: readonly string[] | null, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(`the ${what} is malformed`);
  if (members) {
    const names = Object.keys(value);
    assertValid(
      names.length === members.length && members.every((name) => names.includes(name)),
      `the ${what} has missing or unexpected members`,
    );
  }
  return value as Record<string, unknown>;
}
