import { CapabilityError, type Health, type World } from "@paraph/core";
import { isThere, markerMissing } from "./marker.ts";
import type { Setting } from "./setting.ts";
import { inTransaction } from "./transaction.ts";

/** Whether the deployment's own database answers, and what is missing there. */
export async function healthOf(
  setting: Setting,
  caller: Pick<World, "signal" | "credential">,
): Promise<Health> {
  const { marker, lockTimeoutMs } = setting;
  const options = { access: "read only", end: "rollback", timeoutMs: 5_000, lockTimeoutMs } as const;
  try {
    return await inTransaction(setting.connections, caller, options, async (transaction) => {
      if (marker === undefined || (await isThere(marker, transaction))) return { kind: "well" };
      const { code, message } = markerMissing();
      return { kind: "ailing", code, says: message };
    });
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    if (error.code === "credential-missing")
      return { kind: "well", says: "Its secret is each tenant's own: it is not looked at from here." };
    // [P10] What the database says may hold a name of theirs.
    return { kind: "ailing", code: error.code, says: error.message.replace(/ PostgreSQL says: .*$/s, "") };
  }
}
