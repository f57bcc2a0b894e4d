// What the command line and a user's trial may use of the conformance suite.
export { runTrial, type TrialReport } from "./run-trial.ts";
export { type Case, defineTrial, type Trial } from "./trial.ts";
