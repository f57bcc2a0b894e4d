// test/hook.test.ts covers the canary of a working hook, because that needs a running Paraph.
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { fireCanary } from "./canary.ts";

const entry = fileURLToPath(new URL("../main.ts", import.meta.url));
const ours = `"${process.execPath}" --conditions=paraph-source "${entry}" hook run claude-code`;
const about = {
  event: "PreToolUse",
  cwd: tmpdir(),
  environment: { PATH: process.env.PATH, HOME: tmpdir(), PARAPH_KEY: "key" },
};

it.each<[string, string, object, number?]>([
  ["answering with a yes", "true", { kind: "let-through" }],
  ["saying something else", "echo hello", { kind: "let-through" }],
  ["not there", "no-such-program-here", { kind: "broken", code: 127 }],
  ["not there, and denying", "no-such-program-here || exit 2", { kind: "cut-off" }],
  ["denying by itself", `echo '{"decision":"deny","reason":"no"}'`, { kind: "cut-off", message: "no" }],
  ["without Paraph", `${ours} --url http://127.0.0.1:9`, { kind: "cut-off" }],
  ["too late", "sleep 60", { kind: "mute" }, 200],
  // The default of 15 s may pass on a busy machine before the hook has started.
])("[P11] the canary detects a hook that is %s", async (_, command, expected, patienceMs = 120_000) => {
  expect(await fireCanary(command, about, patienceMs)).toMatchObject(expected);
});
