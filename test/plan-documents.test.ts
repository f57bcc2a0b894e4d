// Tests by examples that existing plan documents keep loading, and that Paraph refuses invalid documents and names the
// fault.
import { readdirSync, readFileSync } from "node:fs";
import { type Json, ParaphError, planApplyCapability, readPlan } from "@paraph/core";
import { describe, expect, it } from "vitest";

const folder = new URL("./plan-documents/", import.meta.url);
const documentsIn = (kind: "loads" | "refused") =>
  readdirSync(new URL(kind, folder)).map((name) => ({
    name,
    content: JSON.parse(readFileSync(new URL(`${kind}/${name}`, folder), "utf8")),
  }));

describe.each(documentsIn("loads"))("$name", ({ content }) => {
  it("[P13] still loads as a valid input of `plan.apply`", () => {
    const read = readPlan(content as Json);
    expect(planApplyCapability.parseInput(JSON.parse(JSON.stringify(read)) as Json).kind).toBe("valid");
    expect(planApplyCapability.steps!(JSON.parse(JSON.stringify(read)) as Json)).toHaveLength(
      read.steps.length,
    );
  });
});

describe.each(documentsIn("refused"))("$name", ({ content }) => {
  it("[P11] is refused with a message that names the fault", () => {
    const { document, fault } = content as { document: Json; fault: string };
    const refusal = (() => {
      try {
        return readPlan(document);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(ParaphError);
    expect(refusal).toMatchObject({ code: "input-invalid", message: expect.stringContaining(fault) });
  });
});

it("a tool chain becomes a plan with ordered steps and literal inputs, and approvers see its private steps", () => {
  const [one] = documentsIn("loads").filter(({ name }) => name === "tool-chain.json");
  expect(readPlan(one!.content as Json)).toEqual({
    version: 1,
    onFailure: "stop",
    steps: [
      {
        id: "1",
        capability: "files.write",
        input: { $literal: { path: "a", content: "x" } },
        requires_confirmation: true,
        visibility: "approvers",
      },
      { id: "2", capability: "files.read", input: { $literal: { path: "a" } }, visibility: "everyone" },
    ],
  });
});
