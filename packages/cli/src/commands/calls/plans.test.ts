// Tests plans on the command line, against a complete Paraph.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineCapability } from "@paraph/core";
import { afterAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { approveByFingerprint } from "../../../../../test/support/approve-by-fingerprint.ts";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";
import { runCli } from "../../testing/run-cli.ts";

const boxes = new Map<string, string>();
const fill = defineCapability({
  name: "box.fill",
  version: 1,
  summary: "Fill a box",
  effect: "write",
  idempotency: "natural",
  input: z.object({ box: z.string(), with: z.string() }),
  output: z.object({ box: z.string(), was: z.string().nullable() }),
  preview: async ({ box, with: content }) => ({
    changes: [{ kind: "update", target: box, summary: content }],
    basis: boxes.get(box) ?? null,
  }),
  apply: async ({ box, with: content }) => {
    const was = boxes.get(box) ?? null;
    boxes.set(box, content);
    return { box, was };
  },
  undo: ({ box }, { was }) =>
    was === null ? undefined : { capability: "box.fill", input: { box, with: was } },
});

const burn = defineCapability({
  name: "box.burn",
  version: 1,
  summary: "Burn a box",
  effect: "destroy",
  idempotency: "none",
  input: z.object({ box: z.string() }),
  output: z.object({}),
  apply: async () => ({}),
});

const paraph = await TestParaph.start(
  { capabilities: [fill, burn], rules: [{ capability: "box.burn", block: true }] },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "ana", kind: "person" },
    { tenant: "acme", id: "bea", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
  ],
);
afterAll(() => paraph.stop());
beforeEach(() => boxes.clear());
const run = (...args: string[]) => paraph.cli({ person: "ana", agent: "bot" }, ...args);
const step = (id: string, box: string, content: unknown = id) => ({
  id,
  capability: "box.fill",
  input: { box, with: content },
});
const file = async (name: string, text: string) => writeFile(join(paraph.folder, name), text);
const three = { version: 1, steps: [step("a", "x"), step("b", "y"), step("c", "z")] };

/** Returns every row of all tables of Paraph. */
async function rows(): Promise<unknown> {
  const tables = await paraph.database.query(
    "select tablename as name from pg_tables where schemaname = 'paraph' order by 1",
  );
  const found: unknown[] = [];
  for (const { name } of tables)
    found.push(
      name,
      await paraph.database.query(
        `select count(*)::int as n, sum(hashtext(t::text)::bigint)::text as sum from paraph.${name} t`,
      ),
    );
  return found;
}

it("[P3] `--preview` shows each step and whom it would ask, from YAML, JSON and standard input, and writes nothing", async () => {
  await file("plan.json", JSON.stringify(three));
  await file(
    "plan.yaml",
    "version: 1\nsteps:\n  - { id: a, capability: box.fill, input: { box: x, with: a } }\n  - { id: b, capability: box.fill, input: { box: y, with: { $from: a, path: /box } } }\n",
  );
  // A principal's first request records that Paraph has seen the principal. A preview writes nothing else.
  await run("plan", "plan.json", "--preview");
  const before = await rows();
  const shown = await run("plan", "plan.yaml", "--preview");
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toMatch(/1 {2}a {5}box\.fill +write +medium +update x: a\n/);
  expect(shown.stdout).toMatch(/2 {2}b {5}box\.fill +write +medium +previewed again after a is done\n/);
  expect(shown.stdout).toContain("? one person for a\n");
  expect(shown.stdout).toContain("This is only a preview. Nothing was changed or requested.");
  const piped = await runCli(["plan", "-", "--preview", "--json"], {
    folder: paraph.folder,
    environment: { PARAPH_URL: paraph.url, PARAPH_KEY: paraph.key("bot") },
    input: JSON.stringify(three),
  });
  expect(JSON.parse(piped.stdout)).toMatchObject({ ruling: "ask", guards: [{ steps: ["a", "b", "c"] }] });
  expect(await rows()).toEqual(before);
  expect(boxes.size).toBe(0);
});

