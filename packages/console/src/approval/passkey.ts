import { NoAnswerError, post } from "../api/client.ts";
import type { PasskeyAssertion, PasskeyChallenge, PasskeyRequest } from "../api/types.ts";

/** An approval that no passkey signed, so nothing was sent. */
export class NotSignedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotSignedError";
  }
}

/** Has the person's passkey sign exactly this approval: its digest, the steps that it leaves out, and the answer. */
export async function signApproval(approval: string, vote: PasskeyRequest): Promise<PasskeyAssertion> {
  if (!("credentials" in navigator))
    throw new NotSignedError("Browsers offer passkeys only over HTTPS, or at localhost.");
  const challenge = await post<PasskeyChallenge>(`/v1/approvals/${approval}/passkey`, vote).catch(
    (error: unknown) => {
      throw error instanceof NoAnswerError ? new NotSignedError("The server did not answer.") : error;
    },
  );
  const signed = await navigator.credentials
    .get({
      publicKey: {
        challenge: decode(challenge.challenge),
        rpId: challenge.rpId,
        userVerification: "required",
        allowCredentials: challenge.credentials.map((id) => ({ type: "public-key", id: decode(id) })),
      },
    })
    .catch(() => null);
  if (!(signed instanceof PublicKeyCredential)) throw new NotSignedError("The passkey was not used.");
  const { clientDataJSON, authenticatorData, signature } = signed.response as AuthenticatorAssertionResponse;
  return {
    id: signed.id,
    clientDataJSON: encode(clientDataJSON),
    authenticatorData: encode(authenticatorData),
    signature: encode(signature),
  };
}

/** Decodes base64url. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Encodes as base64url. */
function encode(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
