// A service in a separate process, which kills itself after a given number of attempts have reached their crash point.
import { appendFileSync, readFileSync } from "node:fs";
import { defineCapability, type ExecutionContext, type Idempotency } from "@paraph/core";
import { z } from "zod";
import { serve } from "../../../../sdk/src/serve/node.ts";

const { BOOK = "", KEY = "", CALLER = "", PORT = "0", DIES_AT = "0" } = process.env;
let reachedCount = 0;

function waitForKill(): Promise<never> {
  reachedCount += 1;
  if (reachedCount === Number(DIES_AT)) process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

const input = z.object({ name: z.string(), dies: z.enum(["before", "after"]) });
const output = z.object({ entry: z.string() });

/**
 * Creates a capability whose effect is a line in a file. Its apply checks whether the line exists only if the
 * capability is `keyed`.
 */
function createEntryCapability(idempotency: Idempotency) {
  const isThere = (key: string) => readFileSync(BOOK, "utf8").split("\n").includes(`${idempotency} ${key}`);
  return defineCapability({
    name: `shop.${idempotency}`,
    version: 1,
    summary: "Enter something into the book",
    effect: "write",
    idempotency,
    input,
    output,
    apply: async ({ dies }, { key, attempt }: ExecutionContext) => {
      if (attempt === 1 && dies === "before") await waitForKill();
      if (idempotency !== "keyed" || !isThere(key)) appendFileSync(BOOK, `${idempotency} ${key}\n`);
      if (attempt === 1 && dies === "after") await waitForKill();
      return { entry: key };
    },
    ...(idempotency === "probe" && {
      probe: async (_: unknown, { key }: ExecutionContext) =>
        isThere(key) ? { kind: "present" as const, output: { entry: key } } : { kind: "absent" as const },
    }),
    undo: (_, { entry }) => ({ capability: "shop.strike_out", input: { entry } }),
  });
}

const { url } = await serve({
  capabilities: (["natural", "keyed", "probe", "none"] as const).map(createEntryCapability),
  key: KEY,
  callers: [CALLER],
  port: Number(PORT),
});
process.send?.(url);
// The parent process is gone.
process.once("disconnect", () => process.exit());
