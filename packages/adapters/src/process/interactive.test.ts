import { once } from "node:events";
import { expect, it } from "vitest";
import { startInteractive } from "./interactive.ts";
import { createShellCommand, createSleepDuration, hasSandbox, waitForRunning } from "./testing.ts";

it.each(hasSandbox ? [undefined, {}] : [undefined])(
  "[P15] an interactive program answers, and stopping it ends every process it started (sandbox: %o)",
  async (sandbox) => {
    const sleep = createSleepDuration();
    const stop = new AbortController();
    const script = `sleep ${sleep} & while read line; do echo "heard $line"; echo noise >&2; done`;
    const start = await startInteractive({
      ...createShellCommand(script),
      signal: stop.signal,
      ...(sandbox && { sandbox }),
    });
    if (start.kind !== "begun") throw new Error(start.message);
    const { stdin, stdout, ended } = start.conversation;
    stdin.write("one\n");
    const [said] = await once(stdout, "data");
    expect(String(said)).toBe("heard one\n");
    await waitForRunning(sleep, 1);
    stop.abort();
    await ended;
    await waitForRunning(sleep, 0);
  },
);

it("reports why a program cannot start, and handles a program that exits by itself", async () => {
  const { signal } = new AbortController();
  expect(await startInteractive({ binary: "no-such-program", args: [], cwd: "/", signal })).toMatchObject({
    kind: "not-started",
    message: expect.stringContaining("was not found"),
  });
  const start = await startInteractive({ ...createShellCommand("exit 3"), signal });
  if (start.kind !== "begun") throw new Error(start.message);
  await start.conversation.ended;
  start.conversation.stdin.write("nobody reads this\n");
});
