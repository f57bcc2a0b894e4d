import { expect, it } from "vitest";
import { describeNeededApprovals } from "./needed-approvals.ts";

const passkey = "passkey" as const;

it.each([
  ["1 approval", [{ quorum: 1 }, { quorum: 1 }]],
  ["2 approvals", [{ quorum: 1 }, { quorum: 2 }]],
  ["1 approval from finance", [{ quorum: 1 }, { quorum: 1, group: "finance" }]],
  ["2 approvals and 1 approval from finance", [{ quorum: 2 }, { quorum: 1, group: "finance" }]],
  [
    "1 approval from finance and 1 approval from legal",
    [
      { quorum: 1, group: "finance" },
      { quorum: 1, group: "legal" },
    ],
  ],
  ["1 approval with passkey", [{ quorum: 1, proof: passkey }, { quorum: 1 }]],
  ["1 approval with passkey and 2 approvals", [{ quorum: 1, proof: passkey }, { quorum: 2 }]],
])("says %s", (text, guards) => {
  expect(describeNeededApprovals(guards)).toBe(text);
});
