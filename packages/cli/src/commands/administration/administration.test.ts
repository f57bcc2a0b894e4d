// Tests administration as the only user of a `paraph dev`. That user confirms calls that a second person would approve
// elsewhere.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { approveByFingerprint } from "../../../../../test/support/approve-by-fingerprint.ts";
import { type RunningCli, runCli, startCli } from "../../testing/run-cli.ts";

let folder: string;
let dev: RunningCli;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-admin-"));
  // PostgreSQL does not run as root, so its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  dev = startCli(["dev", "--json"], { folder });
  await dev.firstLine;
});

afterAll(async () => {
  dev.process.kill("SIGTERM");
  await dev.ended;
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runCli(args, { folder });
const data = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);

/**
 * Requests a change, checks that it waits, and confirms it. The message must be true for the only person of a tenant,
 * who confirms alone.
 */
async function confirmed(...args: string[]) {
  const result = await run(...args);
  expect(result).toMatchObject({
    code: 8,
    stderr: expect.stringContaining("In a tenant with one person, that person confirms it."),
  });
  const call = /call_\w+/.exec(result.stderr)![0];
  expect(await approveByFingerprint(run, call)).toMatchObject({ code: 0 });
  return result;
}

it("[TRUST 25] `freeze` applies immediately, `freezes` lists it, and `thaw` takes effect after confirmation", async () => {
  const frozen = await run("freeze", "principal", "agent", "--reason", "it runs away");
  expect(frozen).toMatchObject({ code: 0, stdout: "" });
  expect(frozen.stderr).toMatch(
    /No attempt was running\..*The principal agent is frozen\..*paraph thaw freeze_/s,
  );
  expect(await run("call", "files.list")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("frozen"),
  });
  const { freezes } = await data("freezes");
  expect(freezes).toMatchObject([{ kind: "principal", subject: "agent", by: "owner" }]);
  expect((await run("freezes")).stdout).toMatch(/FROZEN.*\n.*principal agent +owner/);

  await confirmed("thaw", freezes[0].freeze);
  expect(await run("freezes")).toMatchObject({ code: 0, stdout: "", stderr: "Nothing is frozen.\n" });
  await expect.poll(async () => (await run("call", "files.list")).code).toBe(0);
});

it("[TRUST 21] `keys create` generates a scoped key locally and prints it once, and `keys revoke` ends it", async () => {
  const { stdout } = await confirmed(
    "keys",
    "create",
    "agent",
    "--scope",
    "calls:files.list",
    "--expires",
    "30d",
  );
  const key = stdout.trim();
  expect(key).toMatch(/^paraph_local_[a-z0-9]{8}_/);
  const { url } = JSON.parse(await dev.firstLine);
  const environment = { PARAPH_KEY: key, PARAPH_URL: url };
  const as = (...args: string[]) => runCli(args, { folder, environment });
  expect(await as("call", "files.list")).toMatchObject({ code: 0 });
  expect(await as("call", "files.read", "path=a")).toMatchObject({ code: 3 });
  const id = key.split("_")[2]!;
  expect((await run("keys")).stdout).toMatch(
    new RegExp(`${id} +agent +calls:files.list +active, expires in 29 d`),
  );
  expect(await run("keys", "revoke", id)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("revoked"),
  });
  await expect.poll(async () => (await as("call", "files.list")).code).toBe(4);
});

it("adds principals and group members, and refuses to remove the last administrator", async () => {
  expect(await run("groups", "remove", "paraph:admins", "owner")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Add another administrator first"),
  });
  await confirmed("principals", "add", "agent", "helper", "--owner", "owner");
  await confirmed("groups", "add", "paraph:break-glass", "owner");
  expect((await run("principals")).stdout).toMatch(
    /helper +agent +active +never +owner\n.*owner +person +active +(?:just now|.+ ago) +paraph:admins, paraph:break-glass/,
  );
});

it("[TRUST 15] refuses a grant without the approval of another person", async () => {
  const grant = ["grant", "files.write", "--for", "agent", "--bound", "path^=notes/", "--count", "2"];
  expect(await run(...grant)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("needs the approval of another person"),
  });
  expect(await run(...grant, "--bound", "nonsense")).toMatchObject({ code: 2 });
  expect(await run("grant", "revoke", "grant_1", "--wait", "1")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("no grant `grant_1`"),
  });
});

it("`break-glass` requires a reason, warns that it is active, and grants one call", async () => {
  expect(await run("break-glass", "files.delete")).toMatchObject({ code: 2 });
  const glass = ["break-glass", "files.delete", "--reason", "the disk is full", "--bound", "path=old.log"];
  expect(await run(...glass)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Break-glass is active"),
  });
  expect((await data("grants")).grants).toMatchObject([
    { capability: "files.delete", breakGlass: true, countLeft: 1 },
  ]);
});
