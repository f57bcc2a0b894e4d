import type { OpenAdapter } from "@paraph/core";
import type { CloseResult } from "./commands.ts";

/** What was let go of may take a moment to be gone; what is still there after a second was kept. */
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

/** What keeps the process alive now and did not when it started. */
function listNewResources(atStart: readonly string[]): string[] {
  const known = [...atStart];
  return process.getActiveResourcesInfo().filter((name) => {
    const at = known.indexOf(name);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}
