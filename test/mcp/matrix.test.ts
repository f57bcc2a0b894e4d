// Tests clients of every era, over HTTP and over `paraph mcp`, with all features of MCP servers and a complete Paraph
// server between them.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClientColumn, eras } from "./client-column.ts";
import { credentialFeatures } from "./credentials.ts";
import type { Feature } from "./feature.ts";
import { McpFixture } from "./fixture.ts";
import { handleFeatures } from "./handles.ts";
import { misbehaviourFeatures } from "./misbehaviour.ts";
import { offerFeatures } from "./offers.ts";
import { waitingFeatures } from "./waiting.ts";

const features: readonly Feature[] = [
  ...offerFeatures,
  ...waitingFeatures,
  ...misbehaviourFeatures,
  ...credentialFeatures,
  ...handleFeatures,
];

let fixture: McpFixture;
const columns = eras.flatMap((era) =>
  (["HTTP", "stdio"] as const).map((over) => new ClientColumn(era, over, () => fixture.whole)),
);
beforeAll(async () => {
  fixture = await McpFixture.start(columns.map(({ misbehavingServer }) => misbehavingServer));
});
afterAll(async () => {
  await Promise.all(columns.map((column) => column.close()));
  await fixture?.stop();
});

// Columns run concurrently, as clients do. The cells of one column run one after another.
describe.each(columns)("a client of $name", { concurrent: true }, (column) => {
  for (const { name, eras: has = eras, run } of features)
    if (has.includes(column.era)) it(name, { concurrent: false }, () => run(column, fixture));
});

const file = fileURLToPath(new URL("../../docs/connect/mcp.md", import.meta.url));

it("docs/connect/mcp.md states which features each era has (run this test with UPDATE=1 after a change)", () => {
  const text = readFileSync(file, "utf8");
  const updated = text.replace(/(?<=<!-- matrix -->\n)[\s\S]*?(?=<!-- \/matrix -->)/, `\n${table()}\n`);
  if (process.env.UPDATE) writeFileSync(file, updated);
  expect(readFileSync(file, "utf8"), "out of date: run this test with UPDATE=1").toBe(updated);
  expect(updated).toContain(table());
});

function table(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = features.map(({ name, eras: has = eras }) =>
    row([
      name.replaceAll(/\[TRUST \d+\] ?/g, ""),
      ...eras.map((era) => (has.includes(era) ? "yes" : "not offered")),
    ]),
  );
  return [row(["A client of", ...eras]), row(["---", ...eras.map(() => "---")]), ...rows].join("\n");
}
