import type { MeView } from "../../lib/api/administration-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { toCallExitCode } from "../../lib/calls/place-call.ts";
import type { Context } from "../../lib/context.ts";
import type { ExitCode } from "../../lib/exit-code.ts";
import { type AdminCallOptions, placeAdminCall, printAdminResult } from "./admin-call.ts";

export interface InviteOptions extends AdminCallOptions {
  readonly hours?: number;
}

/** Invites a person. The command generates the link's secret, shows it once, and sends only its hash. */
export async function invitePerson(context: Context, id: string, options: InviteOptions): Promise<ExitCode> {
  const { output } = context;
  const { hours } = options;
  const { url, ...access } = await resolveConnection(context, "person");
  const me = await createApiClient({ url, ...access }, context.signal).request<MeView>("/v1/me");
  const { generateSecret } = await import("@paraph/server");
  const { hash: linkHash, text } = generateSecret(me.tenant);
  const link = new URL(`/login/local?token=${text}`, url).href;
  const input = { id, linkHash, ...(hours !== undefined && { hours }) };
  const call = await placeAdminCall(context, "invite", input, options);
  const isHopeful = call.outcome === undefined || call.outcome.kind === "succeeded";
  if (context.json) output.json({ ...(isHopeful && { link }), call });
  else {
    printAdminResult(context, call, () => ({ sentence: `${id} is invited.` }));
    if (isHopeful) {
      const when = call.outcome === undefined ? " It works after the invitation is approved." : "";
      output.info(
        output.paintInfo("yellow", `Send ${id} this link. It works once and is not shown again.${when}`),
      );
      output.data(link);
    }
  }
  return toCallExitCode(call);
}
