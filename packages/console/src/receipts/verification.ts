import {
  explainReceiptFault,
  type PublicKey,
  parsePublicKeys,
  type ReceiptCheck,
  receiptChecks,
  type VerifiedReceipt,
  verifyReceipt,
} from "@paraph/core/verify-receipt";

const maxBytes = 20 * 1024 * 1024;

/** A file that a person chose, as text. */
export interface ChosenFile {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** The keys that may sign a receipt, and where they come from. */
export interface TrustedKeys {
  readonly keys: readonly PublicKey[];
  readonly source: KeySource;
}

/**
 * The source of keys. Only the person's own sources show who signed. A server can send any key, so its key shows only
 * that the receipt is unchanged.
 */
type KeySource =
  | { readonly kind: "server" | "pasted" | "fingerprint" }
  | { readonly kind: "file"; readonly name: string };

/** The result of a verification. `failed` names the first check that did not pass. */
export type Verification =
  | { readonly kind: "verified"; readonly found: VerifiedReceipt; readonly disclosures: Disclosures }
  | { readonly kind: "failed"; readonly check: ReceiptCheck; readonly reason: string };

type Disclosures = Readonly<Record<string, { readonly value: unknown }>>;

/**
 * Sorts chosen files into receipts and keys. A file that is neither counts as a receipt, so that it fails visibly.
 * [TRUST 31] Keys among receipts do not replace `ownKeys`, because a sender of false receipts can add their own keys.
 */
export async function readChosenFiles(
  files: Iterable<File>,
  ownKeys?: TrustedKeys,
): Promise<{
  readonly receipts: readonly ChosenFile[];
  readonly keys: TrustedKeys | undefined;
  readonly faults: readonly string[];
}> {
  const receipts: ChosenFile[] = [];
  const faults: string[] = [];
  let keys: TrustedKeys | undefined;
  for (const file of files) {
    const text = file.size > maxBytes ? undefined : await file.text().catch(() => undefined);
    if (text === undefined) {
      faults.push(`${file.name} can't be read, or is larger than 20 MB.`);
      continue;
    }
    const parsed = mentions(text, ["envelope"]) ? undefined : parsePublicKeys(text);
    if (parsed?.kind === "keys") keys = { keys: parsed.keys, source: { kind: "file", name: file.name } };
    else if (parsed && mentions(text, ["keys", "kty"])) faults.push(`${file.name} ${parsed.reason}.`);
    else receipts.push({ id: crypto.randomUUID(), name: file.name, text });
  }
  if (keys?.source.kind !== "file" || !ownKeys || receipts.length === 0) return { receipts, keys, faults };
  const kept = `${keys.source.name} contains keys. It came with receipts, so the page still uses the keys that you chose before. To use its keys, choose this file alone.`;
  return { receipts, keys: undefined, faults: [...faults, kept] };
}

/** Reads a pasted key, a list of keys, or the fingerprint of a key that the server sent. */
export function readPastedKeys(
  text: string,
  serverKeys: readonly PublicKey[] | undefined,
): TrustedKeys | undefined {
  const parsed = parsePublicKeys(text);
  if (parsed.kind === "keys") return { keys: parsed.keys, source: { kind: "pasted" } };
  // The id of a key is derived from it, so no other key has this fingerprint.
  const keys = serverKeys?.filter(({ kid }) => kid === text.trim()) ?? [];
  return keys.length === 0 ? undefined : { keys, source: { kind: "fingerprint" } };
}

/** Verifies the text of a receipt with core's verifier. */
export async function verifyText(text: string, trusted: readonly PublicKey[]): Promise<Verification> {
  let passed = 0;
  try {
    const bundle: unknown = JSON.parse(text);
    const found = await verifyReceipt(bundle, trusted, () => {
      passed += 1;
    });
    return { kind: "verified", found, disclosures: (bundle as { disclosures: Disclosures }).disclosures };
  } catch (error) {
    return { kind: "failed", check: receiptChecks[passed] ?? "format", reason: explainReceiptFault(error) };
  }
}

/** Returns whether this browser can check the signatures of receipts. */
export async function canVerify(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    return true;
  } catch {
    return false;
  }
}

function mentions(text: string, names: readonly string[]): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && names.some((name) => Object.hasOwn(value, name));
  } catch {
    return false;
  }
}
