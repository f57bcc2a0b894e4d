import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { TestServer } from "../../../../server/src/http/testing/server.ts";
import { runCli } from "../../testing/run-cli.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-policy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const run = (...args: string[]) => runCli(["policy", ...args], { folder });

const config = (rules: string) => `
  import { defineConfig, files } from "paraph";
  export default defineConfig({ adapters: { files: files({ root: "." }) }, ${rules} });
`;
const noSecrets = `
@id("no-secrets") @sentence("Nobody writes secrets.")
forbid (principal, action == Action::"files.write", resource)
when { context.input.path like "secrets/*" };
`;

async function write(files: Record<string, string>): Promise<void> {
  await mkdir(join(folder, "policies"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

describe("paraph policy test", () => {
  const writes = (path: string, expected: string) => `
- name: writing ${path}
  as: { kind: agent, owner: ana }
  capability: files.write
  input: { path: ${path}, content: x }
  expect: ${expected}
`;

  it("runs the cases against the policies of the folder, and lists the policies that no case covers", async () => {
    await write({
      "paraph.config.ts": config("unattended: ['files.write']"),
      "policies/a.cedar": `${noSecrets}${noSecrets.replace("no-secrets", "no-more-secrets")}`.replace(
        /secrets\/\*" };\s*$/,
        'more/*" };',
      ),
      "policies/a.test.yaml": writes("secrets/key", "block") + writes("notes.txt", "allow"),
    });
    const { code, stdout, stderr } = await run("test");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("✔ policies/a.test.yaml  2 cases");
    expect(stdout).toContain("cases  2 passed");
    expect(stdout).toContain("no case for 1 of your policies:\n       no-more-secrets  policies/a.cedar:6");
  });

  it("exits with 1 if a case fails or cannot be read, and names its line", async () => {
    await write({
      "paraph.config.ts": config(""),
      "policies/a.test.yaml": `${writes("a.txt", "allow")}${writes("b.txt", "perhaps")}`,
    });
    const { code, stdout } = await run("test");
    expect(code).toBe(1);
    expect(stdout).toContain(
      "✘ policies/a.test.yaml:2\n      writing a.txt\n      expected allow, but it is ask by",
    );
    expect(stdout).toContain("✘ policies/a.test.yaml:12\n      expect: ");
    expect(stdout).toContain("cases  0 passed, 1 failed, 1 not readable");
    const told = JSON.parse((await run("test", "policies/a.test.yaml", "--json")).stdout);
    expect(told).toMatchObject({ passed: false, cases: [{ expected: "allow", got: { kind: "ask" } }] });
  });

  it("reports that there are no cases, and names the file and line of a policy that does not load", async () => {
    await write({ "paraph.config.ts": config(""), "policies/a.cedar": "forbid (principal" });
    expect(await run("test")).toMatchObject({ code: 2, stderr: expect.stringContaining("no policy cases") });
    await write({ "policies/a.test.yaml": writes("a.txt", "ask") });
    const { code, stdout } = await run("test");
    expect(code).toBe(1);
    expect(stdout).toContain("policies/a.cedar:1");
    expect(await run("test", "nowhere.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no file `nowhere.yaml`."),
    });
  });
});

describe("paraph policy lint", () => {
  it("names the file, line and weight of each finding, and exits with 1 only for errors", async () => {
    const guard = `@id("g") @ruling("ask") @quorum("1") @urgency("normal")
forbid (principal, action == Action::"files.move", resource)
unless { context.evidence.discharged.contains("g") };`;
    await write({ "paraph.config.ts": config(""), "policies/a.cedar": `\n${guard}` });
    const { code, stdout, stderr } = await run("lint");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^policies\/a\.cedar:2 {2}warning\n {2}`g` has no `@sentence`/);
    expect(stdout).toContain("0 errors, 1 warning");
    expect(stderr).toContain("no server is available");

    await write({ "policies/a.cedar": guard.replace('"normal"', '"soon"') });
    const wrong = await run("lint", "--json");
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      groups: false,
      findings: [{ weight: "error", file: "policies/a.cedar", line: 1 }],
    });
    await write({ "paraph.config.ts": config("rules: [\n{ capability: 'files.nothing', ask: true }]") });
    expect(await run("lint")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^paraph\.config\.ts:4 {2}error\n {2}`rules\[0\]\.capability`: /),
    });
  });
});

