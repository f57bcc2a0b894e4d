import type { OpenAdapter } from "@paraph/core";
import type { CloseResult } from "./commands.ts";

/**
 * Closes the adapter. Released resources may need a moment to disappear, so only those that remain after a second count
 * as held.
 */
export async function closeAdapter(adapter: OpenAdapter, atStart: readonly string[]): Promise<CloseResult> {
  await adapter.close?.();
  const patience = performance.now() + 1_000;
  let held = listNewResources(atStart);
  while (held.length > 0 && performance.now() < patience) {
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
