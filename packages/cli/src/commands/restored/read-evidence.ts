import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type PublicKey, verifyReceipt } from "@paraph/core";
import { usageError } from "../../lib/cli-error.ts";

/** A call that evidence outside of the database names. */
export interface EvidenceCall {
  readonly call: string;
  readonly capability?: string;
  readonly at: number;
  readonly outcome?: string;
  readonly code?: string;
  /** Whether the call acted or may have acted: it wrote an intent, succeeded, or its outcome is unknown. */
  readonly acted: boolean;
  /** Whether a receipt with a valid signature of a trusted key shows it. */
  readonly verified: boolean;
}

/** The content of the files. */
export interface Evidence {
  readonly calls: ReadonlyMap<string, EvidenceCall>;
  /** The number of receipts that do not verify. They do not count. */
  readonly rejectedReceipts: number;
  /** The number of entries that have none of the known forms. */
  readonly unknownEntries: number;
}

/**
 * Reads exported activity, downloaded receipts and saved bodies of webhooks, as JSON or as lines of JSON. `loadKeys` is
 * called for the first receipt.
 */
export async function readEvidence(
  paths: readonly string[],
  loadKeys: () => Promise<readonly PublicKey[]>,
): Promise<Evidence> {
  const calls = new Map<string, EvidenceCall>();
  let keys: readonly PublicKey[] | undefined;
  let rejectedReceipts = 0;
  let unknownEntries = 0;
  for (const file of (await Promise.all(paths.map(listFiles))).flat())
    for (const entry of parseEntries(await readFile(file, "utf8"))) {
      const isReceipt = toText(entry.mediaType)?.startsWith("application/vnd.paraph.receipt") === true;
      if (isReceipt) keys ??= await loadKeys();
      const found = isReceipt ? await fromReceipt(entry, keys!) : (fromActivity(entry) ?? fromEvent(entry));
      if (found) calls.set(found.call, merge(calls.get(found.call), found));
      else if (isReceipt) rejectedReceipts += 1;
      else unknownEntries += 1;
    }
  return { calls, rejectedReceipts, unknownEntries };
}

type Entry = Readonly<Record<string, unknown>>;

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw usageError(`There is no file or folder \`${path}\`.`);
  if (!found.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => /\.(?:json|jsonl|ndjson)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

/** Returns the entries of a file: one value, a list, a page of activity, or a value per line. */
function parseEntries(text: string): Entry[] {
  const whole = parseJson(text);
  const values =
    whole === undefined
      ? text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [parseJson(line)]))
      : [whole];
  return values.flatMap((value) => {
    const list = (value as { activity?: unknown } | null | undefined)?.activity ?? value;
    return (Array.isArray(list) ? list : [list]).map((one: unknown) =>
      typeof one === "object" && one !== null ? (one as Entry) : {},
    );
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function fromReceipt(entry: Entry, keys: readonly PublicKey[]): Promise<EvidenceCall | undefined> {
  try {
    const { story } = await verifyReceipt(entry, keys);
    const { call, capability, outcome, events } = story;
    const { kind, code } = outcome;
    const acted = hasActed(kind) || events.some((event) => event.kind === "intended");
    return { call, capability, at: events.at(-1)?.at ?? 0, outcome: kind, code, acted, verified: true };
  } catch {
    return undefined;
  }
}

function fromActivity(entry: Entry): EvidenceCall | undefined {
  const [call, at, kind] = [toText(entry.call), toTime(entry.at), toText(entry.kind)];
  if (call === undefined || at === undefined || kind === undefined) return undefined;
  const outcome = toText(entry.outcome);
  return toCall({
    call,
    at,
    outcome,
    code: entry.code,
    capability: entry.capability,
    acted: hasActed(outcome),
  });
}

function fromEvent(entry: Entry): EvidenceCall | undefined {
  const [call, at] = [toText(entry.subject), toTime(entry.time)];
  const [, kind] = /^dev\.paraph\.call\.([a-z-]+)\.v1$/.exec(toText(entry.type) ?? "") ?? [];
  if (call === undefined || at === undefined || kind === undefined) return undefined;
  const { outcome, code, capability } = (entry.data ?? {}) as Entry;
  const ended = toText(outcome);
  return toCall({
    call,
    at,
    outcome: ended,
    code,
    capability,
    acted: kind === "intended" || hasActed(ended),
  });
}

function toCall(given: {
  call: string;
  at: number;
  outcome: string | undefined;
  code: unknown;
  capability: unknown;
  acted: boolean;
}): EvidenceCall {
  const { call, at, outcome, acted } = given;
  const [capability, code] = [toText(given.capability), toText(given.code)];
  return {
    ...{ call, at, acted, verified: false },
    ...(capability !== undefined && { capability }),
    ...(outcome !== undefined && { outcome, ...(code !== undefined && { code }) }),
  };
}

/** Merges two pieces of evidence. A verified one wins, then the one with an outcome, then the later one. */
function merge(known: EvidenceCall | undefined, found: EvidenceCall): EvidenceCall {
  if (!known) return found;
  const weight = ({ verified, outcome, at }: EvidenceCall) =>
    (verified ? 2 : 0) * 1e15 + (outcome === undefined ? 0 : 1e15) + at;
  const [weaker, stronger] = weight(found) > weight(known) ? [known, found] : [found, known];
  return { ...weaker, ...stronger, acted: stronger.acted || (weaker.acted && !stronger.verified) };
}

const hasActed = (outcome: string | undefined): boolean => outcome === "succeeded" || outcome === "unknown";

const toText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function toTime(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
