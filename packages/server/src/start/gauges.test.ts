import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createCachedRead } from "./gauges.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("scrapes share one result of PostgreSQL for ten seconds", async () => {
  let now = 0;
  const read = vi.fn(async () => read.mock.calls.length);
  const get = createCachedRead(read, () => now);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  now = 9_999;
  expect(await get()).toBe(1);
  now = 10_000;
  expect(await get()).toBe(2);
});

it("a read that fails gives no result, not an old one", async () => {
  let now = 0;
  const read = vi.fn(async () => {
    if (read.mock.calls.length > 1) throw new Error("canceling statement due to statement timeout");
    return "numbers";
  });
  const get = createCachedRead(read, () => now);
  expect(await get()).toBe("numbers");
  now = 10_000;
  expect(await get()).toBeUndefined();
});

it("a scrape does not wait longer than two seconds, and no second read starts beside a slow one", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const read = vi.fn(() => promise);
  const get = createCachedRead(read);
  const early = get();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await early).toBeUndefined();
  const late = get();
  resolve("numbers");
  expect(await late).toBe("numbers");
  expect(read).toHaveBeenCalledOnce();
});
