import { invitationMs, writeInvitation } from "../../builtin/admin/identity/slack-invitation.ts";
import type { HandleContext } from "../channel.ts";
import { cut } from "./blocks.ts";
import type { Actor } from "./find-person.ts";
import type { SlackClient } from "./slack-client.ts";

const maxName = 40;

/** Returns the address of the page on which the account is linked, after a login. */
export async function createInvitation(
  { team, account }: Actor,
  client: SlackClient,
  { ports, url }: HandleContext,
): Promise<string> {
  const { user } = await client.call("users.info", { user: account }).catch(() => ({ user: undefined }));
  const { real_name: realName, name } = (user ?? {}) as {
    readonly real_name?: unknown;
    readonly name?: unknown;
  };
  const shown = [realName, name].find((one) => typeof one === "string" && one !== "");
  const invitation = {
    team,
    account,
    teamName: cut((await client.findTeam()).name, maxName),
    accountName: cut(typeof shown === "string" ? shown : account, maxName),
    expiresAt: ports.clock.now() + invitationMs,
  };
  return new URL(`/slack/link/${writeInvitation(invitation, ports.sealer)}`, url()).href;
}
