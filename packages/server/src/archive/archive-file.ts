// Reads and writes archive files. This module works offline, because `paraph verify` imports it.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import {
  type ArchivedCall,
  type ArchiveFile,
  archiveInvalid,
  type Envelope,
  envelopeText,
  type PublicKey,
  type VerifiedManifest,
  verifyArchivedCall,
  verifyManifest,
} from "@paraph/core";
import { splitLines } from "@paraph/core/split-lines";

export const archiveSuffix = ".jsonl.gz";
const manifestSuffix = ".manifest.json";

/** Returns the path of the manifest beside an archive file. */
export function toManifestPath(file: string): string {
  return file.slice(0, -archiveSuffix.length) + manifestSuffix;
}

/** Returns the path of the archive file that a manifest describes. */
export function toArchivePath(manifest: string): string {
  return manifest.endsWith(manifestSuffix)
    ? manifest.slice(0, -manifestSuffix.length) + archiveSuffix
    : manifest;
}

/** Writes lines to a compressed file. Its content is on the disk before the file gets its name. */
export async function writeArchive(file: string, lines: AsyncIterable<string>): Promise<ArchiveFile> {
  const partial = `${file}.partial`;
  const hash = createHash("sha256");
  const hashing = new PassThrough().on("data", (part: Buffer) => hash.update(part));
  await pipeline(Readable.from(lines), createGzip(), hashing, createWriteStream(partial, { mode: 0o600 }));
  await syncToDisk(partial);
  await rename(partial, file);
  await syncToDisk(dirname(file));
  return { name: basename(file), sha256: hash.digest("hex") };
}

/** Writes the manifest beside its archive file. An archive without a manifest does not count. */
export async function writeManifest(file: string, envelope: Envelope): Promise<void> {
  const path = toManifestPath(file);
  await writeFile(`${path}.partial`, `${envelopeText(envelope)}\n`, { mode: 0o600 });
  await syncToDisk(`${path}.partial`);
  await rename(`${path}.partial`, path);
  await syncToDisk(dirname(path));
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}

/** An archive that verified. */
export interface VerifiedArchive extends VerifiedManifest {
  readonly envelope: Envelope;
}

/** Verifies an archive file with its manifest, offline. Passes each call to `onCall`. Throws on the first fault. */
export async function readArchive(
  file: string,
  trusted: readonly PublicKey[],
  onCall: (call: ArchivedCall) => void = () => {},
): Promise<VerifiedArchive> {
  const envelope = await readManifest(toManifestPath(file));
  const verified = await verifyManifest(envelope, trusted);
  const { manifest, file: described } = verified;
  if (described.name !== basename(file)) throw archiveInvalid("its manifest belongs to another file");
  let calls = 0;
  let events = 0;
  try {
    // A small hostile file can unpack to a huge one. The digest is compared before the file is unpacked, and again for
    // the bytes that were unpacked.
    if ((await digestFile(file)) !== described.sha256) throw contentDiffers();
    const { lines, digest } = unpackFile(file);
    for await (const line of lines) {
      const archived = JSON.parse(line) as ArchivedCall;
      await verifyArchivedCall(archived, manifest.calls[calls], { tenant: manifest.tenant, trusted });
      calls += 1;
      events += archived.event.length;
      onCall(archived);
    }
    if (digest() !== described.sha256) throw contentDiffers();
  } catch (error) {
    if (error instanceof Error && error.name === "ParaphError") throw error;
    throw archiveInvalid(
      `\`${basename(file)}\` cannot be read (${(error as NodeJS.ErrnoException).code ?? "damaged"})`,
    );
  }
  if (calls !== manifest.calls.length || events !== manifest.events) throw contentDiffers();
  return { ...verified, envelope };
}

async function digestFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

function unpackFile(file: string): { readonly lines: AsyncIterable<string>; readonly digest: () => string } {
  const hash = createHash("sha256");
  const source = createReadStream(file).on("data", (part) => hash.update(part));
  const unpacked = createGunzip().setEncoding("utf8");
  // Reading the lines reports the error of either stream.
  source.on("error", (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  return { lines: splitLines(unpacked), digest: () => hash.digest("hex") };
}

const contentDiffers = () => archiveInvalid("its content is not what the manifest describes");

async function readManifest(path: string): Promise<Envelope> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    throw archiveInvalid(`its manifest \`${basename(path)}\` is missing or cannot be read`);
  }
}
