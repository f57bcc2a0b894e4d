import { CapabilityError, toFault } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { toFileFault } from "./file-fault.ts";

describe("file faults", () => {
  it.each([
    ["ENOSPC", "not-performed", "no-space"],
    ["EMFILE", "not-performed", "too-many-open-files"],
    ["EBUSY", "not-performed", "busy"],
    ["EROFS", "permanent", "read-only"],
    ["EACCES", "permanent", "not-permitted"],
    ["EIO", "permanent", "eio"],
  ])("[P8] %s before the effect is %s", (code, kind, told) => {
    expect(toFault(toFileFault(Object.assign(new Error("x"), { code }), "a.txt"))).toMatchObject({
      kind,
      code: told,
    });
  });

  it("[P8] an unlisted error during the effect is ambiguous, and a listed one keeps its kind", () => {
    expect(toFileFault({ code: "EIO" }, "a.txt", "ambiguous")).toMatchObject({
      kind: "ambiguous",
      code: "eio",
    });
    expect(toFileFault({ code: "ENOSPC" }, "a.txt", "ambiguous")).toMatchObject({ kind: "not-performed" });
  });

  it("an existing fault and a programming error pass unchanged", () => {
    const told = new CapabilityError("permanent", "x", "y");
    const bug = new TypeError("bug");
    expect(toFileFault(told, "a")).toBe(told);
    expect(toFileFault(bug, "a")).toBe(bug);
  });
});
