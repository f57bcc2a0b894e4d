import type { Call, Contract } from "@paraph/core";
import { expect, it } from "vitest";
import { createInlineRunner } from "./inline-runner.ts";

const contract = { timeoutMs: 1_000 } as Contract;
const call = { tenant: "acme", call: "call_1" } as Call;

it("a slot is taken as soon as it is reserved, and free again after its release or the end of its segment", async () => {
  const running = Promise.withResolvers<readonly never[]>();
  const here = createInlineRunner({
    runSegment: () => running.promise,
    send: async () => {},
    problem: () => {},
    maxConcurrent: 2,
    isStopping: () => false,
  });
  // Several callers may hold a reservation before any of them runs its call.
  const [first, second, third] = [here.reserve(contract), here.reserve(contract), here.reserve(contract)];
  expect([first, second, third].map((place) => place !== undefined)).toEqual([true, true, false]);
  second?.release();
  first?.run(call);
  const fourth = here.reserve(contract);
  expect([fourth, here.reserve(contract)].map((place) => place !== undefined)).toEqual([true, false]);
  fourth?.run(call);
  expect(here.reserve(contract)).toBeUndefined();
  running.resolve([]);
  await expect.poll(() => here.reserve(contract)).toBeDefined();
});
