import { type AdministerOptions, placed, tellAdministered } from "../administer.ts";
import type { Me } from "../administration-views.ts";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-code.ts";
import { exitCodeFor } from "../place-call.ts";

export interface InviteOptions extends AdministerOptions {
  readonly hours?: number;
}

/** The link's secret is made here and shown once: what is sent is its hash. */
export async function invite(context: Context, id: string, options: InviteOptions): Promise<ExitCode> {
  const { output } = context;
  const { hours } = options;
  const { url, ...access } = await connection(context, "person");
  const me = await clientFor({ url, ...access }, context.signal).ask<Me>("/v1/me");
  const { newSecret } = await import("@paraph/server");
  const { hash: linkHash, text } = newSecret(me.tenant);
  const link = new URL(`/login/local?token=${text}`, url).href;
  const input = { id, linkHash, ...(hours !== undefined && { hours }) };
  const call = await placed(context, "invite", input, options);
  const isHopeful = call.outcome === undefined || call.outcome.kind === "succeeded";
  if (context.json) output.json({ ...(isHopeful && { link }), call });
  else {
    tellAdministered(context, call, () => ({ sentence: `${id} is invited.` }));
    if (isHopeful) {
      const when = call.outcome === undefined ? " It works once that is approved." : "";
      output.say(
        output.paintTalk("yellow", `Send ${id} this link. It works once and is not shown again.${when}`),
      );
      output.data(link);
    }
  }
  return exitCodeFor(call);
}
