import { describe, expect, it } from "vitest";
import { type Caller, hasCapabilityScope, hasScope, isScope } from "./caller.ts";

const caller = (...scopes: string[]): Caller => ({
  principal: { tenant: "acme", id: "bot", kind: "agent" },
  how: "key",
  scopes,
});

describe("[TRUST 21] the scopes of a key limit what it can do", () => {
  it.each([
    ["files.read", "files.read", true],
    ["files.*", "files.read", true],
    ["files.*", "files2.read", false],
    ["files.*", "admin.freeze", false],
    ["*", "files.read", true],
    ["*", "admin.key_create", false],
    ["*.read", "files.read", true],
    ["*.read", "files.read_all", false],
    ["files.*_all", "files.read_all", true],
    ["a.*b*b", "a.b", false],
    ["a.*b*b", "a.xbyb", true],
    ["a.*x*b", "a.yyb", false],
    ["files.read", "files.read.more", false],
  ])("the scope calls:%s allows %s: %s", (pattern, capability, expected) => {
    expect(hasCapabilityScope(caller(`calls:${pattern}`), capability)).toBe(expected);
  });

  it("`calls` covers every capability except administration, which needs the scope `admin`", () => {
    expect(hasCapabilityScope(caller("calls"), "files.read")).toBe(true);
    expect(hasCapabilityScope(caller("calls"), "admin.freeze")).toBe(false);
    expect(hasCapabilityScope(caller("admin"), "admin.freeze")).toBe(true);
    expect(hasCapabilityScope(caller("admin"), "files.read")).toBe(false);
  });

  it("a key without a scope list has all rights of its principal, and an empty list gives none", () => {
    const { scopes: _, ...whole } = caller();
    expect([hasScope(whole, "admin"), hasCapabilityScope(whole, "admin.freeze")]).toEqual([true, true]);
    expect([hasScope(caller(), "read"), hasCapabilityScope(caller(), "files.read")]).toEqual([false, false]);
    expect([hasScope(caller("calls:files.*"), "calls"), hasScope(caller("calls"), "read")]).toEqual([
      true,
      false,
    ]);
  });

  it("tells valid scopes from invalid ones", () => {
    for (const scope of ["calls", "calls:files.*", "read", "decide", "admin"])
      expect(isScope(scope)).toBe(true);
    for (const scope of ["", "calls:", "write", "read ", "calls:Files", "reads"])
      expect(isScope(scope)).toBe(false);
  });
});
