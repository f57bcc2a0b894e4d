import type { NewPasskey, PasskeyEnrolment } from "../api/types.ts";
import { decodeBase64Url, encodeBase64Url } from "../lib/base64url.ts";

type Registration = NewPasskey["registration"];

/** A passkey that was not created, so nothing was sent. */
export class NotCreatedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotCreatedError";
  }
}

/** Has the browser create a passkey for the person, with the fingerprint, face or PIN that the person confirms. */
export async function createPasskey(
  { challenge, rpId, person, credentials, algorithms }: PasskeyEnrolment,
  signal: AbortSignal,
): Promise<Registration> {
  const created = await navigator.credentials
    .create({
      signal,
      publicKey: {
        challenge: decodeBase64Url(challenge),
        rp: { id: rpId, name: "Paraph" },
        // The specification limits the id to 64 bytes.
        user: { id: new TextEncoder().encode(person).slice(0, 64), name: person, displayName: person },
        pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
        authenticatorSelection: { userVerification: "required" },
        attestation: "none",
        excludeCredentials: credentials.map((id) => ({ type: "public-key", id: decodeBase64Url(id) })),
      },
    })
    .catch(async (error: unknown) => {
      throw new NotCreatedError(await explainFault(error));
    });
  if (!(created instanceof PublicKeyCredential)) throw new NotCreatedError("The browser created no passkey.");
  const { clientDataJSON, attestationObject } = created.response as AuthenticatorAttestationResponse;
  return {
    id: created.id,
    clientDataJSON: encodeBase64Url(clientDataJSON),
    attestationObject: encodeBase64Url(attestationObject),
  };
}

/** Explains the error of the browser. To protect people, browsers give a cancellation and a missing device one name. */
async function explainFault(error: unknown): Promise<string> {
  switch (error instanceof DOMException ? error.name : undefined) {
    case "InvalidStateError":
      return "This device or security key already holds a passkey of yours. Use another one.";
    case "SecurityError":
      return "The browser offers no passkey for this address.";
    case "NotSupportedError":
    case "ConstraintError":
      return "The device can't verify you. Set a PIN or a fingerprint on it, or use another one.";
    default: {
      const canVerify = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
      return canVerify
        ? "You cancelled, or your device did not verify you in time."
        : "You cancelled, or no device verified you. This device has no fingerprint reader, face or PIN for passkeys. Connect a security key with a PIN, or use a phone.";
    }
  }
}
