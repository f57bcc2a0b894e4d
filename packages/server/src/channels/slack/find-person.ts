import { isChatAccountSealed, type Principal } from "@paraph/core";
import type { HandleContext } from "../channel.ts";
import type { SlackClient } from "./slack-client.ts";

/** The account that did something in Slack. */
export interface Actor {
  readonly team: string;
  readonly account: string;
}

/** The person behind an account. `foreign` is an account of another workspace, which Paraph does not link. */
export type FoundPerson =
  | { readonly kind: "person"; readonly principal: Principal }
  | { readonly kind: "unlinked" | "foreign" };

/**
 * [TRUST 9, 32, 33] Returns the person to whom the account is linked in this tenant at this moment. The account must be
 * of the bot's own workspace, the link must have its seal, and the person must be neither disabled nor frozen.
 */
export async function findPerson(
  tenant: string,
  { team, account }: Actor,
  client: SlackClient,
  { slack, ports }: HandleContext,
): Promise<FoundPerson> {
  if (team !== (await client.findTeam()).id) return { kind: "foreign" };
  const found = await slack.findPerson(tenant, team, account);
  if (!found) return { kind: "unlinked" };
  const link = { team, account, person: found.principal.id };
  return isChatAccountSealed(tenant, link, found.seal, ports.sealer)
    ? { kind: "person", principal: found.principal }
    : { kind: "unlinked" };
}
