import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseMcpServers } from "@paraph/adapters/mcp/document";
import { expect, it } from "vitest";
import { applyEdits } from "../../../lib/file-edits/index.ts";
import { captureOutput } from "../../../testing/captured-output.ts";
import { createTestMachine } from "../../../testing/test-machine.ts";
import { describeSandbox, formatImportPlan } from "./format-plan.ts";

const remote = { type: "http", url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer abc" } };
const json = (servers: object, key = "mcpServers") => JSON.stringify({ [key]: servers }, null, 2);

it("reads one server from the configuration of every client, and replaces it in each client's own format", async () => {
  await using there = await createTestMachine({
    "home/.claude.json": json({ x: remote }),
    "project/.mcp.json": json({ x: remote }),
    "home/.config/Claude/claude_desktop_config.json": json({ x: remote }),
    "home/.cursor/mcp.json": json({ x: { url: remote.url, headers: remote.headers } }),
    "home/.config/Code/User/mcp.json": json({ x: remote }, "servers"),
    "home/.gemini/settings.json": json({ x: { httpUrl: remote.url, headers: remote.headers, timeout: 5 } }),
    "home/.codex/config.toml":
      '[mcp_servers.x]\nurl = "https://mcp.example.com/mcp"\nhttp_headers = { Authorization = "Bearer abc" }\n',
  });
  const plan = await there.plan();
  const url = "http://127.0.0.1:4040/mcp/x";
  const shell = { type: "http", url, headers: { Authorization: `Bearer \${PARAPH_KEY}` } };
  const args = ["/opt/paraph.js", "mcp", "--server", "x", "--folder", there.folder];
  const bridge = { command: "/usr/bin/node", args };
  expect(
    Object.fromEntries(
      plan.servers.map((each) => [each.file.slice(there.root.length + 1), each.replacement]),
    ),
  ).toEqual({
    "home/.claude.json": shell,
    "project/.mcp.json": shell,
    "home/.config/Claude/claude_desktop_config.json": bridge,
    "home/.cursor/mcp.json": { url, headers: { Authorization: `Bearer \${env:PARAPH_KEY}` } },
    "home/.config/Code/User/mcp.json": { type: "stdio", ...bridge },
    "home/.codex/config.toml": { url, bearer_token_env_var: "PARAPH_KEY" },
    "home/.gemini/settings.json": bridge,
  });
  // Both entries are the same server with the same secret.
  expect(new Set(plan.servers.map(({ adapter }) => adapter))).toEqual(new Set(["x"]));
  await applyEdits(there.journal, plan.edits);
  expect(JSON.parse(await there.read("paraph/paraph.mcp.json"))).toEqual({
    servers: { x: { kind: "http", url: remote.url, credential: `Bearer \${X_TOKEN}` } },
  });
  expect(await there.read("paraph/secrets/deployment/X_TOKEN")).toBe("abc\n");
  expect(JSON.parse(await there.read("home/.gemini/settings.json")).mcpServers.x).toEqual({
    ...bridge,
    timeout: 5,
  });
  // A second import has nothing to do.
  const again = await there.plan();
  expect(again.edits).toEqual([]);
  expect(new Set(again.left.map(({ why }) => why))).toEqual(new Set(["it already goes through Paraph"]));
});

it("different servers with one name get different adapter names, which avoid those of the configuration", async () => {
  const other = { ...remote, headers: { Authorization: "Bearer other" } };
  await using there = await createTestMachine({
    "home/.claude.json": json({ "My Shop": remote, db: remote }),
    "home/.cursor/mcp.json": json({ "my-shop": other }),
  });
  const plan = await there.plan({ adapters: new Set(["db"]) });
  expect(plan.servers.map(({ name, adapter }) => [name, adapter])).toEqual([
    ["My Shop", "my_shop"],
    ["db", "db_2"],
    ["my-shop", "my_shop_2"],
  ]);
  const text = formatImportPlan(plan, captureOutput().output.paint);
  expect(text).toContain("db_2.*, because the name db is taken");
  expect(text).toMatch(/capabilities +my_shop\.\*\n/);
  await applyEdits(there.journal, plan.edits);
  expect(await there.read("paraph/secrets/deployment/MY_SHOP_TOKEN")).toBe("abc\n");
  expect(await there.read("paraph/secrets/deployment/MY_SHOP_2_TOKEN")).toBe("other\n");
});

it("translates the environment references of every client, and lists the missing variables", async () => {
  await using there = await createTestMachine({
    "home/.cursor/mcp.json": json({
      a: {
        command: "node",
        args: [`\${userHome}/a.js`],
        env: { TOKEN: `\${env:SHOP_TOKEN}`, LEVEL: "debug" },
      },
    }),
    "home/.config/Code/User/mcp.json": json(
      { b: { command: "node", args: [], env: { TOKEN: `\${input:shop key}` } } },
      "servers",
    ),
    "home/.codex/config.toml":
      '[mcp_servers.c]\nurl = "https://c.example/mcp"\nbearer_token_env_var = "C_TOKEN"\nenv_http_headers = { X-Org = "C_ORG" }\n' +
      '[mcp_servers.d]\ncommand = "node"\nenv_vars = ["D_TOKEN"]\n',
    "home/.gemini/settings.json": json({
      e: { command: "node", env: { TOKEN: "$E_TOKEN", MORE: `\${E_MORE:-yes}` } },
    }),
  });
  const { servers, missing } = await there.plan();
  const of = (name: string) => servers.find((each) => each.name === name)!.server;
  expect(of("a")).toMatchObject({
    args: [`${there.home}/a.js`],
    env: { TOKEN: `\${SHOP_TOKEN}`, LEVEL: "debug" },
  });
  expect(of("b")).toMatchObject({ env: { TOKEN: `\${INPUT_SHOP_KEY}` } });
  expect(of("c")).toMatchObject({ credential: `Bearer \${C_TOKEN}`, headers: { "X-Org": `\${C_ORG}` } });
  expect(of("d")).toMatchObject({ env: { D_TOKEN: `\${D_TOKEN}` } });
  expect(of("e")).toMatchObject({ env: { TOKEN: `\${E_TOKEN}`, MORE: "yes" } });
  expect(missing).toEqual(["SHOP_TOKEN", "INPUT_SHOP_KEY", "C_TOKEN", "C_ORG", "D_TOKEN", "E_TOKEN"]);
});

it.each<[string, object]>([
  ["disabled", { command: "node", disabled: true }],
  ["SSE", { type: "sse", url: "https://x.example/mcp" }],
  ["contains a secret", { type: "http", url: "https://x.example/mcp?api_key=abc" }],
  ["contains a secret", { type: "http", url: "https://me:pw@x.example/mcp" }],
  ["contains a secret", { type: "http", url: "https://x.example/s/a8f3kd02kfls93kdl20dkf/mcp" }],
  ["the program `no-such-program` was not found", { command: "no-such-program" }],
  ["`envFile`", { command: "node", envFile: ".env" }],
  ["relative to the folder in which its client starts", { command: "./server" }],
  ["relative to the folder in which its client starts", { command: "node", args: ["./server.js"] }],
  ["depends on `WHERE`", { type: "http", url: `https://\${WHERE}/mcp` }],
  ["one of its secret values", { command: "node", env: { KEY: "-----BEGIN\nKEY" } }],
  ["neither a command nor an address", {}],
])("leaves a server alone, and says why: %s", async (why, server) => {
  await using there = await createTestMachine({ "home/.claude.json": json({ x: server }) });
  const { left, edits } = await there.plan();
  expect(left).toMatchObject([{ name: "x", why: expect.stringContaining(why) }]);
  expect(edits).toEqual([]);
});

it.each([
  ["registry=https://npm.example.com/all\n", "https://npm.example.com/all"],
  [
    "; mine\n  registry = http://127.0.0.1:4873\n//127.0.0.1:4873/:_authToken=abc\n",
    "http://127.0.0.1:4873/",
  ],
  ["registry=https://registry.npmjs.org/\n", undefined],
  ["registry=https://me:pw@npm.example.com/\n", undefined],
  ["registry=https://npm.example.com/?token=abc\n", undefined],
  ["@acme:registry=https://npm.example.com/\n", undefined],
])(
  "[TRUST 16] tells a sandboxed npx the registry of `.npmrc`, and no secret of it: %j",
  async (text, registry) => {
    await using there = await createTestMachine({
      "home/.claude.json": json({ x: { command: "npx", args: ["-y", "z"] } }),
      "home/.npmrc": text,
    });
    const { servers } = await there.plan();
    expect(servers[0]!.server).toMatchObject({ sandbox: { home: ".paraph/mcp-homes/x" } });
    const { env } = servers[0]!.server as { env: Record<string, string> };
    expect(env.NPM_CONFIG_REGISTRY).toBe(registry);
  },
);

it("[TRUST 16] finds secrets in arguments, as in environments and headers", async () => {
  const args = [
    ...["-y", "@acme/server", "--api-key", "hunter2", "--token=abc", "postgres://me:pw@host/db"],
    ...[
      "--header",
      "Authorization: Bearer xyz",
      "-e",
      "ACME_SECRET=def",
      "ghp_0123456789abcdef",
      "plain",
      "--port",
      "80",
    ],
  ];
  await using there = await createTestMachine({
    "home/.claude.json": json({ acme: { command: "npx", args } }),
  });
  const plan = await there.plan();
  const { server } = plan.servers[0]!;
  expect(server).toMatchObject({
    args: [
      ...[
        "-y",
        "@acme/server",
        "--api-key",
        `\${ACME_ARGUMENT}`,
        `\${ACME_ARGUMENT_2}`,
        `\${ACME_ARGUMENT_3}`,
      ],
      ...[
        "--header",
        `\${ACME_ARGUMENT_4}`,
        "-e",
        `\${ACME_ARGUMENT_5}`,
        `\${ACME_ARGUMENT_6}`,
        "plain",
        "--port",
        "80",
      ],
    ],
  });
});

it("a server can read its code and project, write the paths in its arguments, and not access the home folder", async () => {
  await using there = await createTestMachine({
    "tools/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js": "",
    "tools/own/package.json": "{}",
    "tools/own/src/server.js": "",
    "notes/a.txt": "",
    "home/.claude.json": JSON.stringify({
      mcpServers: {
        disk: {
          command: "node",
          args: [
            "ROOT/tools/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
            "ROOT/notes",
          ],
        },
        own: { command: "node", args: ["ROOT/tools/own/src/server.js", "--db=ROOT/notes/a.txt"] },
        fetched: { command: "npx", args: ["-y", "@notionhq/notion-mcp-server@1.2.3"] },
      },
      projects: {
        "ROOT/project": { mcpServers: { here: { command: "node", args: ["./server.js"] } } },
        "ROOT/home": { mcpServers: { athome: { command: "node", args: ["--version"] } } },
      },
    }),
    "project/server.js": "",
  });
  const { servers } = await there.plan();
  const at = (...parts: string[]) => join(there.root, ...parts);
  const bin = at("bin");
  const seen = servers.map(({ name, server }) => {
    const sandbox = server.kind === "stdio" ? (server.sandbox as object) : {};
    return [name, { profile: server.profile, ...sandbox }];
  });
  expect(Object.fromEntries(seen)).toEqual({
    disk: {
      profile: "filesystem",
      read: [bin, at("tools/node_modules")],
      write: [at("notes")],
      network: false,
    },
    own: { profile: undefined, read: [bin, at("tools/own")], write: [at("notes/a.txt")], network: true },
    fetched: { profile: "notion", read: [bin], write: [], network: true, home: ".paraph/mcp-homes/fetched" },
    here: { profile: undefined, read: [bin, at("project")], write: [], network: true },
    athome: { profile: undefined, read: [bin], write: [], network: true },
  });
  expect(describeSandbox(servers[0]!.server)).toBe(
    `locally in a sandbox: reads ${bin}, ${at("tools/node_modules")}; writes ${at("notes")}; has no network access`,
  );
  const open = await there.plan({ isSandboxed: false });
  expect(open.servers.every(({ server }) => server.kind === "stdio" && server.sandbox === false)).toBe(true);
});

it("a program outside the system folders can read its installation, and its folder is on `PATH`", async () => {
  await using there = await createTestMachine({ "home/.claude.json": json({ x: { command: "tool" } }) });
  const bin = join(there.home, ".nvm/versions/node/v24/bin");
  await mkdir(join(bin, "../lib/node_modules"), { recursive: true });
  await mkdir(bin);
  await writeFile(join(bin, "tool"), "#!/bin/sh\n");
  await chmod(join(bin, "tool"), 0o755);
  const environment = { ...there.environment, PATH: `${bin}:/usr/bin` };
  const where = { home: there.home, project: there.root, environment, platform: "linux" as const };
  const { servers } = await there.plan({ where });
  expect(servers[0]!.server).toMatchObject({
    command: join(bin, "tool"),
    env: { PATH: expect.stringMatching(new RegExp(`^${bin}:.*/usr/bin`)) },
    sandbox: { read: [bin, join(bin, "../lib/node_modules")] },
  });
});

it("[TRUST 18] a program, script or installation in the home folder does not give access to the home folder", async () => {
  await using there = await createTestMachine({
    "home/bin/npm-tool": "#!/bin/sh\n",
    "home/lib/node_modules/npm-tool/index.js": "",
    "home/lib/notes.txt": "",
    "home/.local/bin/tool": "#!/bin/sh\n",
    "home/.local/pyvenv.cfg": "",
    "home/.local/lib/python3.12/os.py": "",
    "home/.local/share/keyrings/login.keyring": "",
    "home/own": "#!/bin/sh\n",
    "home/own.js": "",
    "above.js": "",
    "package.json": "{}",
    "home/.claude.json": json({
      npm: { command: "ROOT/home/bin/npm-tool" },
      venv: { command: "ROOT/home/.local/bin/tool" },
      own: { command: "ROOT/home/own" },
      linked: { command: "ROOT/linked/own" },
      script: { command: "node", args: ["ROOT/home/own.js"] },
      above: { command: "node", args: ["ROOT/above.js"] },
    }),
  });
  for (const name of ["bin/npm-tool", ".local/bin/tool", "own"]) await chmod(join(there.home, name), 0o755);
  await symlink(there.home, join(there.root, "linked"));
  const { servers, left } = await there.plan();
  expect(left).toEqual([]);
  const at = (...paths: string[]) => paths.map((path) => join(there.root, path));
  const read = servers.map(({ name, server }) => [name, server.kind === "stdio" && server.sandbox]);
  expect(Object.fromEntries(read)).toMatchObject({
    npm: { read: at("home/bin", "home/lib/node_modules") },
    venv: { read: at("home/.local/bin", "home/.local/pyvenv.cfg", "home/.local/lib/python3.12") },
    own: { read: at("home/own") },
    linked: { read: at("linked/own", "home/own") },
    script: { read: at("bin", "home/own.js") },
    above: { read: at("bin", "above.js") },
  });
});

it("adds servers to the existing file, in the form that the configuration loader reads", async () => {
  await using there = await createTestMachine({
    "paraph/paraph.mcp.json":
      '{\n  "servers": {\n    "mine": { "kind": "http", "url": "https://mine.example/mcp" }\n  }\n}\n',
    "home/.claude.json": json({ x: remote, y: { command: "npx", args: ["-y", "z"], env: { KEY: "abc" } } }),
  });
  const { edits } = await there.plan();
  await applyEdits(there.journal, edits);
  const text = await there.read("paraph/paraph.mcp.json");
  expect(
    text.startsWith(
      '{\n  "servers": {\n    "mine": { "kind": "http", "url": "https://mine.example/mcp" },\n    "x": {\n',
    ),
  ).toBe(true);
  expect(Object.keys(parseMcpServers(text, "paraph.mcp.json"))).toEqual(["mine", "x", "y"]);
});

it.each([
  { command: "paraph", args: ["mcp", "--folder", "/project"] },
  { command: "npx", args: ["paraph", "mcp"] },
  { command: "node", args: ["/project/node_modules/.bin/paraph", "mcp", "--folder", "/project"] },
])("does not put Paraph behind itself: $command $args", async (entry) => {
  await using there = await createTestMachine({ "home/.claude.json": json({ own: entry }) });
  const { edits, left } = await there.plan();
  expect({ edits, why: left.map(({ why }) => why) }).toEqual({
    edits: [],
    why: ["it already goes through Paraph"],
  });
});
