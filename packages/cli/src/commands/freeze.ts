import { type AdministerOptions, administer } from "../administer.ts";
import type { Freeze, InFlight, Me } from "../administration-views.ts";
import { usageError } from "../cli-error.ts";
import { clientFor } from "../client.ts";
import { connection } from "../connection.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { freezesText } from "../render/administration.ts";
import { table } from "../table.ts";
import { ago } from "../times.ts";

export interface FreezeOptions extends AdministerOptions {
  readonly reason?: string;
}

/** Stops something at once, and lists what had begun before: only that can still act. */
export async function freeze(
  context: Context,
  kind: string,
  named: string | undefined,
  { reason, ...options }: FreezeOptions,
): Promise<ExitCode> {
  const subject = named ?? (kind === "tenant" ? (await me(context)).tenant : undefined);
  if (subject === undefined) throw usageError(`Name the ${kind}: \`paraph freeze ${kind} NAME\`.`);
  const input = { kind, subject, ...(reason !== undefined && { reason }) };
  return administer<Frozen>(context, "freeze", input, options, ({ freeze, inFlight }) => {
    tellInFlight(context, inFlight);
    return {
      sentence: `The ${kind} ${subject} is frozen.`,
      back: [`paraph thaw ${freeze}`, "let it go on"],
    };
  });
}

interface Frozen {
  readonly freeze: string;
  readonly inFlight: readonly InFlight[];
}

function tellInFlight({ output }: Context, inFlight: readonly InFlight[]): void {
  if (inFlight.length === 0) {
    output.say("Nothing of it was acting.");
    return;
  }
  output.say("These had begun before, and may still act:");
  const now = Date.now();
  output.data(
    table<InFlight>(
      [
        { title: "CALL", text: ({ call }) => call },
        { title: "WHAT", text: ({ capability }) => capability, flexible: true },
        { title: "ATTEMPT", text: ({ attempt }) => String(attempt), right: true },
        { title: "BEGUN", text: ({ at }) => ago(Date.parse(at), now) },
      ],
      inFlight,
      output.paint,
    ),
  );
}

/** What is frozen now. */
export async function freezes(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = clientFor(await connection(context, "reader"), context.signal);
  const found = await client.ask<{ freezes: Freeze[] }>("/v1/freezes");
  if (context.json) output.json(found);
  else if (found.freezes.length === 0) output.say("Nothing is frozen.");
  else output.data(freezesText(found.freezes, output.paint, Date.now()));
  return exitCode.ok;
}

async function me(context: Context): Promise<Me> {
  return clientFor(await connection(context, "person"), context.signal).ask<Me>("/v1/me");
}
