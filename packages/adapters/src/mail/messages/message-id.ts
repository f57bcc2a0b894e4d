import { createHash } from "node:crypto";
import { z } from "zod";
import { getDomain } from "./address.ts";

/** A message in a mailbox. A folder that was created again has another UIDVALIDITY, so old references do not fit. */
export interface MessageReference {
  readonly uid: number;
  readonly uidValidity: string;
  readonly folder: string;
}

const referencePattern = /^([1-9]\d{0,9})\.([1-9]\d{0,9})\.([^\p{C}]{1,200})$/u;

/** The schema of an input that names a message. */
export const messageInput = z
  .string()
  .regex(referencePattern, "must be the `message` of a search, a read or an observation")
  .describe("the message, as a search, a read or an observation returned it");

export function parseReference(text: string): MessageReference {
  const [, uid = "", uidValidity = "", folder = ""] = referencePattern.exec(text) ?? [];
  return { uid: Number(uid), uidValidity, folder };
}

export function formatReference({ uid, uidValidity, folder }: MessageReference): string {
  return `${uid}.${uidValidity}.${folder}`;
}

/**
 * [P7] Returns the Message-ID of the message that a call creates. It derives from the call's key, so that every attempt
 * creates the same Message-ID, and a probe finds the message by it. It does not reveal the key.
 */
export function createMessageId(key: string, address: string): string {
  const hash = createHash("sha256").update(`paraph mail ${key}`).digest("hex").slice(0, 40);
  return `<${hash}@${getDomain(address)}>`;
}
