import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { blankArbitrary, jsonTextArbitrary } from "../../../../../../test/support/json-text-arbitrary.ts";
import {
  applyEdits,
  findMember,
  parseJsonTree,
  parseTomlTables,
  undoEdits,
} from "../../../lib/file-edits/index.ts";
import { createPlainPaint } from "../../../testing/captured-output.ts";
import { createTestMachine } from "../../../testing/test-machine.ts";
import { formatImportPlan } from "./format-plan.ts";

/** Secret values. They must appear neither in a preview nor in a committed file. */
const canary = fc.stringMatching(/^canary-[a-z0-9]{12}$/);
const name = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
  fc.constantFrom("Ünï cödé", "a.b", 'q"t', "__proto__"),
);

const server = fc.oneof(
  fc.record({
    command: fc.constant("node"),
    args: fc.array(fc.constantFrom("/usr/bin/env", "-y", "ü", "--flag"), { maxLength: 3 }),
    env: fc.dictionary(fc.stringMatching(/^[A-Z]{1,8}$/), canary, { maxKeys: 3 }),
    timeout: fc.integer(),
  }),
  fc.record({
    type: fc.constant("http"),
    url: fc.constant("https://mcp.example.com/mcp"),
    headers: fc.record({ Authorization: canary.map((value) => `Bearer ${value}`), "X-Key": canary }),
    note: canary,
  }),
  fc.record({ type: fc.constant("sse"), url: fc.constant("https://mcp.example.com/sse") }),
  fc.record({ command: fc.integer() }),
  fc.constantFrom(null, 3, "text", []),
);
const servers = fc.dictionary(name, server as fc.Arbitrary<fc.JsonValue>, { maxKeys: 4 });

const jsonFile = fc
  .record({
    before: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    mcpServers: servers,
    projects: fc.dictionary(fc.constantFrom("/srv/a", "/srv/b"), fc.record({ mcpServers: servers })),
  })
  .map(({ before, ...rest }) => ({ ...before, ...rest }) as fc.JsonValue)
  .chain((value) => fc.tuple(fc.constantFrom("", "\uFEFF"), jsonTextArbitrary(value), blankArbitrary))
  .map((parts) => parts.join(""));

/** Returns a text without the values of its servers. */
function around(text: string): string {
  const tree = parseJsonTree(text)!;
  const projects = findMember(tree, "projects");
  const groups = [tree, ...(projects?.kind === "object" ? projects.members.map(({ value }) => value) : [])];
  const values = groups.flatMap((group) => {
    const found = findMember(group, "mcpServers");
    return found?.kind === "object" ? found.members.map(({ value }) => value) : [];
  });
  return without(text, values);
}

function without(text: string, ranges: readonly { start: number; end: number }[]): string {
  return ranges
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => `${rest.slice(0, start)}§${rest.slice(end)}`, text);
}

/**
 * Checks the import of one file. Returns the number of imported servers, so that the test can check that there were
 * any.
 */
async function holds(file: string, text: string, rest: (text: string) => string): Promise<number> {
  await using there = await createTestMachine({ [file]: text });
  const before = await there.tree();
  const plan = await there.plan();
  const shown = JSON.stringify([formatImportPlan(plan, createPlainPaint()), plan.servers, plan.left]);
  expect(shown).not.toContain("canary-");
  await applyEdits(there.journal, plan.edits);
  expect(rest(await there.read(file))).toBe(rest(text));
  if (plan.servers.length > 0) {
    expect(await there.read("paraph/paraph.mcp.json")).not.toContain("canary-");
    expect(await there.tree()).not.toEqual(before);
  }
  if (plan.edits.length > 0) await undoEdits(there.journal);
  expect(await there.tree()).toEqual(before);
  return plan.servers.length;
}

async function always(
  files: fc.Arbitrary<string>,
  imported: (text: string) => Promise<number>,
): Promise<void> {
  let servers = 0;
  const property = fc.asyncProperty(files, async (text) => {
    servers += await imported(text);
  });
  await fc.assert(property, { numRuns: 30 });
  expect(servers).toBeGreaterThan(15);
}

it("[TRUST 16] [P10] importing any JSON changes only server entries, shows no secret, and undo restores every byte", async () => {
  await always(jsonFile, (text) => holds("home/.claude.json", text, around));
});

const line = fc.constantFrom(
  "",
  "# [mcp_servers.no]",
  "a = 1 # ü",
  'b = """\n[x]\n"""',
  "c = [ 1, # ]\n 2 ]",
);
const table = fc
  .tuple(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 3 }), canary, fc.boolean(), line)
  .map(([names, secret, isHttp, more]) =>
    names.map((each) =>
      isHttp
        ? `[mcp_servers.${each}] # mine\nurl = "https://mcp.example.com/mcp"\n${more.replace(/^[abc] =/, "x =")}\nhttp_headers = { Authorization = "Bearer ${secret}" }\n`
        : `[mcp_servers . "${each}"]\ncommand = 'node'\n\n[other.${each}]\n${more}\n[mcp_servers.${each}.env]\nTOKEN = '${secret}'\n`,
    ),
  )
  .map((tables) => tables.join("\n"));
const tomlFile = fc
  .tuple(fc.uniqueArray(line, { selector: (each) => each.slice(0, 2) }), table, fc.boolean())
  .map(([lines, tables, crlf]) => {
    const text = `${lines.join("\n")}\n${tables}`;
    return crlf ? text.replaceAll("\n", "\r\n") : text;
  });

it("importing any Codex TOML changes only server entries, shows no secret, and undo restores every byte", async () => {
  const rest = (text: string) =>
    without(
      text,
      parseTomlTables(text)!
        .filter(({ path }) => path[0] === "mcp_servers")
        .map(({ path, start, headEnd, end }) => ({ start: path.length === 2 ? headEnd : start, end })),
    ).replaceAll("§", "");
  const withoutComments = (text: string) => rest(text).replaceAll(" # mine", "");
  await always(tomlFile, (text) => holds("home/.codex/config.toml", text, withoutComments));
});

it("import leaves a file that it cannot edit safely unchanged and reports it", async () => {
  await using there = await createTestMachine({
    "home/.cursor/mcp.json": '{"mcpServers": {"a": 1}, "mcpServers": {}}',
    "home/.gemini/settings.json": "{ half",
    "home/.codex/config.toml": 'mcp_servers = { x = { command = "node" } }\n',
  });
  const { edits, left } = await there.plan();
  expect(edits).toEqual([]);
  expect(left.map(({ file }) => file)).toEqual([
    join(there.home, ".cursor/mcp.json"),
    join(there.home, ".codex/config.toml"),
    join(there.home, ".gemini/settings.json"),
  ]);
});
