import { describe, expect, it } from "vitest";
import type { Json } from "../json.ts";
import { readPlan } from "./read-plan.ts";

const plan = { version: 1, steps: [{ id: "a", capability: "files.read", input: { path: "a" } }] };

it("a plan stays as its requester wrote it, because its digest covers this form", () => {
  expect(readPlan(plan)).toBe(plan);
});

describe("a tool chain becomes a plan", () => {
  it.each<[string, Json]>([
    ["from a list of steps", [{ tool: "files.read", args: { path: "a" } }]],
    ["from an object", { version: 1, steps: [{ tool: "files.read", args: { path: "a" } }] }],
  ])("%s", (_what, written) => {
    expect(readPlan(written)).toEqual({
      version: 1,
      onFailure: "stop",
      steps: [{ id: "1", capability: "files.read", input: { $literal: { path: "a" } } }],
    });
  });

  it("whose arguments are literals, so that none of them is a reference", () => {
    const args = { $from: "1", path: "/x" };
    expect(readPlan([{ tool: "files.read", args }]).steps[0]!.input).toEqual({ $literal: args });
  });

  it("with the confirmations and visibilities of its steps", () => {
    const steps = [
      { tool: "a.b", args: null, requires_confirmation: true, visibility: "private" },
      { tool: "a.c", args: null, requires_confirmation: false, visibility: "public" },
    ];
    expect(readPlan(steps)).toMatchObject({
      steps: [
        { id: "1", requires_confirmation: true, visibility: "approvers" },
        { id: "2", requires_confirmation: false, visibility: "everyone" },
      ],
    });
  });
});

describe("[P11] a document that is neither is rejected with the place of each fault", () => {
  it.each<[string, Json, string]>([
    [
      "a tool chain with an unknown field",
      [{ tool: "a.b", args: 1, note: "x" }],
      "valid tool chain: steps.0: ",
    ],
    ["an empty tool chain", [], "valid tool chain: steps: "],
    ["nothing", null, "valid plan: (the whole): "],
    ["a text", "files.read", "valid plan: (the whole): "],
    ["steps that are no list", { version: 1, steps: {} }, "valid plan: steps: "],
    [
      "a step without an input",
      { version: 1, steps: [{ id: "a", capability: "files.list" }] },
      "valid plan: steps.0.input is missing",
    ],
    ["a step that is no object", { version: 1, steps: ["a"] }, "valid plan: steps.0: "],
    [
      "a step that is named twice",
      { ...plan, steps: [...plan.steps, ...plan.steps] },
      "valid plan: steps.1.id: another step is called `a`",
    ],
    [
      "a step after a later one",
      { ...plan, steps: [{ ...plan.steps[0]!, after: ["b"] }] },
      "valid plan: steps.0.after: `b` is not an earlier step",
    ],
    [
      "a value from a later step",
      { ...plan, steps: [{ ...plan.steps[0]!, input: [{ $from: "b" }] }] },
      "valid plan: steps.0.input: takes a value from `b`, which is not an earlier step",
    ],
    [
      "a reference with an unknown member",
      { ...plan, steps: [{ ...plan.steps[0]!, input: { $from: "a", or: "b" } }] },
      "valid plan: steps.0.input: a reference to a value has to be written",
    ],
    [
      "a reference with a path that is no pointer",
      { ...plan, steps: [{ ...plan.steps[0]!, input: { $from: "a", path: "x" } }] },
      "valid plan: steps.0.input: `path` is a JSON Pointer",
    ],
  ])("%s", (_what, written, fault) => {
    expect(() => readPlan(written)).toThrow(`This is not a ${fault}`);
  });

  it("and lists up to 20 faults", () => {
    const steps = Array.from({ length: 25 }, () => ({ tool: "a" }));
    expect(() => readPlan({ steps })).toThrow(
      /^This is not a valid tool chain: (steps\.\d+\.\w+[^;]*;? ?){20}$/,
    );
  });
});
