import type { OpenAdapter } from "@paraph/core";
import type { Closed } from "./order.ts";

/** What was let go of may take a moment to be gone; what is still there after a second was kept. */
export async function closed(adapter: OpenAdapter, atStart: readonly string[]): Promise<Closed> {
  await adapter.close?.();
  const patience = performance.now() + 1_000;
  let held = beyond(atStart);
  while (held.length > 0 && performance.now() < patience) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    held = beyond(atStart);
  }
  return { held };
}

/** What keeps the process alive now and did not when it started. */
function beyond(atStart: readonly string[]): string[] {
  const known = [...atStart];
  return process.getActiveResourcesInfo().filter((name) => {
    const at = known.indexOf(name);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}
