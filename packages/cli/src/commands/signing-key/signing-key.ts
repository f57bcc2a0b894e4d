import { dirname, join } from "node:path";
import {
  prepareNextKey,
  readKeyFolder,
  retireSigningKey,
  revokeSigningKey,
  rotateSigningKey,
  type StoredKey,
} from "@paraph/server/signing-keys";
import { CliError, notInteractiveError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import type { Style } from "../../lib/terminal/output.ts";
import { parseSince } from "../../lib/terminal/parse-since.ts";
import { formatTable } from "../../lib/terminal/table.ts";
import { requireSigningKeyFile } from "../start/signing-key.ts";

interface KeyOptions {
  readonly signingKey?: string;
}

interface ConfirmedOptions extends KeyOptions {
  readonly yes?: boolean;
}

/** Lists the keys beside the current one. Private keys are never printed. */
export async function listSigningKeys(context: Context, options: KeyOptions): Promise<ExitCode> {
  const { output } = context;
  const file = requireSigningKeyFile(context.environment, options.signingKey);
  const keys = readKeyFolder(file);
  if (keys.length === 0)
    throw new CliError(
      "no-signing-key",
      `There is no signing key in \`${dirname(file)}\`. Name its file with \`--signing-key\`.`,
    );
  const rows = keys.map((key) => ({
    kid: key.publicKey.kid,
    state: describeState(key),
    ...(key.publicKey.revokedAt !== undefined && { revokedAt: key.publicKey.revokedAt }),
    file: key.file,
  }));
  if (context.json) output.json({ keys: rows });
  else
    output.data(
      formatTable(
        [
          { title: "key", text: ({ kid }) => kid },
          { title: "state", text: formatState, style: ({ state }) => stateStyles[state] },
          { title: "file", text: (row) => row.file, flexible: true },
        ],
        rows,
        output.paint,
      ),
    );
  return exitCode.ok;
}

/** Creates the next key, and prints the order in which the hosts get it. */
export async function prepareKey(context: Context, options: KeyOptions): Promise<ExitCode> {
  const file = requireSigningKeyFile(context.environment, options.signingKey);
  const { publicKey, file: next } = prepareNextKey(file);
  if (context.json) context.output.json({ kid: publicKey.kid, state: "next", file: next });
  else
    context.output.info(`The next signing key is ${publicKey.kid}. It signs nothing yet.

On a deployment with several processes, keep this order:
  1. Copy ${dirname(next)} to every host, beside its signing key.
  2. Restart every process. It then accepts seals of the next key.
  3. Publish the new list of GET /v1/keys to the readers of your receipts.
  4. Run \`paraph signing-key rotate\` on each host, and restart its processes. The order of the hosts does not matter.
Do not begin with step 4 while a process runs that started before step 1. It would refuse calls with \`seal-invalid\`.`);
  return exitCode.ok;
}

/** Makes the next key current. */
export async function rotateKey(
  context: Context,
  options: KeyOptions & { readonly singleHost?: boolean },
): Promise<ExitCode> {
  const file = requireSigningKeyFile(context.environment, options.signingKey);
  if (options.singleHost) prepareNextKey(file);
  const { current, previous } = rotateSigningKey(file);
  if (context.json) context.output.json({ current: current.publicKey.kid, previous: previous.publicKey.kid });
  else
    context.output.info(`The current signing key is ${current.publicKey.kid}.
The earlier key is in ${previous.file}. Seals and receipts of it stay valid.

Next:
  - Restart the processes of this host.
  - ${
    options.singleHost
      ? `Back up ${file} and ${join(dirname(file), "previous")}.`
      : "Repeat the command on every other host that has the same next key."
  }
  - When no open call and no grant is older than the rotation, run \`paraph signing-key retire ${toArgument(previous.publicKey.kid)}\`.`);
  return exitCode.ok;
}

/** Deletes the private part of an earlier key. */
export async function retireKey(context: Context, kid: string, options: ConfirmedOptions): Promise<ExitCode> {
  const file = requireSigningKeyFile(context.environment, options.signingKey);
  await confirm(
    context,
    options,
    `Delete the private part of ${kid}? Open calls and grants from its time will end with \`seal-invalid\`.`,
  );
  retireSigningKey(file, kid);
  if (context.json) context.output.json({ kid, state: "retired" });
  else
    context.output.info(
      `The key ${kid} is retired. Its receipts stay valid, and its seals no longer count.\nRepeat the command on every other host, and restart the processes.`,
    );
  return exitCode.ok;
}

/** Records that a key leaked, and deletes its private part. */
export async function revokeKey(
  context: Context,
  kid: string,
  options: ConfirmedOptions & { readonly since: string },
): Promise<ExitCode> {
  const file = requireSigningKeyFile(context.environment, options.signingKey);
  const at = Date.parse(parseSince(options.since, Date.now()));
  await confirm(
    context,
    options,
    `Revoke ${kid} from ${formatTimestamp(at)} on? Open calls and grants with its seals will end with \`seal-invalid\`.`,
  );
  const revokedAt = revokeSigningKey(file, kid, at);
  if (context.json) context.output.json({ kid, state: "revoked", revokedAt });
  else
    context.output.info(`The key ${kid} is revoked from ${formatTimestamp(revokedAt)} on. Its seals no longer count.

Next:
  - Repeat the command on every other host, and restart the processes. GET /v1/keys then shows the revocation.
  - Tell the readers of your receipts to get GET /v1/keys again. A copy from before does not have the revocation.
  - Compare receipts of this key from before that time with your database. A thief can write an earlier time into a receipt.`);
  return exitCode.ok;
}

async function confirm({ question }: Context, { yes }: ConfirmedOptions, text: string): Promise<void> {
  if (yes) return;
  if (!question) throw notInteractiveError();
  if (!(await askYesNo(question, text))) throw new CliError("not-confirmed", "Nothing was changed.");
}

/** Returns a key id as an argument. An id can begin with a dash, like an option. */
function toArgument(kid: string): string {
  return kid.startsWith("-") ? `-- ${kid}` : kid;
}

type KeyState = StoredKey["place"] | "retired" | "revoked";

const stateStyles: Readonly<Record<KeyState, Style>> = {
  current: "green",
  next: "cyan",
  previous: [],
  retired: "dim",
  revoked: "red",
};

function describeState({ place, publicKey, privateKey }: StoredKey): KeyState {
  if (publicKey.revokedAt !== undefined) return "revoked";
  return privateKey ? place : "retired";
}

function formatState({ state, revokedAt }: { state: KeyState; revokedAt?: number }): string {
  return revokedAt === undefined ? state : `${state} from ${formatTimestamp(revokedAt)}`;
}
