import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArchivedCall,
  type ArchiveManifest,
  envelopeText,
  ParaphError,
  type PublicKey,
  type Signer,
  signManifest,
} from "@paraph/core";
import {
  archiveSuffix,
  readArchive,
  toManifestPath,
  writeArchive,
  writeManifest,
} from "../../archive/archive-file.ts";
import { restoreEnvelope, type StoredReceipt } from "../calls/stored-receipt.ts";
import { deleteArchived, type FamilyMember, registerArchive } from "./delete-archived.ts";
import { deleteUnusedRows } from "./delete-unused.ts";
import { type OwnerSession, withOwnerSession } from "./owner-session.ts";

/** The calls to archive, and where to. */
export interface RetainOptions {
  readonly ownerUrl: string;
  readonly tenant: string;
  /** Only families whose calls all closed before this time are archived. */
  readonly before: number;
  readonly folder: string;
  readonly payloads: boolean;
  readonly signer: Signer & { readonly publicKeys: readonly PublicKey[] };
  /** The maximum number of calls in one file (default: 5000). */
  readonly maxCalls?: number;
  /** Runs after each step. If it throws, the run stops there, and a repeated run continues. */
  readonly onStep?: (step: RetainStep) => void;
}

/** One finished step of a run. */
export interface RetainStep {
  readonly kind: "written" | "signed" | "verified" | "registered" | "deleted" | "finished";
  readonly archive: string;
  /** The number of calls that the step concerns. */
  readonly calls: number;
}

/** The result of a run. */
export interface RetainResult {
  readonly archives: readonly {
    readonly archive: string;
    readonly calls: number;
    readonly deleted: number;
  }[];
  /** The number of old rows of webhook deliveries and undelivered results that no part of Paraph reads any more. */
  readonly unusedRows: number;
}

/** A deleted call frees its idempotency key, and policies look at the last days. Younger calls therefore stay. */
const minRetainedDays = 30;

/**
 * Archives old calls and deletes them from the database: writes a file, signs its manifest, reads both back, registers
 * the manifest in the database, and only then deletes rows. Each step survives a crash, and a repeated run continues.
 */
export async function retainCalls(options: RetainOptions): Promise<RetainResult> {
  const { before, folder, tenant } = options;
  return withOwnerSession(options, async (session) => {
    await requireMinimumAge(session, before);
    await requireSoleRun(session);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removePartialFiles(folder, tenant);
    const archives: RetainResult["archives"][number][] = [];
    for (const name of await listUnfinished(session, folder))
      archives.push(await deleteVerified(session, name, options));
    for (let after = ""; ; ) {
      const batch = await takeBatch(session, options, after);
      if (!batch) break;
      const name = await writeBatch(session, batch, options);
      archives.push(await deleteVerified(session, name, options));
      after = batch.families.at(-1)!.family;
    }
    return { archives, unusedRows: await deleteUnusedRows(session, before) };
  });
}

/** Counts the calls that a run would archive. It changes nothing. */
export async function countArchivable(
  options: Pick<RetainOptions, "ownerUrl" | "tenant" | "before">,
): Promise<number> {
  return withOwnerSession(options, async (session) => {
    await requireMinimumAge(session, options.before);
    const [found] = await session.query<{ calls: number }>(
      "select coalesce(sum(cardinality(members)), 0)::int as calls from paraph.archivable($1, to_timestamp($2 / 1000.0), '', null)",
      [session.tenant, options.before],
    );
    return found!.calls;
  });
}

/** Rejects a second run for the same tenant. PostgreSQL frees the lock when the connection ends. */
async function requireSoleRun({ tenant, query }: OwnerSession): Promise<void> {
  const [row] = await query<{ free: boolean }>("select pg_try_advisory_lock(7415, hashtext($1)) as free", [
    tenant,
  ]);
  if (row?.free) return;
  throw new ParaphError(
    "input-invalid",
    `Another \`paraph retain\` runs for the tenant \`${tenant}\`. Wait for it.`,
  );
}

async function requireMinimumAge({ query }: OwnerSession, before: number): Promise<void> {
  const [clock] = await query<{ now: Date }>("select paraph.now() as now");
  if (before <= clock!.now.getTime() - minRetainedDays * 86_400_000) return;
  throw new ParaphError(
    "input-invalid",
    `Calls of the last ${minRetainedDays} days stay in the database. Choose an earlier date.`,
  );
}

interface Family {
  readonly family: string;
  readonly month: string;
  readonly members: readonly string[];
}

interface Batch {
  readonly month: string;
  readonly families: readonly Family[];
}

/** Takes the next families of one month, oldest first. */
async function takeBatch(
  { tenant, query }: OwnerSession,
  { before, maxCalls = 5_000 }: RetainOptions,
  after: string,
): Promise<Batch | undefined> {
  const rows = await query<Family>("select * from paraph.archivable($1, to_timestamp($2 / 1000.0), $3, $4)", [
    tenant,
    before,
    after,
    maxCalls,
  ]);
  const month = rows[0]?.month;
  if (month === undefined) return undefined;
  const other = rows.findIndex((one) => one.month !== month);
  const families: Family[] = [];
  let calls = 0;
  for (const family of other < 0 ? rows : rows.slice(0, other)) {
    calls += family.members.length;
    if (families.length > 0 && calls > maxCalls) break;
    families.push(family);
  }
  return { month, families };
}

