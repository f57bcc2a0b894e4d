import { beforeAll, describe, expect, it } from "vitest";
import { type ConformanceReport, runConformanceTest } from "./run-conformance-test.ts";
import { expectedFailures } from "./testing/mutations.ts";

/** Lists the verifications that a subject failed. */
function failures({ findings }: ConformanceReport, subject: string): string[] {
  return findings
    .filter((one) => one.subject === subject && one.kind === "fail")
    .map(({ verification }) => verification);
}

describe("each mutation fails exactly the verification that targets it", () => {
  let report: ConformanceReport;

  beforeAll(async () => {
    // The memory of the process that starts the adapter must not count as memory of the adapter.
    const ballast = Buffer.alloc(700 * 1024 * 1024, 1);
    report = await runConformanceTest(new URL("./testing/mutations-suite.ts", import.meta.url).href);
    expect(ballast.at(-1)).toBe(1);
  });

  it.each(Object.entries(expectedFailures))("%s: %s", (capability, verification) => {
    expect(failures(report, capability)).toEqual(verification === undefined ? [] : [verification]);
  });

  it("a complete case runs and passes all 12 verifications", () => {
    const sound = report.findings.filter(({ subject }) => subject === "shelf.sound");
    expect(sound.filter(({ kind }) => kind !== "pass")).toEqual([]);
    expect(sound).toHaveLength(12);
  });

  it("a verification is skipped with a reason if the case lacks its input", () => {
    const found = report.findings.find(
      ({ subject, verification }) => subject === "shelf.sound_natural" && verification === "deadline",
    );
    expect(found).toMatchObject({ kind: "not-asked", message: expect.stringContaining("`slow`") });
  });

  it("a verification is skipped if one that it depends on failed", () => {
    const found = report.findings.find(
      ({ subject, verification }) => subject === "shelf.preview_writes" && verification === "undo",
    );
    expect(found).toMatchObject({ kind: "not-asked", message: "Skipped because `preview` failed." });
  });

  it("the report counts passed, failed and skipped verifications", () => {
    const { passed, failed, notAsked, findings } = report;
    expect(passed + failed + notAsked).toBe(findings.length);
    expect(failed).toBe(Object.values(expectedFailures).filter((fault) => fault !== undefined).length);
  });
});

describe("a fault of the whole adapter", () => {
  const run = (faulty: boolean) => {
    const test = new URL("./testing/adapter-suite.ts", import.meta.url);
    test.searchParams.set("faulty", `${faulty}`);
    return runConformanceTest(test.href);
  };

  it("fails the verification that targets it, and the report names a capability without a case", async () => {
    const report = await run(true);
    expect(failures(report, "whole")).toEqual(["names", "digests", "health", "observe", "close"]);
    expect(report.findings.find(({ verification }) => verification === "covered")).toMatchObject({
      kind: "not-asked",
      message: "Add a case for `whole.other`.",
    });
  });

  it("is not reported for an adapter without faults", async () => {
    const { findings } = await run(false);
    expect(findings.filter(({ subject, kind }) => subject === "whole" && kind !== "pass")).toEqual([]);
  });
});
