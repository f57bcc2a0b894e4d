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

/** An approved definition and the verb of its capability. */
export interface Pin {
  readonly verb: string;
  readonly digest: string;
  readonly definition: ServerDefinition;
}

/** The state of a server's current definition, compared with the approved one. */
export type PinStatus =
  | { readonly kind: "approved"; readonly pin: Pin }
  /** The definition differs from the approved one. */
  | { readonly kind: "changed"; readonly pin: Pin; readonly now: Pin }
  /** The definition has never been approved. */
  | { readonly kind: "new"; readonly now: Pin };

type PinMap = ReadonlyMap<string, Pin>;

/**
 * [TRUST 7] Compares a server's definitions with the approved ones. At the first comparison, Paraph approves all
 * definitions without hidden characters. After that, only people approve definitions.
 */
export async function comparePins(
  location: PinsLocation,
  definitions: readonly ServerDefinition[],
): Promise<readonly PinStatus[]> {
  const pinned = (await readPins(toPinsPath(location))) ?? (await pinInitially(location, definitions));
  const taken = new Set([readResourceVerb, ...[...pinned.values()].map(({ verb }) => verb)]);
  const newcomers = definitions.filter((each) => !pinned.has(toDefinitionId(each)));
  const verbs = assignVerbs(newcomers.map(toNewcomer), taken);
  const standings = definitions.map((definition): PinStatus => {
    const pin = pinned.get(toDefinitionId(definition));
    const now = createPin(definition, pin?.verb ?? verbs.get(toDefinitionId(definition))!);
    if (!pin) return { kind: "new", now };
    return pin.digest === now.digest ? { kind: "approved", pin } : { kind: "changed", pin, now };
  });
  await writeWaiting(location, standings);
  return standings;
}

/** The location of an adapter's pins. */
export interface PinsLocation {
  /** The folder of the configuration. */
  readonly folder: string;
  readonly adapter: string;
}

/** A definition that waits for a person's approval. */
export interface McpWaitingPin {
  readonly id: string;
  readonly digest: string;
  readonly kind: "changed" | "new";
  readonly suspicions: readonly string[];
  /** The unified diff, with invisible characters made visible. */
  readonly diff: string;
}

/** Lists the definitions that wait for a person's approval. */
export async function listWaitingPins(location: PinsLocation): Promise<readonly McpWaitingPin[]> {
  const [pinned, waiting] = [await readPins(toPinsPath(location)), await readPins(toWaitingPath(location))];
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

/**
 * Approves the definitions with exactly these digests and returns their ids. Does not approve a definition that has
 * changed in the meantime.
 */
export async function approvePins(
  location: PinsLocation,
  approved: readonly Pick<McpWaitingPin, "id" | "digest">[],
): Promise<readonly string[]> {
  const waiting = (await readPins(toWaitingPath(location))) ?? new Map<string, Pin>();
  const pinned = new Map(await readPins(toPinsPath(location)));
  for (const { id, digest } of approved) {
    const now = waiting.get(id);
    if (now?.digest !== digest) continue;
    pinned.set(id, now);
    waiting.delete(id);
  }
  await writePins(toPinsPath(location), pinned);
  await writePins(toWaitingPath(location), waiting);
  // The result includes definitions that an earlier call approved, so that an interrupted approval can be repeated.
  return approved.filter(({ id, digest }) => pinned.get(id)?.digest === digest).map(({ id }) => id);
}

async function pinInitially(
  location: PinsLocation,
  definitions: readonly ServerDefinition[],
): Promise<PinMap> {
  const verbs = assignVerbs(definitions.map(toNewcomer), new Set([readResourceVerb]));
  const open = definitions.filter((each) => !findSuspicions(each).includes("hidden-characters"));
  const pinned = new Map(
    open.map((each) => [toDefinitionId(each), createPin(each, verbs.get(toDefinitionId(each))!)]),
  );
  const path = toPinsPath(location);
  const draft = toDraftPath(path);
  try {
    await writePins(draft, pinned);
    // Two processes may open a new server concurrently. `link` fails for the second one, so both use the first one's
    // pins.
    await link(draft, path);
  } catch (error) {
    const there = await readPins(path);
    if (there) return there;
    const { code = "error" } = error as { code?: string };
    throw new ParaphError(
      "adapter-invalid",
      `Paraph can't write the pins of \`${location.adapter}\` (\`${code}\`). Make the folder \`${pinsFolder}\` next to the configuration writable, or add the pins there.`,
    );
  } finally {
    await rm(draft, { force: true });
  }
  return pinned;
}

/** Stores the definitions that wait for approval. If the write fails, these definitions remain unapproved. */
async function writeWaiting(location: PinsLocation, standings: readonly PinStatus[]): Promise<void> {
  const waiting = standings.flatMap((each) => (each.kind === "approved" ? [] : [each.now]));
  const path = toWaitingPath(location);
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

/**
 * [P11] Returns the pins, or undefined if the file does not exist. Throws if the file is not in the form that Paraph
 * writes, so that such a file approves nothing.
 */
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

/** Replaces the file atomically, so that a crash cannot leave half a file. */
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

/** Formats with sorted keys, so that equal values have equal texts. */
function formatSorted(value: Json): string {
  return `${JSON.stringify(JSON.parse(canonical(value)), null, 2)}\n`;
}

function pinsUnreadableFault(path: string): ParaphError {
  return new ParaphError(
    "adapter-invalid",
    `\`${path}\` is unreadable or was modified. Restore it from your repository, or remove it to approve all definitions again.`,
  );
}

/**
 * The folder of the pins. It is next to the configuration, so that people commit and review both together. Every
 * process on every machine then has the same pins.
 */
const pinsFolder = "mcp-pins";
const toPinsPath = ({ folder, adapter }: PinsLocation) => join(folder, pinsFolder, `${adapter}.json`);
const toWaitingPath = ({ folder, adapter }: PinsLocation) =>
  join(folder, ".paraph", "mcp-waiting", `${adapter}.json`);
