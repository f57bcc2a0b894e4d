import { text as readAll } from "node:stream/consumers";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { createApiClient } from "../../lib/api/client.ts";
import { isSameOrigin, requireUrl } from "../../lib/api/connection.ts";
import { findLoginFile, readLogin, writeLogin } from "../../lib/api/stored-login.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { isLoopbackUrl } from "../../lib/own-address.ts";
import { formatCommands } from "../../lib/render/commands.ts";

interface Identity {
  readonly id: string;
  readonly kind: string;
  readonly tenant: string;
}

/** Stores the address of a server and an API key, after the server has accepted the key. */
export async function login(context: Context): Promise<ExitCode> {
  const { output, environment } = context;
  const url = requireUrl(context.url ?? environment.PARAPH_URL ?? (await askAddress(context)));
  const key = await readKey(context);
  const { id, kind, tenant } = await identify(context, url, key);
  const role = kind === "person" ? "person" : "agent";
  const before = await readLogin(environment).catch(() => undefined);
  const kept = before && isSameOrigin(before.url, url) ? before : {};
  await writeLogin(environment, { ...kept, url, [role]: key });
  const file = findLoginFile(environment);
  if (context.json) {
    output.json({ url, id, kind, tenant, file });
    return exitCode.ok;
  }
  const paint = output.paintInfo;
  const name = `${escapeInvisible(id)} (${escapeInvisible(kind)}, tenant ${escapeInvisible(tenant)})`;
  output.info(`${paint(["bold", "green"], "✔ signed in")} to ${url} as ${name}`);
  output.info(paint("dim", `The key is in ${file}. Every program that runs as your user can read it.`));
  if (new URL(url).protocol === "http:" && !isLoopbackUrl(url))
    output.info(
      `${paint("yellow", "!")} The connection is not encrypted, so others in the network can read the key. Use an address with https://.`,
    );
  output.info("");
  output.info(
    formatCommands(
      role === "person"
        ? [
            ["paraph approvals", "list open approvals"],
            ["paraph logout", "delete the stored key"],
          ]
        : [
            ["paraph capabilities", "list capabilities"],
            ["paraph logout", "delete the stored key"],
          ],
      paint,
    ),
  );
  return exitCode.ok;
}

async function askAddress({ question, environment }: Context): Promise<string> {
  const stored = (await readLogin(environment).catch(() => undefined))?.url;
  if (question === undefined) {
    if (stored !== undefined) return stored;
    throw usageError("Name the server: `--url https://paraph.example.com`.");
  }
  const answer = (await question(`Address of the server${stored ? ` [${stored}]` : ""}: `)).trim();
  if (answer !== "") return answer;
  if (stored !== undefined) return stored;
  throw usageError("No address was given. Pass it with `--url`.");
}

/** Reads the key at the terminal or from standard input. An argument would appear in the list of processes. */
async function readKey({ secretQuestion }: Context): Promise<string> {
  const given = secretQuestion ? await secretQuestion("API key (not shown): ") : await readAll(process.stdin);
  const key = given.trim();
  if (/^[\x21-\x7e]{1,8192}$/.test(key)) return key;
  throw usageError(
    key === ""
      ? "No API key was given. Type it when the command asks, or pass it on standard input: `paraph login --url URL < key.txt`."
      : "The text is not an API key, because it contains spaces, line breaks or special characters. Pass only the key.",
  );
}

async function identify({ signal }: Context, url: string, key: string): Promise<Identity> {
  try {
    return await createApiClient({ url, key }, signal).request<Identity>("/v1/me");
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "not-authenticated") throw error;
    throw new CliError(
      "not-authenticated",
      `${url} does not accept this API key, so nothing was stored. Check that the key is complete, belongs to this server, and is neither expired nor revoked.`,
      { exitCode: exitCode.notAuthenticated, cause: error },
    );
  }
}
