import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { findFreePort, requireFreePorts, retryWithFreshPorts } from "./ports.ts";
import { ServerError } from "./server-error.ts";

it("hands out different ports below the range for outgoing connections", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, findFreePort));
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

it("refuses a port that is in use", async () => {
  const port = await findFreePort();
  await requireFreePorts([port]);
  const listener = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void listener.close());
  await once(listener, "listening");
  await expect(requireFreePorts([port])).rejects.toMatchObject({
    code: "port-in-use",
    message: expect.stringContaining("choose another port with `--port`"),
  });
});

it("retries with other ports only if a port was in use", async () => {
  const endings = [new ServerError("port-in-use", "lost"), "started"];
  const start = async () => {
    const ending = endings.shift();
    if (ending instanceof Error) throw ending;
    return ending;
  };
  expect(await retryWithFreshPorts(start)).toBe("started");
  endings.push(new ServerError("start-failed", "broken"), "not reached");
  await expect(retryWithFreshPorts(start)).rejects.toMatchObject({ code: "start-failed" });
});
