import { Catalog, defineCapability, type PolicySet, type Principal } from "@paraph/core";
import { plainPolicy } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { prospectsOver } from "./allowed-capabilities.ts";

const bot: Principal = { tenant: "acme", id: "bot", kind: "agent" };
const capability = (name: string) =>
  defineCapability({
    name,
    version: 1,
    summary: "Does it",
    effect: "read",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => ({}),
  });

function world(mode: "enforce" | "observe" = "enforce") {
  const catalog = new Catalog([
    capability("notes.list"),
    capability("notes.burn"),
    capability("admin.freeze"),
  ]);
  let asked = 0;
  const setOf = (hidden: readonly string[]): PolicySet => ({
    ...plainPolicy({}),
    couldAllow: (_principal, { name }) => {
      asked += 1;
      return !hidden.includes(name);
    },
  });
  let current: PolicySet | undefined = setOf(["notes.burn", "admin.freeze"]);
  const policy = {
    current: () => {
      if (!current) throw new Error("no set can be loaded");
      return current;
    },
    refresh: async () => {},
  };
  const settings = { stance: { mode, confirm: true } };
  const offered = prospectsOver({ catalog, policy, settings } as unknown as Parameters<
    typeof prospectsOver
  >[0]);
  return {
    catalog,
    asked: () => asked,
    names: (principal = bot) => offered(principal).map(({ contract }) => contract.name),
    same: () => Object.is(...([offered(bot), offered(bot)] as const)),
    publish: (hidden: readonly string[] | undefined) => {
      current = hidden && setOf(hidden);
    },
  };
}

it("shows what could be allowed, worked out once for each principal", () => {
  const { names, asked, same } = world();
  expect(names()).toEqual(["notes.list"]);
  expect([same(), asked()]).toEqual([true, 3]);
  names({ ...bot, groups: ["other"] });
  expect(asked()).toBe(6);
});

it("another policy and another capability are noticed at once", () => {
  const { names, publish, catalog } = world();
  publish([]);
  expect(names()).toHaveLength(3);
  catalog.add(capability("notes.new"));
  expect(names()).toHaveLength(4);
});

it("[P11] where policy cannot be asked, nothing is shown", () => {
  const { names, publish } = world();
  publish(undefined);
  expect(names()).toEqual([]);
});

it("observing hides nothing of what agents do, and governs administration all the same", () => {
  expect(world("observe").names()).toEqual(["notes.burn", "notes.list"]);
});
