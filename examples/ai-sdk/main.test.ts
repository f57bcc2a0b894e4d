import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("./main.ts", import.meta.url));

it("[TRUST story 3] [P12] a refund approved while no agent waits runs once, and the next turn reports it", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=paraph-source", script]);
  expect(stdout.trim().split("\n")).toEqual([
    "agent:    I have asked a colleague about your refund.",
    "approver: approved",
    "agent:    Your refund is succeeded, and a letter is on its way (carla-1).",
    "refunds:  1",
    "receipt:  succeeded, performed by Paraph, verified",
    "letters:  Refunded: refund-of-pay_8Zk2.",
    "receipt:  succeeded, performed by the agent, verified",
  ]);
});
