import type { FreezeView, InFlightView, MeView } from "../../lib/api/administration-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatFreezes } from "../../lib/render/administration.ts";
import { formatTimeAgo } from "../../lib/terminal/format-time.ts";
import { formatTable } from "../../lib/terminal/table.ts";
import { type AdminCallOptions, runAdminCall } from "./admin-call.ts";

export interface FreezeOptions extends AdminCallOptions {
  readonly reason?: string;
}

/** Freezes a subject immediately, and lists the calls that had already begun. Only those calls can still act. */
export async function freezeSubject(
  context: Context,
  kind: string,
  named: string | undefined,
  { reason, ...options }: FreezeOptions,
): Promise<ExitCode> {
  const subject = named ?? (kind === "tenant" ? (await fetchMe(context)).tenant : undefined);
  if (subject === undefined) throw usageError(`Name the ${kind}: \`paraph freeze ${kind} NAME\`.`);
  const input = { kind, subject, ...(reason !== undefined && { reason }) };
  return runAdminCall<FreezeOutput>(context, "freeze", input, options, ({ freeze, inFlight }) => {
    printInFlight(context, inFlight);
    return {
      sentence: `The ${kind} ${subject} is frozen.`,
      undoCommand: [`paraph thaw ${freeze}`, "lift the freeze"],
    };
  });
}

interface FreezeOutput {
  readonly freeze: string;
  readonly inFlight: readonly InFlightView[];
}

function printInFlight({ output }: Context, inFlight: readonly InFlightView[]): void {
  if (inFlight.length === 0) {
    output.info("No attempt was running.");
    return;
  }
  output.info("These attempts had already started and may still take effect:");
  const now = Date.now();
  output.data(
    formatTable<InFlightView>(
      [
        { title: "CALL", text: ({ call }) => call },
        { title: "CAPABILITY", text: ({ capability }) => capability, flexible: true },
        { title: "ATTEMPT", text: ({ attempt }) => String(attempt), right: true },
        { title: "STARTED", text: ({ at }) => formatTimeAgo(Date.parse(at), now) },
      ],
      inFlight,
      output.paint,
    ),
  );
}

export async function showFreezes(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const found = await client.request<{ freezes: FreezeView[] }>("/v1/freezes");
  if (context.json) output.json(found);
  else if (found.freezes.length === 0) output.info("Nothing is frozen.");
  else output.data(formatFreezes(found.freezes, output.paint, Date.now()));
  return exitCode.ok;
}

async function fetchMe(context: Context): Promise<MeView> {
  return createApiClient(await resolveConnection(context, "person"), context.signal).request<MeView>(
    "/v1/me",
  );
}
