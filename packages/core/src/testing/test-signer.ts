import { sha256Hex } from "../digest.ts";
import { type PublicKey, publicKey } from "../keys.ts";
import type { Signer } from "../ports.ts";
import type { Sealer } from "../seal.ts";

/** A signer that really signs and seals: a fresh Ed25519 key in WebCrypto, and a secret made of its name. */
export interface TestSigner extends Signer, Sealer {
  readonly publicKey: PublicKey;
  /** Signatures under way: the only thing here that takes real time. */
  readonly busy: () => number;
}

/** Named by what `sign` takes: the type's own name differs between browsers and Node. */
type KeyPair = Record<"publicKey" | "privateKey", Parameters<typeof crypto.subtle.sign>[1]>;

export async function testSigner(): Promise<TestSigner> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as KeyPair;
  const key = publicKey(new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)));
  const secret = sha256Hex(`the secret of ${key.kid}`);
  const seal = (text: string) => sha256Hex(`${secret}:${sha256Hex(`${secret}:${text}`)}`);
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
