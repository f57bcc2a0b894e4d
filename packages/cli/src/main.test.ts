import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ParaphError } from "@paraph/core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ServerError } from "../../dev-servers/src/server-error.ts";
import { PolicyLoadError } from "../../server/src/policy/cedar/index.ts";
import { DatabaseError } from "../../server/src/postgres/database.ts";
import { DataFolderError } from "../../server/src/start/data-folder.ts";
import { VaultError } from "../../server/src/vault/vault-error.ts";
import { readableErrors } from "./lib/cli-error.ts";
import { runCli } from "./testing/run-cli.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-main-"));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (args: string[], environment: Record<string, string> = {}) =>
  runCli(args, { folder, environment });

it("prints version and help to standard output", async () => {
  expect(await run(["--version"])).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: "",
  });
  expect(await run(["help", "call"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("key:=json"),
  });
  expect(await run([])).toMatchObject({ code: 0, stdout: expect.stringContaining("Exit codes:") });
});

it("exits with code 2 and a hint on wrong usage", async () => {
  expect(await run(["cal"])).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean call") });
  expect(await run(["calls", "--limit", "0"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("whole number"),
  });
  expect(await run(["hook", "install"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Choices for <client>: claude-code, codex, gemini."),
  });
  expect(await run(["call", "files.read", "--wait", "soon"])).toMatchObject({ code: 2 });
  expect(await run(["approve", "ask_1"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
});

it("says in one sentence that no server is available, and what to do", async () => {
  expect(await run(["calls"])).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^paraph: .*`paraph dev`.*\n$/),
  });
  const nobody = { PARAPH_URL: "http://127.0.0.1:1", PARAPH_KEY: "k" };
  expect(await run(["calls"], nobody)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^paraph: Paraph cannot be reached.*\n$/),
  });
});

it("requires a key for a server that is set by `PARAPH_URL`", async () => {
  expect(await run(["approvals"], { PARAPH_URL: "http://127.0.0.1:1" })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("PARAPH_APPROVER_KEY"),
  });
});

it("prints errors as JSON with `--json`, and a stack trace only with `PARAPH_DEBUG`", async () => {
  const { code, stdout, stderr } = await run(["calls", "--json"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({ error: { code: "no-server", message: expect.any(String) } });
  expect((await run(["calls"], { PARAPH_DEBUG: "1" })).stderr).toContain("at resolveConnection");
});

it('prints the message of every error that other packages write for users, instead of "An unexpected error"', () => {
  const errors = [
    new DatabaseError("schema-newer", "x"),
    new DataFolderError("x"),
    new ServerError("start-failed", "x"),
    new PolicyLoadError([]),
    new ParaphError("limit-reached", "x"),
    new VaultError("vault-denied", "x"),
  ];
  expect(errors.map(({ name }) => name).toSorted()).toEqual(readableErrors.toSorted());
});
