import { CapabilityError, toFault } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { fileFault } from "./file-fault.ts";

describe("file faults", () => {
  it.each([
    ["ENOSPC", "not-performed", "no-space"],
    ["EMFILE", "not-performed", "too-many-open-files"],
    ["EBUSY", "not-performed", "busy"],
    ["EROFS", "permanent", "read-only"],
    ["EACCES", "permanent", "not-permitted"],
    ["EIO", "permanent", "eio"],
  ])("[P8] %s before the effect is %s", (code, kind, told) => {
    expect(toFault(fileFault(Object.assign(new Error("x"), { code }), "a.txt"))).toMatchObject({
      kind,
      code: told,
    });
  });

  it("[P8] what nobody foresaw is ambiguous around the effect", () => {
    expect(fileFault({ code: "EIO" }, "a.txt", "ambiguous")).toMatchObject({
      kind: "ambiguous",
      code: "eio",
    });
    expect(fileFault({ code: "ENOSPC" }, "a.txt", "ambiguous")).toMatchObject({ kind: "not-performed" });
  });

  it("a fault that is already told, and a bug, pass as they are", () => {
    const told = new CapabilityError("permanent", "x", "y");
    const bug = new TypeError("bug");
    expect(fileFault(told, "a")).toBe(told);
    expect(fileFault(bug, "a")).toBe(bug);
  });
});
