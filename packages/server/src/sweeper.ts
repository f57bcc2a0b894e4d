import type { Engine, Wake } from "@paraph/core";
import type { Pool } from "pg";
import { misdated, orphans, sweep } from "./postgres/index.ts";

/** [P14] Repeats what the engine has lost or never got: every second, and at once again while there is more. */
export function startSweeping(
  sweeper: Pool,
  engine: Engine,
  problem: (code: string) => void,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();
  const full = 500;
  const sent = new Map<string, number>();

  const send = (wakes: readonly Wake[]) =>
    inGroups(wakes, 32, (wake) => engine.send(wake).catch(() => problem("engine-away")));
  /** An orphan stays one until the engine has come to it: it is not sent again for a while. */
  const unsent = (wakes: readonly Wake[]) => {
    const now = performance.now();
    for (const [key, at] of sent) if (now - at > 10_000) sent.delete(key);
    const fresh = wakes.filter(({ tenant, call, epoch }) => !sent.has(`${tenant}/${call}/${epoch}`));
    for (const { tenant, call, epoch } of fresh) sent.set(`${tenant}/${call}/${epoch}`, now);
    return fresh;
  };

  let lookedAt = 0;
  const minutely = async () => {
    if (performance.now() - lookedAt < 60_000) return;
    lookedAt = performance.now();
    await send(await misdated(sweeper, full));
  };

  const once = async () => {
    try {
      await minutely();
      await send(unsent(await orphans(sweeper, full)));
      for (let found = full; found === full && !stopped; ) {
        const due = await sweep(sweeper, full);
        found = due.length;
        await send(due);
      }
    } catch {
      problem("sweep-failed");
    }
    if (!stopped) timer = setTimeout(next, 1_000);
  };
  const next = () => {
    pass = once();
  };
  next();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
}

async function inGroups<T>(
  items: readonly T[],
  size: number,
  body: (item: T) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < items.length; start += size)
    await Promise.all(items.slice(start, start + size).map(body));
}
