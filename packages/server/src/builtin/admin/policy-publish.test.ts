import type { Preview } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { createPolicySetStore } from "../../postgres/index.ts";
import { adminTestTenant, createTestAdmin, parseTestInput, readFault } from "./testing/create-test-admin.ts";

const { capability, close, db, perform, refreshed, sight, version } = await createTestAdmin();
afterAll(close);

const sets = createPolicySetStore(db.app);
const findActiveVersion = async () => (await sets.findActive(adminTestTenant))?.version;
const noErasing = {
  file: "policies/no-erasing.cedar",
  text: '@id("no-erasing")\nforbid (principal, action == Action::"things.erase", resource);\n',
};

it("[P11] refuses an invalid policy set with file and line, and the active set stays in force", async () => {
  const bad = {
    ...noErasing,
    text: '\n@id("x")\nforbid (principal, action == Action::"things.nothing", resource);',
  };
  const refusal = sight("policy_publish", { sources: [bad] });
  await expect(refusal).rejects.toMatchObject({
    code: "policy-invalid",
    message: expect.stringMatching(/^policies\/no-erasing\.cedar:\d+: /),
  });
  expect(await findActiveVersion()).toBe(version);
});

it("refuses to publish the set that is in force", async () => {
  const refusal = sight("policy_publish", { sources: [] });
  await expect(refusal).rejects.toMatchObject({ code: "policy-unchanged" });
});

it("[P3] the preview shows the backtest and every changed policy text, and changes nothing", async () => {
  const { changes, basis } = await sight("policy_publish", { sources: [noErasing], preset: "strict" });
  expect(changes[0]).toMatchObject({
    target: "policy",
    summary: expect.stringMatching(
      /^There were no calls since \d+ \w+ \d{4} to backtest\. 4 findings, see the details\. CAREFUL: .*cannot be approved until you add people: .*\.$/,
    ),
    details: {
      calls: 0,
      changed: 0,
      "not evaluated": 0,
      rulings: [],
      findings: [
        expect.stringMatching(/^presets\/strict\.cedar:\d+: `high-risk-needs-two-people`.*needs 3 people/),
        expect.stringMatching(/^presets\/strict\.cedar:\d+: `critical-risk-needs-two-people`/),
        expect.stringMatching(/^presets\/strict\.cedar:\d+: .*`paraph:admins`, which has one member/),
        expect.stringMatching(/^presets\/strict\.cedar:\d+: .*`paraph:break-glass`, which has no members/),
      ],
    },
  });
  expect(changes.slice(1)).toEqual([
    { kind: "update", target: "preset", summary: "balanced → strict" },
    {
      kind: "create",
      target: "policies/no-erasing.cedar",
      diff: expect.stringContaining('+@id("no-erasing")'),
    },
  ]);
  expect(basis).toMatchObject({ inForce: version });
  const headline = (preview: Preview) => capability("policy_publish").headline!({}, preview);
  expect(headline({ changes, basis: null })).toBe("Change policy: preset and policies/no-erasing.cedar");
  const many = Array.from({ length: 6 }, (_, index) => ({
    kind: "update" as const,
    target: `policies/${"long-".repeat(index * 10)}${index}.cedar`,
  }));
  expect(headline({ changes: many, basis: null })).toMatch(
    /^Change policy: \S+, …\S{39}, …\S{39} and 2 more$/,
  );
  expect(await findActiveVersion()).toBe(version);
});

it("puts the policy set in force once, and its undo publishes the previous version", async () => {
  const input = { sources: [noErasing] };
  const output = await perform("policy_publish", input, { call: "call_p1" });
  expect(output.previous).toBe(version);
  expect(await findActiveVersion()).toBe(output.version);
  expect(refreshed).toEqual([adminTestTenant]);

  const undo = capability("policy_publish").undo!(input, output)!;
  expect(undo).toEqual({ capability: "admin.policy_publish", input: { version } });
  const { changes } = await sight("policy_publish", undo.input);
  expect(changes.at(-1)).toMatchObject({ kind: "delete", target: "policies/no-erasing.cedar" });
  await perform("policy_publish", undo.input, { call: "call_p2" });
  expect(await findActiveVersion()).toBe(version);

  // If a process repeats the first publication after a crash, the repetition does not undo the second publication.
  const basis = { inForce: version, candidate: output.version };
  await perform("policy_publish", input, { call: "call_p1", basis });
  expect(await findActiveVersion()).toBe(version);
});

it("refuses a version that was never in force, and a set that differs from the previewed one", async () => {
  const unknown = { version: "0".repeat(64) };
  expect(await readFault(sight("policy_publish", unknown))).toBe("permanent version-unknown");
  expect(() => parseTestInput(capability("policy_publish"), { ...unknown, preset: "strict" })).toThrow(
    "leave out",
  );
  const basis = { inForce: version, candidate: "0".repeat(64) };
  expect(await readFault(perform("policy_publish", { sources: [noErasing] }, { basis }))).toBe(
    "permanent candidate-changed",
  );
  expect(await findActiveVersion()).toBe(version);
});
