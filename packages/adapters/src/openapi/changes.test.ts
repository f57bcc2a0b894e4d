import { expect, it } from "vitest";
import { mergePatch } from "./changes.ts";

it("[TRUST 30] the preview of a patch shows every member that is sent, whatever its name", () => {
  const sent = JSON.parse('{"a":1,"b":null,"__proto__":{"admin":true}}');
  expect(JSON.stringify(mergePatch({ a: 0, b: 2 }, sent))).toBe('{"a":1,"__proto__":{"admin":true}}');
});
