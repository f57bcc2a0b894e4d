import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

/** Loads the configuration with `paraph doctor`, in a separate Node process. */
async function loaded(text: string, name = "paraph.config.ts"): Promise<{ state: string; message: string }> {
  await writeFile(join(folder, name), text);
  const { stdout, stderr } = await runCli(["doctor", "--json"], { folder });
  expect(stderr).toBe("");
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; message: string }[] };
  return checks.find((check) => check.name === "configuration")!;
}

it("loads a typed configuration that imports paraph, even if paraph is not installed", async () => {
  // A package.json without a module type must not make Node warn.
  await writeFile(join(folder, "package.json"), "{}");
  const config = `
    import { CapabilityError, type Config, defineCapability, defineConfig, files } from "paraph";
    const root: string = ".";
    if (!CapabilityError || !defineCapability) throw new Error("missing");
    export default defineConfig({ adapters: { docs: files({ root }) } } satisfies Config);
  `;
  expect(await loaded(config)).toMatchObject({
    state: "ok",
    message: expect.stringMatching(/^paraph\.config\.ts: 1 adapter, 0 capabilities of your own$/),
  });
});

it("loads plain JavaScript too", async () => {
  const config = `import { defineConfig } from "paraph"; export default defineConfig({});`;
  expect(await loaded(config, "paraph.config.js")).toMatchObject({
    state: "ok",
    message: "paraph.config.js: 0 adapters, 0 capabilities of your own",
  });
});

it("reports why a configuration does not load", async () => {
  expect(await loaded("export const config = {};")).toMatchObject({
    state: "fail",
    message: expect.stringContaining("export default defineConfig"),
  });
  expect(await loaded("export default {")).toMatchObject({
    state: "fail",
    message: expect.stringContaining("paraph.config.ts:1: "),
  });
  expect(await loaded(`import "nowhere";\nexport default {};`)).toMatchObject({
    state: "fail",
    message: expect.stringContaining("nowhere"),
  });
});

it("a misspelt key stops `paraph dev` before any server starts, and `paraph doctor` reports the same error", async () => {
  const config = `import { defineConfig } from "paraph";
    export default defineConfig({
      polcy: "strict",
      limits: [{ per: "everyone", calls: 1 }],
    });`;
  const { state, message } = await loaded(config);
  expect(state).toBe("fail");
  expect(message).toContain("paraph.config.ts:3: `polcy` is not a known key. Did you mean `policy`?");
  expect(message).toContain("paraph.config.ts:4: `limits[0].per`: expected one of");
  const dev = await runCli(["dev", "--json"], { folder });
  expect(dev.code).toBe(1);
  expect(JSON.parse(dev.stdout)).toEqual({ error: { code: "config-invalid", message: message } });
  expect(existsSync(join(folder, ".paraph"))).toBe(false);
});

it("[TRUST 31] the built-in configuration refuses a workspace that is a link to another folder", async () => {
  await symlink(tmpdir(), join(folder, "workspace"));
  const dev = await runCli(["dev", "--json"], { folder });
  expect(dev.code).toBe(1);
  expect(JSON.parse(dev.stdout).error).toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("is a link"),
  });
  expect(existsSync(join(folder, ".paraph"))).toBe(false);
});
