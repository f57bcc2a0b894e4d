import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { milliseconds } from "../config/duration.ts";
import { chooseRetryWait, type RetryStrategy, retryDelay, retryPolicy } from "./retry.ts";

describe("[P8] the back-off", () => {
  it("starts at 500 ms and doubles up to 30 s, for three retries, unless the contract overrides it", () => {
    expect(retryPolicy()).toEqual({ retries: 3, firstMs: 500, factor: 2, capMs: 30_000, jitter: 0.25 });
    const plain = [1, 2, 3, 4, 5, 6, 7, 8, 20].map((retry) => retryDelay(retryPolicy(), retry, 0.5));
    expect(plain).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(retryPolicy({ retries: 0, first: "1s", factor: 3, cap: "1m" })).toMatchObject({
      retries: 0,
      firstMs: 1_000,
      factor: 3,
      capMs: 60_000,
    });
  });

  it("applies jitter of at most a quarter in either direction", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (retry, chance) => {
          const plain = retryDelay(retryPolicy(), retry, 0.5);
          const delay = retryDelay(retryPolicy(), retry, chance);
          expect(delay).toBeGreaterThanOrEqual(Math.round(plain * 0.75));
          expect(delay).toBeLessThanOrEqual(Math.round(plain * 1.25));
        },
      ),
      { seed: 1 },
    );
    expect([retryDelay(retryPolicy(), 1, 0), retryDelay(retryPolicy(), 1, 0.9999)]).toEqual([375, 625]);
  });

  it("waits at least as long as Retry-After, up to one hour", () => {
    expect(retryDelay(retryPolicy(), 1, 0.5, 7_000)).toBe(7_000);
    expect(retryDelay(retryPolicy(), 7, 0.5, 7_000)).toBe(30_000);
    expect(retryDelay(retryPolicy(), 1, 0.5, 86_400_000)).toBe(3_600_000);
  });
});

describe("[P8] a capability's own retry strategy", () => {
  const failure = { retry: 2, kind: "not-performed", code: "busy", usualWaitMs: 900 } as const;

  it.each<[string, RetryStrategy | undefined, number | "stop"]>([
    ["missing", undefined, 900],
    ["a wait by the number of the retry", ({ retry }) => `${retry * 5}s`, 10_000],
    ["no opinion", () => undefined, 900],
    ["a stop by the fault's code", ({ code }) => (code === "busy" ? "stop" : "1s"), "stop"],
    ["a wait of a week, which is cut to an hour", () => "7d", 3_600_000],
    ["an invalid duration", () => "soon" as "1s", 900],
    ["a number", () => 5 as unknown as "1s", 900],
    [
      "a thrown error",
      () => {
        throw new Error("broken");
      },
      900,
    ],
  ])("%s", (_name, strategy, wait) => {
    expect(chooseRetryWait(strategy, failure)).toBe(wait);
  });

  it("cannot retry earlier than the Retry-After of a server", () => {
    expect(chooseRetryWait(() => "1s", failure, 7_000)).toBe(7_000);
    expect(chooseRetryWait(() => "10s", failure, 7_000)).toBe(10_000);
  });
});

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["24h", 86_400_000],
    ["30d", 2_592_000_000],
  ] as const)("reads %s", (text, ms) => {
    expect(milliseconds(text)).toBe(ms);
  });

  it.each(["", "30", "-1s", "1 s", "1S", "s", "1e3s", "1w"])("refuses `%s`", (text) => {
    expect(() => milliseconds(text as "1s")).toThrow(/is not a duration/);
  });
});
