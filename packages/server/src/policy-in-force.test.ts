import { expect, it } from "vitest";
import { policyDocument } from "./cedar/index.ts";
import { contract } from "./cedar/test-capabilities.ts";
import { policyInForce } from "./policy-in-force.ts";

const note = contract("notes.append", { effect: "read", risk: "low" });
const shop = contract("shop.list", { effect: "read", risk: "low" });

/** A policy over rows that answer when they are let. */
async function ground(first: readonly (typeof note)[]) {
  const state = { contracts: first, answer: Promise.resolve() };
  // As the configuration's rules do: other capabilities make another document of them.
  const document = () => policyDocument({ unattended: state.contracts.map(({ name }) => name) });
  let kept: { readonly version: string; readonly document: ReturnType<typeof document> } | undefined;
  const problems: string[] = [];
  const policy = policyInForce({
    configured: document,
    contracts: () => state.contracts,
    source: { inForce: async () => state.answer.then(() => kept) },
    problem: (code) => problems.push(code),
  });
  const publish = async () => {
    kept = { version: policy.configured().version, document: document() };
  };
  await publish();
  await policy.refresh("acme");
  return { state, policy, publish, problems };
}

it.each([
  ["more", [note], [note, shop]],
  ["less", [note, shop], [note]],
])(
  "[P11] while policies are read anew, because there is %s than before, nobody is refused; then the new ones are in force",
  async (_, first, then) => {
    const { state, policy, publish, problems } = await ground(first);
    const before = policy.current("acme").version;
    const rows = Promise.withResolvers<void>();
    state.contracts = then;
    state.answer = rows.promise;
    const reloading = policy.reload(publish);
    while (policy.configured().version === before) await Promise.resolve();
    expect(policy.current("acme").version).toBe(before);
    rows.resolve();
    await reloading;
    expect(policy.current("acme").version).toBe(policy.configured().version);
    expect(problems).toEqual([]);
  },
);

it("[P11] an answer of the rows that comes after a reload puts no dropped set back in force", async () => {
  const state = { contracts: [note, shop] as readonly (typeof note)[] };
  const document = () => policyDocument({ unattended: state.contracts.map(({ name }) => name) });
  let kept = { version: "", document: document() };
  const late = Promise.withResolvers<void>();
  let answers: Promise<void> = Promise.resolve();
  const policy = policyInForce({
    configured: document,
    contracts: () => state.contracts,
    source: {
      inForce: async (_tenant, known) => {
        const { version } = kept;
        const answer = version === known ? { version, document: null } : { ...kept };
        await answers;
        return answer;
      },
    },
    problem: () => {},
  });
  const publish = async () => {
    kept = { version: policy.configured().version, document: document() };
  };
  await publish();
  await policy.refresh("acme");
  answers = late.promise;
  const refreshing = policy.refresh("acme");
  answers = Promise.resolve();
  state.contracts = [note];
  await policy.reload(publish);
  late.resolve();
  await refreshing;
  expect(policy.current("acme").version).toBe(policy.configured().version);
});

it("[P11] a set that names what is gone, and is still in force, refuses everything once that is known", async () => {
  const { state, policy, problems } = await ground([note, shop]);
  state.contracts = [note];
  await policy.reload();
  expect(() => policy.current("acme")).toThrow("cannot be loaded");
  expect(problems).toContain("policy-not-loadable");
});

it("what is asked for while policies are being read is read once more, not as often as it is asked", async () => {
  const { state, policy, publish } = await ground([note]);
  let published = 0;
  const counting = async () => {
    published += 1;
    await publish();
  };
  state.contracts = [note, shop];
  await Promise.all(Array.from({ length: 20 }, () => policy.reload(counting)));
  expect(published).toBe(1);
});
