// A process that holds one adapter for a trial: asked over its channel, killed when a crash is wanted, ended with the
// process that started it. Run as `node main.ts`; everything else arrives as an order.
import { enableCompileCache, flushCompileCache } from "node:module";
import type { CommandRunner } from "./command-runner.ts";
import type { AdapterCommand, CommandResult } from "./commands.ts";

let runner: CommandRunner | undefined;

process.on("disconnect", () => process.exit(0));
process.on("message", async ({ id, order }: { id: number; order: AdapterCommand }) => {
  const ending = await handleCommand(order);
  process.send!({ id, ending }, () => {
    if (order.kind === "die") process.kill(process.pid, "SIGKILL");
  });
});

async function handleCommand(order: AdapterCommand): Promise<CommandResult> {
  if (order.kind !== "open") return runner!.run(order);
  // A trial starts many of these, all with the same modules: only the first has to compile them.
  enableCompileCache(order.cache);
  const { openCommandRunner } = await import("./command-runner.ts");
  const { ending, ...opened } = await openCommandRunner(order, listInitialResources());
  runner = opened.stage;
  flushCompileCache();
  return ending;
}

/** With both streams, which are opened when they are first used and then stay. */
function listInitialResources(): string[] {
  void [process.stdout, process.stderr];
  return process.getActiveResourcesInfo();
}
