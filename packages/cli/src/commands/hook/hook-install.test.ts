import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeRecord } from "@paraph/server/local-record";
import { describe, expect, it } from "vitest";
import type { HookClient } from "../../hook/hook-event.ts";
import { clientSettings } from "../../hook/install/client-settings.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { runCli } from "../../testing/run-cli.ts";
import { createTestMachine } from "../../testing/test-machine.ts";
import { type HookInstallOptions, installHook, uninstallHook } from "./hook-install.ts";

type Machine = Awaited<ReturnType<typeof createTestMachine>>;

function createContext({ folder, environment }: Machine) {
  const { output, written } = captureOutput();
  const context = {
    output,
    folder,
    environment: { ...environment, PARAPH_KEY: "key" },
    json: false,
    version: "0",
    takeTime: () => {},
    url: "http://127.0.0.1:9",
    signal: AbortSignal.timeout(60_000),
    question: undefined,
    secretQuestion: undefined,
  };
  return { context, written };
}

it("[P11] install refuses a hook that would deny every tool use, because the configuration has no codingAgent()", async () => {
  await using there = await createTestMachine({
    "paraph/paraph.config.mjs": "export default { adapters: {} };",
  });
  await mkdir(join(there.folder, ".paraph"));
  const record = { url: "http://127.0.0.1:9", agent: "a", owner: "o", keys: [] };
  await writeRecord(join(there.folder, ".paraph"), there.environment, record);
  const before = await there.tree();
  const { stderr } = await runCli(["hook", "install", "codex", "--yes"], there);
  expect(stderr).toContain("add `adapters: { agent: codingAgent() }` to `paraph.config.ts`");
  expect(await there.tree()).toEqual(before);
});

it("[TRUST 31] install does not run the configuration of a folder in which this user never ran `paraph dev`", async () => {
  await using there = await createTestMachine({
    "paraph/paraph.config.mjs": `import { writeFileSync } from "node:fs"; writeFileSync("ROOT/ran", ""); export default {};`,
  });
  await mkdir(join(there.folder, ".paraph"));
  await runCli(["hook", "install", "codex", "--json"], there);
  expect(await there.tree()).not.toHaveProperty([join(there.root, "ran")]);
});

async function install(there: Machine, client: HookClient, options: Partial<HookInstallOptions> = {}) {
  const { context, written } = createContext(there);
  await installHook(context, client, { yes: true, wait: 300, gateway: [], ...options });
  return written;
}

async function uninstall(there: Machine, client: HookClient, options: { project?: boolean } = {}) {
  await uninstallHook(createContext(there).context, client, { yes: true, ...options });
}

describe.each(clientSettings)("the settings of $name", ({ client, files }) => {
  const locate = ({ home, folder, environment }: Machine) => files({ home, project: folder, environment });

  it.each<[string, string | undefined]>([
    ["a file of your own", '{\n  // mine\n  "model": "opus"\n}\n'],
    ["no file", undefined],
  ])("[P11] one uninstall undoes every install, with %s", async (_, original) => {
    await using there = await createTestMachine({});
    const [path] = locate(there);
    if (original !== undefined) {
      await mkdir(dirname(path));
      await writeFile(path, original, { mode: 0o640 });
    }
    const before = await there.tree();
    await install(there, client);
    const installed = await there.tree();
    expect(await install(there, client)).toEqual({
      stdout: "",
      stderr: "The hook is already installed. Nothing was changed.\n",
    });
    expect(await there.tree()).toEqual(installed);
    await install(there, client, { wait: 9 });
    await uninstall(there, client);
    expect(await there.tree()).toEqual(before);
  });

  it("uninstall keeps the hook in the other settings file", async () => {
    await using there = await createTestMachine({});
    await install(there, client);
    const before = await there.tree();
    await install(there, client, { project: true });
    const [own, ofProject] = locate(there);
    await uninstall(there, client);
    await expect(readFile(own)).rejects.toThrow("ENOENT");
    expect(await readFile(ofProject!, "utf8")).toContain(`hook run ${client}`);
    await install(there, client);
    await uninstall(there, client, { project: true });
    expect(await there.tree()).toEqual(before);
  });
});
