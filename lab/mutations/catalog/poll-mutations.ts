import { type Mutation, sqlFunctionPath } from "../mutation.ts";

/** Mutations of observations, and of the progress of an attempt. */
export const pollMutations: readonly Mutation[] = [
  {
    name: "write what was perceived after the claim was lost",
    file: sqlFunctionPath("observation.sql"),
    find: "where tenant = p_tenant and adapter = p_adapter and epoch = p_epoch;\n  if not found then return null;",
    replace: "where tenant = p_tenant and adapter = p_adapter;\n  if not found then return null;",
    caughtBy: pollTest("[O2] is discarded with its cursor if another process has claimed the poll since"),
  },
  {
    name: "count observations side by side",
    file: sqlFunctionPath("observation.sql"),
    find: "from observation_head where tenant = p_tenant for update;",
    replace: "from observation_head where tenant = p_tenant;",
    caughtBy: pollTest(
      "[O4] a reader that has read up to a number has missed none below it, despite concurrent writers",
    ),
  },
  {
    name: "see the same twice",
    file: sqlFunctionPath("observation.sql"),
    find: "where not exists (select from observation k where k.tenant = p_tenant and k.adapter = p_adapter and k.id = o->>'id' offset 0)",
    replace: "",
    caughtBy: pollTest("[O1] is stored once if it is seen twice, in one poll or again from the same cursor"),
  },
  {
    name: "leave progress behind",
    file: sqlFunctionPath("progress.sql"),
    find: "state = 'performing' for share;",
    replace: "state = 'performing';",
    caughtBy: {
      file: "packages/server/src/postgres/calls/progress.test.ts",
      title: "progress that is written while the call stops acting is not left behind",
    },
  },
];

function pollTest(title: string) {
  return { file: "packages/server/src/observations/poller.test.ts", title };
}
