import type { CapabilityError } from "@paraph/core";
import { expect, it } from "vitest";
import { toCommitFault } from "./sql-fault.ts";

it.each([
  ["23505", "permanent constraint-violated"],
  ["40001", "not-performed raced"],
  ["P0001", "permanent sql-refused"],
  // The server failed during the commit, or does not know whether it committed.
  ["40003", "ambiguous commit-unseen"],
  ["08007", "ambiguous commit-unseen"],
  ["57P02", "ambiguous commit-unseen"],
  ["58030", "ambiguous commit-unseen"],
  ["XX000", "ambiguous commit-unseen"],
  ["53100", "ambiguous commit-unseen"],
])("[P8] a commit that fails with code %s becomes the fault `%s`", (code, message) => {
  const fault = toCommitFault(Object.assign(new Error("x"), { code })) as CapabilityError;
  expect(`${fault.kind} ${fault.code}`).toBe(message);
});
