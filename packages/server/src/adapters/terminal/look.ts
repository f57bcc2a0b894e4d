import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { faultOfRun, run } from "../process/index.ts";
import { plainOf } from "./environment.ts";
import { commandOf, request } from "./request.ts";
import { ended, wholeTimeout } from "./run.ts";
import { endingOf, sawItsEnd } from "./run-apply.ts";
import type { Setting } from "./setting.ts";
import { telling } from "./told.ts";

/** Runs a program that can change nothing: the workspace is read-only to it, and there is no network and no secret. */
export function lookWithPrograms(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.look`,
    version: 1,
    summary: "Run a program that only reads the workspace",
    effect: "read",
    risk: "medium",
    idempotency: "natural",
    input: request,
    output: z.object(ended),
    timeout: wholeTimeout(setting),
    apply: async (input, world) => {
      const told = telling(world);
      const ran = await run({
        ...commandOf(setting, input, world),
        env: plainOf(setting.env),
        sandbox: { read: [setting.workspace, ...setting.read] },
        onOutput: told.tell,
      });
      told.end();
      if (!sawItsEnd(ran)) throw faultOfRun(ran, "The program");
      return endingOf(ran);
    },
  });
}
