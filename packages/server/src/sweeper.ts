import type { Engine } from "@paraph/core";
import type { Pool } from "pg";
import { sweep } from "./postgres/index.ts";

/** [P14] Repeats what the engine has lost or never got: every second, and at once again while there is more. */
export function startSweeping(sweeper: Pool, engine: Engine, problem: (code: string) => void): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();
  const full = 500;

  const once = async () => {
    try {
      for (let found = full; found === full && !stopped; ) {
        const due = await sweep(sweeper, full);
        found = due.length;
        await inGroups(due, 32, (wake) => engine.send(wake).catch(() => problem("engine-away")));
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

async function inGroups<T>(items: readonly T[], size: number, body: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += size) await Promise.all(items.slice(start, start + size).map(body));
}
