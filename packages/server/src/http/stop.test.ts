import { expect, it } from "vitest";
import { TestServer } from "./testing/server.ts";

it("stop answers waiting requests and ends streams", async () => {
  const own = new TestServer();
  await own.start();
  const { body } = await own.call("notes.burn", { text: "x" });
  const waiting = own.get(`/v1/calls/${body.call}`, "bot", { prefer: "wait=60" });
  const stream = own.get(`/v1/calls/${body.call}/events`, "bot", { accept: "text/event-stream" });
  await expect.poll(() => own.service.countWaiters()).toBe(2);
  await Promise.all([own.stop(), own.stop()]);
  expect((await waiting).status).toBe(202);
  expect((await stream).body).toContain("dev.paraph.call.asked.v1");
  await expect(own.get("/healthz")).rejects.toThrow();
});

it("stop lets a running request finish, and cuts off one that hangs", async () => {
  const own = new TestServer();
  await own.start();
  const finish = Promise.withResolvers<void>();
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  own.service.listCalls = async () => {
    arrived[0].resolve();
    await finish.promise;
    return { calls: [] };
  };
  own.service.findApproval = () => {
    arrived[1].resolve();
    return new Promise(() => {});
  };
  const finishing = own.get("/v1/calls", "bot");
  const hanging = own.get("/v1/approvals/ask_x", "bot").catch(() => "cut");
  await Promise.all(arrived.map(({ promise }) => promise));
  const stopped = own.stop();
  finish.resolve();
  expect((await finishing).status).toBe(200);
  await stopped;
  expect(await hanging).toBe("cut");
});

it("keeps idle connections open for longer than common load balancers do", async () => {
  const own = new TestServer();
  await own.start();
  expect((await own.get("/healthz")).headers.get("keep-alive")).toBe("timeout=75");
  await own.stop();
});
