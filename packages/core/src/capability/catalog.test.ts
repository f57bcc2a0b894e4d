import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Capability, defineCapability } from "./capability.ts";
import { Catalog } from "./catalog.ts";

function define(name: string): Capability {
  return defineCapability({
    name,
    version: 1,
    summary: "Read",
    effect: "read",
    idempotency: "natural",
    input: z.null(),
    output: z.null(),
    apply: async () => null,
  });
}

const names = (capabilities: readonly Capability[]) => capabilities.map(({ contract }) => contract.name);
const isOpenTo = (tenant: string, adapter: string) => adapter !== "payroll" || tenant === "acme";

describe("[TRUST 10] a tenant finds only the capabilities of adapters that are open to it", () => {
  const catalog = new Catalog(["payroll.read", "files.read"].map(define), isOpenTo);

  it("by name and in its list, which is sorted", () => {
    expect(names(catalog.all("acme"))).toEqual(["files.read", "payroll.read"]);
    expect(names(catalog.all("other"))).toEqual(["files.read"]);
    expect(catalog.find("acme", "payroll.read")?.contract.name).toBe("payroll.read");
    expect(catalog.find("other", "payroll.read")).toBeUndefined();
    expect(catalog.find("other", "files.delete")).toBeUndefined();
  });

  it("also while an adapter opens or closes to it", () => {
    let isPayrollOpen = false;
    const moving = new Catalog(
      ["payroll.read", "files.read"].map(define),
      (_tenant, adapter) => adapter !== "payroll" || isPayrollOpen,
    );
    expect(names(moving.all("acme"))).toEqual(["files.read"]);
    isPayrollOpen = true;
    expect(names(moving.all("acme"))).toEqual(["files.read", "payroll.read"]);
    isPayrollOpen = false;
    expect(names(moving.all("acme"))).toEqual(["files.read"]);
  });
});

it("the list of a tenant is the same list until a capability changes", () => {
  const catalog = new Catalog(["payroll.read", "files.read"].map(define), isOpenTo);
  for (const tenant of ["acme", "other"]) expect(catalog.all(tenant)).toBe(catalog.all(tenant));
  const before = catalog.all("other");
  catalog.add(define("files.write"));
  expect(names(catalog.all("other"))).toEqual(["files.read", "files.write"]);
  expect(names(before)).toEqual(["files.read"]);
});

it("two capabilities cannot have one name", () => {
  expect(() => new Catalog([define("files.read"), define("files.read")])).toThrow(
    "Two capabilities have the name `files.read`. Rename one of their adapters in the configuration.",
  );
});

it("a replacement takes the place of the adapter's own capabilities only, or changes nothing", () => {
  const catalog = new Catalog(["files.read", "files.write", "git.push"].map(define));
  expect(names(catalog.all("acme"))).toEqual(["files.read", "files.write", "git.push"]);
  catalog.replace("files", [define("files.read"), define("files.move")]);
  expect(names(catalog.everything())).toEqual(["files.move", "files.read", "git.push"]);
  expect(() => catalog.replace("files", [define("git.push")])).toThrow("Two capabilities have the name");
  expect(names(catalog.everything())).toEqual(["files.move", "files.read", "git.push"]);
});
