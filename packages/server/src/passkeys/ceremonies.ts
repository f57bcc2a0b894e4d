import { passkeyAlgorithms } from "@paraph/core";
import { z } from "zod";
import type { RelyingParty } from "./relying-party.ts";

/** Loads the library at the first ceremony, because most processes never verify a passkey, and it loads 300 files. */
const loadLibrary = () => import("@simplewebauthn/server");

const bytesSchema = z.string().regex(/^[A-Za-z0-9_-]{1,8192}$/);

/** The values of an assertion that the script of the approval page posts, each as base64url. */
export const assertionSchema = z.strictObject({
  id: bytesSchema,
  clientDataJSON: bytesSchema,
  authenticatorData: bytesSchema,
  signature: bytesSchema,
});
/** An assertion as a browser returned it. Nothing in it is verified. */
export type PostedAssertion = z.infer<typeof assertionSchema>;

/** The values of a registration that the script of the passkeys page posts, each as base64url. */
export const registrationSchema = z.strictObject({
  id: bytesSchema,
  clientDataJSON: bytesSchema,
  attestationObject: bytesSchema,
});
/** A registration as a browser returned it. Nothing in it is verified. */
export type PostedRegistration = z.infer<typeof registrationSchema>;

/** A credential against which an assertion is verified. */
export interface KnownCredential {
  readonly credential: string;
  /** The public key in COSE form, as base64url. */
  readonly publicKey: string;
  /** The highest signature counter that the authenticator has reported. */
  readonly counter: number;
}

/**
 * Verifies an assertion of this credential for this challenge and site, with user verification. Returns the new
 * signature counter, or undefined if the assertion is not valid.
 */
export async function verifyAssertion(
  { id, ...response }: PostedAssertion,
  challenge: string,
  { rpId, origin }: RelyingParty,
  { credential, publicKey, counter }: KnownCredential,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id: credential, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    // The library's message can quote what the browser sent.
    return undefined;
  }
}

/** Verifies a registration. Returns the credential and its public key in COSE form, or undefined if it is not valid. */
export async function verifyRegistration(
  { id, ...response }: PostedRegistration,
  challenge: string,
  { rpId, origin }: RelyingParty,
): Promise<Omit<KnownCredential, "counter"> | undefined> {
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    });
    if (!verified) return undefined;
    const { credential } = registrationInfo;
    return {
      credential: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    };
  } catch {
    return undefined;
  }
}
