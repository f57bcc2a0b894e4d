// What the command line and a user's trial may use of the conformance suite.
export { type ConformanceReport, runConformanceTest } from "./run-trial.ts";
export { type ConformanceCase, type ConformanceTest, defineConformanceTest } from "./trial.ts";
