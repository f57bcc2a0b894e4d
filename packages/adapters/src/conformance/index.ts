// Entry point of the conformance suite, for the command line and for conformance tests of users.

export { type ConformanceCase, type ConformanceTest, defineConformanceTest } from "./conformance-test.ts";
export { type ConformanceReport, runConformanceTest } from "./run-conformance-test.ts";
