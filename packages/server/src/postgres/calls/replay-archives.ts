import { join } from "node:path";
import { ParaphError, verifyManifest } from "@paraph/core";
import type { Client } from "pg";
import { readArchive } from "../../archive/archive-file.ts";
import type { CheckReplayOptions, ReplayDifference } from "./replay-check.ts";

/**
 * Verifies the manifests of archives and returns the calls that they list. A manifest without a valid signature is a
 * difference, and its calls count as missing. With a folder, each archive is read as a whole.
 */
export async function checkArchives(
  client: Client,
  { tenant, trusted = [], archiveFolder }: CheckReplayOptions,
): Promise<{ readonly calls: ReadonlySet<string>; readonly differences: ReplayDifference[] }> {
  const { rows } = await client.query<{ name: string; envelope: string }>(
    "select name, envelope from paraph.archive where tenant = $1 order by name",
    [tenant],
  );
  const calls = new Set<string>();
  const differences: ReplayDifference[] = [];
  for (const { name, envelope } of rows) {
    const differs = (told: string, found: string) =>
      differences.push({ call: "", table: "archive", row: name, told, found });
    try {
      const { manifest, file } = await verifyManifest(JSON.parse(envelope), trusted);
      if (manifest.tenant !== tenant || file.name !== name)
        differs("signed for this tenant", "another archive");
      else for (const one of manifest.calls) calls.add(one.call);
    } catch {
      differs("signed", "not verified");
      continue;
    }
    if (archiveFolder === undefined) continue;
    await readArchive(join(archiveFolder, name), trusted).catch((error: unknown) => {
      if (!(error instanceof ParaphError)) throw error;
      differs("there", "missing or damaged");
    });
  }
  return { calls, differences };
}
