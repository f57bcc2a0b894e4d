import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PublicKey } from "@paraph/core";
import { parsePublicKeys } from "@paraph/core/verify-receipt";
import { findRecordFile } from "@paraph/server/local-record";
import { CliError, usageError } from "../../lib/cli-error.ts";
import { findParaphFolder, trustedKeysFile } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";

export interface TrustedKeys {
  readonly keys: readonly PublicKey[];
  /**
   * The file that contains the keys. The command shows it, because a person who trusts a receipt should know where the
   * trusted keys come from.
   */
  readonly file: string;
}

/**
 * Loads the keys that may sign a receipt. The keys come from `--key`. Without `--key`, they come from this user's own
 * record of `paraph dev` for this folder or a parent folder. Key files in the folder are not trusted, because they may
 * have come with the receipt.
 */
export async function loadTrustedKeys(
  given: string | undefined,
  { folder, environment }: Pick<Context, "folder" | "environment">,
): Promise<TrustedKeys> {
  if (given !== undefined) return { keys: parseKeys(await readKeyFile(given), given), file: given };
  const local = findParaphFolder(folder);
  const recorded = local && (await findRecordFile(local, environment));
  if (recorded && existsSync(recorded))
    return { keys: parseKeys(await readKeyFile(recorded), recorded), file: recorded };
  const found = local && join(local, trustedKeysFile);
  const lying =
    found && existsSync(found)
      ? ` Paraph does not trust \`${found}\` automatically. Pass this file only if you know who wrote it.`
      : "";
  throw usageError(
    `There is no key to verify with. Get the operator's public keys from \`GET /v1/keys\` of their server, and pass them with \`--key KEYS.json\`.${lying}`,
  );
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CliError(
      "keys-unreadable",
      `The keys in \`${file}\` cannot be read. Pass another file with \`--key\`.`,
      {
        cause: error,
      },
    );
  }
}

function parseKeys(text: string, file: string): readonly PublicKey[] {
  const parsed = parsePublicKeys(text);
  if (parsed.kind === "keys") return parsed.keys;
  throw new CliError(
    "keys-invalid",
    `\`${file}\` ${parsed.reason}. It must contain an Ed25519 JSON Web Key or a set of them.`,
  );
}
