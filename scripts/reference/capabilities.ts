import type { Contract } from "@paraph/core";
import { adapterSections, builtinSections, type CapabilitySection } from "../shipped-capabilities.ts";
import { formatCodeBlock, formatPage, formatTable, toCode, toSentence, wrapParagraph } from "./markdown.ts";

export async function renderCapabilitiesPage(): Promise<string> {
  const builtins = await Promise.all(builtinSections.map((section) => formatSection(section)));
  const adapters = await Promise.all(adapterSections.map((section) => formatSection(section)));
  return formatPage(
    "Capabilities",
    wrapParagraph(
      "The capabilities that are part of Paraph, and those of the adapters that it ships. Your own server lists the ones that it has:",
    ),
    formatCodeBlock(
      "sh",
      "paraph capabilities               # all that you can request\nparaph capabilities files.write   # one contract with its schemas",
    ),
    formatTable(
      ["Column", "Meaning"],
      [
        ["Effect", "What the capability does to the external system: `read`, `write` or `destroy`."],
        ["Risk", "How much harm it can do: `low`, `medium`, `high` or `critical`."],
        [
          "Idempotency",
          "What Paraph does after an attempt whose end is not recorded. `natural`: run it again. `keyed`: run it again with the same key. `probe`: ask the external system. `none`: the outcome is unknown.",
        ],
      ],
    ),
    "## Built-in capabilities",
    ...builtins.flat(),
    "## Capabilities of adapters",
    wrapParagraph(
      "The first part of a name is the name of the adapter in your configuration. The tables show a typical name. `mcp.stdio()`, `mcp.http()` and `remote()` have the capabilities that their server offers.",
    ),
    ...adapters.flat(),
  );
}

async function formatSection({ title, about, list }: CapabilitySection): Promise<string[]> {
  const contracts = (await list()).map(({ contract }) => contract);
  return [
    `### ${title}`,
    wrapParagraph(about),
    formatTable(["Capability", "Effect", "Risk", "Idempotency", "Summary"], contracts.map(toRow)),
  ];
}

function toRow({ name, effect, risk, idempotency, summary }: Contract): string[] {
  return [toCode(name), effect, risk, idempotency, toSentence(summary)];
}
