import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { interruptedError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { runCli, startCli } from "../../testing/run-cli.ts";
import { initFolder } from "./init.ts";
import { renderConfiguration } from "./render-configuration.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-init-"));
  // PostgreSQL does not run as root, so its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const run = (...args: string[]) => runCli(["init", ...args], { folder });
const read = (name: string) => readFile(join(folder, name), "utf8");

it("`paraph init --yes` writes a configuration with which `paraph dev` starts", async () => {
  expect(await run("--yes")).toMatchObject({ code: 0, stdout: "" });
  // The type checker and the linter of this repository check the same text.
  const checked = await readFile(new URL("../../testing/initial-config.ts", import.meta.url), "utf8");
  expect(await read("paraph.config.ts")).toBe(checked);

  const dev = startCli(["dev", "--json"], { folder });
  onTestFinished(async () => {
    dev.process.kill("SIGTERM");
    await dev.ended;
  });
  expect(JSON.parse(await dev.firstLine)).not.toHaveProperty("unavailable");
  const doctor = JSON.parse((await runCli(["doctor", "--json"], { folder })).stdout) as {
    checks: { name: string; state: string }[];
  };
  expect(doctor.checks.filter(({ state }) => state !== "ok")).toEqual([]);
  expect(doctor.checks.map(({ name }) => name)).toContain("files");
});

it("never changes an existing file", async () => {
  await writeFile(join(folder, ".gitignore"), "dist/\n");
  const { code, stderr } = await run("--yes", "--workspace", "notes", "--policy", "strict");
  expect([code, stderr]).toEqual([0, expect.stringContaining("- kept  .gitignore")]);
  expect(stderr).toContain("Add `secrets/` to .gitignore");
  expect(await read(".gitignore")).toBe("dist/\n");
  expect(await read("paraph.config.ts")).toBe(renderConfiguration({ workspace: "notes", policy: "strict" }));
  await writeFile(join(folder, "paraph.config.ts"), "mine");
  expect(await run("--yes")).toMatchObject({ code: 1, stderr: expect.stringContaining("already") });
  expect(await read("paraph.config.ts")).toBe("mine");
});

it.each([".", "..", "/tmp", "a/../.."])("refuses the folder `%s` for agents", async (workspace) => {
  expect(await run("--yes", "--workspace", workspace)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/could\s+change\s+the\s+configuration/),
  });
  await expect(stat(join(folder, "paraph.config.ts"))).rejects.toThrow("ENOENT");
});

it.each([["workspace"], ["linked/notes"]])(
  "[TRUST 31] refuses the folder `%s` for agents if a link leads elsewhere",
  async (workspace) => {
    const other = join(folder, "other");
    await mkdir(other);
    const project = join(folder, "project");
    await mkdir(project);
    await symlink(other, join(project, workspace.split("/")[0]!));
    const given = ["init", "--yes", "--workspace", workspace];
    expect((await runCli(given, { folder: project })).code).toBe(2);
    expect(await readdir(other)).toEqual([]);
    expect(await readdir(project)).toHaveLength(1);
  },
);

it("asks again after an answer that cannot be used, and keeps the earlier answers", async () => {
  const answers = [".paraph", "~/elsewhere", "notes", "blanced", "strict"];
  const { output, written } = captureOutput();
  const question = async () => answers.shift()!;
  const context = { output, folder, question, json: false } as unknown as Context;
  expect(await initFolder(context, { folder: "." })).toBe(0);
  expect(await read("paraph.config.ts")).toBe(renderConfiguration({ workspace: "notes", policy: "strict" }));
  expect(written.stderr).toContain("`.paraph` holds Paraph's data");
  expect(written.stderr).toContain("`~/elsewhere` is not below the folder");
  expect(written.stderr).toMatch(/\n {2}balanced +ask a person before an agent changes something\n/);
  expect(written.stderr).toContain("`blanced` is not a policy");
});

it("writes nothing if the person cancels at a question", async () => {
  const answers = ["notes"];
  const question = async () => answers.shift() ?? Promise.reject(interruptedError());
  const context = { output: captureOutput().output, folder, question, json: false } as unknown as Context;
  await expect(initFolder(context, { folder: "." })).rejects.toMatchObject({ code: "interrupted" });
  expect(await readdir(folder)).toEqual([]);
});

it("needs `--yes` without a terminal", async () => {
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
});
