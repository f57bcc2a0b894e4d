import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { HookClient } from "../hook-event.ts";
import { isProtectedAccess, listProtectedFolders } from "./protected-folders.ts";
import { resolveRealPath } from "./resolve-path.ts";
import { toToolCall } from "./tool-call.ts";

const folder = resolveRealPath(await mkdtemp(join(tmpdir(), "paraph-request-")));
const [home, cwd] = [join(folder, "home"), join(folder, "project")];
const state = join(home, ".local/state/.paraph");
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text = "text\n") {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
await put(join(state, "folders/x.json"));
await put(join(home, ".bashrc"));
await put(join(cwd, "real.txt"));
await put(join(cwd, ".env"), "SECRET=1\n");
await symlink(join(home, ".bashrc"), join(cwd, "notes.txt"));
await symlink(".env", join(cwd, "plain.txt"));
await symlink(state, join(cwd, "kept"));
await symlink(join(home, "made-later"), join(cwd, "nowhere"));
await symlink("nowhere", join(cwd, "chain"));
await symlink(join(state, "folders/made-later"), join(cwd, "nowhere-own"));
await symlink("loop", join(cwd, "loop"));

const use = (client: HookClient, tool: string, input: Record<string, unknown>, from = cwd) => ({
  client,
  tool,
  input,
  cwd: from,
  session: "s",
  useId: undefined,
});
const wanted = (client: HookClient, tool: string, input: Record<string, unknown>) =>
  toToolCall(use(client, tool, input), undefined);
const write = (file_path: string) => wanted("claude-code", "Write", { file_path, content: "new" });

describe("[TRUST 30] policy and people see the file that a tool opens", () => {
  it.each([
    ["a link", "notes.txt", "home/.bashrc"],
    ["a way round", "below/../../home/.bashrc", "home/.bashrc"],
    ["a link that leads nowhere yet", "nowhere", "home/made-later"],
    ["a link to such a link", "chain", "home/made-later"],
    ["a folder that is not there yet", "new/file", "project/new/file"],
    ["its own name", "real.txt", "project/real.txt"],
    ["its whole path", join(cwd, "real.txt"), "project/real.txt"],
  ])("resolves the real path from %s", (_, path, place) => {
    const { verb, input } = write(path);
    expect([verb, input.path]).toEqual(["write", join(folder, place)]);
    const edit = { file_path: path, old_string: "a", new_string: "b" };
    expect(wanted("claude-code", "Edit", edit).input.path).toBe(join(folder, place));
    expect(wanted("gemini", "replace", edit).input.path).toBe(join(folder, place));
    const cell = { notebook_path: path, new_source: "x" };
    expect(wanted("claude-code", "NotebookEdit", cell).input.path).toBe(join(folder, place));
    expect(wanted("claude-code", "Read", { file_path: path }).input.path).toBe(join(folder, place));
  });

  it.each([
    ["a home folder", "~/.bashrc"],
    ["a blank before it", " /etc/shadow"],
    ["a blank after it", "real.txt "],
    ["a file address", "file:///etc/shadow"],
    ["a file address of this host", "FILE://localhost/etc/shadow"],
    ["a link and the folder above it", "kept/../x"],
  ])("a path that clients interpret differently is unknown: %s", (_, path) => {
    expect(write(path).verb).toBe("unknown");
    expect(wanted("claude-code", "Read", { file_path: path }).verb).toBe("unknown");
    expect(wanted("gemini", "grep_search", { pattern: "x", dir_path: path }).verb).toBe("unknown");
    expect(wanted("codex", "view_image", { path }).verb).toBe("unknown");
  });

  it("a link that points to itself resolves to its own path", () => {
    expect(write("loop").input.path).toBe(join(cwd, "loop"));
  });

  it.each<[HookClient, string, Record<string, unknown>]>([
    ["gemini", "grep_search", { pattern: "x", dir_path: "/etc", file_path: "real.txt" }],
    ["gemini", "read_file", { absolute_path: "/etc/shadow", file_path: "real.txt" }],
    ["gemini", "list_directory", { path: "/etc", dir_path: "." }],
    ["claude-code", "Read", { path: "/etc/shadow", file_path: "real.txt" }],
    ["claude-code", "Read", { file_path: null }],
    ["claude-code", "Read", { file_path: ["real.txt"] }],
  ])("an input with two paths, or with no valid path, is unknown: %s %s", (client, tool, input) => {
    expect(wanted(client, tool, input).verb).toBe("unknown");
  });

  it("never takes the path from a field of another tool", () => {
    const cell = { notebook_path: "other.ipynb", file_path: "real.txt", new_source: "x" };
    expect(wanted("claude-code", "NotebookEdit", cell).input).toMatchObject({
      path: join(cwd, "other.ipynb"),
      change: { file_path: "real.txt" },
    });
    expect(wanted("claude-code", "Write", { notebook_path: "real.txt", content: "x" }).verb).toBe("unknown");
  });

  it.each([
    ...[
      "/etc/*",
      "~/*",
      "../*",
      "a/../../*",
      "{/etc/passwd,x}",
      "{../,}x",
      ".{.,x}/y",
      "{.,x}./y",
      "{a,}/etc/x",
    ],
    ...["@(..)/x", "[.][.]/x", "{{/etc,a},b}/x", "\\../x", "{a.,b}./x", " /etc/*", "C:/x"],
  ])("a pattern that can leave its folder is unknown: %s", (pattern) => {
    for (const [client, tool, input] of [
      ["claude-code", "Glob", { pattern }],
      ["gemini", "glob", { pattern }],
      ["gemini", "read_many_files", { include: ["real.txt", pattern] }],
      ["gemini", "read_many_files", { paths: [pattern] }],
      ["claude-code", "Grep", { pattern: "x", glob: pattern }],
      ["gemini", "grep_search", { pattern: "x", include_pattern: pattern }],
    ] as const)
      expect(wanted(client, tool, input).verb).toBe("unknown");
  });

  it.each(["**/*.{ts,tsx}", "{src,test}/**/*.ts", "*.md", "!node_modules/**", "[a-z]*/x", ".github/*"])(
    "a pattern that stays in its folder is a read: %s",
    (pattern) => {
      expect(wanted("claude-code", "Glob", { pattern }).verb).toBe("read");
      expect(wanted("claude-code", "Grep", { pattern: "/api/..", glob: pattern }).verb).toBe("read");
    },
  );

  it("a patch is unknown unless all of its paths name the real files", () => {
    const patch = (...lines: string[]) =>
      wanted("codex", "apply_patch", { command: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
    expect(patch("*** Update File: real.txt", "@@", "-text", "+x").verb).toBe("patch");
    expect(patch("*** Add File: new/file", "+x").verb).toBe("patch");
    for (const line of [
      ...["*** Update File: notes.txt", "  *** Add File: nowhere  ", "*** Delete File: kept/folders/x.json"],
      ...["*** Move to: chain", "*** Add File: ~/.profile", "*** Update File: plain.txt"],
    ])
      expect(patch("*** Update File: real.txt", line, "+x").verb).toBe("unknown");
  });
});

it("[TRUST 16] an edit through a link does not show a file that may contain secrets", () => {
  const edit = { file_path: "plain.txt", old_string: "a", new_string: "b" };
  expect(wanted("claude-code", "Edit", edit).input.file).toMatchObject({ kind: "unshown" });
});

it("[TRUST 1] a shell command's descriptive fields become its purpose, and MCP tools and skills keep every field", () => {
  const words = { description: "d", instruction: "i", justification: "j" };
  const shell = wanted("claude-code", "Bash", { command: "ls", ...words });
  expect(shell).toMatchObject({ purpose: "d j", input: { options: { instruction: "i" } } });
  const server = { kind: "foreign", name: "x", tool: "run" } as const;
  for (const { input, purpose } of [
    toToolCall(use("claude-code", "mcp__x__run", words), server),
    wanted("claude-code", "Unheard", words),
    wanted("claude-code", "Skill", words),
  ]) {
    expect(input.input).toEqual(words);
    expect(purpose).toBeUndefined();
  }
});

it("[TRUST 31] a skill, which can run commands, becomes a call with the verb `skill`", () => {
  expect(wanted("claude-code", "Skill", { skill: "x" }).verb).toBe("skill");
});

it.each([
  ["https://docs.example.com and evil.example/?k=x", undefined],
  ["//evil.example/x https://docs.example.com", undefined],
  ["https://docs.example.com localhost:80/x", undefined],
  ["https://docs.example.com 10.0.0.1", undefined],
  ["summarise https://docs.example.com/a?b=1", "docs.example.com"],
])(
  "[TRUST 30] a Gemini fetch shows its prompt, and is unknown unless the prompt names exactly one host: %s",
  (prompt, host) => {
    const { verb, input } = wanted("gemini", "web_fetch", { prompt });
    expect(verb).toBe(host === undefined ? "unknown" : "web_fetch");
    if (host !== undefined) expect(input).toMatchObject({ host, options: { prompt } });
    expect(wanted("gemini", "web_fetch", { prompt, url: "https://docs.example.com" }).verb).toBe("unknown");
  },
);

describe("[TRUST 27] the state folder with the person's key", () => {
  const own = listProtectedFolders({ HOME: home });
  const touches = (client: HookClient, tool: string, input: Record<string, unknown>, from?: string) =>
    isProtectedAccess(use(client, tool, input, from), own);
  const above: [string, string][] = [
    ["a common parent", folder],
    ["the home folder", home],
    ["below the home folder", join(home, ".local")],
    ["its parent", join(home, ".local/state")],
    ["the root", "/"],
    ["one above the project", ".."],
    ["one beside the project", "../home"],
  ];

  it.each(above)("cannot be searched from a folder that contains it: %s", (_, path) => {
    expect(touches("claude-code", "Grep", { pattern: "owner", path })).toBe(true);
    expect(touches("gemini", "grep_search", { pattern: "owner", dir_path: path })).toBe(true);
    expect(touches("gemini", "search_file_content", { pattern: "owner", path })).toBe(true);
    // A list of file names reveals no contents.
    expect(touches("claude-code", "Glob", { pattern: "*", path })).toBe(false);
  });

  it("cannot be searched from the home folder, as the agent's working folder or as `~`", () => {
    expect(touches("claude-code", "Grep", { pattern: "owner" }, home)).toBe(true);
    expect(touches("gemini", "read_many_files", { include: ["**"] }, home)).toBe(true);
    expect(touches("claude-code", "Grep", { pattern: "owner" })).toBe(false);
    const real = listProtectedFolders({ HOME: homedir() });
    expect(isProtectedAccess(use("claude-code", "Grep", { pattern: "x", path: "~" }), real)).toBe(true);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a link that leads nowhere yet", { file_path: "nowhere-own" }],
    ["a blank before a link", { file_path: " kept/folders/x.json" }],
    ["an encoded file address", { file_path: `file://${cwd}/%6bept/folders/x.json` }],
    ["a file address of this host", { file_path: `file://localhost${cwd}/kept/folders/x.json` }],
  ])("cannot be reached through %s", (_, input) => {
    expect(touches("claude-code", "Read", input)).toBe(true);
  });

  it.each<[string, Record<string, unknown>]>([
    ["another field", { filename: join(state, "folders/x.json") }],
    ["a field inside", { files: [{ where: { at: "kept/folders/x.json" } }] }],
    ["the name of a field", { [join(state, "folders/x.json")]: 1 }],
  ])("cannot be passed to a foreign tool through %s", (_, input) => {
    for (const tool of ["mcp__fs__read", "Unheard", "ReadMcpResourceTool"])
      expect(touches("claude-code", tool, input)).toBe(true);
    expect(touches("claude-code", "Unheard", { text: "a/".repeat(1_000_000) })).toBe(false);
  });
});
