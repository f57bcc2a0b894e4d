import { type Sealer, sealableText } from "./seal.ts";

/** A passkey of a person, as an approved enrolment recorded it. It holds no secret. */
export interface EnrolledPasskey {
  /** The id of the credential, as base64url. */
  readonly credential: string;
  readonly person: string;
  /** The public key in COSE form, as base64url. */
  readonly publicKey: string;
}

/** [TRUST 32] Returns the seal of an enrolled passkey. A row without its seal proves no approval. */
export function sealPasskey(tenant: string, passkey: EnrolledPasskey, sealer: Sealer): string {
  return sealer.seal(toText(tenant, passkey));
}

/** Returns whether this deployment enrolled the passkey for this person, with this public key. */
export function isPasskeySealed(
  tenant: string,
  passkey: EnrolledPasskey,
  seal: string,
  sealer: Sealer,
): boolean {
  return sealer.isSealed(toText(tenant, passkey), seal);
}

function toText(tenant: string, { credential, person, publicKey }: EnrolledPasskey): string {
  return sealableText("passkey", { tenant, credential, person, publicKey });
}
