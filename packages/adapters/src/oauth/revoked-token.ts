import { CapabilityError } from "@paraph/core";

const code = "token-revoked";

/** Creates the fault for a token that the server accepted before. */
export function tokenRevokedFault(server: string): CapabilityError {
  return new CapabilityError(
    "not-performed",
    code,
    `The ${server} server refused an access token that it accepted before. Try again later, and check the account if this lasts.`,
  );
}

/**
 * Runs a login, and repeats it once if the cached token was revoked. A refused login changes nothing, and previews have no
 * other retries.
 */
export async function repeatIfRevoked<T>(logIn: () => Promise<T>): Promise<T> {
  try {
    return await logIn();
  } catch (error) {
    if (error instanceof CapabilityError && error.code === code) return logIn();
    throw error;
  }
}
