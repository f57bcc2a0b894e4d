import type { ChatInvitation, Ports, Principal } from "@paraph/core";
import { readInvitation } from "../builtin/admin/identity/slack-invitation.ts";
import { createSlackStore, type Database, type SlackAccount } from "../postgres/index.ts";

/** The Slack accounts with which people decide. Linking and unlinking are governed calls. */
export interface SlackAccountService {
  findAccount(reader: Principal): Promise<SlackAccount | undefined>;
  /** Reads an invitation that Slack showed to the account's holder. Undefined if it is not valid or has expired. */
  readInvitation(written: string): ChatInvitation | undefined;
}

/** Creates the service for Slack accounts. */
export function createSlackAccountService(
  database: Pick<Database, "app" | "sweeper">,
  { sealer, clock }: Pick<Ports, "sealer" | "clock">,
): SlackAccountService {
  const store = createSlackStore(database);
  return {
    findAccount: ({ tenant, id }) => store.findAccount(tenant, id),
    readInvitation: (written) => readInvitation(written, sealer, clock.now()),
  };
}
