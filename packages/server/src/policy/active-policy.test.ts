import { expect, it } from "vitest";
import { createActivePolicy } from "./active-policy.ts";
import { assemblePolicyDocument } from "./cedar/index.ts";
import { createContract, sampleAgent } from "./cedar/testing/sample-contracts.ts";

const note = createContract("notes.append", { effect: "read", risk: "low" });
const shop = createContract("shop.list", { effect: "read", risk: "low" });

const createQuestion = (asked: typeof note) => ({
  principal: sampleAgent,
  contract: asked,
  input: {},
  preview: undefined,
  discharged: [],
});

/** Creates a policy on simulated rows. The test decides when the rows answer. */
async function createFixture(first: readonly (typeof note)[]) {
  const state = { contracts: first, answer: Promise.resolve(), asked: 0 };
  // A change of capabilities changes the document, as it does with the rules of a configuration.
  const document = () => assemblePolicyDocument({ unattended: state.contracts.map(({ name }) => name) });
  let kept: { readonly version: string; readonly document: ReturnType<typeof document> } | undefined;
  const problems: string[] = [];
  const policy = createActivePolicy({
    configured: document,
    contracts: () => state.contracts,
    source: {
      // The source returns what the rows held at the time of the request.
      findActive: async () => {
        const found = kept;
        state.asked += 1;
        await state.answer;
        return found;
      },
    },
    problem: (code) => problems.push(code),
  });
  const publish = async () => {
    kept = { version: policy.getConfigured().version, document: document() };
  };
  await publish();
  await policy.refresh("acme");
  return { state, policy, publish, problems };
}

it.each([
  ["more", [note], [note, shop]],
  ["less", [note, shop], [note]],
])(
  "[P11] if the catalog offers %s than before, the old set applies during the reload, and the new set after it",
  async (_, first, then) => {
    const { state, policy, publish, problems } = await createFixture(first);
    const before = policy.current("acme").version;
    const rows = Promise.withResolvers<void>();
    state.contracts = then;
    state.answer = rows.promise;
    const reloading = policy.reload(publish);
    expect(policy.current("acme").version).toBe(before);
    rows.resolve();
    await reloading;
    expect(policy.current("acme").version).toBe(policy.getConfigured().version);
    expect(problems).toEqual([]);
  },
);

it("[P11] a capability that returns while the previous reload waits for the database is known at once", async () => {
  const { state, policy, publish, problems } = await createFixture([note, shop]);
  // The set of this tenant was never fetched, so the configured one applies.
  const errors = () => policy.current("globex").evaluate(createQuestion(shop)).errors;
  const rows = Promise.withResolvers<void>();
  state.answer = rows.promise;
  state.contracts = [note];
  const gone = policy.reload(publish);
  while (state.asked === 1) await Promise.resolve();
  state.contracts = [note, shop];
  const back = policy.reload(publish);
  expect(errors()).toEqual([]);
  rows.resolve();
  await Promise.all([gone, back]);
  expect(errors()).toEqual([]);
  expect(problems).toEqual([]);
});

it("[P11] a database answer that arrives after a reload does not reactivate a dropped set", async () => {
  const state = { contracts: [note, shop] as readonly (typeof note)[] };
  const document = () => assemblePolicyDocument({ unattended: state.contracts.map(({ name }) => name) });
  let kept = { version: "", document: document() };
  const late = Promise.withResolvers<void>();
  let answers: Promise<void> = Promise.resolve();
  const policy = createActivePolicy({
    configured: document,
    contracts: () => state.contracts,
    source: {
      findActive: async (_tenant, known) => {
        const { version } = kept;
        const answer = version === known ? { version, document: null } : { ...kept };
        await answers;
        return answer;
      },
    },
    problem: () => {},
  });
  const publish = async () => {
    kept = { version: policy.getConfigured().version, document: document() };
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
  expect(policy.current("acme").version).toBe(policy.getConfigured().version);
});

it("[P11] the previously configured set stays loaded during a reload, because the database may still name it", async () => {
  const third = createContract("till.list", { effect: "read", risk: "low" });
  const { state, policy, publish, problems } = await createFixture([note]);
  state.contracts = [note, shop, third];
  const late = Promise.withResolvers<void>();
  state.answer = late.promise;
  const first = policy.reload(publish);
  while (state.asked === 1) await Promise.resolve();
  // The rows name the second set by now. Before their answer arrives, the test loads a third set, which knows fewer
  // capabilities.
  state.contracts = [note, shop];
  const second = policy.reload(publish);
  late.resolve();
  await first;
  expect(() => policy.current("acme")).not.toThrow();
  await second;
  expect(policy.current("acme").version).toBe(policy.getConfigured().version);
  expect(problems).toEqual([]);
});

it("[P11] if a tenant's first answer arrives after a reload and names an older set, Paraph queries again", async () => {
  const { state, policy, publish, problems } = await createFixture([note, shop]);
  const late = Promise.withResolvers<void>();
  state.answer = late.promise;
  const refreshing = policy.refresh("globex");
  state.answer = Promise.resolve();
  state.contracts = [note];
  await policy.reload(publish);
  late.resolve();
  await refreshing;
  expect(() => policy.current("globex")).not.toThrow();
  expect(policy.current("globex").version).toBe(policy.getConfigured().version);
  expect(problems).toEqual([]);
});

it("[P11] an active set that names a removed capability cannot be loaded after a reload, and Paraph reports it", async () => {
  const { state, policy, problems } = await createFixture([note, shop]);
  state.contracts = [note];
  await policy.reload();
  expect(() => policy.current("acme")).toThrow("cannot load the policy set in force");
  expect(problems).toContain("policy-not-loadable");
});

it("20 reload requests at once publish the policies once", async () => {
  const { state, policy, publish } = await createFixture([note]);
  let published = 0;
  const counting = async () => {
    published += 1;
    await publish();
  };
  state.contracts = [note, shop];
  await Promise.all(Array.from({ length: 20 }, () => policy.reload(counting)));
  expect(published).toBe(1);
});
