import { CapabilityError, type Probe } from "@paraph/core";
import type { CallContext, MailContext } from "../context.ts";
import type { ImapSession } from "./imap-session.ts";
import { withImap } from "./with-imap.ts";

/**
 * Runs a probe. Returns `unsure` if a permanent fault prevents an answer. Throws other faults, so that the pipeline
 * repeats the probe.
 */
export async function runProbe(
  mail: MailContext,
  context: CallContext,
  probe: (session: ImapSession) => Promise<Probe>,
): Promise<Probe> {
  try {
    return await withImap(mail, context, probe);
  } catch (error) {
    if (error instanceof CapabilityError && error.kind === "permanent") return { kind: "unsure" };
    throw error;
  }
}
