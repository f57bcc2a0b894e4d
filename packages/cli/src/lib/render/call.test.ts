import { expect, it } from "vitest";
import { captureOutput } from "../../testing/captured-output.ts";
import type { CallView } from "../api/api-views.ts";
import { printOutcome } from "./call.ts";

function print(code: string, error?: string): string {
  const { output, written } = captureOutput({ color: false });
  const call = {
    call: "call_1",
    createdAt: "2026-11-19T17:00:00Z",
    outcome: { kind: "unknown", code },
    error,
  };
  printOutcome(call as unknown as CallView, output);
  return written.stderr;
}

it("an unknown outcome says why in words, and suggests a probe only if the contract may have one", () => {
  const crashed = print("no-key-no-probe");
  expect(crashed).toContain("An attempt may have acted, and the contract allows neither");
  expect(crashed).not.toContain("paraph probe");
  expect(crashed).toContain("paraph resolve call_1 not-happened");
  expect(print("probe-unsure")).toContain("paraph probe call_1");
});

it("the error of the capability takes the place of the words", () => {
  expect(print("timeout", "The attempt was stopped at its deadline.")).toMatch(
    /\n {2}The attempt was stopped at its deadline\.\n {2}The call may or may not/,
  );
});
