import { expect, it } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { createBudgetKeeper, defaultBudgets } from "./budgets.ts";

const ana = { tenant: "acme", id: "ana" };
const bo = { tenant: "acme", id: "bo" };
const minute = 60_000;

/** Returns, for each attempt, the budget that refused it, or an empty string. */
function refusals(times: number, body: () => unknown): string[] {
  return Array.from({ length: times }, () => {
    try {
      body();
      return "";
    } catch (error) {
      expect(error).toMatchObject({ code: "limit-reached", message: expect.stringContaining("`budgets.") });
      return (error as { limit: string }).limit;
    }
  }).filter((said) => said !== "");
}

it("[TRUST 25] requests and calls are limited per principal and minute, and allowed again in the next minute", async () => {
  let now = 10 * minute + 1;
  const budgets = createBudgetKeeper({ requestsPerMinute: 3, callsPerMinute: 2 }, () => now);
  expect(refusals(5, () => budgets.countRequest(ana))).toEqual(["requestsPerMinute", "requestsPerMinute"]);
  expect(refusals(3, () => budgets.countRequest(bo))).toEqual([]);
  await Promise.all([1, 2].map(() => budgets.admit(ana, async () => {})));
  await expect(budgets.admit(ana, async () => {})).rejects.toMatchObject({
    code: "limit-reached",
    limit: "callsPerMinute",
    retryAt: 11 * minute,
    message: expect.stringContaining("limit of 2 calls per minute"),
  });
  now = 11 * minute;
  expect(refusals(3, () => budgets.countRequest(ana))).toEqual([]);
  await budgets.admit(ana, async () => {});
});

it("[TRUST 25] streams are limited per principal and in total, and each stream frees its place only once", () => {
  const budgets = createBudgetKeeper({ streams: 2, totalStreams: 3 }, () => 0);
  const [first] = [budgets.openStream(ana), budgets.openStream(ana)];
  expect(refusals(1, () => budgets.openStream(ana))).toEqual(["streams"]);
  budgets.openStream(bo);
  expect(refusals(1, () => budgets.openStream(bo))).toEqual(["totalStreams"]);
  first!();
  first!();
  budgets.openStream(bo);
  expect(refusals(1, () => budgets.openStream(ana))).toEqual(["totalStreams"]);
});

it("[TRUST 25] previews of one principal queue up, do not delay other principals, and fail beyond the queue", async () => {
  const budgets = createBudgetKeeper({ concurrentPreviews: 2, callsPerMinute: 1_000 }, () => 0);
  const gate = Promise.withResolvers<void>();
  let [running, max] = [0, 0];
  const look = () =>
    budgets.admit(ana, async () => {
      running += 1;
      max = Math.max(max, running);
      await gate.promise;
      running -= 1;
    });
  const looks = Array.from({ length: 2 + 24 }, look);
  await eventually(() => expect(running).toBeGreaterThan(1));
  expect(running).toBe(2);
  await expect(look()).rejects.toMatchObject({ code: "limit-reached", limit: "concurrentPreviews" });
  expect(await budgets.admit(bo, async () => "served")).toBe("served");
  gate.resolve();
  await Promise.all(looks);
  expect([max, running]).toEqual([2, 0]);
  // A failed admission frees its slot.
  for (let n = 0; n < 3; n += 1)
    await expect(budgets.admit(ana, () => Promise.reject(new Error("x")))).rejects.toThrow("x");
  await budgets.admit(ana, async () => {});
});

it("the default budgets apply without configuration", () => {
  const budgets = createBudgetKeeper(undefined, () => 0);
  const { streams } = defaultBudgets;
  expect(refusals(streams + 5, () => budgets.openStream(ana))).toHaveLength(5);
});
