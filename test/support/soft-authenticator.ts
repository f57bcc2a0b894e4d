import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { PasskeyAlgorithm, PasskeyProof } from "@paraph/core";

/** The deviations of an assertion that a test can request. */
export interface AssertionOptions {
  readonly rpId?: string;
  readonly origin?: string;
  readonly isUserVerified?: boolean;
  readonly type?: string;
}

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest();

/** A WebAuthn authenticator in software, with one credential. It signs real assertions with a counter. */
export class SoftAuthenticator {
  readonly credential = randomBytes(16).toString("base64url");
  /** The public key as SubjectPublicKeyInfo, as base64url. */
  readonly spki: string;
  /** The public key in COSE form, as base64url. */
  readonly cose: string;
  readonly #privateKey: KeyObject;
  counter = 0;

  readonly #alg: PasskeyAlgorithm;

  /** Creates the credential: ES256 (-7), EdDSA (-8) or RS256 (-257). */
  constructor(alg: PasskeyAlgorithm = -7) {
    const { publicKey, privateKey } = createKeyPair(alg);
    this.#alg = alg;
    this.#privateKey = privateKey;
    this.spki = publicKey.export({ type: "spki", format: "der" }).toString("base64url");
    this.cose = toCose(alg, publicKey).toString("base64url");
  }

  /** Returns an assertion as the script of the page posts it. */
  assert(challenge: string, options: AssertionOptions = {}) {
    const { rpId = "localhost", origin = `https://${rpId}`, type = "webauthn.get" } = options;
    const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
    const authenticatorData = this.#authenticatorData(rpId, options.isUserVerified ?? true);
    const signature = sign(
      this.#alg === -8 ? null : "sha256",
      Buffer.concat([authenticatorData, sha256(clientData)]),
      this.#privateKey,
    );
    return {
      id: this.credential,
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authenticatorData.toString("base64url"),
      signature: signature.toString("base64url"),
    };
  }

  /** Returns an assertion in the form that votes and receipts contain. */
  prove(challenge: string, options: AssertionOptions = {}): PasskeyProof {
    const { id, clientDataJSON, ...signed } = this.assert(challenge, options);
    const { rpId = "localhost" } = options;
    const key = { publicKey: this.spki, alg: this.#alg } as const;
    return { kind: "passkey", credential: id, ...key, rpId, clientData: clientDataJSON, ...signed };
  }

  /** Returns a registration as the script of the page posts it, with the attestation format `none`. */
  register(challenge: string, options: AssertionOptions = {}) {
    const { rpId = "localhost", origin = `https://${rpId}`, type = "webauthn.create" } = options;
    const id = Buffer.from(this.credential, "base64url");
    const authData = Buffer.concat([
      this.#authenticatorData(rpId, options.isUserVerified ?? true, 0x40),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      Buffer.from(this.cose, "base64url"),
    ]);
    const attestation = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
      Buffer.from([0x59, authData.length >> 8, authData.length & 255]),
      authData,
    ]);
    const clientData = JSON.stringify({ type, challenge, origin, crossOrigin: false });
    return {
      id: this.credential,
      clientDataJSON: Buffer.from(clientData).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
    };
  }

  #authenticatorData(rpId: string, isUserVerified: boolean, moreFlags = 0): Buffer {
    this.counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags = 0x01 | (isUserVerified ? 0x04 : 0) | moreFlags;
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }
}

function createKeyPair(alg: PasskeyAlgorithm) {
  if (alg === -7) return generateKeyPairSync("ec", { namedCurve: "P-256" });
  return alg === -8 ? generateKeyPairSync("ed25519") : generateKeyPairSync("rsa", { modulusLength: 2_048 });
}

/** Encodes a public key in COSE form (RFC 9053): the labels with their values, and the long values after their length. */
function toCose(alg: PasskeyAlgorithm, key: KeyObject): Buffer {
  const { x = "", y = "", n = "", e = "" } = key.export({ format: "jwk" });
  const hex = (text: string) => Buffer.from(text, "hex");
  const bytes = (text: string) => Buffer.from(text, "base64url");
  switch (alg) {
    case -7:
      return Buffer.concat([hex("a5010203262001215820"), bytes(x), hex("225820"), bytes(y)]);
    case -8:
      return Buffer.concat([hex("a4010103272006215820"), bytes(x)]);
    case -257:
      return Buffer.concat([hex("a401030339010020590100"), bytes(n), hex("2143"), bytes(e)]);
  }
}
