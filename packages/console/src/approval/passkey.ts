import { NoAnswerError, post } from "../api/client.ts";
import type { PasskeyAssertion, PasskeyChallenge, PasskeyRequest } from "../api/types.ts";
import { decodeBase64Url, encodeBase64Url } from "../lib/base64url.ts";

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
        challenge: decodeBase64Url(challenge.challenge),
        rpId: challenge.rpId,
        userVerification: "required",
        allowCredentials: challenge.credentials.map((id) => ({
          type: "public-key",
          id: decodeBase64Url(id),
        })),
      },
    })
    .catch(() => null);
  if (!(signed instanceof PublicKeyCredential)) throw new NotSignedError("The passkey was not used.");
  const { clientDataJSON, authenticatorData, signature } = signed.response as AuthenticatorAssertionResponse;
  return {
    id: signed.id,
    clientDataJSON: encodeBase64Url(clientDataJSON),
    authenticatorData: encodeBase64Url(authenticatorData),
    signature: encodeBase64Url(signature),
  };
}
