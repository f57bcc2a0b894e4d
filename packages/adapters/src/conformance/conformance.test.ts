import { beforeAll, describe, expect, it } from "vitest";
import { type ConformanceReport, runConformanceTest } from "./run-conformance-test.ts";
import { expectedFailures } from "./testing/mutations.ts";

/** Lists the verifications that a subject failed. */
function failures({ findings }: ConformanceReport, subject: string): string[] {
  return findings
    .filter((one) => one.subject === subject && one.kind === "fail")
    .map(({ verification }) => verification);
}

describe("a planted fault is found by exactly the verification it is for", () => {
  let report: ConformanceReport;

  beforeAll(async () => {
    report = await runConformanceTest(new URL("./testing/mutations-suite.ts", import.meta.url).href);
  });

  it.each(Object.entries(expectedFailures))("%s: %s", (capability, verification) => {
    expect(failures(report, capability)).toEqual(verification === undefined ? [] : [verification]);
  });

  it("of a case that gives everything, everything is asked", () => {
    const sound = report.findings.filter(({ subject }) => subject === "shelf.sound");
    expect(sound.filter(({ kind }) => kind !== "pass")).toEqual([]);
    expect(sound).toHaveLength(12);
  });

  it("what a case does not give is not asked, with the reason", () => {
    const found = report.findings.find(
      ({ subject, verification }) => subject === "shelf.sound_natural" && verification === "deadline",
    );
    expect(found).toMatchObject({ kind: "not-asked", message: expect.stringContaining("`slow`") });
  });

  it("what rests on something that fails is not asked", () => {
    const found = report.findings.find(
      ({ subject, verification }) => subject === "shelf.preview_writes" && verification === "undo",
    );
    expect(found).toMatchObject({ kind: "not-asked", message: "Skipped because `preview` failed." });
  });

  it("counts", () => {
    const { passed, failed, notAsked, findings } = report;
    expect(passed + failed + notAsked).toBe(findings.length);
    expect(failed).toBe(Object.values(expectedFailures).filter((fault) => fault !== undefined).length);
  });
});

describe("a fault of the adapter as a whole", () => {
  const run = (faulty: boolean) => {
    const test = new URL("./testing/adapter-suite.ts", import.meta.url);
    test.searchParams.set("faulty", `${faulty}`);
    return runConformanceTest(test.href);
  };

  it("is found by the verification it is for, and a capability without a case is named", async () => {
    const report = await run(true);
    expect(failures(report, "whole")).toEqual(["names", "digests", "health", "observe", "close"]);
    expect(report.findings.find(({ verification }) => verification === "covered")).toMatchObject({
      kind: "not-asked",
      message: "Add a case for `whole.other`.",
    });
  });

  it("is found nowhere else", async () => {
    const { findings } = await run(false);
    expect(findings.filter(({ subject, kind }) => subject === "whole" && kind !== "pass")).toEqual([]);
  });
});
