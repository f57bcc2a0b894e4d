import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConformanceReport } from "@paraph/adapters/conformance";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Context } from "../../lib/context.ts";
import { formatTestFinding, formatTestSummary } from "../../lib/render/conformance-report.ts";
import { captureOutput, createPlainPaint } from "../../testing/captured-output.ts";
import { runCli } from "../../testing/run-cli.ts";
import { testAdapter } from "./adapter-test.ts";

/** The timeout of a test. Each run starts a command line and several processes that load all of Paraph. */
const slowly = 180_000;
const guide = readFileSync(
  new URL("../../../../../docs/guides/write-an-adapter.md", import.meta.url),
  "utf8",
);
const blocks = new Map(
  [...guide.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, name, code]) => [name!, code!]),
);
const [whole, broken] = [...guide.matchAll(/```text\n([\s\S]*?)```/g)].map(([, text]) => text!);

describe("docs/guides/write-an-adapter.md", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "paraph-own-adapter-"));
    for (const [name, code] of blocks) await writeFile(join(folder, name), code);
    // The test links zod as `npm install zod` would. The import "paraph" resolves to the running Paraph.
    await mkdir(join(folder, "node_modules"));
    const zod = fileURLToPath(new URL("../../../../../node_modules/zod", import.meta.url));
    await symlink(zod, join(folder, "node_modules/zod"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("the adapter has 30 lines", () => {
    expect(blocks.get("todo.ts")!.trimEnd().split("\n")).toHaveLength(30);
  });

  it(
    "the adapter passes its conformance test, and the output matches the page",
    async () => {
      const { code, stdout } = await runCli(["adapter", "test", "todo.conformance.ts", "--crashes", "1"], {
        folder,
      });
      expect(withoutFigures(stdout)).toContain(withoutFigures(whole!));
      expect(stdout).toMatch(/\n✔ 18 passed, 3 skipped\n$/);
      expect(code).toBe(0);
    },
    slowly,
  );

  it(
    "an adapter with the page's bug fails the idempotency test with the output on the page",
    async () => {
      const [adapter, test] = [
        blocks.get("todo.ts")!,
        blocks.get("todo.conformance.ts")!.replace(/^ *large:.*\n/m, ""),
      ];
      await writeFile(join(folder, "broken.ts"), adapter.replace("[key]: text", "[Math.random()]: text"));
      await writeFile(join(folder, "broken.conformance.ts"), test.replace("./todo.ts", "./broken.ts"));
      const args = ["adapter", "test", "broken.conformance.ts", "--crashes", "0", "--json"];
      const { code, stdout } = await runCli(args, { folder });
      const { findings } = JSON.parse(stdout) as ConformanceReport;
      const found = findings.find(({ verification }) => verification === "idempotency")!;
      expect(formatTestFinding(found, "todo.add", createPlainPaint())).toBe(broken!.trimEnd());
      expect(code).toBe(1);
    },
    slowly,
  );

  it("reports a missing conformance test", async () => {
    const context = { output: captureOutput().output, folder } as Context;
    await expect(testAdapter(context, "nowhere.ts", {})).rejects.toThrow("There is no file `nowhere.ts`");
  });
});

/** Removes times, memory and crash counts, which differ between runs. */
function withoutFigures(text: string): string {
  return text.replaceAll("once", "N times").replaceAll(/\d+(\.\d+)?/g, "N");
}

describe("a finding", () => {
  const about = { subject: "todo.add", verification: "undo", rule: "P13", claim: "undone", ms: 1 } as const;

  it("that passed is printed on one line if it fits, with a heading when the subject changes", () => {
    const finding = { ...about, kind: "pass", message: "it came back" } as const;
    expect(formatTestFinding(finding, undefined, createPlainPaint(40))).toBe(
      "todo.add\n  ✔ undone [P13] · it came back",
    );
    expect(formatTestFinding(finding, "todo.add", createPlainPaint(20))).toBe(
      "  ✔ undone [P13]\n    it came back",
    );
    expect(formatTestFinding(finding, "todo", createPlainPaint(40))).toBe(
      "\ntodo.add\n  ✔ undone [P13] · it came back",
    );
  });

  it("that failed has its reason on the next line, without terminal control characters", () => {
    const finding = { ...about, kind: "fail", message: "It is\u001b[2J not as it was." } as const;
    const text = formatTestFinding(finding, "todo.add", createPlainPaint(80));
    expect(text).toMatch(/^ {2}✘ undone \[P13\]\n {4}It is.* not as it was\.$/);
    expect(text).not.toContain("\u001b");
  });

  it("is counted in the summary", () => {
    const report = { adapter: "todo", findings: [], passed: 3, failed: 0, notAsked: 0 };
    expect(formatTestSummary(report, createPlainPaint())).toBe("\n✔ 3 passed");
    expect(formatTestSummary({ ...report, failed: 1, notAsked: 2 }, createPlainPaint())).toBe(
      "\n✘ 1 failed, 3 passed, 2 skipped",
    );
  });
});
