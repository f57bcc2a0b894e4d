/** A realistic bug: a small change in one file, and the test that must fail because of it. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** The text to replace, which must be in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly caughtBy: NamedTest;
  /** Whether a quick run includes this mutation, because its test is fast. */
  readonly quick?: true;
}

export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

export const corePath = (path: string) => `packages/core/src/${path}`;
export const sqlFunctionPath = (path: string) => `packages/server/src/postgres/sql/functions/${path}`;
export const promisesTest = (title: string): NamedTest => ({
  file: corePath("pipeline/promises.test.ts"),
  title,
});
export const approvalsTest = (title: string): NamedTest => ({
  file: corePath("pipeline/approval/approvals.test.ts"),
  title,
});
export const plansTest = (title: string): NamedTest => ({ file: corePath("plan/plan.test.ts"), title });
export const planPromisesTest = (title: string): NamedTest => ({
  file: corePath("plan/plan-guarantees.test.ts"),
  title,
});
export const gateTest = (title: string): NamedTest => ({
  file: corePath("pipeline/governance-gate.test.ts"),
  title,
});
export const governanceTest = (title: string): NamedTest => ({
  file: corePath("pipeline/governance.test.ts"),
  title,
});
export const storeTest = (title: string): NamedTest => ({
  file: "packages/server/src/postgres/calls/store.test.ts",
  title,
});
export const rulingTest = (title: string): NamedTest => ({ file: corePath("policy/rule.test.ts"), title });
export const httpTest = (file: string, title: string): NamedTest => ({
  file: `packages/server/src/http/${file}.test.ts`,
  title,
});
export const webTest = (file: string, title: string): NamedTest => ({
  file: `packages/server/src/web/${file}.test.ts`,
  title,
});
export const webhooksTest = (title: string): NamedTest => ({
  file: "packages/server/src/webhooks/webhooks.test.ts",
  title,
});
