import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { canonical, type Json, ParaphError } from "@paraph/core";
import { z } from "zod";
import { difference } from "../text-difference.ts";
import { asJson, type Definition, digestOf, idOf, nameOf } from "./definitions.ts";
import { folded, readResource, verbsFor } from "./names.ts";
import { shown, suspicionsIn } from "./suspicion.ts";

/** A definition as it was approved, and the verb it has here. */
export interface Pin {
  readonly verb: string;
  readonly digest: string;
  readonly definition: Definition;
}

/** How what a server offers now stands to what was approved. */
export type Standing =
  | { readonly kind: "approved"; readonly pin: Pin }
  /** It is no longer what was approved. */
  | { readonly kind: "changed"; readonly pin: Pin; readonly now: Pin }
  /** Nobody has seen it yet. */
  | { readonly kind: "new"; readonly now: Pin };

type Pinned = ReadonlyMap<string, Pin>;

/**
 * [TRUST 7] What a server offers, held against what was approved. The first time everything is, but for what hides
 * characters; from then on only people approve.
 */
export async function standingsOf(
  place: PinsPlace,
  definitions: readonly Definition[],
): Promise<readonly Standing[]> {
  const pinned = (await read(pathOf(place))) ?? (await firstPinned(place, definitions));
  const taken = new Set([readResource, ...[...pinned.values()].map(({ verb }) => verb)]);
  const newcomers = definitions.filter((each) => !pinned.has(idOf(each)));
  const verbs = verbsFor(newcomers.map(asNewcomer), taken);
  const standings = definitions.map((definition): Standing => {
    const pin = pinned.get(idOf(definition));
    const now = pinOf(definition, pin?.verb ?? verbs.get(idOf(definition))!);
    if (!pin) return { kind: "new", now };
    return pin.digest === now.digest ? { kind: "approved", pin } : { kind: "changed", pin, now };
  });
  await keepWaiting(place, standings);
  return standings;
}

/** Where the pins of one adapter are kept. */
export interface PinsPlace {
  /** The configuration's. */
  readonly folder: string;
  readonly adapter: string;
}

/** One definition that waits for a person. */
export interface WaitingPin {
  readonly id: string;
  readonly digest: string;
  readonly kind: "changed" | "new";
  readonly suspicions: readonly string[];
  /** Unified, with everything invisible in it made visible. */
  readonly diff: string;
}

export async function waitingPins(place: PinsPlace): Promise<readonly WaitingPin[]> {
  const [pinned, waiting] = [await read(pathOf(place)), await read(waitingPathOf(place))];
  return [...(waiting ?? [])].map(([id, now]) => {
    const before = pinned?.get(id);
    return {
      id,
      digest: now.digest,
      kind: before ? "changed" : "new",
      suspicions: suspicionsIn(now.definition),
      diff: difference(id, before && textOf(before), textOf(now)),
    };
  });
}

/** A person's yes to exactly these digests; what has become something else meanwhile is not approved. Says which are now. */
export async function approvePins(
  place: PinsPlace,
  approved: readonly Pick<WaitingPin, "id" | "digest">[],
): Promise<readonly string[]> {
  const waiting = (await read(waitingPathOf(place))) ?? new Map<string, Pin>();
  const pinned = new Map(await read(pathOf(place)));
  for (const { id, digest } of approved) {
    const now = waiting.get(id);
    if (now?.digest !== digest) continue;
    pinned.set(id, now);
    waiting.delete(id);
  }
  await write(pathOf(place), pinned);
  await write(waitingPathOf(place), waiting);
  // Also what was approved before: whoever is interrupted does it again.
  return approved.filter(({ id, digest }) => pinned.get(id)?.digest === digest).map(({ id }) => id);
}

