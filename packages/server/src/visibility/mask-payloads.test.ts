import type { Call, Contract, Json, Principal } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { type FieldVisibility, maskPayloads, restoreMasked } from "./mask-payloads.ts";

const bot: Principal = { tenant: "acme", id: "bot", kind: "agent" };
const bo: Principal = { tenant: "acme", id: "bo", kind: "person" };
const contract = (...sensitive: string[]) => ({ sensitive }) as unknown as Contract;
const createCall = (payloads: Record<string, Json>) =>
  ({
    tenant: "acme",
    principal: bot,
    payloads: Object.fromEntries(
      Object.entries(payloads).map(([name, value]) => [name, { salt: "s", value }]),
    ),
  }) as unknown as Call;

it("[TRUST 16] masks by path, through objects and lists, in input and output", () => {
  const call = createCall({
    input: { card: { number: "4111-1111", kind: "visa" }, items: [{ pin: "9999" }, { pin: "8888", n: 1 }] },
    output: { items: [{ pin: "7777" }] },
  });
  expect(maskPayloads(bo, call, contract("card.number", "items.pin", "absent.field"))).toEqual({
    payloads: {
      input: { card: { number: "•••", kind: "visa" }, items: [{ pin: "•••" }, { pin: "•••", n: 1 }] },
      output: { items: [{ pin: "•••" }] },
    },
    masked: ["card.number", "items.pin"],
  });
});

it("the requester sees every value, and a principal with the same id in another tenant does not", () => {
  const call = createCall({ input: { token: "secret" } });
  expect(maskPayloads(bot, call, contract("token")).payloads.input).toEqual({ token: "secret" });
  expect(maskPayloads({ ...bot, tenant: "evil" }, call, contract("token")).payloads.input).toEqual({
    token: "•••",
  });
});

it("[TRUST 16] a masked value does not appear elsewhere in texts, numbers, names or diffs", () => {
  const content = "first line\nsecond line";
  const call = createCall({
    input: { token: "sk-12345", account: 778899, content },
    preview: {
      changes: [
        { kind: "update", target: "x", diff: "@@ -1 +1,2 @@\n-old line\n+first line\n+second line\n" },
      ],
      basis: { "for sk-12345": 778899 },
    },
    error: "sk-12345 was refused for 778899",
  });
  const { payloads } = maskPayloads(bo, call, contract("token", "account", "content"));
  expect(payloads.preview).toEqual({
    changes: [{ kind: "update", target: "x", diff: "@@ -1 +1,2 @@\n-old line\n+•••\n+•••\n" }],
    basis: { "for •••": "•••" },
  });
  expect(payloads.error).toBe("••• was refused for •••");
});

it("masks everything if the contract is missing", () => {
  const call = createCall({ input: { a: 1 }, preview: { changes: [], basis: 1 } });
  expect(maskPayloads(bo, call, undefined)).toEqual({
    payloads: { input: "•••", preview: "•••" },
    masked: ["input", "preview"],
  });
});

it("masks ten times as many sensitive values in far less than 100 times the CPU time, and whole texts that may contain one", () => {
  const measure = (count: number) => {
    const tokens = Array.from({ length: count }, (_, index) => `token-${index}`);
    const call = createCall({ input: { tokens }, error: "x".repeat(10 * count), reason: "it was token-7" });
    const begun = process.cpuUsage();
    const { payloads } = maskPayloads(bo, call, contract("tokens"));
    const { user } = process.cpuUsage(begun);
    expect([payloads.error, payloads.reason]).toEqual(["x".repeat(10 * count), "•••"]);
    return user;
  };
  measure(5_000);
  // One small run takes about a millisecond, which is too short to measure. Ten of them mask as many values as one large
  // run.
  const small = Array.from({ length: 10 }, () => measure(5_000)).reduce((a, b) => a + b);
  const large = Math.min(...Array.from({ length: 3 }, () => measure(50_000)));
  expect(large / small).toBeLessThan(5);
});

