/** An Ed25519 key pair as text. */
export interface ExportedKeyPair {
  /** The private key, as PKCS #8 in base64 on one line. It stays with the signer. */
  readonly privateKey: string;
  /** The public key, for the configuration of the other side. */
  readonly publicKey: string;
}

/**
 * A generated key pair. The type of a key comes from `exportKey`, because browsers and Node name that type differently.
 */
type KeyPair = Record<"publicKey" | "privateKey", Parameters<typeof crypto.subtle.exportKey>[1]>;

/** Creates an Ed25519 key pair. The service needs one, and the Paraph server that calls it needs another. */
export async function createKeyPair(): Promise<ExportedKeyPair> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as KeyPair;
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const { x = "" } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { privateKey: btoa(String.fromCharCode(...der)), publicKey: x };
}
