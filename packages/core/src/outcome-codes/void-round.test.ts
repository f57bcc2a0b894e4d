import { expect, it } from "vitest";
import { explainNewRound, explainVoidRound } from "./void-round.ts";

it("says in a sentence why a round is void, also if the call ended with it", () => {
  expect(explainVoidRound("approval-insufficient")).toBe("Policy now demands other approvals.");
  expect(explainVoidRound("forbidden")).toBe("A policy forbids the call, so no approval could help.");
  for (const unknown of [undefined, "card-declined", "constructor"])
    expect(explainVoidRound(unknown)).toBe("The earlier approval is no longer valid.");
});

it("tells approvers to review the new preview only if the preview changed", () => {
  expect(explainNewRound("basis-changed")).toBe(
    "The underlying data changed. Earlier votes no longer count. Review the new preview.",
  );
  expect(explainNewRound("approver-barred")).toBe(
    "An approver was frozen or disabled. Earlier votes no longer count. Review the request again.",
  );
});
