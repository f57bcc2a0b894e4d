import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { canonical, type Json, ParaphError } from "@paraph/core";
import { z } from "zod";
import { formatUnifiedDiff } from "../../unified-diff.ts";
import {
  digestDefinition,
  getDefinitionName,
  type ServerDefinition,
  toDefinitionId,
  toDefinitionJson,
} from "./definitions.ts";
import { findSuspicions, showInvisible } from "./suspicion.ts";
import { assignVerbs, foldToVerb, readResourceVerb } from "./verbs.ts";

/** A definition as it was approved, and the verb it has here. */
export interface Pin {
  readonly verb: string;
  readonly digest: string;
  readonly definition: ServerDefinition;
}

/** How what a server offers now stands to what was approved. */
export type PinStatus =
  | { readonly kind: "approved"; readonly pin: Pin }
  /** It is no longer what was approved. */
  | { readonly kind: "changed"; readonly pin: Pin; readonly now: Pin }
  /** Nobody has seen it yet. */
  | { readonly kind: "new"; readonly now: Pin };

type PinMap = ReadonlyMap<string, Pin>;

/**
 * [TRUST 7] What a server offers, held against what was approved. The first time everything is, but for what hides
 * characters; from then on only people approve.
 */
export async function comparePins(
  place: PinsLocation,
  definitions: readonly ServerDefinition[],
): Promise<readonly PinStatus[]> {
  const pinned = (await readPins(toPinsPath(place))) ?? (await pinInitially(place, definitions));
  const taken = new Set([readResourceVerb, ...[...pinned.values()].map(({ verb }) => verb)]);
  const newcomers = definitions.filter((each) => !pinned.has(toDefinitionId(each)));
  const verbs = assignVerbs(newcomers.map(toNewcomer), taken);
  const standings = definitions.map((definition): PinStatus => {
    const pin = pinned.get(toDefinitionId(definition));
    const now = createPin(definition, pin?.verb ?? verbs.get(toDefinitionId(definition))!);
    if (!pin) return { kind: "new", now };
    return pin.digest === now.digest ? { kind: "approved", pin } : { kind: "changed", pin, now };
  });
  await writeWaiting(place, standings);
  return standings;
}

/** Where the pins of one adapter are kept. */
export interface PinsLocation {
  /** The configuration's. */
  readonly folder: string;
  readonly adapter: string;
}

/** One definition that waits for a person. */
export interface McpWaitingPin {
  readonly id: string;
  readonly digest: string;
  readonly kind: "changed" | "new";
  readonly suspicions: readonly string[];
  /** Unified, with everything invisible in it made visible. */
  readonly diff: string;
}

export async function listWaitingPins(place: PinsLocation): Promise<readonly McpWaitingPin[]> {
  const [pinned, waiting] = [await readPins(toPinsPath(place)), await readPins(toWaitingPath(place))];
  return [...(waiting ?? [])].map(([id, now]) => {
    const before = pinned?.get(id);
    return {
      id,
      digest: now.digest,
      kind: before ? "changed" : "new",
      suspicions: findSuspicions(now.definition),
      diff: formatUnifiedDiff(id, before && formatPin(before), formatPin(now)),
    };
  });
}

/** A person's yes to exactly these digests; what has become something else meanwhile is not approved. Says which are now. */
export async function approvePins(
  place: PinsLocation,
  approved: readonly Pick<McpWaitingPin, "id" | "digest">[],
): Promise<readonly string[]> {
  const waiting = (await readPins(toWaitingPath(place))) ?? new Map<string, Pin>();
  const pinned = new Map(await readPins(toPinsPath(place)));
  for (const { id, digest } of approved) {
    const now = waiting.get(id);
    if (now?.digest !== digest) continue;
    pinned.set(id, now);
    waiting.delete(id);
  }
  await writePins(toPinsPath(place), pinned);
  await writePins(toWaitingPath(place), waiting);
  // Also what was approved before: whoever is interrupted does it again.
  return approved.filter(({ id, digest }) => pinned.get(id)?.digest === digest).map(({ id }) => id);
}

