import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { benchmarkNames, engineBenchmarks } from "../bench/benchmark-names.ts";
import { publishedExperiments } from "../lab/published-experiments.ts";
import { summarizeHistories } from "../lab/report/coverage.ts";
import { renderProofPage } from "../scripts/proof-page.ts";
import { replaceScaleTable } from "../scripts/scale-table.ts";
import { createHonestHistory } from "./support/honest-history.ts";

const docs = fileURLToPath(new URL("../docs/", import.meta.url));

const machine = {
  cpu: "test",
  cores: 2,
  memoryGiB: 1,
  node: "v24",
  restate: "1",
  loadBefore: 0,
  fdatasync: { p50: 1 },
  commit: "abc123",
};
const result = { at: "2026-11-16T00:00:00.000Z", machine };
const labResult = { ...result, seed: 1, command: "npm run lab -- storm", figures: {}, violations: [] };

function pageOf(files: Readonly<Record<string, object>>): string {
  const folder = mkdtempSync(join(tmpdir(), "paraph-proof-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, file] of Object.entries(files))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(file));
  return renderProofPage(folder);
}

describe("docs/proof.md", () => {
  it("matches the result files (run `npm run proof` after a change)", () => {
    expect(readFileSync(join(docs, "proof.md"), "utf8")).toBe(renderProofPage(join(docs, "proof")));
  });

  it("states costs on the page about scale that match the result file", () => {
    const page = readFileSync(join(docs, "operate/scale.md"), "utf8");
    expect(page).toBe(replaceScaleTable(page, join(docs, "proof")));
  });

  it("prints the coverage that a run recorded, with the run's commit", () => {
    const page = pageOf({ storm: { ...labResult, commit: "def456", covers: ["20 workers killed."] } });
    expect(page).toContain(
      "## storm on PostgreSQL\n\n<details>\n<summary>This run covered</summary>\n\n- 20 workers killed.\n",
    );
    expect(page).toContain("commit def456");
    expect(page).not.toContain("coverage not recorded");
  });

  it("prints no coverage for a result that recorded none", () => {
    const page = pageOf({ storm: labResult, "bench-plan": { ...result, quick: false, targets: [] } });
    expect(page).toContain(
      "## storm on PostgreSQL\n\n*Measured on an older commit (abc123); coverage not recorded.*",
    );
    expect(page).toContain(
      "## bench: plan on PostgreSQL\n\n*Measured on an older commit (abc123); coverage not recorded.*",
    );
    expect(page).not.toContain("This run covered");
  });

  it("lists every experiment and benchmark without a result", () => {
    const page = pageOf({ storm: labResult });
    const [, missing = ""] = page.split("## No result yet");
    for (const name of publishedExperiments) expect(missing).toContain(`\`npm run lab -- ${name} --`);
    expect(missing).toContain("`npm run lab -- storm --engine restate --out");
    expect(missing).not.toContain("`npm run lab -- storm --engine postgres --out");
    for (const name of benchmarkNames) expect(missing).toContain(`\`npm run bench -- ${name} --`);
    for (const name of engineBenchmarks)
      expect(missing).toContain(`\`npm run bench -- ${name} --engine restate --out`);
  });
});

describe("the coverage of a run", () => {
  it("is counted from its history and omits events that did not happen", async () => {
    const history = await createHonestHistory();
    const text = summarizeHistories([history]).join("\n");
    const counted = (capability: string) =>
      history.ledger.filter((call) => call.capability === capability).length;
    for (const { capability } of history.ledger)
      expect(text).toContain(`${capability} ${counted(capability)}`);
    expect(text).toMatch(/^Other requests that were accepted: .*edit \d/m);
    expect(text).toContain(`Webhooks received: ${history.hooks?.length}.`);
    const { meta } = history;
    const [only, ...more] = summarizeHistories([{ meta, client: [], oracle: [], ledger: [], leftovers: [] }]);
    expect(only).toMatch(/^Judged by \d+ rules: /);
    expect(more).toEqual([]);
  });
});
