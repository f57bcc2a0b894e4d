import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTable } from "../../lib/terminal/table.ts";

const stateStyles = { ready: "green", degraded: "yellow", unavailable: "red" } as const;

export async function showAdapters(context: Context): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  const page = await client.request<{ adapters: AdapterView[] }>("/v1/adapters");
  if (context.json) output.json(page);
  else if (page.adapters.length === 0)
    output.info("There are no adapters yet. Add them in `paraph.config.ts`.");
  else {
    output.data(
      formatTable(
        [
          { title: "ADAPTER", text: ({ name }) => name },
          { title: "KIND", text: ({ kind }) => kind },
          { title: "STATE", text: ({ state }) => state, style: ({ state }) => stateStyles[state] },
          { title: "CAPABILITIES", text: ({ capabilities }) => String(capabilities) },
          { title: "", text: ({ message = "" }) => escapeInvisible(message), flexible: true },
        ],
        page.adapters,
        output.paint,
      ),
    );
  }
  return page.adapters.some(({ state }) => state === "unavailable") ? exitCode.failed : exitCode.ok;
}
