import { expect, it } from "vitest";
import { policyDocument } from "./cedar/index.ts";
import { contract } from "./cedar/test-capabilities.ts";
import { policyInForce } from "./policy-in-force.ts";

it("[P11] while policies are read anew, because some adapter offers something else, nobody is refused what stays allowed", async () => {
  const note = contract("notes.append", { effect: "read", risk: "low" });
  const more = contract("shop.list", { effect: "read", risk: "low" });
  let contracts = [note];
  // As the configuration's rules do: other capabilities make another document of them.
  const document = () => policyDocument({ unattended: contracts.map(({ name }) => name) });
  let answer = Promise.withResolvers<void>();
  answer.resolve();
  let kept: { readonly version: string; readonly document: ReturnType<typeof document> } | undefined;
  const policy = policyInForce({
    configured: document,
    contracts: () => contracts,
    source: { inForce: async () => answer.promise.then(() => kept) },
    problem: () => {},
  });
  kept = { version: policy.configured().version, document: document() };
  await policy.refresh("acme");
  const before = policy.current("acme").version;

  contracts = [note, more];
  answer = Promise.withResolvers();
  const reloading = policy.reload();
  expect(policy.configured().version).not.toBe(before);
  // The rows are still being asked.
  expect(policy.current("acme").version).toBe(before);
  answer.resolve();
  await reloading;
  expect(policy.current("acme").version).toBe(before);
});
