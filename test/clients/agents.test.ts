import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createYamlFixture, performTool } from "../../packages/adapters/src/yaml/testing/fixture.ts";
import { binaries, isInstalled } from "./installed.ts";
import { startModelServer } from "./model-server.ts";

// Gemini CLI is a script that needs Node in its path.
const path = [binaries, dirname(process.execPath)];
const secret = "sk-loopback-0123456789";
const world = { credential: async () => secret };
// A text with a leading dash would be an option if it were passed as an argument.
const prompt = "- what is six times seven?";

describe.runIf(isInstalled)("the real command-line agents, with a model's provider on loopback", () => {
  it("Claude Code answers without tools of its own, and reports tokens and cost", async () => {
    await using model = await startModelServer("Forty-two.");
    const env = { ANTHROPIC_BASE_URL: model.url };
    await using fixture = await createYamlFixture({}, { shipped: ["claude"], path, env });
    const output = await performTool(await fixture.capability("claude"), { prompt }, world);
    expect(output).toMatchObject({ text: "Forty-two.", tokens: { input: 11, output: 7 }, exitCode: 0 });
    expect(output.cost).toBeGreaterThan(0);
    const [asked] = model.requests;
    expect(asked!.body).toContain(prompt);
    expect(JSON.parse(asked!.body).tools ?? []).toEqual([]);
    expect(asked!.headers["x-api-key"]).toBe(secret);
    expect(JSON.stringify(output)).not.toContain(secret);
  });

  it("Codex answers without tools of its own, and reports tokens", async () => {
    await using model = await startModelServer("Forty-two.");
    const provider = `{ name = "loopback", base_url = "${model.url}/v1", env_key = "CODEX_API_KEY" }`;
    await using home = await homeWith(
      "config.toml",
      `model_provider = "loopback"\nmodel_providers.loopback = ${provider}\n`,
    );
    await using fixture = await createYamlFixture(
      {},
      { shipped: ["codex"], path, env: { CODEX_HOME: home.folder } },
    );
    const output = await performTool(await fixture.capability("codex"), { prompt, model: "gpt-5" }, world);
    expect(output).toMatchObject({ text: "Forty-two.", tokens: { input: 11, output: 7 }, exitCode: 0 });
    const [asked] = model.requests;
    expect(asked!.body).toContain(prompt);
    const tools = JSON.parse(asked!.body).tools.map(({ name, type }: Record<string, string>) => name ?? type);
    expect(tools).toEqual(["request_user_input"]);
    expect(asked!.headers.authorization).toBe(`Bearer ${secret}`);
  });

  it("Gemini CLI answers without tools for the shell and for writing, and reports tokens", async () => {
    await using model = await startModelServer("Forty-two.");
    const settings = { security: { auth: { selectedType: "gemini-api-key" } } };
    await using home = await homeWith(".gemini/settings.json", JSON.stringify(settings));
    const env = { GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_CLI_HOME: home.folder };
    await using fixture = await createYamlFixture({}, { shipped: ["gemini"], path, env });
    const output = await performTool(await fixture.capability("gemini"), { prompt }, world);
    expect(output).toMatchObject({ text: "Forty-two.", tokens: { input: 11, output: 7 }, exitCode: 0 });
    const [asked] = model.requests;
    expect(asked!.body).toContain(prompt);
    const [{ functionDeclarations }] = JSON.parse(asked!.body).tools;
    const tools = functionDeclarations.map(({ name }: { name: string }) => name);
    expect(tools).toContain("read_file");
    for (const tool of ["run_shell_command", "write_file", "replace"]) expect(tools).not.toContain(tool);
    expect(asked!.headers["x-goog-api-key"]).toBe(secret);
  });

  it("Claude Code and Codex report their versions to the adapter's health check", async () => {
    await using fixture = await createYamlFixture({}, { shipped: ["claude", "codex"], path });
    // If a program was too slow to answer, the next health check asks it again.
    const message = async () => (await fixture.adapter.health!(AbortSignal.timeout(20_000))).message;
    await expect.poll(message).toMatch(/`claude` \d+\.\d+.*`codex` \d+\.\d+/);
  });
});

it("[seed: ADR-029] the shipped definitions of Claude Code, Codex and Gemini CLI load", async () => {
  await using fixture = await createYamlFixture({}, { shipped: ["claude", "codex", "gemini"] });
  const names = (await fixture.adapter.capabilities()).map(({ contract }) => contract.name);
  expect(names).toEqual(["ops.claude", "ops.codex", "ops.gemini"]);
});

/** Creates a home folder with the operator's configuration of the provider. */
async function homeWith(name: string, text: string) {
  const folder = await mkdtemp(join(tmpdir(), "paraph-agent-home-"));
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
