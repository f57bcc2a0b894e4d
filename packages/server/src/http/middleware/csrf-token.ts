import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * [TRUST 6, 22] What a form posts to show that it stood on a page of ours, shown within this very session and about
 * this very digest. `opened`: on a page with everything unfolded, where high risk demands that. Made from the
 * session's own secret, so any process can tell, and nothing has to be kept.
 */
export function formProof(session: string, seen: Seen, approval: string, digest: string): string {
  return createHmac("sha256", session)
    .update(JSON.stringify(["paraph form", seen, approval, digest]))
    .digest("base64url");
}

export type Seen = "shown" | "opened";

export function isFormProof(proof: string, ...about: Parameters<typeof formProof>): boolean {
  const wanted = Buffer.from(formProof(...about));
  const given = Buffer.from(proof);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
