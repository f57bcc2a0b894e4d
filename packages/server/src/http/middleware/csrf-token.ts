import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * [TRUST 6, 22] What a form posts to show that it stood on a page of ours, shown within this very session and about
 * this very digest. `opened`: on a page with everything unfolded, where high risk demands that. Made from the
 * session's own secret, so any process can tell, and nothing has to be kept.
 */
export function createCsrfToken(session: string, seen: PageDetail, approval: string, digest: string): string {
  return createHmac("sha256", session)
    .update(JSON.stringify(["paraph form", seen, approval, digest]))
    .digest("base64url");
}

export type PageDetail = "shown" | "opened";

export function isValidCsrfToken(proof: string, ...about: Parameters<typeof createCsrfToken>): boolean {
  const wanted = Buffer.from(createCsrfToken(...about));
  const given = Buffer.from(proof);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
