// Tests what `paraph dev` says about calls after its process died while it performed them.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { type RunningCli, runCli, startCli } from "../../testing/run-cli.ts";

/** A letter that is never sent completely, and that Paraph must not send again. */
const config = `import { defineCapability, defineConfig } from "paraph";
import { z } from "${import.meta.resolve("zod")}";
const send = defineCapability({
  name: "letter.send", version: 1, summary: "Send a letter", effect: "write", idempotency: "none",
  input: z.strictObject({}), output: z.strictObject({}),
  apply: () => new Promise(() => setTimeout(() => {}, 600_000)),
});
export default defineConfig({ capabilities: [send], unattended: ["letter.send"] });
`;

it("[P7] after a crash, `paraph dev` names the calls that it was performing, and later those with an unknown outcome", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-left-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL does not run as root, so its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  await writeFile(join(folder, "paraph.config.ts"), config);
  const run = (...args: string[]) => runCli(args, { folder });
  const dev: { running?: RunningCli; printed: string } = { printed: "" };
  const start = async () => {
    dev.printed = "";
    dev.running = startCli(["dev"], { folder });
    dev.running.process.stderr!.on("data", (text: string) => {
      dev.printed += text;
    });
    await eventually(() => expect(dev.printed).toContain("Press Ctrl-C to stop."));
  };
  const stop = async (signal: "SIGKILL" | "SIGTERM") => {
    dev.running!.process.kill(signal);
    await dev.running!.ended;
  };
  onTestFinished(() => stop("SIGTERM"));

  await start();
  expect(dev.printed).not.toMatch(/were being performed|unknown outcome/);
  await run("call", "letter.send", "--wait", "0");
  await eventually(async () => expect((await run("show", "last")).stdout).toContain("is about to act"));
  await stop("SIGKILL");

  await start();
  expect(dev.printed).toContain("! Calls that were being performed when Paraph stopped: 1.");
  await eventually(async () => expect((await run("calls", "--unknown")).stdout).toContain("no-key-no-probe"));
  await stop("SIGTERM");

  await start();
  expect(dev.printed).toContain("! Calls with an unknown outcome: 1.");
  expect(dev.printed).not.toContain("were being performed");
});
