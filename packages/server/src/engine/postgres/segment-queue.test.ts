import type { CallRef, Wake } from "@paraph/core";
import { expect, it, vi } from "vitest";
import { createSegmentQueue, type SegmentQueueOptions } from "./segment-queue.ts";

const toWake = (tenant: string, call: string, at?: number): Wake => ({
  tenant,
  call,
  epoch: 1,
  ...(at !== undefined && { at }),
});

/** Creates a queue whose segments end when the test says so. */
function createTestQueue(options: Partial<SegmentQueueOptions> = {}) {
  const started: string[] = [];
  const failed: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<readonly Wake[]>>();
  const queue = createSegmentQueue({
    runSegment: ({ tenant, call }: CallRef) => {
      started.push(`${tenant}/${call}`);
      const end = Promise.withResolvers<readonly Wake[]>();
      ends.set(`${tenant}/${call}`, end);
      return end.promise;
    },
    send: (wake) => queue.push(wake),
    now: () => Date.now(),
    onFailure: ({ call }) => void failed.push(call),
    ...options,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    queue,
    started,
    failed,
    async end(name: string, wakes: readonly Wake[] = []) {
      ends.get(name)!.resolve(wakes);
      await settle();
    },
    async fail(name: string) {
      ends.get(name)!.reject(new Error("the database is unavailable"));
      await settle();
    },
  };
}

it("tenants take turns, so a tenant with many calls does not delay the others", async () => {
  const { queue, started, end } = createTestQueue({ maxRunning: 1 });
  for (const call of ["1", "2", "3"]) queue.push(toWake("loud", call));
  queue.push(toWake("calm", "1"));
  await end("loud/1");
  await end("loud/2");
  expect(started).toEqual(["loud/1", "loud/2", "calm/1"]);
  await end("calm/1");
  expect(started.at(-1)).toBe("loud/3");
});

it("one tenant uses at most three quarters of the slots", async () => {
  const { queue, started } = createTestQueue({ maxRunning: 4 });
  for (const call of ["1", "2", "3", "4"]) queue.push(toWake("loud", call));
  expect(started).toHaveLength(3);
  queue.push(toWake("calm", "1"));
  expect(started.at(-1)).toBe("calm/1");
  expect(queue.room()).toBe(0);
});

it("a process runs one segment of a call at a time, and once more if a message arrived meanwhile", async () => {
  const { queue, started, end } = createTestQueue();
  const wake = toWake("acme", "1");
  queue.push(wake);
  queue.push(wake);
  queue.push(wake);
  expect(started).toEqual(["acme/1"]);
  await end("acme/1");
  expect(started).toEqual(["acme/1", "acme/1"]);
  await end("acme/1");
  expect(started).toHaveLength(2);
});

it("a message for later runs at its time, and one for much later is left to the sweeper", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  try {
    const { queue, started } = createTestQueue();
    queue.push(toWake("acme", "soon", Date.now() + 200));
    queue.push(toWake("acme", "later", Date.now() + 24 * 3_600_000));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(199);
    expect(started).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(started).toEqual(["acme/soon"]);
  } finally {
    vi.useRealTimers();
  }
});

it("a segment that fails is repeated with growing pauses, and after thirty times left to the sweeper", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  try {
    const { queue, started, failed, fail } = createTestQueue();
    queue.push(toWake("acme", "1"));
    await fail("acme/1");
    vi.advanceTimersByTime(49);
    expect(started).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(started).toHaveLength(2);
    for (let n = 0; n < 40; n += 1) {
      await fail("acme/1");
      vi.advanceTimersByTime(1_000);
    }
    expect(started).toHaveLength(31);
    // One report for the first failure and one for the last, not one for each.
    expect(failed).toEqual(["1", "1"]);
    // A later message starts the attempts again.
    queue.push(toWake("acme", "1"));
    expect(started).toHaveLength(32);
  } finally {
    vi.useRealTimers();
  }
});

it("the messages that a segment returns are sent on", async () => {
  const { queue, started, end } = createTestQueue();
  queue.push(toWake("acme", "1"));
  await end("acme/1", [toWake("acme", "2")]);
  expect(started).toEqual(["acme/1", "acme/2"]);
});

it("the queue is bounded, and a closed queue returns what it did not start", async () => {
  const { queue, started, end } = createTestQueue({ maxRunning: 1, maxWaiting: 2 });
  for (const call of ["1", "2", "3", "4"]) queue.push(toWake("acme", call));
  expect(queue.close().map(({ call }) => call)).toEqual(["2", "3"]);
  queue.push(toWake("acme", "5"));
  await end("acme/1");
  expect(started).toEqual(["acme/1"]);
  expect(queue.room()).toBe(0);
});

it("lists the calls whose segment has run for some time", async () => {
  const { queue, end } = createTestQueue();
  queue.push(toWake("acme", "1"));
  expect(queue.listRunning(0).map(({ call }) => call)).toEqual(["1"]);
  expect(queue.listRunning(60_000)).toEqual([]);
  await end("acme/1");
  expect(queue.listRunning(0)).toEqual([]);
});
