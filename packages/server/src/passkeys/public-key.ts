import { createPublicKey } from "node:crypto";
import { type PasskeyAlgorithm, passkeyAlgorithms, sha256Hex } from "@paraph/core";

/** A public key in the form that receipts contain, so that verifiers need no decoder of COSE. */
export interface PasskeyPublicKey {
  readonly alg: PasskeyAlgorithm;
  /** A DER SubjectPublicKeyInfo, as base64url. */
  readonly publicKey: string;
}

/** The labels of COSE keys (RFC 9052 and RFC 9053). */
const label = { alg: 3, x: -2, y: -3, n: -1, e: -2 } as const;

/** Converts a COSE key. Returns undefined if it is malformed or its algorithm is not accepted. */
export async function parsePublicKey(cose: string): Promise<PasskeyPublicKey | undefined> {
  const { decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  try {
    const key = decodeCredentialPublicKey(new Uint8Array(Buffer.from(cose, "base64url"))) as unknown as Map<
      number,
      unknown
    >;
    const alg = passkeyAlgorithms.find((one) => one === key.get(label.alg));
    if (alg === undefined) return undefined;
    const spki = createPublicKey({ key: toJwk(alg, key), format: "jwk" }).export({
      type: "spki",
      format: "der",
    });
    return { alg, publicKey: spki.toString("base64url") };
  } catch {
    return undefined;
  }
}

function toJwk(alg: PasskeyAlgorithm, key: ReadonlyMap<number, unknown>) {
  const bytes = (name: number) => Buffer.from(key.get(name) as Uint8Array).toString("base64url");
  switch (alg) {
    case -7:
      return { kty: "EC", crv: "P-256", x: bytes(label.x), y: bytes(label.y) };
    case -8:
      return { kty: "OKP", crv: "Ed25519", x: bytes(label.x) };
    case -257:
      return { kty: "RSA", n: bytes(label.n), e: bytes(label.e) };
  }
}

/** Returns the digits with which people compare a public key on two screens. */
export function formatKeyFingerprint(publicKey: string): string {
  return sha256Hex(publicKey)
    .slice(0, 16)
    .replaceAll(/(.{4})(?=.)/g, "$1 ");
}