it("reports each fault of a plan with its exit code", async () => {
  await file("broken.yaml", "steps: [");
  await file("twice.json", JSON.stringify({ version: 1, steps: [step("a", "x"), step("a", "y")] }));
  await file(
    "nothing.json",
    JSON.stringify({ version: 1, steps: [{ id: "a", capability: "no.such", input: {} }] }),
  );
  await file("burn.yaml", "version: 1\nsteps: [{ id: a, capability: box.burn, input: { box: x } }]");
  expect(await run("plan", "burn.yaml", "--preview")).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("The call would be refused.  Step `a`"),
  });
  expect(await run("plan", "burn.yaml")).toMatchObject({ code: 3 });
  for (const [args, code, said] of [
    [["nowhere.yaml"], 2, "There is no file `nowhere.yaml`"],
    [["broken.yaml"], 2, "broken.yaml:1"],
    [["twice.json"], 1, "steps.1.id: another step is called `a`"],
    [
      ["nothing.json"],
      1,
      "Step `a`: There is no such capability. Run `paraph capabilities` to list capabilities. If you changed the configuration, press Enter in the terminal of `paraph dev`, or restart the server.",
    ],
  ] as const) {
    expect(await run("plan", ...args)).toMatchObject({ code, stderr: expect.stringContaining(said) });
  }
});

it("[P13] approves a plan without one step, prints each step as it ends, and lists steps only with `--steps`", async () => {
  boxes.set("x", "old");
  const asked = await run("plan", "plan.json", "--purpose", "To fill them");
  expect(asked).toMatchObject({ code: 8, stdout: "" });
  const plan = /call_\w+/.exec(asked.stderr)![0];
  expect(asked.stderr).toContain(`paraph approve ${plan} --without c`);
  const seen = await run("approval", plan);
  expect(seen.stdout).toMatch(/steps +3 steps\n +on failure +start no further steps/);
  expect(seen.stdout).toMatch(/1\. Update x {2}a, box\.fill \(write, medium\)\n {2}update x: a\n/);
  expect(await approveByFingerprint(run, plan, "--without", "zz")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no step `zz`"),
  });
  const done = await approveByFingerprint(run, plan, "--without", "b");
  expect(done).toMatchObject({ code: 0, stdout: "" });
  expect(done.stderr).toMatch(/✔ a {2}box\.fill {2}succeeded {2}call_\w+\n✔ c {2}box\.fill {2}succeeded/);
  expect(done.stderr).toContain("2 succeeded, 1 declined");
  expect([...boxes]).toEqual([
    ["x", "a"],
    ["z", "c"],
  ]);

  const shown = await run("show", plan);
  expect(shown.stdout).toMatch(/2 {2}b .* declined\n/);
  const listed = await run("calls");
  expect(listed.stdout).not.toContain("box.fill");
  const all = await run("calls", "--steps");
  expect(all.stdout).toMatch(/plan\.apply .*\ncall_\w+ {2}↳ a: box\.fill .*\ncall_\w+ {2}↳ c: box\.fill/);

  // Only effects with an undo are undone. `c` filled an empty box and has none.
  const foreseen = await run("undo", plan, "--preview");
  expect(foreseen).toMatchObject({ code: 0, stdout: expect.stringContaining("update x: old") });
  const undone = await run("undo", plan);
  expect(undone).toMatchObject({ code: 8, stderr: expect.not.stringContaining("requested before") });
  const again = await run("undo", plan);
  expect(again).toMatchObject({ code: 8, stderr: expect.stringContaining("was requested before") });
  expect((await run("calls")).stdout).toMatch(new RegExp(`^${plan} .*succeeded, undo open `, "m"));
  await approveByFingerprint(run, "last");
  expect((await run("calls")).stdout).toMatch(new RegExp(`^${plan} .*succeeded, undone `, "m"));
  expect([...boxes]).toEqual([
    ["x", "old"],
    ["z", "c"],
  ]);
});

it("shows the whole input of a step whose changes cannot be previewed yet", async () => {
  const asked = await run("plan", "plan.yaml", "--json");
  const { call } = JSON.parse(asked.stdout);
  const seen = await run("approval", call);
  expect(seen.stdout).toMatch(/2\. b .*\n {2}previewed again after a is done\n {2}│ \{\n {2}│ {3}"box": "y"/);
  await run("withdraw", call);
});

it("[P6] edits one step of a plan, and says why there is nothing to undo", async () => {
  const asked = await run("plan", "plan.json", "--json");
  const { call } = JSON.parse(asked.stdout);
  expect(await run("undo", call)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("The call is still open"),
  });
  const edited = await run("edit", call, "--step", "b", "--input", '{"box":"y","with":"ana"}', "--json");
  const next = JSON.parse(edited.stdout);
  expect(next).toMatchObject({ supersedes: call, preview: { changes: [{}, { summary: "ana" }, {}] } });
  expect(await run("deny", next.call, "--yes", "--reason", "not today")).toMatchObject({ code: 0 });
  expect(await run("undo", next.call)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("had no effect"),
  });
  expect(boxes.size).toBe(0);
});
