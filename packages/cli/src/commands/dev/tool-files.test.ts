// Tests what `paraph dev` and `paraph doctor` say about the files of a configuration.
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readProcessStart, writeRecord } from "@paraph/server/local-record";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { approveByFingerprint } from "../../../../../test/support/approve-by-fingerprint.ts";
import { inspectConfiguration, readStartableConfiguration } from "../../lib/config/configuration.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { runCli, startCli } from "../../testing/run-cli.ts";
import { checkConfiguration } from "../doctor/configuration-check.ts";
import { printReady } from "./ready.ts";

const config = `import { defineConfig, yamlTools } from "paraph";
export default defineConfig({ adapters: { ops: yamlTools("./*.yaml") } });
`;
const tools = `tools:
  good: { binary: /bin/true, args: [] }
  lost:
    binary: /bin/true
    args: []
    efect: read
`;
const fault = expect.stringMatching(/tools\.yaml:6: lost\.efect: this key is unknown/);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL does not run as root, so its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  await writeFile(join(folder, "paraph.config.ts"), config);
  await writeFile(join(folder, "tools.yaml"), tools);
});

/** Replaces a file at once. `paraph dev --watch` could otherwise load it while it is still empty. */
async function replace(name: string, text: string): Promise<void> {
  await writeFile(join(folder, "draft"), text);
  await rename(join(folder, "draft"), join(folder, name));
}

async function diagnose(): Promise<{ name: string; state: string; message: string }[]> {
  return JSON.parse((await runCli(["doctor", "--json"], { folder })).stdout).checks;
}

it("`paraph doctor` without a server reports an unknown key (`efect: read`) with its file and line", async () => {
  expect(await diagnose()).toContainEqual(
    expect.objectContaining({ name: "configuration", state: "fail", message: fault }),
  );
  await writeFile(join(folder, "tools.yaml"), tools.replace("efect", "effect"));
  expect(await diagnose()).toContainEqual(expect.objectContaining({ name: "configuration", state: "ok" }));
});

it("`paraph doctor` reports that the running server has loaded another configuration", async () => {
  await rm(join(folder, "paraph.config.ts"));
  const dataFolder = join(folder, ".paraph");
  await mkdir(dataFolder);
  const environment = { HOME: folder };
  const { digest } = await inspectConfiguration(
    await readStartableConfiguration(folder, environment),
    folder,
  );
  const url = "http://127.0.0.1:1";
  const mark = (configuration: string) => {
    const running = { url, pid: process.pid, started: readProcessStart(process.pid), configuration };
    return writeRecord(dataFolder, environment, { url, agent: "a", owner: "o", keys: [], running });
  };
  const listNames = async () => (await checkConfiguration({ folder, environment })).map(({ name }) => name);
  await mark(digest);
  expect(await listNames()).toEqual(["configuration"]);
  await mark("another");
  expect(await listNames()).toEqual(["configuration", "restart"]);
});

it("`paraph dev --watch` loads a valid configuration with its imports, keeps the active one if it is invalid, and keeps open approvals", async () => {
  await writeFile(
    join(folder, "paraph.config.ts"),
    `import { defineConfig, files, yamlTools } from "paraph";
import { rules } from "./rules.ts";
export default defineConfig({
  adapters: { files: files({ root: "workspace" }), ops: yamlTools("./*.yaml") },
  rules,
});`,
  );
  await writeFile(join(folder, "rules.ts"), "export const rules = [];");
  await mkdir(join(folder, "workspace"));
  const dev = startCli(["dev", "--json", "--watch"], { folder });
  onTestFinished(async () => {
    dev.process.kill("SIGTERM");
    await dev.ended;
  });
  const lines = createInterface({ input: dev.process.stdout! })[Symbol.asyncIterator]();
  const readNext = async () => JSON.parse((await lines.next()).value ?? "");
  const run = (...args: string[]) => runCli(args, { folder });
  expect(await readNext()).toMatchObject({ degraded: [{ name: "ops", message: fault }] });
  const asked = await run("call", "files.write", "path=a.txt", "content=Hello", "--json");
  const { call } = JSON.parse(asked.stdout);

  await replace(
    "rules.ts",
    'export const rules = [{ capability: "files.delete", block: true, sentence: "Nothing is deleted here." }];',
  );
  expect(await readNext()).toMatchObject({ reloaded: true });
  const remove = () => run("call", "files.delete", "path=a.txt");
  const refused = { code: 3, stderr: expect.stringContaining("Nothing is deleted here.") };
  expect(await remove()).toMatchObject(refused);

  await replace("rules.ts", 'export const rules = [{ capabilty: "files.write", ask: true }];');
  const message = expect.stringMatching(/paraph\.config\.ts:5: `rules\[0\].*capabilty/);
  expect(await readNext()).toEqual({ reloaded: false, error: { code: "config-invalid", message } });
  expect(await remove()).toMatchObject(refused);

  const unknown = 'rules = [{ capability: "files.nothing", ask: true }]';
  await replace("rules.ts", `export const ${unknown};`);
  const policyFault = expect.stringMatching(/paraph\.config\.ts:5: `rules\[0\]\.capability`/);
  expect(await readNext()).toEqual({
    reloaded: false,
    error: { code: "policy-invalid", message: policyFault },
  });
  expect(await remove()).toMatchObject(refused);

  await replace("tools.yaml", tools.replace("efect", "effect"));
  expect(await readNext()).toMatchObject({ reloaded: false });
  await replace("rules.ts", "export const rules = [];");
  expect(await readNext()).toMatchObject({ reloaded: true });
  expect(await diagnose()).toContainEqual(expect.objectContaining({ name: "ops", state: "ok" }));
  expect(await approveByFingerprint(run, call)).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, "workspace/a.txt"), "utf8")).toBe("Hello");
});

it("the text of `paraph dev` lists every fault on its own line, and policies that are not in force", () => {
  const { output, written } = captureOutput();
  printReady(
    {
      url: "http://127.0.0.1:1",
      login: undefined,
      folder,
      dataFolder: folder,
      keyFile: folder,
      configuration: {
        config: {},
        file: join(folder, "paraph.config.ts"),
        source: undefined,
        modules: new Set(),
      },
      leftBehind: [],
      warnings: {
        troubled: [{ name: "ops", state: "degraded", message: "Left out:\n  - tools.yaml:6: lost\u202e" }],
        isPolicyUnused: true,
        unapprovable: [{ message: "rules[0]: too few people", command: "paraph invite PERSON" }],
      },
      tookMs: 1,
    },
    output,
  );
  expect(written.stderr).toContain("! ops is degraded. Left out:\n  - tools.yaml:6: lost<U+202E>\n");
  expect(written.stderr).toContain("! a published policy set is in force");
});
