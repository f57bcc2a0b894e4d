import { expect, it } from "vitest";
import { listPackageFaults } from "./package-faults.ts";

const none = () => false;
const endpoint = { checks: { model: { url: "https://models.example/v1", name: "small" } } };

it("a model check has no package fault in this repository, which installs the AI SDK", () => {
  expect(listPackageFaults(endpoint)).toEqual([]);
  expect(listPackageFaults({}, none)).toEqual([]);
});

it("the fault for missing packages names the ones to install", () => {
  const [fault] = listPackageFaults(endpoint, none);
  expect(fault).toEqual({
    path: ["checks", "model"],
    message: "needs packages that are not installed. Run `npm install ai @ai-sdk/openai-compatible`.",
  });
});

it("a model from a custom provider needs only the AI SDK", () => {
  const provider = () => "small";
  const [fault] = listPackageFaults({ checks: { model: { provider, credential: "KEY" } } }, none);
  expect(fault?.message).toContain("`npm install ai`");
});
