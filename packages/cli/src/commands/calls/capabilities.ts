import { type Contract, matchesNamePattern } from "@paraph/core";
import { escapeInvisible, escapeInvisibleJson } from "@paraph/core/escape-invisible";
import { createApiClient, unknownCapabilityAdvice } from "../../lib/api/client.ts";
import { resolveConnection } from "../../lib/api/connection.ts";
import { fetchAllPages } from "../../lib/api/fetch-all-pages.ts";
import { explainAdapter, explainUnknownCapability } from "../../lib/calls/explain-unknown-capability.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatFields } from "../../lib/render/fields.ts";
import { formatDuration } from "../../lib/terminal/format-time.ts";
import type { Paint, Style } from "../../lib/terminal/output.ts";
import { formatTable } from "../../lib/terminal/table.ts";

type CapabilityRow = Pick<Contract, "name" | "version" | "summary" | "effect" | "risk" | "previews"> & {
  readonly unavailable?: string;
};

/** Lists the capabilities whose names match a pattern, or all of them, or shows the contract of one. */
export async function showCapabilities(context: Context, name = "*"): Promise<ExitCode> {
  const { output } = context;
  const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
  if (!name.includes("*")) {
    const contract = await client
      .request<Contract>(`/v1/capabilities/${encodeURIComponent(name)}`)
      .catch(async (error) => {
        throw await explainUnknownCapability(error, name, context, "reader");
      });
    if (context.json) output.json(contract);
    else output.data(formatContract(contract, output.paint));
    return exitCode.ok;
  }
  const page = await fetchAllPages<"capabilities", CapabilityRow>(
    context,
    "/v1/capabilities",
    "capabilities",
  );
  const capabilities = page.capabilities.filter((capability) => matchesNamePattern(name, capability.name));
  if (context.json) output.json({ capabilities });
  else if (capabilities.length === 0 && page.capabilities.length > 0)
    output.info(
      (await explainAdapter(name, context, "reader")) ??
        `No capability matches \`${escapeInvisible(name)}\`. ${unknownCapabilityAdvice}`,
    );
  else if (capabilities.length === 0)
    output.info("There are no capabilities yet. Add adapters in `paraph.config.ts`.");
  else {
    output.data(
      formatTable(
        [
          { title: "CAPABILITY", text: (c) => c.name },
          { title: "EFFECT", text: (c) => c.effect, style: (c) => pickEffectStyle(c.effect) },
          { title: "RISK", text: (c) => c.risk },
          { title: "PREVIEW", text: (c) => (c.previews ? "yes" : "no") },
          {
            title: "SUMMARY",
            text: (c) => (c.unavailable ? `UNAVAILABLE: ${c.unavailable}` : c.summary),
            flexible: true,
          },
        ],
        sortBuiltinLast(capabilities),
        output.paint,
      ),
    );
  }
  return exitCode.ok;
}

/** Puts the capabilities of Paraph itself last, because readers look for their own. */
export function sortBuiltinLast<Row extends Pick<CapabilityRow, "name">>(
  capabilities: readonly Row[],
): Row[] {
  const isBuiltin = ({ name }: Row) => /^(admin|check|human|plan)\./.test(name);
  return [...capabilities].sort((a, b) => Number(isBuiltin(a)) - Number(isBuiltin(b)));
}

function formatContract(contract: Contract, paint: Paint): string {
  return [
    `${paint("bold", escapeInvisible(contract.name))}  ${escapeInvisible(contract.summary)}`,
    "",
    formatFields(
      [
        ["version", String(contract.version)],
        ["effect", paint(pickEffectStyle(contract.effect), contract.effect)],
        ["risk", contract.risk],
        ["preview", contract.previews ? "yes" : "no, approvers see the whole input instead"],
        contract.performer && ["performed by", "the requesting agent"],
        ["idempotency", contract.idempotency],
        ["timeout", formatDuration(contract.timeoutMs)],
        ["retries", String(contract.retry.retries)],
        contract.sensitive.length > 0
          ? ["sensitive", contract.sensitive.map(escapeInvisible).join(", ")]
          : undefined,
        ["input", escapeInvisibleJson(contract.input, 2)],
        ["output", escapeInvisibleJson(contract.output, 2)],
      ],
      paint,
    ),
  ].join("\n");
}

function pickEffectStyle(effect: string): Style {
  return effect === "destroy" ? "red" : effect === "write" ? "yellow" : "green";
}
