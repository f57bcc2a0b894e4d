import type { PasskeyView } from "../../lib/api/administration-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection, resolveServerUrl } from "../../lib/api/connection.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatPasskeys } from "../../lib/render/administration.ts";
import { type AdminCallOptions, runAdminCall } from "./admin-call.ts";

/** Lists passkeys. Administrators and auditors see those of every person. */
export async function showPasskeys(context: Context, { person }: { person?: string }): Promise<ExitCode> {
  const { output } = context;
  const passkeys = await fetchPasskeys(context, person);
  if (context.json) output.json({ passkeys });
  else if (passkeys.length > 0) output.data(formatPasskeys(passkeys, output.paint, Date.now()));
  else {
    const page = new URL("/passkeys", await resolveServerUrl(context)).href;
    output.info(`There are no passkeys. Enrol one at ${output.paintInfo("cyan", page)}`);
  }
  return exitCode.ok;
}

/** Removes a passkey, which is named by the beginning of its credential id. */
export async function removePasskey(
  context: Context,
  id: string,
  { reason, ...options }: AdminCallOptions & { readonly reason?: string },
): Promise<ExitCode> {
  const found = (await fetchPasskeys(context)).filter(({ credential }) => credential.startsWith(id));
  const [passkey] = found;
  if (!passkey || found.length > 1)
    throw usageError(
      `${passkey ? "Several passkeys begin" : "No passkey begins"} with \`${id}\`. \`paraph passkeys --json\` lists their whole ids.`,
    );
  const { credential, person, label } = passkey;
  const input = { credential, ...(reason !== undefined && { reason }) };
  return runAdminCall(context, "passkey_remove", input, options, () => ({
    sentence: `The passkey "${label}" of ${person} is removed.`,
  }));
}

async function fetchPasskeys(context: Context, person?: string): Promise<readonly PasskeyView[]> {
  const client = createApiClient(await resolveConnection(context, "person"), context.signal);
  const query = person === undefined ? "" : `?person=${encodeURIComponent(person)}`;
  return (await client.request<{ passkeys: PasskeyView[] }>(`/v1/passkeys${query}`)).passkeys;
}
