import { describe, expect, it } from "vitest";
import type { RecentUsage } from "./index.ts";
import { computeUsualMax, findMedian } from "./outliers.ts";
import { createTestChecks } from "./testing/run-check.ts";

const noUsage: RecentUsage = { sizes: [], thisHour: 1, earlierHours: [] };
const createChecksAfter = (lately: Partial<RecentUsage>, options = {}) =>
  createTestChecks({ options, history: { of: async () => ({ ...noUsage, ...lately }) } });
const createBody = (bytes: number) => ({ body: "x".repeat(bytes) });

describe("the usual maximum", () => {
  it("is the median plus its spread, which a few outliers do not change", () => {
    expect(findMedian([3, 1, 2])).toBe(2);
    expect(findMedian([4, 1, 2, 3])).toBe(2.5);
    const steady = Array.from({ length: 40 }, (_, index) => 100 + (index % 5));
    expect(computeUsualMax([...steady, 1e9, 1e9, 1e9], {})).toBe(computeUsualMax(steady, {}));
    expect(computeUsualMax([10, 20, 30, 40, 50], {})).toBeCloseTo(30 + 6 * 1.4826 * 10);
  });

  it("is at least twice the median, and at least the configured value", () => {
    expect(computeUsualMax([7, 7, 7], {})).toBe(14);
    expect(computeUsualMax([7, 7, 7], { upTo: 100 })).toBe(100);
  });
});

describe("check.size", () => {
  const usual = Array.from({ length: 20 }, (_, index) => 2_000 + index);

  it("fails an input much larger than earlier ones, and reports sizes but no content", async () => {
    const { judge } = createChecksAfter({ sizes: usual });
    expect(await judge("size", createBody(3_000))).toEqual({ passed: true, findings: [] });
    expect(await judge("size", createBody(9_000))).toEqual({
      passed: false,
      findings: [
        {
          code: "size-unusual",
          path: "input",
          sentence: "The input has 9011 bytes; up to 4019 would be usual for this principal.",
        },
      ],
    });
  });

  it("passes with fewer than 20 earlier calls, and reports that the history is too short", async () => {
    const { judge } = createChecksAfter({ sizes: usual.slice(0, 19) });
    expect(await judge("size", createBody(1_000_000))).toMatchObject({
      passed: true,
      findings: [{ code: "history-too-short", sentence: expect.stringContaining("19 earlier calls") }],
    });
  });

  it("passes small inputs by default, and the configuration can lower that bound", async () => {
    const tiny = Array(30).fill(10);
    expect(await createChecksAfter({ sizes: tiny }).judge("size", createBody(900))).toMatchObject({
      passed: true,
    });
    expect(
      await createChecksAfter({ sizes: tiny }, { size: { upTo: 0 } }).judge("size", createBody(900)),
    ).toMatchObject({
      passed: false,
    });
  });

  it("[P11] is an error if the history cannot be read", async () => {
    const { judge } = createTestChecks({ history: { of: () => Promise.reject(new Error("secret words")) } });
    await expect(judge("size", createBody(1))).rejects.toMatchObject({
      code: "check-crashed",
      message: "The check could not be run on this input.",
    });
  });

  it("[TRUST 10] reads the history of its own tenant, even if the input names another", async () => {
    const asked: unknown[] = [];
    const { judge } = createTestChecks({
      history: {
        of: async (subject) => {
          asked.push(subject);
          return noUsage;
        },
      },
    });
    await judge("size", { tenant: "other" }, { call: "call_7" }, { tenant: "acme" });
    expect(asked).toEqual([{ tenant: "acme", principal: "bot", capability: "mail.send", call: "call_7" }]);
  });
});

describe("check.rate", () => {
  const earlierHours = [10, 12, 9, 11, 10, 13, 8];

  it("fails an hour much busier than earlier ones", async () => {
    expect(await createChecksAfter({ earlierHours, thisHour: 20 }).judge("rate", {})).toEqual({
      passed: true,
      findings: [],
    });
    expect(await createChecksAfter({ earlierHours, thisHour: 21 }).judge("rate", {})).toEqual({
      passed: false,
      findings: [
        {
          code: "rate-unusual",
          sentence:
            "This principal has made 21 calls of this capability within the hour; up to 20 would be usual.",
        },
      ],
    });
  });

  it("passes with fewer than 20 calls in earlier hours, and reports that the history is too short", async () => {
    const result = await createChecksAfter({ earlierHours: [10, 9], thisHour: 500 }).judge("rate", {});
    expect(result).toMatchObject({ passed: true, findings: [{ code: "history-too-short" }] });
  });

  it("passes up to 10 calls an hour by default, and the configuration can lower that bound", async () => {
    const quiet = Array(30).fill(1);
    expect(await createChecksAfter({ earlierHours: quiet, thisHour: 10 }).judge("rate", {})).toMatchObject({
      passed: true,
    });
    expect(await createChecksAfter({ earlierHours: quiet, thisHour: 11 }).judge("rate", {})).toMatchObject({
      passed: false,
    });
    const strict = createChecksAfter({ earlierHours: quiet, thisHour: 3 }, { rate: { upTo: 0 } });
    expect(await strict.judge("rate", {})).toMatchObject({ passed: false });
  });
});
