import type { KeyView, MeView } from "../../lib/api/administration-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { fetchAllPages } from "../../lib/api/fetch-all-pages.ts";
import { toCallExitCode } from "../../lib/calls/place-call.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatKeys } from "../../lib/render/administration.ts";
import { parseDuration } from "../../lib/terminal/format-time.ts";
import { type AdminCallOptions, placeAdminCall, printAdminResult, runAdminCall } from "./admin-call.ts";

export interface NewKeyOptions extends AdminCallOptions {
  readonly scope?: readonly string[];
  readonly expires?: string;
  readonly label?: string;
}

export async function showKeys(context: Context, options: { principal?: string }): Promise<ExitCode> {
  const { output } = context;
  const query = options.principal === undefined ? "" : `?principal=${encodeURIComponent(options.principal)}`;
  const found = await fetchAllPages<"keys", KeyView>(context, `/v1/api-keys${query}`, "keys");
  if (context.json) output.json(found);
  else if (found.keys.length === 0) output.info("There are no keys.");
  else output.data(formatKeys(found.keys, output.paint, Date.now()));
  return exitCode.ok;
}

/**
 * Creates an API key. The command generates the secret, shows it once, and sends only its hash. If the call is refused,
 * the key is useless and not shown.
 */
export async function createKey(
  context: Context,
  principal: string,
  options: NewKeyOptions,
): Promise<ExitCode> {
  const { output } = context;
  const { scope, expires, label } = options;
  const ends =
    expires === undefined ? undefined : new Date(Date.now() + parseDuration(expires)).toISOString();
  const me = await createApiClient(
    await resolveConnection(context, "person"),
    context.signal,
  ).request<MeView>("/v1/me");
  const { generateApiKey } = await import("@paraph/server");
  const { id: keyId, hash, key } = generateApiKey(me.tenant);
  const input = {
    principal,
    keyId,
    hash,
    ...(scope && { scopes: [...scope] }),
    ...(ends !== undefined && { expires: ends }),
    ...(label !== undefined && { label }),
  };
  const call = await placeAdminCall(context, "key_create", input, options);
  const isHopeful = call.outcome === undefined || call.outcome.kind === "succeeded";
  if (context.json) output.json({ ...(isHopeful && { key }), call });
  else {
    printAdminResult(context, call, () => ({ sentence: `The key ${keyId} of ${principal} is active.` }));
    if (isHopeful) printKey(context, key, call.outcome !== undefined);
  }
  return toCallExitCode(call);
}

function printKey({ output }: Context, key: string, isInForce: boolean): void {
  const when = isInForce ? "" : " It becomes active after approval.";
  output.info(output.paintInfo("yellow", `Save the key now. It is not shown again.${when}`));
  output.data(key);
}

export function revokeKey(
  context: Context,
  keyId: string,
  { reason, ...options }: AdminCallOptions & { readonly reason?: string },
): Promise<ExitCode> {
  const input = { keyId, ...(reason !== undefined && { reason }) };
  return runAdminCall<{ principal: string }>(context, "key_revoke", input, options, ({ principal }) => ({
    sentence: `The key ${keyId} of ${principal} is revoked.`,
  }));
}
