import { type ChatInvitation, isChatInvitationSealed, type Sealer, sealChatInvitation } from "@paraph/core";
import { z } from "zod";

/** The time in which a person can follow a link from Slack. */
export const invitationMs = 10 * 60_000;

const schema = z.tuple([z.string(), z.string(), z.string(), z.string(), z.number()]);

/** Writes an invitation as a part of an address. It names an account of Slack, and gives no right by itself. */
export function writeInvitation(invitation: ChatInvitation, sealer: Sealer): string {
  const { team, account, teamName, accountName, expiresAt } = invitation;
  const body = JSON.stringify([team, account, teamName, accountName, expiresAt]);
  return `${Buffer.from(body).toString("base64url")}.${sealChatInvitation(invitation, sealer)}`;
}

/** Reads an invitation that this deployment wrote and that has not expired. */
export function readInvitation(written: string, sealer: Sealer, now: number): ChatInvitation | undefined {
  const [, body = "", seal = ""] = /^([^.]*)\.(.*)$/.exec(written) ?? [];
  try {
    const parts = schema.parse(JSON.parse(Buffer.from(body, "base64url").toString()));
    const [team, account, teamName, accountName, expiresAt] = parts;
    const invitation = { team, account, teamName, accountName, expiresAt };
    return isChatInvitationSealed(invitation, seal, sealer) && expiresAt > now ? invitation : undefined;
  } catch {
    return undefined;
  }
}
