import type { Call, Contract, Json, Principal } from "@paraph/core";
import { expect, it } from "vitest";
import { shownTo } from "./mask.ts";

const bot: Principal = { tenant: "acme", id: "bot", kind: "agent" };
const bo: Principal = { tenant: "acme", id: "bo", kind: "person" };
const contract = (...sensitive: string[]) => ({ sensitive }) as unknown as Contract;
const callOf = (payloads: Record<string, Json>) =>
  ({
    tenant: "acme",
    principal: bot,
    payloads: Object.fromEntries(
      Object.entries(payloads).map(([name, value]) => [name, { salt: "s", value }]),
    ),
  }) as unknown as Call;

it("[TRUST 16] masks by path, through objects and lists, in input and output", () => {
  const call = callOf({
    input: { card: { number: "4111-1111", kind: "visa" }, items: [{ pin: "9999" }, { pin: "8888", n: 1 }] },
    output: { items: [{ pin: "7777" }] },
  });
  expect(shownTo(bo, call, contract("card.number", "items.pin", "absent.field"))).toEqual({
    payloads: {
      input: { card: { number: "•••", kind: "visa" }, items: [{ pin: "•••" }, { pin: "•••", n: 1 }] },
      output: { items: [{ pin: "•••" }] },
    },
    masked: ["card.number", "items.pin"],
  });
});

it("who asked sees everything; a namesake in another tenant does not", () => {
  const call = callOf({ input: { token: "secret" } });
  expect(shownTo(bot, call, contract("token")).payloads.input).toEqual({ token: "secret" });
  expect(shownTo({ ...bot, tenant: "evil" }, call, contract("token")).payloads.input).toEqual({
    token: "•••",
  });
});

it("[TRUST 16] a masked value does not come back elsewhere: texts, numbers, names, diffs", () => {
  const content = "first line\nsecond line";
  const call = callOf({
    input: { token: "sk-12345", account: 778899, content },
    preview: {
      changes: [
        { kind: "update", target: "x", diff: "@@ -1 +1,2 @@\n-old line\n+first line\n+second line\n" },
      ],
      basis: { "for sk-12345": 778899 },
    },
    error: "sk-12345 was refused for 778899",
  });
  const { payloads } = shownTo(bo, call, contract("token", "account", "content"));
  expect(payloads.preview).toEqual({
    changes: [{ kind: "update", target: "x", diff: "@@ -1 +1,2 @@\n-old line\n+•••\n+•••\n" }],
    basis: { "for •••": "•••" },
  });
  expect(payloads.error).toBe("••• was refused for •••");
});

it("without the contract nobody can say what is sensitive: everything is masked", () => {
  const call = callOf({ input: { a: 1 }, preview: { changes: [], basis: 1 } });
  expect(shownTo(bo, call, undefined)).toEqual({
    payloads: { input: "•••", preview: "•••" },
    masked: ["input", "preview"],
  });
});

it("a flood of sensitive values masks the texts whole, in time", () => {
  const tokens = Array.from({ length: 50_000 }, (_, index) => `token-${index}`);
  const call = callOf({ input: { tokens }, error: "x".repeat(500_000) });
  const begun = performance.now();
  expect(shownTo(bo, call, contract("tokens")).payloads.error).toBe("•••");
  expect(performance.now() - begun).toBeLessThan(500);
});