/** Writes and signs the archive of a batch. Returns the name of its file. */
async function writeBatch(session: OwnerSession, batch: Batch, options: RetainOptions): Promise<string> {
  const { folder, payloads, signer, onStep } = options;
  const name = await chooseName(session, folder, batch.month);
  const calls: ArchiveManifest["calls"][number][] = [];
  let events = 0;
  const lines = async function* () {
    for (const { family, members } of batch.families)
      for (const call of members) {
        const line = await readLine(session, { call, family, payloads });
        calls.push({ call, receipt: line.receipt.digest });
        events += line.event.length;
        yield `${JSON.stringify(line)}\n`;
      }
  };
  const file = await writeArchive(join(folder, name), lines());
  onStep?.({ kind: "written", archive: name, calls: calls.length });
  const [clock] = await session.query<{ now: Date }>("select paraph.now() as now");
  const manifest: ArchiveManifest = {
    tenant: session.tenant,
    month: batch.month,
    createdAt: clock!.now.getTime(),
    payloads,
    events,
    calls,
  };
  await writeManifest(join(folder, name), await signManifest(manifest, file, signer));
  onStep?.({ kind: "signed", archive: name, calls: calls.length });
  return name;
}

async function readLine(
  { tenant, query }: OwnerSession,
  { call, family, payloads }: { readonly call: string; readonly family: string; readonly payloads: boolean },
): Promise<ArchivedCall> {
  const [row] = await query<{ line: string }>("select paraph.archive_line($1, $2, $3, $4) as line", [
    tenant,
    call,
    family,
    payloads,
  ]);
  const { receipt, ...line } = JSON.parse(row!.line) as Omit<ArchivedCall, "receipt"> & {
    readonly receipt: StoredReceipt;
  };
  const envelope = envelopeText(restoreEnvelope(receipt, line.event));
  return { ...line, receipt: { digest: receipt.digest, envelope } };
}

/** Reads an archive back, registers it, and deletes the rows of the calls in it. */
async function deleteVerified(
  session: OwnerSession,
  name: string,
  { folder, signer, onStep }: RetainOptions,
): Promise<RetainResult["archives"][number]> {
  const members: FamilyMember[] = [];
  const trusted = signer.publicKeys;
  const { manifest, envelope } = await readArchive(join(folder, name), trusted, (one) => {
    members.push({ call: one.call, family: one.family, epoch: one.epoch, messages: one.message.length });
  });
  if (manifest.tenant !== session.tenant)
    throw new ParaphError("archive-invalid", `The archive \`${name}\` belongs to another tenant.`);
  const step = (kind: RetainStep["kind"], calls: number) => onStep?.({ kind, archive: name, calls });
  step("verified", members.length);
  await registerArchive(session, { name, calls: members.length, envelope });
  step("registered", members.length);
  const deleted = await deleteArchived(session, name, members, (calls) => step("deleted", calls));
  step("finished", deleted);
  return { archive: name, calls: members.length, deleted };
}

/** Lists archives that have a manifest in the folder, or a row, but whose calls are not all deleted yet. */
async function listUnfinished({ tenant, query }: OwnerSession, folder: string): Promise<string[]> {
  const rows = await query<{ name: string; finished: boolean }>(
    "select name, finished_at is not null as finished from paraph.archive where tenant = $1",
    [tenant],
  );
  const signed = await listSigned(folder, tenant);
  const finished = new Set(rows.filter((one) => one.finished).map(({ name }) => name));
  const elsewhere = rows.find((one) => !one.finished && !signed.includes(one.name));
  if (elsewhere)
    throw new ParaphError(
      "archive-invalid",
      `An earlier run wrote the archive \`${elsewhere.name}\` to another folder and was interrupted. Run the command with that folder first.`,
    );
  return signed.filter((name) => !finished.has(name));
}

async function listSigned(folder: string, tenant: string): Promise<string[]> {
  const files = new Set(await readdir(folder));
  return [...files]
    .filter((name) => name.startsWith(`${tenant}-`) && name.endsWith(archiveSuffix))
    .filter((name) => files.has(toManifestPath(name)))
    .sort();
}

/** Chooses the next free name. A file without a manifest is from an interrupted run, and is written again. */
async function chooseName({ tenant, query }: OwnerSession, folder: string, month: string): Promise<string> {
  const rows = await query<{ name: string }>("select name from paraph.archive where tenant = $1", [tenant]);
  const taken = new Set([...(await listSigned(folder, tenant)), ...rows.map(({ name }) => name)]);
  for (let part = 1; ; part += 1) {
    const name = `${tenant}-${month}-${String(part).padStart(3, "0")}${archiveSuffix}`;
    if (!taken.has(name)) return name;
  }
}

async function removePartialFiles(folder: string, tenant: string): Promise<void> {
  const partial = (await readdir(folder)).filter(
    (name) => name.startsWith(`${tenant}-`) && name.endsWith(".partial"),
  );
  for (const name of partial) await rm(join(folder, name));
}