describe("a plan", () => {
  const pay: Contract = { ...contract("card.number"), name: "pay.card", version: 2 };
  const visibility: FieldVisibility = {
    findContract: (name) => (name === "pay.card" ? pay : name === "plan.apply" ? contract() : undefined),
    canSeeDetails: true,
    isHidden: false,
  };
  const step = (id: string, input: Json, more: object = {}) => ({
    id,
    capability: "pay.card",
    input,
    ...more,
  });
  const planOf = (steps: object[], more: Record<string, Json> = {}) => ({
    ...createCall({ input: { version: 1, steps } as unknown as Json, ...more }),
    capability: "plan.apply",
  });
  const shown = (call: Call, how: Partial<FieldVisibility> = {}) =>
    maskPayloads(bo, call, contract(), { ...visibility, ...how });

  it("[TRUST 16] is masked step by step with each step's contract, including literals and nested plans", () => {
    const card = { card: { number: "4111-1111", kind: "visa" } };
    const within = { version: 1, steps: [step("in", card)] };
    const { payloads, masked } = shown(
      planOf(
        [
          step("a", card),
          step("b", { $literal: card }),
          step("c", { card: { $literal: card.card } }),
          { id: "d", capability: "plan.apply", input: { $literal: within } },
          step("e", { card: { number: { $from: "a", path: "/number" } } }),
        ],
        {
          undo: { capability: "plan.apply", input: { version: 1, steps: [step("u", { $literal: card })] } },
          error: "4111-1111 was refused",
        },
      ),
    );
    expect(JSON.stringify(payloads)).not.toContain("4111-1111");
    expect(payloads.error).toBe("••• was refused");
    expect(payloads.input).toMatchObject({
      steps: [
        { id: "a", input: { card: { number: "•••", kind: "visa" } } },
        { id: "b", input: { $literal: { card: { number: "•••" } } } },
        { id: "c", input: { card: { $literal: { number: "•••" } } } },
        { id: "d", input: { $literal: { steps: [{ input: { card: { number: "•••" } } }] } } },
        { id: "e", input: { card: { number: "•••" } } },
      ],
    });
    expect(masked).toEqual([
      ...["a", "b", "c"].map((id) => `steps.${id}.card.number`),
      ...["steps.d.steps.in.card.number", "steps.e.card.number", "undo.steps.u.card.number"],
    ]);
  });

  it("a step is masked whole if its contract is missing or has changed since the preview", () => {
    const seen = { id: "b", version: 1, changes: 1, basis: 7 };
    const { payloads, masked } = shown(
      planOf(
        [{ id: "a", capability: "gone.away", input: { secret: 1 } }, step("b", { note: "once sensitive" })],
        {
          preview: {
            changes: [{ kind: "update", target: "the note" }],
            basis: { b: { basis: 7 } },
            steps: [seen],
          },
        },
      ),
    );
    expect(payloads.input).toMatchObject({ steps: [{ input: "•••" }, { input: "•••" }] });
    expect(payloads.preview).toEqual({
      changes: [{ kind: "other", target: "•••" }],
      basis: { b: "•••" },
      steps: [{ ...seen, basis: "•••" }],
    });
    expect(masked).toEqual(["steps.a", "steps.b"]);
  });

  it("[P11] steps are masked without field visibility, and a call that is a hidden step is masked whole", () => {
    const call = planOf([step("a", { note: "mine" })]);
    expect(maskPayloads(bo, call, contract()).payloads.input).toMatchObject({
      steps: [{ id: "a", input: "•••" }],
    });
    expect(shown(call, { isHidden: true }).payloads).toEqual({ input: "•••" });
  });

  it("masked values that an editor sends back are restored", () => {
    const whole = { version: 1, steps: [step("a", { card: { number: "4111-1111" } }), step("b", { n: 1 })] };
    const { input } = shown(planOf(whole.steps)).payloads;
    expect(restoreMasked(input!, whole as unknown as Json)).toEqual(whole);
  });

  it("1,000 steps with a secret each are masked within 5 s of CPU time, and stay readable", () => {
    const steps = Array.from({ length: 1_000 }, (_, n) =>
      step(`s${n}`, { card: { number: `4111-${n}-${n * 7}` } }),
    );
    const changes = steps.map((_, n) => ({ kind: "update", target: `card 4111-${n}-${n * 7}` }));
    const previews = steps.map(({ id }) => ({ id, version: 2, changes: 1, basis: null }));
    const basis = Object.fromEntries(steps.map(({ id }) => [id, null]));
    const begun = process.cpuUsage();
    const { payloads } = shown(
      planOf(steps, { preview: { changes, basis, steps: previews } as unknown as Json }),
    );
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(5_000);
    expect(payloads.input).toMatchObject({
      steps: expect.arrayContaining([expect.objectContaining({ id: "s7" })]),
    });
    expect(JSON.stringify(payloads)).not.toMatch(/4111-\d/);
  });
});
