import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { signManifest, verifyManifest } from "@paraph/core";
import { createTestSigner } from "@paraph/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwnedDatabase, fillByWalk } from "../../../../../test/support/servers/owned-database.ts";
import { readArchive, toManifestPath, writeManifest } from "../../archive/archive-file.ts";
import { walkTenant as tenant } from "../calls/test-replay-walk.ts";
import { withTenant } from "../database.ts";
import { checkReplay } from "../index.ts";
import { countArchivable, type RetainStep, retainCalls } from "./retain.ts";

const database = await createOwnedDatabase();
const testSigner = await createTestSigner();
const trusted = [testSigner.publicKey];
const signer = { ...testSigner, publicKeys: trusted };
const db = await fillByWalk(database, signer, 300);
const folder = await mkdtemp(join(tmpdir(), "paraph-archive-"));
afterAll(() => rm(folder, { recursive: true }));

const column = async (text: string, values?: unknown[]) =>
  (await database.query(text, values)).map((row) => Object.values(row)[0]);
const listCalls = () => column("select id from paraph.call order by 1") as Promise<string[]>;
const checked = (more: object = { trusted }) => checkReplay(database.url, { tenant, ...more });
const listArchives = async () => (await readdir(folder)).filter((name) => name.endsWith(".gz")).sort();

/** Lists the calls in all archives that verify. */
async function listArchived(): Promise<string[]> {
  const calls: string[] = [];
  const names = new Set(await readdir(folder));
  for (const name of await listArchives())
    if (names.has(name.replace(".jsonl.gz", ".manifest.json")))
      await readArchive(join(folder, name), trusted, ({ call }) => void calls.push(call));
  return calls;
}

let before: number;
let all: string[];
const retain = (onStep?: (step: RetainStep) => void) =>
  retainCalls({
    ...{ ownerUrl: database.ownerUrl, tenant, before, folder, payloads: true, signer, maxCalls: 15 },
    ...(onStep && { onStep }),
  });

beforeAll(async () => {
  await database.query("update public.moment set at = at + interval '40 days'");
  before = Number(
    (await column("select extract(epoch from at - interval '31 days') * 1000 from public.moment"))[0],
  );
  all = await listCalls();
});

it("keeps calls of the last 30 days, whose idempotency keys and history are in use", async () => {
  const scope = { ownerUrl: database.ownerUrl, tenant };
  await expect(countArchivable({ ...scope, before: before + 2 * 86_400_000 })).rejects.toThrow(
    "last 30 days",
  );
  expect(await countArchivable({ ...scope, before })).toBeGreaterThan(20);
});

describe("a crash after each step loses no call, and a repeated run continues:", () => {
  it.each<RetainStep["kind"]>(["written", "signed", "verified", "registered", "deleted", "finished"])(
    "%s",
    async (kind) => {
      await expect(
        retain((step) => {
          if (step.kind === kind) throw new Error(`crash after ${kind}`);
        }),
      ).rejects.toThrow(`crash after ${kind}`);
      const left = new Set([...(await listCalls()), ...(await listArchived())]);
      expect(all.filter((call) => !left.has(call))).toEqual([]);
      expect((await checked()).differences).toEqual([]);
    },
  );
});

it("archives whole families, and leaves open calls and unresolved outcomes with their family", async () => {
  const outcomes = await column("select count(*) from paraph.outcome");
  await retain();
  const left = await listCalls();
  expect(await countArchivable({ ownerUrl: database.ownerUrl, tenant, before })).toBe(0);
  const archived = await listArchived();
  expect(new Set(archived).size).toBe(archived.length);
  expect([...left, ...archived].sort()).toEqual(all);
  // Every call that is left is open or unresolved, or belongs to the family of one that is.
  const kept = await column(
    `select c.id from paraph.call c where not exists (
       select from paraph.family($1, c.id) f join paraph.call m on m.id = f
       where m.state <> 'closed' or (m.outcome = 'unknown' and not exists (select from paraph.resolution r where r.call = m.id)))`,
    [tenant],
  );
  expect(kept).toEqual([]);
  // Statistics read the table of outcomes, which stays.
  expect(await column("select count(*) from paraph.outcome")).toEqual(outcomes);
});

it("deletes every row of an archived call", async () => {
  const archived = await listArchived();
  for (const table of [
    "event",
    "payload",
    "approval",
    "intent",
    "receipt",
    "resolution",
    "message",
    "undo_claim",
  ])
    expect(await column(`select call from paraph.${table} where call = any ($1)`, [archived])).toEqual([]);
  expect(
    await column(
      "select approval from paraph.vote v where not exists (select from paraph.approval a where a.id = v.approval)",
    ),
  ).toEqual([]);
});

it("[replay] [TRUST 20] the check accepts archived calls only with a signed manifest and, if asked, the files", async () => {
  const archived = await listArchived();
  expect(await checked({ trusted, archiveFolder: folder })).toMatchObject({
    archived: archived.length,
    differences: [],
  });
  const unsigned = await checked({});
  expect(unsigned.archived).toBe(0);
  expect(new Set(unsigned.differences.map(({ table }) => table))).toEqual(new Set(["archive", "call"]));
  expect((await checked({ trusted, archiveFolder: tmpdir() })).differences).toContainEqual(
    expect.objectContaining({ table: "archive", told: "there" }),
  );
  await database.query(
    'update paraph.archive set envelope = replace(envelope, \'"sig":"\', \'"sig":"AAAA\') where name = (select min(name) from paraph.archive)',
  );
  expect((await checked()).differences).toContainEqual(
    expect.objectContaining({ table: "archive", told: "signed", found: "not verified" }),
  );
});

it("the application's login cannot add an archive or delete archived calls", async () => {
  for (const text of [
    "insert into paraph.archive (tenant, name, calls, envelope) values ('acme', 'x', 1, '{}')",
    "select paraph.delete_archived('acme', (select min(name) from paraph.archive), '[]')",
  ])
    await expect(withTenant(db.app, tenant, (query) => query(text))).rejects.toThrow(
      /permission denied|not registered/,
    );
});

describe("[TRUST 20] an archive that was changed does not verify, even if its manifest names the new file:", () => {
  it.each<[string, string, (line: string) => string]>([
    [
      "an event",
      "has other events than its receipt",
      (line) => line.replace('"kind":"closed"', '"kind":"resumed"'),
    ],
    [
      "a payload",
      "has another input",
      (line) => line.replace(/\\"target\\":\\"\w+/, '\\"target\\":\\"other'),
    ],
    ["a missing call", "does not list", () => ""],
  ])("%s", async (_, message, change) => {
    const copy = await mkdtemp(join(tmpdir(), "paraph-archive-"));
    await cp(folder, copy, { recursive: true });
    const file = join(copy, (await listArchives())[0]!);
    const [first = "", ...rest] = gunzipSync(await readFile(file))
      .toString()
      .split("\n");
    const changed = [change(first), ...rest]
      .filter((line) => line !== "")
      .map((line) => `${line}\n`)
      .join("");
    const packed = gzipSync(changed);
    await writeFile(file, packed);
    await expect(readArchive(file, trusted)).rejects.toThrow("is not what the manifest describes");
    const signed = JSON.parse(await readFile(toManifestPath(file), "utf8"));
    const { manifest } = await verifyManifest(signed, trusted);
    const sha256 = createHash("sha256").update(packed).digest("hex");
    await writeManifest(file, await signManifest(manifest, { name: basename(file), sha256 }, signer));
    await expect(readArchive(file, trusted)).rejects.toThrow(message);
    await rm(copy, { recursive: true });
  });
});
