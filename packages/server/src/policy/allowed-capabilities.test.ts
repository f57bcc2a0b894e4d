import { Catalog, defineCapability, type PolicySet, type Principal } from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAllowedCapabilities } from "./allowed-capabilities.ts";

const bot: Principal = { tenant: "acme", id: "bot", kind: "agent" };
const createCapability = (name: string) =>
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

function createPorts(mode: "enforce" | "observe" = "enforce") {
  const catalog = new Catalog([
    createCapability("notes.list"),
    createCapability("notes.burn"),
    createCapability("admin.freeze"),
  ]);
  let asked = 0;
  const setOf = (hidden: readonly string[]): PolicySet => ({
    ...createPlainPolicy({}),
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
  const settings = { enforcement: { mode, confirm: true } };
  const offered = createAllowedCapabilities({ catalog, policy, settings } as unknown as Parameters<
    typeof createAllowedCapabilities
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

it("lists the capabilities that policy could allow, computed once for each principal", () => {
  const { names, asked, same } = createPorts();
  expect(names()).toEqual(["notes.list"]);
  expect([same(), asked()]).toEqual([true, 3]);
  names({ ...bot, groups: ["other"] });
  expect(asked()).toBe(6);
});

it("a new policy or a new capability changes the list at once", () => {
  const { names, publish, catalog } = createPorts();
  publish([]);
  expect(names()).toHaveLength(3);
  catalog.add(createCapability("notes.new"));
  expect(names()).toHaveLength(4);
});

it("[P11] the list is empty if no policy set can be loaded", () => {
  const { names, publish } = createPorts();
  publish(undefined);
  expect(names()).toEqual([]);
});

it("mode `observe` lists capabilities that policy would refuse, except administrative ones", () => {
  expect(createPorts("observe").names()).toEqual(["notes.burn", "notes.list"]);
});
