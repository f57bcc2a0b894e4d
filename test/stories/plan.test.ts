// docs/guides/plans.md is a recorded session. This test runs its commands one after another on real servers. With
// PARAPH_RECORD=1 it writes their output to the page. Otherwise the page must already contain it.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "@paraph/adapters/files";
import { verify } from "@paraph/sdk";
import { afterAll, expect, it } from "vitest";
import { fillPlaceholders } from "../support/approve-by-fingerprint.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";

const page = fileURLToPath(new URL("../../docs/guides/plans.md", import.meta.url));
const examples = fileURLToPath(new URL("../../examples/plans/", import.meta.url));

const workspace = await mkdtemp(join(tmpdir(), "paraph-plan-"));
const paraph = await TestParaph.start({ adapters: { files: files({ root: workspace }) } }, [
  { tenant: "acme", id: "owner", kind: "person" },
  { tenant: "acme", id: "ana", kind: "person" },
  { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
]);
afterAll(async () => {
  await paraph.stop();
  await rm(workspace, { recursive: true });
});

const before: Record<string, string> = {
  "README.md": "# Lamps\n",
  "config.yaml": "release: 1.9\n",
  "drafts/intro.md": "A lamp is a light.\n",
  "drafts/old.md": "Candles.\n",
  "lamp.txt": "A lamp.\n",
  "notes/2023.md": "Sold out.\n",
  "notes/2024.md": "Sold out again.\n",
  "notes/ideas.md": "Solar?\n",
};
for (const [path, content] of Object.entries(before)) {
  await mkdir(join(workspace, path, ".."), { recursive: true });
  await writeFile(join(workspace, path), content);
}
await cp(examples, paraph.folder, { recursive: true });
await writeFile(join(paraph.folder, "keys.json"), JSON.stringify(await paraph.agent("bot").keys()));

async function tree(): Promise<Record<string, string>> {
  const entries = await readdir(workspace, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(workspace.length + 1), entry.isDirectory() ? "/" : await readFile(path, "utf8")];
    }),
  );
  return Object.fromEntries(found.sort());
}

/**
 * Replaces the parts that differ in each run with fixed ones. A timeline has a second date if midnight passes, which is
 * left out.
 */
function settled(text: string): string {
  return text
    .replaceAll(/\bcall_\w+/g, "call_…")
    .replaceAll(/\bask_\w+/g, "ask_…")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "2026-03-01 09:30:00 UTC")
    .replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, "09:30:00.000")
    .replaceAll(/(?<=\(UTC\)\n[\s\S]*)^ +\d{4}-\d\d-\d\d \(UTC\)\n/gm, "")
    .replaceAll(/\d{4}-\d\d-\d\d \(UTC\)/g, "2026-03-01 (UTC)")
    .replaceAll(/\b[0-9a-f]{16}\b/g, "1f0c88ab04d29e71")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "1f0c…")
    .replaceAll(/in \d+ h( \d+ min)?|in \d+ min/g, "in 4 h")
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/g, "1 s")
    .replaceAll(/signed by {3}\S+/g, "signed by   Fxde…")
    .replaceAll(/\(\d{4,} bytes\)/g, "(43765 bytes)")
    .replaceAll(/ +$/gm, "")
    .trimEnd();
}

/** Returns the blocks of the page with their `$ paraph …` commands, in order. */
async function sessions(): Promise<{ text: string; blocks: { whole: string; commands: string[] }[] }> {
  const text = await readFile(page, "utf8");
  const blocks = [...text.matchAll(/```console\n([\s\S]*?)```/g)].map(([block, inner]) => ({
    whole: block,
    commands: [...inner!.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command!),
  }));
  return { text, blocks };
}

const start = await tree();

it("[P13] the session of docs/guides/plans.md runs exactly as the page shows it", async () => {
  const { text, blocks } = await sessions();
  let rewritten = text;
  for (const { whole, commands } of blocks) {
    const said: string[] = [];
    for (const command of commands) said.push(`$ ${command}\n${await run(command)}`.trimEnd());
    const now = `\`\`\`console\n${said.join("\n\n")}\n\`\`\``;
    if (process.env.PARAPH_RECORD) rewritten = rewritten.replace(whole, () => now);
    else expect(now).toBe(whole);
  }
  if (process.env.PARAPH_RECORD) await writeFile(page, rewritten);
}, 300_000);

async function run(command: string): Promise<string> {
  const [program, ...words] = command.split(" ");
  if (program === "find") return Object.keys(await tree()).join("\n");
  const into = words.at(-2) === ">" ? words.splice(-2).at(-1) : undefined;
  const cli = (...args: string[]) => paraph.cli({ person: "ana", agent: "bot" }, ...args);
  const { stdout, stderr, code } = await cli(...(await fillPlaceholders(cli, words)));
  if (into !== undefined) await writeFile(join(paraph.folder, into), stdout);
  return settled(`${into === undefined ? stdout : ""}${stderr}${code === 0 ? "" : `(exit ${code})`}`);
}

it("[P13] after the session every name and byte is as before, and every call has a valid receipt", async () => {
  expect(await tree()).toEqual(start);
  const ana = paraph.agent("ana");
  const keys = await ana.keys();
  const { body } = await paraph.request("ana", "GET", "/v1/calls?limit=100");
  const calls = body.calls as { call: string; parent?: { call: string } }[];
  const verified = await Promise.all(
    calls.map(async ({ call }) => (await verify(await ana.receipt(call), keys)).story),
  );
  // The calls are two plans, the compensation within the first plan, an undo, and the steps of all four.
  expect(calls.filter(({ parent }) => !parent)).toHaveLength(3);
  expect(verified.length).toBeGreaterThan(40);
  const whole17 = verified.find(({ children = [] }) => children.length === 17)!;
  expect(whole17.children!.map(({ step }) => step)).toContain("checksum");
});
