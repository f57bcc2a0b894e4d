/** A bug as somebody might write it: a few words of one file, and the test that must fail because of them. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  /** Must be in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly caughtBy: NamedTest;
  /** One of the few that are caught soonest. */
  readonly quick?: true;
}

export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

export const core = (path: string) => `packages/core/src/${path}`;
export const sql = (path: string) => `packages/server/src/postgres/sql/functions/${path}`;
export const promises = (title: string): NamedTest => ({ file: core("pipeline/promises.test.ts"), title });
export const approvals = (title: string): NamedTest => ({
  file: core("pipeline/approval/approvals.test.ts"),
  title,
});
export const plans = (title: string): NamedTest => ({ file: core("plan/plan.test.ts"), title });
export const planPromises = (title: string): NamedTest => ({
  file: core("plan/plan-promises.test.ts"),
  title,
});
export const governance = (title: string): NamedTest => ({
  file: core("pipeline/governance.test.ts"),
  title,
});
export const store = (title: string): NamedTest => ({
  file: "packages/server/src/postgres/store.test.ts",
  title,
});
export const ruling = (title: string): NamedTest => ({ file: core("policy/ruling.test.ts"), title });
export const http = (file: string, title: string): NamedTest => ({
  file: `packages/server/src/http/${file}.test.ts`,
  title,
});
export const web = (file: string, title: string): NamedTest => ({
  file: `packages/server/src/web/${file}.test.ts`,
  title,
});
export const webhooks = (title: string): NamedTest => ({
  file: "packages/server/src/webhooks/webhooks.test.ts",
  title,
});
