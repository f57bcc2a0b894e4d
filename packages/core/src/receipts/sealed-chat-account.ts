import { type Sealer, sealableText } from "./seal.ts";

/** An account of a chat service with which a person decides, as an approved link recorded it. */
export interface ChatAccount {
  /** The workspace of the chat service, and the account in it. */
  readonly team: string;
  readonly account: string;
  readonly person: string;
}

/** An invitation to link an account, which its holder gets in the chat service. */
export interface ChatInvitation {
  readonly team: string;
  readonly account: string;
  /** The names of the workspace and of the account, as the chat service shows them. */
  readonly teamName: string;
  readonly accountName: string;
  readonly expiresAt: number;
}

/** [TRUST 32] Returns the seal of a linked account. An account without its seal decides nothing. */
export function sealChatAccount(tenant: string, account: ChatAccount, sealer: Sealer): string {
  return sealer.seal(toAccountText(tenant, account));
}

/** Returns whether this deployment linked the account to this person. */
export function isChatAccountSealed(
  tenant: string,
  account: ChatAccount,
  seal: string,
  sealer: Sealer,
): boolean {
  return sealer.isSealed(toAccountText(tenant, account), seal);
}

/** Returns the seal of an invitation, without which it is not accepted. */
export function sealChatInvitation(invitation: ChatInvitation, sealer: Sealer): string {
  return sealer.seal(toInvitationText(invitation));
}

/** Returns whether this deployment wrote the invitation. */
export function isChatInvitationSealed(invitation: ChatInvitation, seal: string, sealer: Sealer): boolean {
  return sealer.isSealed(toInvitationText(invitation), seal);
}

function toAccountText(tenant: string, { team, account, person }: ChatAccount): string {
  return sealableText("chat-account", { tenant, team, account, person });
}

function toInvitationText({ team, account, teamName, accountName, expiresAt }: ChatInvitation) {
  return sealableText("chat-invitation", { team, account, teamName, accountName, expiresAt });
}
