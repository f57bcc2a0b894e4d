import { describe, expect, it } from "vitest";
import type { Caller } from "../caller.ts";
import type { Json } from "../json.ts";
import { planCapability } from "./undo-plan.ts";
import { hasInputScope, listUsedCapabilities } from "./used-capabilities.ts";

const step = (id: string, capability: string, input: Json = {}) => ({ id, capability, input });
const planOf = (...steps: Json[]) => ({ version: 1, steps });
const nested = planOf(
  step("x", "files.read"),
  step("y", planCapability, { $literal: planOf(step("z", "git.push")) }),
);

describe("[TRUST 21] a call uses", () => {
  it.each<[string, string, Json, readonly string[] | undefined]>([
    ["its own capability", "files.read", nested, ["files.read"]],
    ["the capabilities of a plan and of the plans in it", planCapability, nested, ["files.read", "git.push"]],
    ["its own capability if its plan is invalid", planCapability, { steps: [] }, [planCapability]],
    [
      "what is not known yet, if a step provides a part of a nested plan",
      planCapability,
      planOf(step("x", "files.read"), step("y", planCapability, { $from: "x" })),
      undefined,
    ],
    [
      "what is not known yet, also deeper inside",
      planCapability,
      planOf(
        step("o", planCapability, {
          $literal: planOf(step("x", "a.b"), step("y", planCapability, { $from: "x" })),
        }),
      ),
      undefined,
    ],
    [
      "the capability of a step that takes a value",
      planCapability,
      planOf(step("x", "files.read"), step("y", "files.write", { content: { $from: "x" } })),
      ["files.read", "files.write"],
    ],
  ])("%s", (_what, capability, input, used) => {
    expect(listUsedCapabilities(capability, input)).toEqual(used);
  });
});

describe("[TRUST 21] a credential with scopes", () => {
  const caller = (...scopes: string[]) => ({ scopes }) as unknown as Caller;

  it("covers a plan only if it covers each of its steps", () => {
    expect(hasInputScope(caller("calls:files.read", "calls:git.push"), planCapability, nested)).toBe(true);
    expect(hasInputScope(caller("calls:files.read"), planCapability, nested)).toBe(false);
  });

  it("does not cover what is not known yet, and a credential without scopes covers everything", () => {
    const unknown = planOf(step("x", "files.read"), step("y", planCapability, { $from: "x" }));
    expect(hasInputScope(caller("calls"), planCapability, unknown)).toBe(false);
    expect(hasInputScope({} as Caller, planCapability, unknown)).toBe(true);
  });
});
