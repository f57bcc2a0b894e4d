import { type AdministerOptions, administer, placed, tellAdministered } from "../administer.ts";
import type { Key, Me } from "../administration-views.ts";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { exitCodeFor } from "../place-call.ts";
import { keysText } from "../render/administration.ts";
import { spanMs } from "../times.ts";
import { wholeList } from "../whole-list.ts";

export interface NewKeyOptions extends AdministerOptions {
  readonly scope?: readonly string[];
  readonly expires?: string;
  readonly label?: string;
}

export async function keys(context: Context, options: { principal?: string }): Promise<ExitCode> {
  const { output } = context;
  const query = options.principal === undefined ? "" : `?principal=${encodeURIComponent(options.principal)}`;
  const found = await wholeList<"keys", Key>(context, `/v1/api-keys${query}`, "keys");
  if (context.json) output.json(found);
  else if (found.keys.length === 0) output.say("There are no keys.");
  else output.data(keysText(found.keys, output.paint, Date.now()));
  return exitCode.ok;
}

/** The secret is made here and shown once: what is sent is its hash. Refused, the key is worth nothing and is not shown. */
export async function createKey(
  context: Context,
  principal: string,
  options: NewKeyOptions,
): Promise<ExitCode> {
  const { output } = context;
  const { scope, expires, label } = options;
  const ends = expires === undefined ? undefined : new Date(Date.now() + spanMs(expires)).toISOString();
  const me = await clientFor(await connection(context, "person"), context.signal).ask<Me>("/v1/me");
  const { newKey } = await import("@paraph/server");
  const { id: keyId, hash, key } = newKey(me.tenant);
  const input = {
    principal,
    keyId,
    hash,
    ...(scope && { scopes: [...scope] }),
    ...(ends !== undefined && { expires: ends }),
    ...(label !== undefined && { label }),
  };
  const call = await placed(context, "key_create", input, options);
  const isHopeful = call.outcome === undefined || call.outcome.kind === "succeeded";
  if (context.json) output.json({ ...(isHopeful && { key }), call });
  else {
    tellAdministered(context, call, () => ({ sentence: `The key ${keyId} of ${principal} is in force.` }));
    if (isHopeful) tellKey(context, key, call.outcome !== undefined);
  }
  return exitCodeFor(call);
}

function tellKey({ output }: Context, key: string, isInForce: boolean): void {
  const when = isInForce ? "" : " It is in force once that is approved.";
  output.say(output.paintTalk("yellow", `Keep it now: it is not shown again.${when}`));
  output.data(key);
}

export function revokeKey(
  context: Context,
  keyId: string,
  { reason, ...options }: AdministerOptions & { readonly reason?: string },
): Promise<ExitCode> {
  const input = { keyId, ...(reason !== undefined && { reason }) };
  return administer<{ principal: string }>(context, "key_revoke", input, options, ({ principal }) => ({
    sentence: `The key ${keyId} of ${principal} is revoked.`,
  }));
}
