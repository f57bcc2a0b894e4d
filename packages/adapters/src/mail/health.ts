import { CapabilityError, type Health } from "@paraph/core";
import { withImap } from "./connection/with-imap.ts";
import { withSmtp } from "./connection/with-smtp.ts";
import type { CallContext, MailContext } from "./context.ts";

/** Logs in to both servers, and looks for the folders of sent messages and of drafts. */
export async function checkMailHealth(mail: MailContext, context: CallContext): Promise<Health> {
  try {
    await withImap(mail, context, (session) => session.findFolders(mail.config.folders));
    await withSmtp(mail, context, async () => {});
    return { kind: "well" };
  } catch (error) {
    if (error instanceof CapabilityError)
      return { kind: "degraded", code: error.code, message: error.message };
    throw error;
  }
}
