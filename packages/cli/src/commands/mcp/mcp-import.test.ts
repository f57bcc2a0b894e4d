import { createHash } from "node:crypto";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { captureOutput } from "../../testing/captured-output.ts";
import { createTestMachine } from "../../testing/test-machine.ts";
import { importMcpServers } from "./mcp-import.ts";

const files = {
  "home/.cursor/mcp.json": JSON.stringify({
    mcpServers: {
      shop: { url: "https://shop.example/mcp", headers: { Authorization: "Bearer s3cret-value" } },
    },
  }),
};

/** Runs the command in this process, with a terminal that types `answer`, or without a terminal. */
async function run(
  there: Awaited<ReturnType<typeof createTestMachine>>,
  options: {
    yes?: boolean;
    undo?: boolean;
    entries?: boolean;
    client?: string[];
    answer?: string;
    url?: string;
    json?: boolean;
  } = {},
  only: string[] = [],
) {
  const { output, written } = captureOutput();
  const { answer, url = "http://127.0.0.1:4040", json = false, ...rest } = options;
  const context = {
    output,
    folder: there.folder,
    environment: there.environment,
    json,
    version: "0",
    takeTime: () => {},
    url: url || undefined,
    signal: AbortSignal.timeout(60_000),
    question: answer === undefined ? undefined : async () => answer,
    secretQuestion: undefined,
  };
  const code = await importMcpServers(context, only, { project: ".", sandbox: true, ...rest });
  return { code, ...written };
}

it("[P10] previews all changes with secrets by name only, writes after confirmation, and undoes the import", async () => {
  await using there = await createTestMachine(files);
  const before = await there.tree();
  // Without a terminal, a script must not take the unwritten import for a success.
  await expect(run(there)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("--yes"),
  });
  expect(await there.tree()).toEqual(before);
  for (const options of [{ answer: "n" }, { answer: "" }]) {
    const { stdout, stderr } = await run(there, options);
    expect(await there.tree()).toEqual(before);
    expect(stdout).toContain("https://shop.example/mcp");
    expect(stdout).toContain("none matches");
    expect(stdout).toContain("SHOP_TOKEN");
    expect(stderr).toContain("set PARAPH_KEY in the environment of your clients");
    expect(stdout + stderr).not.toContain("s3cret");
  }
  const { stderr } = await run(there, { answer: "y" });
  expect(stderr).toContain("Restart your clients.");
  expect(stderr).toContain("paraph mcp import --undo");
  expect(await there.read("home/.cursor/mcp.json")).toContain("http://127.0.0.1:4040/mcp/shop");
  await mkdir(join(there.folder, "mcp-pins"));
  await writeFile(join(there.folder, "mcp-pins/shop.json"), "{}");
  expect((await run(there, { undo: true })).stderr).toMatch(
    /^Kept the tool def.*:\n {2}\S+mcp-pins\/shop\.json$/m,
  );
  await rm(join(there.folder, "mcp-pins"), { recursive: true });
  expect(await there.tree()).toEqual(before);
  await expect(run(there, { undo: true })).rejects.toMatchObject({ code: "nothing-to-undo" });
});

it("refuses to undo a file that changed after the import, and names the path of the original", async () => {
  await using there = await createTestMachine(files);
  await run(there, { yes: true });
  const path = join(there.home, ".cursor/mcp.json");
  await writeFile(path, "mine now");
  const refused = await run(there, { undo: true }).catch((error) => error);
  expect(refused.message).toContain(path);
  expect(refused.message).toContain("--entries");
  const [, original = ""] = /is kept in (\S+)/.exec(refused.message) ?? [];
  expect(await readFile(original, "utf8")).toBe(files["home/.cursor/mcp.json"]);
  expect(await readFile(path, "utf8")).toBe("mine now");
});

it("undoes the import although `paraph.mcp.json` was edited, and keeps that file", async () => {
  await using there = await createTestMachine(files);
  const before = await there.read("home/.cursor/mcp.json");
  await run(there, { yes: true });
  const path = join(there.folder, "paraph.mcp.json");
  await writeFile(path, `${await readFile(path, "utf8")}\n`);
  const { stderr } = await run(there, { undo: true });
  expect(stderr).toContain(`Kept ${path}, because you changed it`);
  expect(await there.read("home/.cursor/mcp.json")).toBe(before);
  expect(await readFile(path, "utf8")).toMatch(/\n\n$/);
});

it("with `--entries`, restores only the entries in a file that a client rewrote, as Claude Code does", async () => {
  await using there = await createTestMachine(files);
  await run(there, { yes: true });
  const path = join(there.home, ".cursor/mcp.json");
  await writeFile(path, (await readFile(path, "utf8")).replace("{", '{"starts":2,'));
  await run(there, { undo: true, entries: true });
  expect(await readFile(path, "utf8")).toBe(files["home/.cursor/mcp.json"].replace("{", '{"starts":2,'));
});

it("[TRUST 31] does not undo an import whose journal came with the folder, because it could name any file", async () => {
  const profile = "# as every new account has it\n";
  await using there = await createTestMachine({ ...files, "home/.bashrc": profile });
  const digest = createHash("sha256").update(profile).digest("hex");
  const mode = (await stat(join(there.home, ".bashrc"))).mode & 0o777;
  const entry = join(there.folder, ".paraph/mcp-import/0001");
  const original = join(entry, "0.original");
  await mkdir(entry, { recursive: true });
  await writeFile(original, "evil\n");
  const before = { kind: "file", mode, original, digest: "x" };
  const pieces = [{ before: "evil\n", after: profile }];
  const kept = { path: join(there.home, ".bashrc"), before, pieces, folders: [] };
  for (const after of [
    { digest, mode },
    { digest: "other", mode },
  ]) {
    const intent = { version: 1, files: [{ ...kept, after }] };
    await writeFile(join(entry, "intent.json"), JSON.stringify(intent));
    for (const entries of [false, true])
      await expect(run(there, { undo: true, entries })).rejects.toMatchObject({ code: "nothing-to-undo" });
  }
  expect(await there.read("home/.bashrc")).toBe(profile);
  await expect(run(there, { yes: true })).rejects.toMatchObject({ code: "data-foreign" });
});

it("reports an unsupported client, an unknown server, a missing address, and an empty import", async () => {
  await using there = await createTestMachine(files);
  await expect(run(there, { client: ["emacs"] })).rejects.toThrow(
    /`emacs` is not a supported client.*claude-code/,
  );
  await expect(run(there, {}, ["nowhere"])).rejects.toThrow("No client has an MCP server `nowhere`.");
  await expect(run(there, { url: "" })).rejects.toThrow("Run `paraph dev` here once");
  const { stderr } = await run(there, { client: ["gemini"] });
  expect(stderr).toContain("There is nothing to import.");
});

it("prints the preview as data with `--json`", async () => {
  await using there = await createTestMachine(files);
  const { stdout } = await run(there, { json: true });
  expect(JSON.parse(stdout)).toMatchObject({
    servers: [{ client: "Cursor", name: "shop", adapter: "shop" }],
    left: [],
    missing: [],
    keyMissing: true,
    written: false,
    files: [{ kind: "create" }, { kind: "create" }, { kind: "create" }, { kind: "update" }],
  });
});
