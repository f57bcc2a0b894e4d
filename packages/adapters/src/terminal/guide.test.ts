import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { terminalConfig } from "./config.ts";
import { createTerminalFixture, openTerminal, perform, toShellInput } from "./testing.ts";

const page = (name: string) =>
  readFileSync(new URL(`../../../../docs/adapters/${name}.md`, import.meta.url), "utf8");

it.runIf(hasSandbox)("the guide's configuration works unchanged", async () => {
  const written = /terminal\((\{[\s\S]*?\n {4}\})\)/.exec(page("terminal"))![1]!;
  // The text comes from this repository, so it is trusted code.
  const configured = new Function(`return ${written}`)();
  await using on = await createTerminalFixture();
  await mkdir(join(on.folder, "reference"));
  const [run] = await (await openTerminal(on.folder, configured)).capabilities();
  expect((await perform(run!, toShellInput("echo $CI > made; ls ../reference"))).exitCode).toBe(0);
});

it("the guide names every option, capability and fault", () => {
  const guide = page("terminal");
  for (const option of Object.keys(terminalConfig.shape)) expect(guide).toContain(`\`${option}\``);
  for (const verb of ["run", "look", "restore"]) expect(guide).toContain(`| \`shell.${verb}\` |`);
  expect(page("processes")).toContain("`RLIMIT_DATA`");
});
