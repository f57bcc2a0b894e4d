export interface ExportedKeyPair {
  /** Stays with who signs: PKCS #8 in base64, on one line. */
  readonly privateKey: string;
  /** Goes into the other side's configuration. */
  readonly publicKey: string;
}

/** Named by what `exportKey` takes: the type's own name differs between browsers and Node. */
type KeyPair = Record<"publicKey" | "privateKey", Parameters<typeof crypto.subtle.exportKey>[1]>;

/** A fresh Ed25519 key: one for the service, another for the Paraph that asks it. */
export async function createKeyPair(): Promise<ExportedKeyPair> {
  const pair = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as KeyPair;
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  const { x = "" } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { privateKey: btoa(String.fromCharCode(...der)), publicKey: x };
}
