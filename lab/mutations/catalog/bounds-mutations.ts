import type { Mutation } from "../mutation.ts";

/** Mutations of the bounds on what others can reach, use up or fill. */
export const boundsMutations: readonly Mutation[] = [
  ...listEngineMutations(),
  ...listBudgetMutations(),
  ...listMetricMutations(),
  ...listAnswerMutations(),
];

function listMetricMutations(): Mutation[] {
  return [
    {
      name: "serve metrics at every path",
      file: "packages/server/src/telemetry/serve-metrics.ts",
      find: 'request.method !== "GET" || request.url !== "/metrics"',
      replace: 'request.method !== "GET" || request.url === ""',
      caughtBy: {
        file: "packages/server/src/telemetry/serve-metrics.test.ts",
        title: "[TRUST 16] metrics are served at their own address only, and as nothing else",
      },
    },
    {
      name: "serve metrics to everyone",
      file: "packages/server/src/http/routes/health.ts",
      find: '.openapi(healthz, (c) => c.json({ status: "up" as const }, 200))',
      replace: `.openapi(healthz, (c) => c.json({ status: "up" as const }, 200))
    .openapi({ ...healthz, path: "/metrics" }, (c) => c.json({ status: "up" as const }, 200))`,
      caughtBy: {
        file: "packages/server/src/http/surface.test.ts",
        title: "health and readiness; [TRUST 16] no metrics",
      },
    },
  ];
}

function listAnswerMutations(): Mutation[] {
  return [
    {
      name: "collect whatever an issuer sends",
      file: "packages/server/src/identity/bounded-fetch.ts",
      find: "if (length > maxBytes) throw",
      replace: "if (length > 10_000 * maxBytes) throw",
      caughtBy: {
        file: "packages/server/src/identity/issuer.test.ts",
        title: "whose keys do not end is hung up on at the limit",
      },
    },
  ];
}

function listBudgetMutations(): Mutation[] {
  const whole = (title: string) => ({ file: "test/budgets.test.ts", title });
  return [
    {
      name: "keep the place of a reader who left",
      file: "packages/server/src/http/streams/limited-stream.ts",
      find: "new TransformStream({ flush: giveBack, cancel: giveBack })",
      replace: "new TransformStream()",
      caughtBy: whole(
        "[TRUST 25] streams beyond the budget get 429, others are served, and a reader who leaves makes room",
      ),
    },
    {
      name: "let all looks run at once",
      file: "packages/server/src/services/budgets.ts",
      find: "if (turns.running >= max) {",
      replace: "if (turns.running >= 1_000 * max) {",
      caughtBy: {
        file: "packages/server/src/services/budgets.test.ts",
        title:
          "[TRUST 25] looks of one principal wait for their turn, do not hinder others, and fail beyond the queue",
      },
    },
    {
      name: "count nobody's calls",
      file: "packages/server/src/services/create-paraph-service.ts",
      find: "budgets.admit(request.principal, () => admitted(request))",
      replace: "budgets && admitted(request)",
      caughtBy: whole(
        "[TRUST 25] calls beyond the budget get 429 with the time to try again; another principal is served",
      ),
    },
    {
      name: "hold programs to no limits by default",
      file: "packages/adapters/src/process/prepare-launch.ts",
      find: "return applyDefaultLimits(limits, launch);",
      replace: "return limits === undefined ? launch : applyDefaultLimits(limits, launch);",
      caughtBy: {
        file: "packages/adapters/src/process/limits.test.ts",
        title: "[TRUST 25] a program without limits of its own is held to the defaults, sandbox: false",
      },
    },
  ];
}

function listEngineMutations(): Mutation[] {
  const file = "test/engine-registration.test.ts";
  const replaced =
    "registers another service in our place: it is replaced, the messages it took are repeated";
  return [
    {
      name: "believe any registration",
      file: "packages/server/src/engine/restate/registration.ts",
      find: '  if (foreign(current)) return "engine-registration-foreign";\n',
      replace: "",
      caughtBy: { file, title: replaced },
    },
    {
      name: "leave the messages with a foreign deployment",
      file: "packages/server/src/engine/restate/engine-admin.ts",
      find: "for (const message of held) await",
      replace: "for (const message of held.slice(held.length)) await",
      caughtBy: { file, title: replaced },
    },
    {
      name: "believe any settings of the service",
      file: "packages/server/src/engine/restate/registration.ts",
      find: "settings === expected ? undefined",
      replace: "settings !== undefined && expected !== undefined ? undefined",
      caughtBy: { file, title: "changes the service's settings: ours are in force again" },
    },
    {
      name: "take the registration of another live worker for foreign",
      file: "packages/server/src/engine/restate/registration.ts",
      find: "(await announce(workerUrl)).map(normalizeUrl)",
      replace: "[await announce(workerUrl), workerUrl].slice(1).map(String).map(normalizeUrl)",
      caughtBy: { file, title: "[P14] take over from one that died, and do not fight over the registration" },
    },
    {
      name: "open the engine's ports",
      file: "packages/dev-servers/src/restate.ts",
      find: 'RESTATE_LISTEN_MODE: "unix"',
      replace: 'RESTATE_LISTEN_MODE: "all"',
      caughtBy: {
        file: "packages/dev-servers/src/supervise.test.ts",
        title:
          "[TRUST 26] PostgreSQL listens on 127.0.0.1 only, Restate on no port: only on sockets that no other user reaches",
      },
    },
  ];
}