describe("paraph policy eject", () => {
  it("prints the policies of the preset and the rules, and with `--write` saves those of the rules to a new file", async () => {
    const rules = `rules: [
      { capability: "files.delete", ask: "owners", people: 2 },
      { capability: "files.write", when: { "input.path": { startsWith: "drafts/" } }, allow: "unattended" },
    ]`;
    await write({ "paraph.config.ts": config(rules) });
    const { code, stdout } = await run("eject");
    expect(code).toBe(0);
    expect(stdout).toContain('@id("reads-are-permitted")');
    expect(stdout).toContain('@id("rule-1-files.delete")');

    const written = await run("eject", "--write");
    expect(written).toMatchObject({ code: 0, stdout: "" });
    expect(written.stderr).toMatch(/Wrote policies\/ejected\.cedar.*`files\.write` to `unattended`/s);
    expect(await run("eject", "--write")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already exists"),
    });
    await write({ "paraph.config.ts": config("") });
    expect(await run("eject", "--write")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no `rules`"),
    });
  });
});

describe("against a server", () => {
  const server = new TestServer();
  const as = (name: string) => ({ PARAPH_URL: server.http.url, PARAPH_APPROVER_KEY: `key-${name}` });
  const ask = (name: string, ...args: string[]) =>
    runCli(["policy", ...args], { folder, environment: as(name) });

  beforeEach(async () => {
    await server.start();
    onTestFinished(() => server.stop());
    await server.call("billing.refund", { payment: "pay_1", cents: 1 });
    await server.call("notes.forbidden", { text: "x" });
    await server.call("notes.list", {});
  });

  it("shows the active policy set only to administrators and auditors", async () => {
    const { code, stdout } = await ask("audit", "show");
    expect(code).toBe(0);
    expect(stdout).toMatch(/source +the configuration\n +preset +balanced\n +mode +enforce/);
    expect(stdout).toMatch(/test\.cedar +1 +0 +0 +1 +0 +0/);
    expect(await ask("bo", "show")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Only administrators and auditors"),
    });
  });

  it("explains a ruling in words", async () => {
    const { body } = await server.get("/v1/calls", "bot");
    const refund = body.calls.find((call: { capability: string }) => call.capability === "billing.refund");
    const { code, stdout } = await ask("bo", "explain", refund.call);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^billing\.refund {2}call_\w+\n\nask {2}at admission, /);
    expect(stdout).toMatch(/by +high-risk-needs-a-person\n +What is of high risk needs a person\./);
    expect(stdout).toMatch(/required +Approval by one person\./);
    expect(stdout).toMatch(/facts +bot \(agent of ana\), in no group, with the preview/);
    expect(await ask("bo", "explain", "call_nowhere")).toMatchObject({ code: 1 });
  });

  it("reports how many calls were allowed, checked, asked about and refused", async () => {
    const { code, stdout } = await ask("audit", "report", "--since", "1h");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^3 calls/);
    expect(stdout).toMatch(
      /1 {2}allowed +33\.3 %\n +0 {2}checked\n +1 {2}asked about +33\.3 %\n +1 {2}refused/,
    );
    expect(await ask("audit", "report", "--since", "soon")).toMatchObject({ code: 2 });
  });

  it("backtests a candidate and lists the calls that would have a different ruling", async () => {
    await write({ "policies/c.cedar": "block notes.list" });
    const { code, stdout, stderr } = await ask("audit", "backtest", "--since", "1d", "policies/c.cedar");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("3 of 3 evaluated calls would have a different ruling.");
    expect(stdout).toMatch(/WAS +WOULD BE +CALLS\nallow +block +1\nask +allow +1\nblock +allow +1\n/);
    expect(stdout).toMatch(/call_\w+ +notes\.list +allow +block +blocked\n/);
    const told = JSON.parse(
      (await ask("audit", "backtest", "policies/c.cedar", "--limit", "1", "--json")).stdout,
    );
    // Looser rulings come first.
    expect(told).toMatchObject({
      kind: "result",
      changed: 3,
      differences: [{ capability: "notes.forbidden", direction: "looser" }],
    });
  });

  it("names the faulty line of a candidate that is not a valid policy set", async () => {
    await write({ "policies/c.cedar": "nonsense" });
    expect(await ask("audit", "backtest", "policies/c.cedar")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/not a valid policy set:\n +candidate:1: it is nonsense/),
    });
    expect(await ask("audit", "backtest", "nowhere.cedar")).toMatchObject({ code: 2 });
  });
});
