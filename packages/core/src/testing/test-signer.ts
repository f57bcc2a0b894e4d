import type { Signer } from "../ports.ts";
import { type PublicKey, toPublicKey } from "../receipts/keys.ts";
import type { Sealer } from "../receipts/seal.ts";

/** A signer with its own Ed25519 key in WebCrypto, whose signatures verify. */
export interface TestSigner extends Signer, Sealer {
  readonly publicKey: PublicKey;
  /** Returns the number of signatures in progress. Signing is the only work of a simulation that takes real time. */
  readonly busy: () => number;
}

/**
 * A key pair. The type is derived from the parameter of `sign`, because the name of the key type differs between
 * browsers and Node.
 */
type KeyPair = Record<"publicKey" | "privateKey", Parameters<typeof crypto.subtle.sign>[1]>;

/** Creates a signer with a fresh key. */
export async function createTestSigner(): Promise<TestSigner> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as KeyPair;
  const key = toPublicKey(new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)));
  const seal = (text: string) => computeChecksum(`${key.kid}:${text}`);
  let busy = 0;
  return {
    keyId: key.kid,
    publicKey: key,
    busy: () => busy,
    seal,
    isSealed: (text, given) => seal(text) === given,
    async sign(bytes) {
      busy += 1;
      const signature = await crypto.subtle.sign("Ed25519", pair.privateKey, new Uint8Array(bytes));
      busy -= 1;
      return new Uint8Array(signature);
    },
  };
}

/**
 * Computes a fast checksum, because fault schedules seal hundreds of thousands of events. It does not protect against
 * forgery.
 */
function computeChecksum(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x27d4eb2d);
  }
  return `${(high >>> 0).toString(16)}${(low >>> 0).toString(16)}`;
}
