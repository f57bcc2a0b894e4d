// The main module of an adapter process, run as `node main.ts`. The process receives commands over its IPC channel. The
// suite kills the process to simulate a crash. The process also exits when the suite exits.
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
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

// Reports each child process when it starts. The suite polls the process tree, which misses a process with a short life.
subscribe("child_process", (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once("spawn", () => process.send!({ spawned: child.pid }, () => {}));
});

async function handleCommand(order: AdapterCommand): Promise<CommandResult> {
  if (order.kind !== "open") return runner!.run(order);
  // A conformance test starts many processes with the same modules. With the cache, only the first one compiles them.
  enableCompileCache(order.cache);
  const { openCommandRunner } = await import("./command-runner.ts");
  const { ending, ...opened } = await openCommandRunner(order, listInitialResources());
  runner = opened.stage;
  flushCompileCache();
  return ending;
}

/**
 * Lists the resources that exist at the start. It first accesses both output streams, so that the list includes them.
 * Node opens such a stream only at its first use and then keeps it open.
 */
function listInitialResources(): string[] {
  void [process.stdout, process.stderr];
  return process.getActiveResourcesInfo();
}
