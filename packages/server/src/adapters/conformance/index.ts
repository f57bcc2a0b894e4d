// What the command line and a user's trial may use of the conformance suite.

export { type ConformanceCase, type ConformanceTest, defineConformanceTest } from "./conformance-test.ts";
export { type ConformanceReport, runConformanceTest } from "./run-conformance-test.ts";
