import { once } from "node:events";
import { expect, it } from "vitest";
import { converse } from "./converse.ts";
import { ownSleep, sandboxIsHere, shell, untilRunning } from "./testing.ts";

it.each(sandboxIsHere ? [undefined, {}] : [undefined])(
  "[P15] a program that is talked to answers, and at the end everything it started is gone (sandbox: %o)",
  async (sandbox) => {
    const sleep = ownSleep();
    const stop = new AbortController();
    const script = `sleep ${sleep} & while read line; do echo "heard $line"; echo noise >&2; done`;
    const begun = await converse({ ...shell(script), signal: stop.signal, ...(sandbox && { sandbox }) });
    if (begun.kind !== "begun") throw new Error(begun.message);
    const { stdin, stdout, ended } = begun.conversation;
    stdin.write("one\n");
    const [said] = await once(stdout, "data");
    expect(String(said)).toBe("heard one\n");
    await untilRunning(sleep, 1);
    stop.abort();
    await ended;
    await untilRunning(sleep, 0);
  },
);

it("one that cannot be started says why, and one that ends by itself is seen to", async () => {
  const { signal } = new AbortController();
  expect(await converse({ binary: "no-such-program", args: [], cwd: "/", signal })).toMatchObject({
    kind: "not-started",
    message: expect.stringContaining("There is no program"),
  });
  const begun = await converse({ ...shell("exit 3"), signal });
  if (begun.kind !== "begun") throw new Error(begun.message);
  await begun.conversation.ended;
  begun.conversation.stdin.write("nobody reads this\n");
});