async function pinInitially(place: PinsLocation, definitions: readonly ServerDefinition[]): Promise<PinMap> {
  const verbs = assignVerbs(definitions.map(toNewcomer), new Set([readResourceVerb]));
  const open = definitions.filter((each) => !findSuspicions(each).includes("hidden-characters"));
  const pinned = new Map(
    open.map((each) => [toDefinitionId(each), createPin(each, verbs.get(toDefinitionId(each))!)]),
  );
  const path = toPinsPath(place);
  const draft = toDraftPath(path);
  try {
    await writePins(draft, pinned);
    // Two processes may meet a server at once: the first one's pins stand, for both.
    await link(draft, path);
  } catch (error) {
    const there = await readPins(path);
    if (there) return there;
    const { code = "error" } = error as { code?: string };
    throw new ParaphError(
      "adapter-invalid",
      `What \`${place.adapter}\` offers cannot be pinned (\`${code}\`): let \`${pinsFolder}\` beside the configuration be written to, or put the pins there.`,
    );
  } finally {
    await rm(draft, { force: true });
  }
  return pinned;
}

/** For whoever approves. Where it cannot be written, what waits is away all the same. */
async function writeWaiting(place: PinsLocation, standings: readonly PinStatus[]): Promise<void> {
  const waiting = standings.flatMap((each) => (each.kind === "approved" ? [] : [each.now]));
  const path = toWaitingPath(place);
  const before = await readPins(path).catch(() => undefined);
  if (waiting.length === 0 && before === undefined) return;
  const now = new Map(waiting.map((pin) => [toDefinitionId(pin.definition), pin]));
  if (before && formatPins(before) === formatPins(now)) return;
  await writePins(path, now).catch(() => {});
}

function toNewcomer(definition: ServerDefinition) {
  const prefix = definition.kind === "prompt" ? "prompt_" : "";
  return { id: toDefinitionId(definition), wanted: `${prefix}${foldToVerb(getDefinitionName(definition))}` };
}

function createPin(definition: ServerDefinition, verb: string): Pin {
  return { verb, digest: digestDefinition(definition), definition };
}

const pinsFile = z.record(
  z.string(),
  z.strictObject({
    verb: z.string().regex(/^[a-z][a-z0-9_]{0,127}$/),
    digest: z.string(),
    definition: z.looseObject({ kind: z.enum(["tool", "prompt"]) }),
  }),
);

/** [P11] Nothing where there is no file; a file that is not as it was written is no approval of anything. */
async function readPins(path: string): Promise<Map<string, Pin> | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw pinsUnreadableFault(path);
  }
  const content = pinsFile.safeParse(parseJson(text));
  if (!content.success) throw pinsUnreadableFault(path);
  const pins = Object.entries(content.data) as unknown as [string, Pin][];
  const right = pins.every(
    ([id, pin]) => digestDefinition(pin.definition) === pin.digest && toDefinitionId(pin.definition) === id,
  );
  if (!right) throw pinsUnreadableFault(path);
  return new Map(pins);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whole or not at all: half a file would be an approval of nothing. */
async function writePins(path: string, pins: PinMap): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  const draft = toDraftPath(path);
  try {
    await writeFile(draft, formatPins(pins));
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function toDraftPath(path: string): string {
  return `${path}.${process.pid}.${crypto.randomUUID()}`;
}

function formatPins(pins: PinMap): string {
  return formatSorted(Object.fromEntries(pins) as unknown as Json);
}

function formatPin({ definition }: Pin): string {
  return showInvisible(formatSorted(toDefinitionJson(definition)));
}

/** In an order of its own, so that two of the same are the same text. */
function formatSorted(value: Json): string {
  return `${JSON.stringify(JSON.parse(canonical(value)), null, 2)}\n`;
}

function pinsUnreadableFault(path: string): ParaphError {
  return new ParaphError(
    "adapter-invalid",
    `\`${path}\` is not as Paraph wrote it: take it from your repository, or remove it to approve everything anew.`,
  );
}

/** Beside the configuration, to be committed and reviewed with it: every process on every machine has the same pins. */
const pinsFolder = "mcp-pins";
const toPinsPath = ({ folder, adapter }: PinsLocation) => join(folder, pinsFolder, `${adapter}.json`);
const toWaitingPath = ({ folder, adapter }: PinsLocation) =>
  join(folder, ".paraph", "mcp-waiting", `${adapter}.json`);
