import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * [TRUST 6, 22] Returns the token with which a form proves that it comes from one of Paraph's pages. The token is bound
 * to this session, approval and digest. `opened` means that the page shows all details. The approval of a high-risk
 * call requires such a page. The token derives from the session's secret, so any process can verify it and no process
 * stores it.
 */
export function createCsrfToken(session: string, seen: PageDetail, approval: string, digest: string): string {
  return createHmac("sha256", session)
    .update(JSON.stringify(["paraph form", seen, approval, digest]))
    .digest("base64url");
}

/**
 * [TRUST 27] Returns the challenge that a new passkey of the person signs. It derives from the session, so no process
 * stores it, and a registration from another session does not match.
 */
export function createEnrolmentChallenge(session: string, person: string): string {
  return createCsrfToken(session, "opened", "passkeys", person);
}

/** The amount of detail that a page shows: collapsed details (`shown`), or all details (`opened`). */
export type PageDetail = "shown" | "opened";

/** Returns whether the token is the one for this session, page, approval and digest. */
export function isValidCsrfToken(proof: string, ...about: Parameters<typeof createCsrfToken>): boolean {
  const wanted = Buffer.from(createCsrfToken(...about));
  const given = Buffer.from(proof);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
