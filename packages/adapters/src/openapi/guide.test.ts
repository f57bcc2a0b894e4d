import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter } from "@paraph/core";
import { expect, it } from "vitest";
import { openTestAdapter } from "../egress/testing/open-adapter.ts";
import { openapiConfig, operationTerms } from "./config.ts";
import { openapi } from "./index.ts";

const guide = readFileSync(new URL("../../../../docs/adapters/openapi.md", import.meta.url), "utf8");
const block = (kind: string) => new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, "ms").exec(guide)![1]!;

it("docs/adapters/openapi.md: the document and configuration create the capabilities that the table lists", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-openapi-"));
  await writeFile(join(folder, "shop.yaml"), block("yaml"));
  const written = block("ts")
    .replace(/^import .*$/gm, "")
    .replace("export default", "return");
  const run = new Function("defineConfig", "openapi", written);
  const { adapters } = run((config: object) => config, openapi) as { adapters: { shop: Adapter } };
  await using api = await openTestAdapter(adapters.shop, folder);
  const rows = api.names.map((name) => {
    const { effect, risk, idempotency, previews } = api.capability(name).contract;
    const undo = effect === "read" ? "—" : "none";
    return `| \`shop.${name}\` | ${effect} | ${risk} | ${idempotency} | ${previews ? "diff" : "none"} | ${undo} |`;
  });
  expect(rows.filter((row) => !guide.includes(row))).toEqual([]);
  expect(rows).toHaveLength(guide.match(/^\| `shop\./gm)!.length);
  expect(api.capability("replace_order").contract.sensitive).toEqual(["body.pin"]);
  await rm(folder, { recursive: true });
});

it("docs/adapters/openapi.md names every option, every term and every shipped document", () => {
  const shipped = readdirSync(new URL("./shipped", import.meta.url)).map((file) => file.replace(".yaml", ""));
  const names = [...Object.keys(openapiConfig.shape), ...Object.keys(operationTerms.shape), ...shipped];
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

it.each([
  ["brave-search", ["web_search read natural"]],
  [
    "hubspot-crm",
    [
      "list_contacts read natural",
      "create_contact write none",
      "search_contacts read natural",
      "get_contact read natural",
      "update_contact write probe",
      "archive_contact destroy probe",
      "list_deals read natural",
      "create_deal write none",
      "search_deals read natural",
      "get_deal read natural",
      "update_deal write probe",
      "archive_deal destroy probe",
    ],
  ],
] as const)("the shipped document %s provides the expected capabilities", async (shipped, expected) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
  await using api = await openTestAdapter(openapi({ shipped, credential: "${KEY}" }));
  const terms = api.names.map((name) => {
    const { effect, idempotency } = api.capability(name).contract;
    return `${name} ${effect} ${idempotency}`;
  });
  expect(terms).toEqual(expected);
});
