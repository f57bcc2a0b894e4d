// A process that holds one adapter for a trial: asked over its channel, killed when a crash is wanted, ended with the
// process that started it. Run as `node main.ts`; everything else arrives as an order.
import { enableCompileCache, flushCompileCache } from "node:module";
import type { Ending, Order } from "./order.ts";
import type { Stage } from "./stage.ts";

let stage: Stage | undefined;

process.on("disconnect", () => process.exit(0));
process.on("message", async ({ id, order }: { id: number; order: Order }) => {
  const ending = await carriedOut(order);
  process.send!({ id, ending }, () => {
    if (order.kind === "die") process.kill(process.pid, "SIGKILL");
  });
});

async function carriedOut(order: Order): Promise<Ending> {
  if (order.kind !== "open") return stage!.carryOut(order);
  // A trial starts many of these, all with the same modules: only the first has to compile them.
  enableCompileCache(order.cache);
  const { openStage } = await import("./stage.ts");
  const { ending, ...opened } = await openStage(order, alreadyHeld());
  stage = opened.stage;
  flushCompileCache();
  return ending;
}

/** With both streams, which are opened when they are first used and then stay. */
function alreadyHeld(): string[] {
  void [process.stdout, process.stderr];
  return process.getActiveResourcesInfo();
}
