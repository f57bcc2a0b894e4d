import { expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

const moments = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const since = (begun: number) => performance.now() - begun;

it("stop answers who waits, ends streams, and is done within moments", async () => {
  const own = new TestServer();
  await own.start();
  const { body } = await own.call("notes.burn", { text: "x" });
  const waiting = own.get(`/v1/calls/${body.call}`, "bot", { prefer: "wait=60" });
  const stream = own.get(`/v1/calls/${body.call}/events`, "bot", { accept: "text/event-stream" });
  await moments(100);
  const begun = performance.now();
  await Promise.all([own.stop(), own.stop()]);
  expect(since(begun)).toBeLessThan(2_000);
  expect((await waiting).status).toBe(202);
  expect((await stream).body).toContain("dev.paraph.call.asked.v1");
  await expect(own.get("/healthz")).rejects.toThrow();
});

it("stop lets a request under way finish, but not for ever", async () => {
  const own = new TestServer();
  await own.start();
  own.service.list = async () => {
    await moments(500);
    return [];
  };
  own.service.findApproval = () => new Promise(() => {});
  const finishing = own.get("/v1/calls", "bot");
  const hanging = own.get("/v1/approvals/ask_x", "bot").catch(() => "cut");
  await moments(100);
  const begun = performance.now();
  await own.stop();
  expect(since(begun)).toBeGreaterThan(4_500);
  expect(since(begun)).toBeLessThan(6_500);
  expect((await finishing).status).toBe(200);
  expect(await hanging).toBe("cut");
});
