import type { RecordedEvent } from "../event.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Signer } from "../ports.ts";
import { text } from "./bytes.ts";
import { canonical, commitment, sameJson, sha256Hex } from "./digest.ts";
import { type Envelope, preAuthEncoding, signEnvelope, strictBase64 } from "./dsse.ts";
import { findRevocation, isSignatureValid, type PublicKey } from "./keys.ts";
import { listSignedEvents, receiptMediaType, statementType } from "./receipt.ts";
import { verifyReceipt } from "./verify.ts";

/** The predicate type of an archive's manifest. */
const archiveType = "https://paraph.dev/archive/v1";

/** The signed list of the calls in an archive file. */
export interface ArchiveManifest {
  readonly tenant: string;
  /** The month in which the oldest call of each family was requested, such as `2026-03`. */
  readonly month: string;
  readonly createdAt: number;
  /** Whether the archive contains payloads and texts of messages. */
  readonly payloads: boolean;
  readonly events: number;
  /** The calls in the order of the file, each with the digest of its receipt. */
  readonly calls: readonly { readonly call: string; readonly receipt: string }[];
}

/** The file that a manifest describes. */
export interface ArchiveFile {
  readonly name: string;
  readonly sha256: string;
}

/** One line of an archive: all rows of one call. Further tables are kept as they were. */
export interface ArchivedCall {
  readonly call: string;
  /** The oldest call of the family. A family is archived and deleted as a whole. */
  readonly family: string;
  readonly epoch: number;
  readonly event: readonly RecordedEvent[];
  readonly payload: readonly { readonly name: string; readonly salt: string; readonly body: string }[];
  readonly receipt: { readonly digest: string; readonly envelope: string };
  readonly message: readonly Json[];
}

/** Signs the manifest of an archive file, in the same form as a receipt. */
export async function signManifest(
  manifest: ArchiveManifest,
  { name, sha256 }: ArchiveFile,
  signer: Signer,
): Promise<Envelope> {
  const statement = {
    _type: statementType,
    subject: [{ name, digest: { sha256 } }],
    predicateType: archiveType,
    predicate: manifest as unknown as Json,
  };
  return signEnvelope(receiptMediaType, canonical(statement), signer);
}

/** A manifest whose signature holds. */
export interface VerifiedManifest {
  readonly manifest: ArchiveManifest;
  readonly file: ArchiveFile;
  readonly keyId: string;
  /**
   * The time from which the operator revoked the key, in milliseconds since 1970. The manifest claims an earlier time,
   * which is no proof.
   */
  readonly keyRevokedAt?: number;
}

/**
 * Verifies the signature of a manifest with trusted keys. Throws `archive-invalid` if it does not hold, or if the
 * manifest claims a time from which its key is revoked.
 */
export async function verifyManifest(
  envelope: Envelope,
  trusted: readonly PublicKey[],
): Promise<VerifiedManifest> {
  const [signature] = envelope.signatures ?? [];
  const key = trusted.find(({ kid }) => kid === signature?.keyid);
  if (!signature || !key)
    throw archiveInvalid(
      "no trusted key has signed its manifest; pass the operator's public key with `--key`",
    );
  const payload = decode(envelope.payload);
  const signed = preAuthEncoding(envelope.payloadType, payload);
  if (!(await isSignatureValid(key, decode(signature.sig), signed)))
    throw archiveInvalid("the signature of its manifest does not match, because the manifest was changed");
  const statement = JSON.parse(text(payload));
  if (envelope.payloadType !== receiptMediaType || statement.predicateType !== archiveType)
    throw archiveInvalid("its manifest is a statement of another type");
  const [{ name, digest }] = statement.subject;
  const manifest: ArchiveManifest = statement.predicate;
  const keyRevokedAt = findRevocation(key.kid, trusted);
  if (keyRevokedAt !== undefined && !(manifest.createdAt < keyRevokedAt))
    throw archiveInvalid("its key is revoked, and the manifest is not from before the revocation");
  return {
    manifest,
    file: { name, sha256: digest.sha256 },
    keyId: key.kid,
    ...(keyRevokedAt !== undefined && { keyRevokedAt }),
  };
}

function decode(encoded: string): Uint8Array<ArrayBuffer> {
  try {
    return strictBase64(encoded, "manifest");
  } catch {
    throw archiveInvalid("its manifest is not valid base64");
  }
}

/**
 * Verifies one call of an archive: that it is the expected one, that its receipt is signed, and that its events and
 * payloads are those of the receipt.
 */
export async function verifyArchivedCall(
  archived: ArchivedCall,
  expected: ArchiveManifest["calls"][number] | undefined,
  { tenant, trusted }: { readonly tenant: string; readonly trusted: readonly PublicKey[] },
): Promise<void> {
  const { call, event, payload, receipt } = archived;
  if (call !== expected?.call) throw archiveInvalid(`the manifest does not list \`${call}\` at this place`);
  const fail = (reason: string) => archiveInvalid(`the call \`${call}\` ${reason}`);
  if (sha256Hex(receipt.envelope) !== receipt.digest || receipt.digest !== expected.receipt)
    throw fail("has another receipt than the manifest names");
  const bundle = {
    mediaType: "application/vnd.paraph.receipt.v1+json",
    envelope: JSON.parse(receipt.envelope),
    disclosures: {},
  };
  const { story } = await verifyReceipt(bundle, trusted);
  if (story.call !== call || story.tenant !== tenant) throw fail("has the receipt of another call");
  if (!sameJson(listSignedEvents(event) as unknown as Json, story.events as unknown as Json))
    throw fail("has other events than its receipt");
  const names = new Map(payload.map((one) => [one.name, commitment(one.salt, JSON.parse(one.body))]));
  for (const [name, committed] of Object.entries(story.commitments))
    if (names.has(name) && names.get(name) !== committed)
      throw fail(`has another ${name} than its receipt commits to`);
}

/** Returns the error for an archive that does not verify. */
export function archiveInvalid(reason: string): ParaphError {
  return new ParaphError("archive-invalid", `The archive does not verify: ${reason}.`);
}
