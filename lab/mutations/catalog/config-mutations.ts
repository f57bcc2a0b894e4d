import type { Mutation } from "../mutation.ts";

const checkConfigTest = (title: string) => ({
  file: "packages/server/src/config/check-config.test.ts",
  title,
});

const tenantsTest = (title: string) => ({ file: "test/tenants.test.ts", title });
const secretsTest = (title: string) => ({ file: "packages/server/src/system/credentials.test.ts", title });
const inviteTest = (title: string) => ({ file: "test/invite.test.ts", title });

const unchangedPolicyTest = {
  file: "test/backtest-unchanged.test.ts",
  title:
    "over plans, their steps, edits, grants, checks and undo, reports no difference for an unchanged policy",
};

/** Mutations of the configuration's checks and of the separation of tenants. */
export const configMutations: readonly Mutation[] = [
  {
    name: "ignore misspelt keys of the configuration",
    file: "packages/server/src/config/config-schema.ts",
    find: "z.strictObject(config).partial()",
    replace: "z.looseObject(config).partial()",
    caughtBy: checkConfigTest("names file, line and key of a misspelt key, and the key that was meant"),
    quick: true,
  },
  {
    name: "ignore faults in an adapter's options",
    file: "packages/server/src/config/check-config.ts",
    find: "return [...shape, ...options, ...unknown];",
    replace: "return [...shape, ...unknown];",
    caughtBy: checkConfigTest("finds a misspelt option of files"),
  },
  {
    name: "start without the secrets that are named",
    file: "packages/server/src/config/check-config.ts",
    find: "const secrets = needsSecrets ? listSecretFaults(part, folder, environment) : [];",
    replace: "const secrets: never[] = [];",
    caughtBy: checkConfigTest("a secret that is nowhere is a fault, one that any tenant has is none"),
  },
  {
    name: "let every tenant call every adapter",
    file: "packages/core/src/capability/catalog.ts",
    find: "return found && this.#isOpenTo(tenant, adapterName(found.contract)) ? found : undefined;",
    replace: "return found;",
    caughtBy: tenantsTest("is neither called nor previewed"),
  },
  {
    name: "list every tenant's adapters",
    file: "packages/core/src/capability/catalog.ts",
    find: "[...adapters].filter((adapter) => this.#isOpenTo(tenant, adapter))",
    replace: "adapters",
    caughtBy: tenantsTest("is listed nowhere"),
  },
  {
    name: "open adapters that name no tenant to all of them",
    file: "packages/server/src/services/active-tenants.ts",
    find: "?? isSole(tenant)",
    replace: "?? true",
    caughtBy: secretsTest("[TRUST 10] warns of adapters that name no tenant as soon as there are two"),
  },
  {
    name: "share the deployment's secrets with every tenant",
    file: "packages/server/src/system/credentials.ts",
    find: "tenant === deploymentTenant || sharesDeployment(tenant)",
    replace: "true",
    caughtBy: secretsTest(
      "[TRUST 10] the deployment's secrets are a tenant's only while it is the only tenant",
    ),
  },
  {
    name: "count people who never signed in as somebody else",
    file: "packages/server/src/postgres/sql/functions/people.sql",
    find: " and signed_in_at is not null and id <> all",
    replace: " and id <> all",
    caughtBy: inviteTest(
      "does not count as another person before they have signed in: the tenant is not locked",
    ),
  },
  {
    name: "invite somebody who is here already",
    file: "packages/server/src/builtin/admin/identity/invite.ts",
    find: '(found.kind !== "person" || (await people.hasSignedIn(tenant, id)))',
    replace: 'found.kind !== "person"',
    caughtBy: inviteTest("counts from their first sign-in on, and cannot be invited again"),
  },
  {
    name: "leave administration to somebody who was never here",
    file: "packages/server/src/builtin/admin/identity/group-change.ts",
    find: "if (group === roles.admins) await requireSignedInAdmin(people, tenant, after);",
    replace: "",
    caughtBy: inviteTest("cannot be left as the only administrator before they have signed in"),
  },
  {
    name: "backtest the steps of plans without the votes for them",
    file: "packages/server/src/policy/analysis/rule-past-call.ts",
    find: "votes: coveredBy.filter(({ by }) => counted.has(by))",
    replace: "votes: counted.size < 0 ? coveredBy : []",
    caughtBy: unchangedPolicyTest,
  },
  {
    name: "backtest plans without their steps",
    file: "packages/core/src/pipeline/admission/rule-again.ts",
    find: "return (await rulePlan(call, capability, { preview, votes }, ports)).ruling;",
    replace:
      "return (await rulePlan(call, { ...capability, steps: undefined } as never, { preview, votes }, ports)).ruling;",
    caughtBy: unchangedPolicyTest,
  },
];
