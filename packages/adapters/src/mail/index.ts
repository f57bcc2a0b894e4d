import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Capability, defineAdapter, ParaphError } from "@paraph/core";
import { createEgressPolicy } from "../egress/egress-policy.ts";
import { AccessTokens } from "../oauth/access-tokens.ts";
import { createDeleteDraftCapability } from "./capabilities/delete-draft.ts";
import { createForwardCapability } from "./capabilities/forward.ts";
import { createLabelCapability } from "./capabilities/label.ts";
import { createMoveCapability } from "./capabilities/move.ts";
import { createReadCapability } from "./capabilities/read.ts";
import { createReplyCapability } from "./capabilities/reply.ts";
import { createSearchCapability } from "./capabilities/search.ts";
import { createDraftCapability, createSendCapability } from "./capabilities/send.ts";
import { createTellCapability } from "./capabilities/tell.ts";
import { mailboxConfig } from "./config.ts";
import type { MailContext } from "./context.ts";
import { checkMailHealth } from "./health.ts";
import { createMailObserver } from "./observe.ts";

export { mailboxConfig } from "./config.ts";

/** The adapter for one mailbox: it reads over IMAP, and sends over SMTP. It connects for each call. */
export const mailbox = defineAdapter({
  kind: "mailbox",
  config: mailboxConfig,
  open: async (config, { name, folder, credential }) => {
    const egress = createEgressPolicy(config.allow);
    const tokens = new AccessTokens({ folder, egress });
    const mail: MailContext = {
      name,
      config,
      egress,
      tokens,
      ca: config.ca === undefined ? undefined : await readAuthority(name, resolve(folder, config.ca)),
    };
    const capabilities: readonly Capability[] = [
      createSearchCapability(mail),
      createReadCapability(mail),
      createSendCapability(mail),
      createReplyCapability(mail),
      createForwardCapability(mail),
      createDraftCapability(mail),
      createDeleteDraftCapability(mail),
      createMoveCapability(mail),
      createLabelCapability(mail),
      ...createTellCapability(mail),
    ];
    return {
      capabilities: async () => capabilities,
      health: (signal) => checkMailHealth(mail, { signal, credential }),
      observe: createMailObserver(mail),
      close: () => tokens.close(),
    };
  },
});

async function readAuthority(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new ParaphError(
      "adapter-invalid",
      `\`${name}\`: Paraph cannot read the file that \`ca\` names. Correct its path, relative to the configuration.`,
    );
  }
}
