// Tests `paraph mcp import` as a user runs it: a home with clients' files, `paraph dev`, and real MCP servers in their
// sandboxes.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { findFreePort } from "@paraph/dev-servers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningCli, runCli, startCli } from "../../packages/cli/src/testing/run-cli.ts";
import { binaries, isInstalled } from "../clients/installed.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const published = (name: string) =>
  join(repository, "node_modules/@modelcontextprotocol", name, "dist/index.js");

let root: string;
let home: string;
let folder: string;
let port: number;
let dev: RunningCli | undefined;
const open: Client[] = [];

/**
 * The entries of the clients' files. `disk` starts a server from a file. `everything` fetches a server, and is the
 * entry of a single project.
 */
const disk = () => ({
  command: process.execPath,
  args: [published("server-filesystem"), join(root, "notes")],
});
const everything = { command: "npx", args: ["-y", "@modelcontextprotocol/server-everything"] };
const token = "tok-0123456789abcdef";

const files = (): Record<string, string> => ({
  ".claude.json": `\uFEFF{\r\n\t"numStartups": 3,\r\n\t"mcpServers": { "my disk": ${JSON.stringify({ ...disk(), env: { DISK_TOKEN: token } })} },\r\n\t"projects": { ${JSON.stringify(repository)}: { "mcpServers": {\r\n\t\t"everything": ${JSON.stringify({ ...everything, env: {} })}\r\n\t} } }\r\n}`,
  ".config/Claude/claude_desktop_config.json": `{\n  // mine\n  "mcpServers": { "notes": ${JSON.stringify(disk())}, },\n}\n`,
  ".codex/config.toml": `# mine\nmodel = "x"\n\n[mcp_servers.disk]\ncommand = ${JSON.stringify(disk().command)}\nargs = ${JSON.stringify(disk().args)}\nstartup_timeout_sec = 20\n`,
});

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "paraph-story-"));
  [home, folder] = [join(root, "home"), join(root, "paraph")];
  for (const each of [home, folder, join(root, "notes")]) await mkdir(each);
  // PostgreSQL does not run as root, so its own user needs to traverse these folders.
  for (const each of [root, folder]) await chmod(each, 0o711);
  await writeFile(join(root, "notes", "a.txt"), "a note");
  for (const [name, text] of Object.entries(files())) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text, { mode: 0o640 });
  }
  port = await findFreePort();
});

afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  dev?.process.kill("SIGTERM");
  await dev?.ended;
  await rm(root, { recursive: true, force: true });
});

const environment = () => ({ HOME: home, PATH: process.env.PATH ?? "" });
const url = () => `http://127.0.0.1:${port}`;
const paraph = (...args: string[]) => runCli(args, { folder, environment: environment() });

/** Returns all files outside Paraph's own folder, with permissions. */
async function tree(): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const ours = entries.filter(({ parentPath, name }) => !`${parentPath}/${name}`.includes("/.paraph"));
  const found = ours.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    return [path, `${mode.toString(8)} ${entry.isFile() ? (await readFile(path)).toString("base64") : "/"}`];
  });
  return Object.fromEntries(await Promise.all(found));
}

