import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isTrustedByCodex } from "./codex-trust.ts";

const hook = { command: "paraph hook run codex # \u2028", eventName: "preToolUse", trustStatus: "trusted" };

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-codex-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("reads whether Codex trusts the hook, also from a message that contains U+2028", async () => {
  const answers = [
    { id: 1, result: {} },
    { id: 2, result: { data: [{ hooks: [hook] }] } },
  ];
  const output = answers.map((answer) => JSON.stringify(answer)).join("\n");
  await writeFile(join(folder, "codex"), `#!/bin/sh\ncat <<'END'\n${output}\nEND\ncat >/dev/null\n`, {
    mode: 0o755,
  });
  const PATH = [folder, "/usr/bin", "/bin"].join(delimiter);
  expect(await isTrustedByCodex(folder, { PATH }, 120_000)).toBe(true);
});

it("returns undefined if Codex is not installed", async () => {
  expect(await isTrustedByCodex(folder, { PATH: join(folder, "empty") })).toBeUndefined();
});