async function firstPinned(place: PinsPlace, definitions: readonly Definition[]): Promise<Pinned> {
  const verbs = verbsFor(definitions.map(asNewcomer), new Set([readResource]));
  const open = definitions.filter((each) => !suspicionsIn(each).includes("hidden-characters"));
  const pinned = new Map(open.map((each) => [idOf(each), pinOf(each, verbs.get(idOf(each))!)]));
  const path = pathOf(place);
  const draft = draftOf(path);
  try {
    await write(draft, pinned);
    // Two processes may meet a server at once: the first one's pins stand, for both.
    await link(draft, path);
  } catch (error) {
    const there = await read(path);
    if (there) return there;
    const { code = "error" } = error as { code?: string };
    throw new ParaphError(
      "adapter-invalid",
      `What \`${place.adapter}\` offers cannot be pinned (\`${code}\`): let \`${folderName}\` beside the configuration be written to, or put the pins there.`,
    );
  } finally {
    await rm(draft, { force: true });
  }
  return pinned;
}

/** For whoever approves. Where it cannot be written, what waits is away all the same. */
async function keepWaiting(place: PinsPlace, standings: readonly Standing[]): Promise<void> {
  const waiting = standings.flatMap((each) => (each.kind === "approved" ? [] : [each.now]));
  const path = waitingPathOf(place);
  const before = await read(path).catch(() => undefined);
  if (waiting.length === 0 && before === undefined) return;
  const now = new Map(waiting.map((pin) => [idOf(pin.definition), pin]));
  if (before && textOfAll(before) === textOfAll(now)) return;
  await write(path, now).catch(() => {});
}

function asNewcomer(definition: Definition) {
  const prefix = definition.kind === "prompt" ? "prompt_" : "";
  return { id: idOf(definition), wanted: `${prefix}${folded(nameOf(definition))}` };
}

function pinOf(definition: Definition, verb: string): Pin {
  return { verb, digest: digestOf(definition), definition };
}

const kept = z.record(
  z.string(),
  z.strictObject({
    verb: z.string().regex(/^[a-z][a-z0-9_]{0,127}$/),
    digest: z.string(),
    definition: z.looseObject({ kind: z.enum(["tool", "prompt"]) }),
  }),
);

/** [P11] Nothing where there is no file; a file that is not as it was written is no approval of anything. */
async function read(path: string): Promise<Map<string, Pin> | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw unreadable(path);
  }
  const content = kept.safeParse(parsed(text));
  if (!content.success) throw unreadable(path);
  const pins = Object.entries(content.data) as unknown as [string, Pin][];
  const right = pins.every(
    ([id, pin]) => digestOf(pin.definition) === pin.digest && idOf(pin.definition) === id,
  );
  if (!right) throw unreadable(path);
  return new Map(pins);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whole or not at all: half a file would be an approval of nothing. */
async function write(path: string, pins: Pinned): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  const draft = draftOf(path);
  try {
    await writeFile(draft, textOfAll(pins));
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function draftOf(path: string): string {
  return `${path}.${process.pid}.${crypto.randomUUID()}`;
}

function textOfAll(pins: Pinned): string {
  return sorted(Object.fromEntries(pins) as unknown as Json);
}

function textOf({ definition }: Pin): string {
  return shown(sorted(asJson(definition)));
}

/** In an order of its own, so that two of the same are the same text. */
function sorted(value: Json): string {
  return `${JSON.stringify(JSON.parse(canonical(value)), null, 2)}\n`;
}

function unreadable(path: string): ParaphError {
  return new ParaphError(
    "adapter-invalid",
    `\`${path}\` is not as Paraph wrote it: take it from your repository, or remove it to approve everything anew.`,
  );
}

/** Beside the configuration, to be committed and reviewed with it: every process on every machine has the same pins. */
const folderName = "mcp-pins";
const pathOf = ({ folder, adapter }: PinsPlace) => join(folder, folderName, `${adapter}.json`);
const waitingPathOf = ({ folder, adapter }: PinsPlace) =>
  join(folder, ".paraph", "mcp-waiting", `${adapter}.json`);
