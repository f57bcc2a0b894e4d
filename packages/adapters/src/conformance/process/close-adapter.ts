import type { OpenAdapter } from "@paraph/core";
import type { CloseResult } from "./commands.ts";

/**
 * Closes the adapter. Released resources may need a moment to disappear, so only those that remain after 200 looks count
 * as held. A limit in time would count them as held if the process was paused before Node could release them.
 */
export async function closeAdapter(adapter: OpenAdapter, atStart: readonly string[]): Promise<CloseResult> {
  await adapter.close?.();
  let held = listNewResources(atStart);
  for (let looks = 1; held.length > 0 && looks < 200; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    held = listNewResources(atStart);
  }
  return { heldResources: held };
}

/** Lists the resources that keep the process alive and were not there at its start. */
function listNewResources(atStart: readonly string[]): string[] {
  const known = [...atStart];
  return process.getActiveResourcesInfo().filter((name) => {
    const at = known.indexOf(name);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}
