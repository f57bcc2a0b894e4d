import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { files } from "@paraph/adapters/files";
import { afterAll, describe, expect, it } from "vitest";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";
import { runCli } from "../../testing/run-cli.ts";

const workspace = await mkdtemp(join(tmpdir(), "paraph-retention-"));
const paraph = await TestParaph.start({ adapters: { files: files({ root: workspace }) } }, [
  { tenant: "acme", id: "owner", kind: "person" },
  { tenant: "acme", id: "ana", kind: "person" },
  { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
]);
afterAll(async () => {
  await paraph.stop();
  await rm(workspace, { recursive: true });
});
await writeFile(join(paraph.folder, "keys.json"), JSON.stringify(await paraph.agent("bot").keys()));

const bot = paraph.agent("bot");
/** Requests a write, and returns its id. */
const requestWrite = async (name: string, content: string) =>
  (await bot.call("files.write", { path: name, content }, { key: name })).call;

/** Requests a write, lets another person approve it, and returns its id once it is closed. */
async function write(name: string, content: string): Promise<string> {
  const call = await requestWrite(name, content);
  const approval = `/v1/approvals/${(await show(call)).waiting.approval.id}`;
  const { body } = await paraph.request("ana", "GET", approval);
  await paraph.request("ana", "POST", `${approval}/decision`, { decision: "approve", digest: body.digest });
  await expect.poll(async () => (await show(call)).state).toBe("closed");
  return call;
}

const show = async (call: string) => (await paraph.request("bot", "GET", `/v1/calls/${call}`)).body;
/** Runs a command with the login of the database's owner. */
const operate = (...args: string[]) =>
  runCli(args, {
    folder: paraph.folder,
    environment: { DATABASE_OWNER_URL: paraph.database.ownerUrl, DATABASE_URL: paraph.database.url },
  });
const tenant = ["--tenant", "acme"];

describe("`paraph erase`", () => {
  it("refuses an open call, and erases nothing without a confirmation", async () => {
    const open = await requestWrite("open.txt", "ana@example.com");
    expect(await operate("erase", open, ...tenant, "--reason", "request 1")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Withdraw it first"),
    });
    const closed = await write("closed.txt", "dee@example.com");
    expect(await operate("erase", closed, ...tenant, "--reason", "request 1")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("pass `--yes`"),
    });
    expect((await show(closed)).input).toMatchObject({ content: "dee@example.com" });
  });

  it("erases the closed calls that contain the subject, lists the open ones, and shows when and why", async () => {
    const call = await write("first.txt", "ana@example.com");
    const other = await write("other.txt", "bo@example.com");
    const subject = ["erase", "--subject", "ANA@example.com", ...tenant, "--reason", "request 2"];
    const dry = await operate(...subject, "--dry-run", "--json");
    expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, erased: [] });
    const done = await operate(...subject, "--yes");
    // The open call still contains the text, so the command reports a failure.
    expect(done).toMatchObject({ code: 1, stdout: expect.stringMatching(/open: withdraw it first/) });

    const shown = await show(call);
    expect(shown).toMatchObject({
      erased: { reason: "request 2", payloads: expect.arrayContaining(["input", "undo"]) },
      preview: null,
    });
    expect(shown.input).toBeUndefined();
    expect((await show(other)).input).toMatchObject({ content: "bo@example.com" });
    const screen = await paraph.cli({ person: "ana" }, "show", call);
    expect(screen.stdout).toMatch(/erased +on \d{4}-\d\d-\d\d .* UTC: request 2/);
    const page = await (await paraph.browser("acme", "ana")).open(`${paraph.url}/calls/${call}`);
    expect(page.text).toContain("request 2");

    await writeFile(join(paraph.folder, "receipt.json"), JSON.stringify(await bot.receipt(call)));
    expect(await operate("verify", "receipt.json", "--key", "keys.json")).toMatchObject({ code: 0 });
    expect(await operate("replay", "--check", ...tenant)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/every row matches, 1 erased/),
    });
    expect(await paraph.request("bot", "POST", `/v1/calls/${call}/undo`, {})).toMatchObject({
      status: 409,
      body: { code: "call-erased" },
    });
    expect(await requestWrite("first.txt", "ana@example.com")).toBe(call);
  });

  it("rejects a reason that repeats the subject, because Paraph keeps the reason", async () => {
    const args = ["erase", "--subject", "ana", ...tenant, "--reason", "forget Ana"];
    expect(await operate(...args)).toMatchObject({ code: 2 });
  });
});

describe("`paraph retain`", () => {
  it("moves old closed calls to an archive that verifies offline", async () => {
    // All calls so far become 60 days older.
    for (const [table, columns] of [
      ["call", ["created_at", "closed_at"]],
      ["undelivered", ["at"]],
    ] as const)
      for (const name of columns)
        await paraph.database.query(`update paraph.${table} set ${name} = ${name} - interval '60 days'`);
    const retain = ["retain", "--before", "31d", "--to", "archive", ...tenant];
    const signingKey = ["--signing-key", join(paraph.folder, "signing.pem")];
    expect((await operate(...retain, "--dry-run")).stdout).toMatch(/^\d calls would be archived/);
    const { stdout } = await operate(...retain, ...signingKey, "--yes", "--json");
    const [{ archive, calls, deleted }] = JSON.parse(stdout).archives;
    expect(deleted).toBe(calls);
    const file = join("archive", archive);
    expect(await operate("verify", file, "--key", "keys.json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${calls}, each with a valid receipt`),
    });
    const rows = await paraph.database.query("select state from paraph.call");
    expect(rows.map(({ state }) => state)).toEqual(["asking"]);
    await writeFile(join(paraph.folder, file), "changed");
    expect(await operate("verify", file, "--key", "keys.json")).toMatchObject({ code: 1 });
  });
});
