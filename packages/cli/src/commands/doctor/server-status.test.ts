import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { fetchServerStatus } from "./server-status.ts";

/** Starts a server whose clock differs, and which answers only after the pause. */
async function startServer(aheadMs: number, pauseMs = 0): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader("date", new Date(Date.now() + aheadMs).toUTCString());
    setTimeout(() => response.end(JSON.stringify({ parts: { database: true } })), pauseMs);
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const readSkew = async (url: string) => {
  const status = await fetchServerStatus(url, new AbortController().signal);
  return "skewMs" in status ? status.skewMs : undefined;
};

it("counts a slow response of a server in sync as no difference between the clocks", async () => {
  expect(await readSkew(await startServer(0, 2_500))).toBe(0);
});

it.each([3_600_000, -3_600_000])("measures that the server is %i ms ahead", async (aheadMs) => {
  const skew = (await readSkew(await startServer(aheadMs)))!;
  expect(Math.sign(skew)).toBe(-Math.sign(aheadMs));
  expect(Math.abs(Math.abs(skew) - 3_600_000)).toBeLessThan(60_000);
});
