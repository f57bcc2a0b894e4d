// Tests what `paraph dev` and `paraph doctor` say about the files of a configuration.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { captureOutput } from "../../testing/captured-output.ts";
import { runCli, startCli } from "../../testing/run-cli.ts";
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

it("`paraph dev` reports the tool that it left out, and `paraph doctor` that the server has another configuration", async () => {
  const dev = startCli(["dev", "--json"], { folder });
  onTestFinished(async () => {
    dev.process.kill("SIGTERM");
    await dev.ended;
  });
  expect(JSON.parse(await dev.firstLine)).toMatchObject({ degraded: [{ name: "ops", message: fault }] });
  const before = await diagnose();
  expect(before.map(({ name }) => name)).not.toContain("restart");
  expect(before).toContainEqual(expect.objectContaining({ name: "ops", state: "warn", message: fault }));

  await writeFile(join(folder, "tools.yaml"), tools.replace("efect", "effect"));
  const after = await diagnose();
  expect(after).toContainEqual({
    name: "restart",
    state: "warn",
    message: "the configuration changed after the running server had loaded it",
    advice: "stop `paraph dev` and start it again",
  });
  expect(await runCli(["call", "ops.lost"], { folder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("If you changed the configuration, restart the server."),
  });
  await writeFile(join(folder, "tools.yaml"), tools);
  await writeFile(join(folder, "more.yaml"), "tools: {}\n");
  expect((await diagnose()).map(({ name }) => name)).toContain("restart");
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
      configuration: { config: {}, file: join(folder, "paraph.config.ts"), source: undefined },
      troubled: [{ name: "ops", state: "degraded", message: "Left out:\n  - tools.yaml:6: lost\u202e" }],
      isPolicyUnused: true,
      tookMs: 1,
    },
    output,
  );
  expect(written.stderr).toContain("! ops is degraded. Left out:\n  - tools.yaml:6: lost<U+202E>\n");
  expect(written.stderr).toContain("! a published policy set is in force");
});