async function connected(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Client> {
  const client = new Client({ name: "story", version: "1" });
  await client.connect(transport);
  open.push(client);
  return client;
}

async function toolsOf(client: Client) {
  const { tools } = await client.listTools();
  return new Map(tools.map(({ name, inputSchema, description }) => [name, { inputSchema, description }]));
}

async function agentKey(): Promise<string> {
  return JSON.parse(await readFile(join(folder, ".paraph/state.json"), "utf8")).agent;
}

/** Connects with the entry as a client does: over HTTP with the key from its environment, or by starting a program. */
async function asEntrySays(entry: { url?: string; command?: string; args?: string[] }): Promise<Client> {
  if (entry.command !== undefined)
    return connected(
      new StdioClientTransport({
        command: entry.command,
        args: entry.args ?? [],
        cwd: "/",
        env: environment(),
      }),
    );
  const headers = { Authorization: `Bearer ${await agentKey()}` };
  return connected(new StreamableHTTPClientTransport(new URL(entry.url!), { requestInit: { headers } }));
}

const read = (name: string) => readFile(join(home, name), "utf8");

it("Given a client's imported MCP servers, then tool names are unchanged, and undoing the import is byte-exact.", async () => {
  const imported = await paraph("mcp", "import", "--url", url(), "--yes", "--json");
  expect(JSON.parse(imported.stdout)).toMatchObject({ written: true, left: [], missing: [] });
  // [P10] [TRUST 16] The secret is in no output, and in no file except its own.
  expect(imported.stdout + imported.stderr).not.toContain(token);
  const holding = Object.entries(await tree()).filter(([, each]) =>
    Buffer.from(each.split(" ")[1]!, "base64").includes(token),
  );
  expect(holding.map(([path, each]) => [path.slice(folder.length), each.slice(0, 6)])).toEqual([
    ["/secrets/deployment/MY_DISK_DISK_TOKEN", "100600"],
  ]);

  dev = startCli(["dev", "--port", String(port), "--json"], { folder, environment: environment() });
  expect(JSON.parse(await dev.firstLine)).toMatchObject({ url: url() });
  const [diskDirectly, everythingDirectly] = await Promise.all(
    [disk(), { command: process.execPath, args: [published("server-everything"), "stdio"] }].map(
      async (command) => toolsOf(await connected(new StdioClientTransport(command))),
    ),
  );
  // This tool can only be used as a task, which Paraph does not offer.
  everythingDirectly!.delete("simulate-research-query");

  const claudes = JSON.parse((await read(".claude.json")).slice(1));
  const through = await asEntrySays(claudes.mcpServers["my disk"]);
  const codex = { url: /^url = "(.*)"$/m.exec(await read(".codex/config.toml"))![1]! };
  const cases: [Client, ReadonlyMap<string, unknown>][] = [
    [through, diskDirectly!],
    [await asEntrySays(claudes.projects[repository].mcpServers.everything), everythingDirectly!],
    [await asEntrySays(codex), diskDirectly!],
  ];
  for (const [client, directly] of cases) {
    const found = await toolsOf(client);
    expect(found.delete("wait_for_call")).toBe(true);
    expect([...found].sort()).toEqual([...directly].sort());
  }
  const note = { name: "read_text_file", arguments: { path: join(root, "notes/a.txt") } };
  expect((await through.callTool(note)).content).toEqual([{ type: "text", text: "a note" }]);
});

it("a client that starts programs runs `paraph mcp`, which finds Paraph and its key by itself", async () => {
  const desktop = (await read(".config/Claude/claude_desktop_config.json"))
    .replace("// mine", "")
    .replaceAll(/,(\s*\})/g, "$1");
  const { notes } = JSON.parse(desktop).mcpServers;
  const client = await asEntrySays(notes);
  expect([...(await toolsOf(client)).keys()]).toContain("read_text_file");
});

it.runIf(isInstalled)(
  "the real Claude Code connects with the imported entries, and the real Codex reads them",
  async () => {
    // The clients may write to their files, and this test does not restore the files. The clients therefore use a copy.
    const copy = join(root, "copy");
    await cp(home, copy, { recursive: true });
    const env = { ...environment(), HOME: copy, PARAPH_KEY: await agentKey() };
    const said = (program: string, ...args: string[]) =>
      new Promise<string>((done) =>
        execFile(join(binaries, program), args, { cwd: folder, env }, (_, stdout) => done(stdout)),
      );
    expect(await said("claude", "mcp", "list")).toMatch(/my disk: .*Connected/);
    expect(JSON.parse(await said("codex", "mcp", "list", "--json"))).toMatchObject([
      {
        name: "disk",
        enabled: true,
        startup_timeout_sec: 20,
        transport: { type: "streamable_http", bearer_token_env_var: "PARAPH_KEY" },
      },
    ]);
    await rm(copy, { recursive: true });
  },
);

it("undoing the import is byte-exact", async () => {
  dev?.process.kill("SIGTERM");
  await dev?.ended;
  dev = undefined;
  const undone = await paraph("mcp", "import", "--undo");
  expect(undone.code).toBe(0);
  for (const [name, text] of Object.entries(files())) {
    expect(await read(name)).toBe(text);
    expect((await stat(join(home, name))).mode & 0o777).toBe(0o640);
  }
  for (const gone of ["paraph.mcp.json", "secrets"]) expect(existsSync(join(folder, gone))).toBe(false);
});
