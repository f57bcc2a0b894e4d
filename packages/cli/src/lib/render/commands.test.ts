import { expect, it } from "vitest";
import { toProgramName } from "./commands.ts";

it.each([
  ["npx paraph", "/srv/app/node_modules/.bin/paraph", undefined],
  ["npx paraph", "/home/ana/.npm/_npx/1/node_modules/.bin/paraph", "exec"],
  ["paraph", "/usr/local/bin/paraph", undefined],
] as const)("hints name `%s` for %s", (name, script, npmCommand) => {
  expect(toProgramName(script, npmCommand)).toBe(name);
});
