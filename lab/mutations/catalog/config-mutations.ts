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
    "a backtest of the unchanged policy reports no difference for plans, steps, edits, grants, checks and undos",
};

/** Mutations of the configuration's checks and of the separation of tenants. */
export const configMutations: readonly Mutation[] = [
  {
    name: "ignore misspelt keys of the configuration",
    file: "packages/server/src/config/config-schema.ts",
    find: "z.strictObject(config).partial()",
    replace: "z.looseObject(config).partial()",
    caughtBy: checkConfigTest(
      "names the file, line and key of a misspelt key, and suggests the intended key",
    ),
    quick: true,
  },
  {
    name: "ignore faults in an adapter's options",
    file: "packages/server/src/config/check-config.ts",
    find: "return [...shape, ...options, ...unknown, ...twoSigners, ...listChannelFaults(config)];",
    replace: "return [...shape, ...unknown, ...twoSigners, ...listChannelFaults(config)];",
    caughtBy: checkConfigTest("reports a misspelt option of files, and suggests the intended option"),
  },
  {
    name: "start without the secrets that are named",
    file: "packages/server/src/config/check-config.ts",
    find: "const secrets = needsSecrets ? listSecretFaults(part, folder, environment) : [];",
    replace: "const secrets: never[] = [];",
    caughtBy: checkConfigTest(
      "reports a secret that is missing everywhere, and accepts one that any tenant has",
    ),
  },
  {
    name: "let every tenant call every adapter",
    file: "packages/core/src/capability/catalog.ts",
    find: "return found && this.#isOpenTo(tenant, adapterName(found.contract)) ? found : undefined;",
    replace: "return found;",
    caughtBy: tenantsTest("can be neither called nor previewed"),
  },
  {
    name: "list every tenant's adapters",
    file: "packages/core/src/capability/catalog.ts",
    find: "[...adapters].filter((adapter) => this.#isOpenTo(tenant, adapter))",
    replace: "adapters",
    caughtBy: tenantsTest("is missing from the lists of capabilities and adapters"),
  },
  {
    name: "open adapters that name no tenant to all of them",
    file: "packages/server/src/services/active-tenants.ts",
    find: "?? isSole(tenant)",
    replace: "?? true",
    caughtBy: secretsTest(
      "[TRUST 10] Paraph warns of adapters that name no tenant as soon as there are two tenants",
    ),
  },
  {
    name: "share the deployment's secrets with every tenant",
    file: "packages/server/src/system/credentials.ts",
    find: "tenant === deploymentTenant || sharesDeployment(tenant)",
    replace: "true",
    caughtBy: secretsTest(
      "[TRUST 10] a tenant can use the deployment's secrets only while it is the only tenant",
    ),
  },
  {
    name: "count people who never signed in as somebody else",
    file: "packages/server/src/postgres/sql/functions/people.sql",
    find: " and signed_in_at is not null and id <> all",
    replace: " and id <> all",
    caughtBy: inviteTest(
      "does not count as another person before the first sign-in, so the tenant is not locked",
    ),
  },
  {
    name: "invite somebody who is here already",
    file: "packages/server/src/builtin/admin/identity/invite.ts",
    find: '(found.kind !== "person" || (await people.hasSignedIn(tenant, id)))',
    replace: 'found.kind !== "person"',
    caughtBy: inviteTest("counts as another person after the first sign-in, and cannot be invited again"),
  },
  {
    name: "leave administration to somebody who was never here",
    file: "packages/server/src/builtin/admin/identity/group-change.ts",
    find: "if (group === roles.admins) await requireSignedInAdmin(people, tenant, after);",
    replace: "",
    caughtBy: inviteTest("cannot become the only administrator before the first sign-in"),
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
