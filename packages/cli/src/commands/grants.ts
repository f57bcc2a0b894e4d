import { type AdministerOptions, administer } from "../administer.ts";
import type { Grant } from "../administration-views.ts";
import { boundsFrom } from "../bounds.ts";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { type Done, grantsText } from "../render/administration.ts";
import { until } from "../times.ts";

export interface GrantOptions extends AdministerOptions {
  readonly for?: string;
  readonly bound?: readonly string[];
  readonly count: number;
  readonly amount?: number;
  readonly expires: string;
  readonly destroy?: boolean;
}

export async function grants(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const found = await client.ask<{ grants: Grant[] }>("/v1/grants");
  if (context.json) output.json(found);
  else if (found.grants.length === 0) output.say("Nothing is approved in advance.");
  else output.data(grantsText(found.grants, output.paint, Date.now()));
  return exitCode.ok;
}

/** Asks another person to say yes in advance. */
export function grant(context: Context, capability: string, options: GrantOptions): Promise<ExitCode> {
  const { count, amount, expires, destroy } = options;
  const input = {
    capability,
    count,
    expires,
    bounds: boundsFrom(options.bound ?? []),
    ...(options.for !== undefined && { principal: options.for }),
    ...(amount !== undefined && { amount }),
    ...(destroy && { destroy }),
  };
  return administer(context, "grant", input, options, granted);
}

export interface Granted {
  readonly grant: string;
  readonly expires: string;
}

export function granted({ grant, expires }: Granted): Done {
  return {
    sentence: `Granted; it ends ${until(Date.parse(expires), Date.now())}.`,
    back: [`paraph grant revoke ${grant}`, "end it before"],
  };
}

export function revokeGrant(
  context: Context,
  grant: string,
  { reason, ...options }: AdministerOptions & { readonly reason?: string },
): Promise<ExitCode> {
  const input = { grant, ...(reason !== undefined && { reason }) };
  return administer(context, "grant_revoke", input, options, () => ({ sentence: `${grant} is revoked.` }));
}
