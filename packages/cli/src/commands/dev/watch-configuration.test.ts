import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { inspectConfiguration, readStartableConfiguration } from "../../lib/config/configuration.ts";
import type { Context } from "../../lib/context.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import type { LocalServer } from "./local-server.ts";
import { watchConfiguration } from "./watch-configuration.ts";

it.each([
  { what: "loads it only after Enter", isTerminal: true, next: "Press Enter to load it." },
  { what: "does not load it without a terminal", isTerminal: false, next: "start it with `--watch`." },
])("[TRUST 31] after a change of policy, `paraph dev` $what", async ({ isTerminal, next }) => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-watch-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ["policies", "workspace"]) await mkdir(join(folder, name));
  const configuration = await readStartableConfiguration(folder, {});
  const { digest } = await inspectConfiguration(configuration, folder);
  const { output, written } = captureOutput();
  const replaced = Promise.withResolvers<string>();
  const server = { folder, configuration, digest, replace: async () => replaced.resolve("replaced") };
  const question = isTerminal ? async () => "" : undefined;
  const context = { output, environment: {}, json: false, question } as unknown as Context;
  const watch = await watchConfiguration(context, server as unknown as LocalServer, false);
  onTestFinished(() => watch.close());

  await writeFile(
    join(folder, "policies/own.cedar"),
    '@id("own") @sentence("No agent acts.") forbid (principal is Agent, action, resource);',
  );
  await expect.poll(() => written.stderr).toContain(next);
  await expect(Promise.race([replaced.promise, "not replaced"])).resolves.toBe("not replaced");
  process.stdin.emit("data", "\n");
  if (isTerminal) {
    await expect(replaced.promise).resolves.toBe("replaced");
    expect(written.stderr).toMatch(/\nloading the new configuration …\nrestarting Paraph .* …\n/);
  }
  await watch.close();
  expect(process.stdin.listenerCount("data")).toBe(0);
  await expect(Promise.race([replaced.promise, "not replaced"])).resolves.toBe(
    isTerminal ? "replaced" : "not replaced",
  );
});
