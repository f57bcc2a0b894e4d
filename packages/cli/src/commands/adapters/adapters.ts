import { escapeInvisible, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { describeAdapterState } from "../../lib/render/adapter-state.ts";
import type { Paint } from "../../lib/terminal/output.ts";
import { formatTable } from "../../lib/terminal/table.ts";
import { wrapToWidth } from "../../lib/terminal/width.ts";

const stateStyles = { ready: "green", starting: "yellow", degraded: "yellow", unavailable: "red" } as const;

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
          {
            title: "STATE",
            text: describeAdapterState,
            style: (adapter) => stateStyles[describeAdapterState(adapter)],
          },
          { title: "CAPABILITIES", text: ({ capabilities }) => String(capabilities), right: true },
        ],
        page.adapters,
        output.paint,
      ),
    );
    for (const adapter of page.adapters.filter(({ message }) => message !== undefined))
      output.data(`\n${formatMessage(adapter, output.paint)}`);
  }
  return page.adapters.some(({ state }) => state === "unavailable") ? exitCode.failed : exitCode.ok;
}

/** Formats the whole message of an adapter, which may list several faults. A table would cut it. */
function formatMessage({ name, code, message = "" }: AdapterView, paint: Paint): string {
  const head = code === undefined ? name : `${name} (${code})`;
  const lines = escapeInvisibleLines(message.trimEnd()).flatMap((line) =>
    wrapToWidth(line, paint.width && paint.width - 2),
  );
  return [paint("bold", escapeInvisible(head)), ...lines.map((line) => `  ${line}`)].join("\n");
}
