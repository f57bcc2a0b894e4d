import { expect, it } from "vitest";
import { listPackageFaults } from "./package-faults.ts";

const none = () => false;
const endpoint = { checks: { model: { url: "https://models.example/v1", name: "small" } } };

it("a model check needs the AI SDK, and the packages of this repository have it", () => {
  expect(listPackageFaults(endpoint)).toEqual([]);
  expect(listPackageFaults({}, none)).toEqual([]);
});

it("a start without the packages says which ones to install", () => {
  const [fault] = listPackageFaults(endpoint, none);
  expect(fault).toEqual({
    path: ["checks", "model"],
    message: "needs packages that are not installed. Run `npm install ai @ai-sdk/openai-compatible`.",
  });
});

it("a model of your own provider needs only the SDK", () => {
  const provider = () => "small";
  const [fault] = listPackageFaults({ checks: { model: { provider, credential: "KEY" } } }, none);
  expect(fault?.message).toContain("`npm install ai`");
});
