import { corePath, type Mutation } from "../mutation.ts";

/** Mutations of the bounds on what others can reach, use up or fill. */
export const boundsMutations: readonly Mutation[] = [
  ...listEngineMutations(),
  ...listPostgresEngineMutations(),
  ...listStartMutations(),
  ...listBudgetMutations(),
  ...listMetricMutations(),
  ...listAnswerMutations(),
  ...listTextMutations(),
];

function listMetricMutations(): Mutation[] {
  return [
    {
      name: "serve metrics at every path",
      file: "packages/server/src/telemetry/serve-metrics.ts",
      find: 'method === "GET" && url === "/metrics"',
      replace: 'method === "GET" && !url?.endsWith("z")',
      caughtBy: {
        file: "packages/server/src/telemetry/serve-metrics.test.ts",
        title: "[TRUST 16] the metrics server listens on loopback and answers 404 to every other path",
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
        title: "serves health and readiness; [TRUST 16] no metrics",
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
        title: "with an endless key set is disconnected at the size limit",
      },
    },
  ];
}

function listBudgetMutations(): Mutation[] {
  const whole = (title: string) => ({ file: "test/budgets.test.ts", title });
  return [
    {
      name: "keep a slot for the stream of a HEAD request",
      file: "packages/server/src/http/streams/limited-stream.ts",
      find: 'c.req.method === "HEAD"',
      replace: 'c.req.method === "head"',
      caughtBy: {
        file: "test/budgets.test.ts",
        title:
          "[TRUST 25] streams over the budget get 429, other principals are served, and a closed stream frees its slot",
      },
    },
    {
      name: "limit no body of a PUT request",
      file: "packages/server/src/http/middleware/json-body.ts",
      find: '["GET", "HEAD", "DELETE"]',
      replace: '["GET", "HEAD", "DELETE", "PUT"]',
      caughtBy: {
        file: "packages/server/src/http/hostile.test.ts",
        title: "[TRUST 24] a PUT request has the limits of a POST request",
      },
      quick: true,
    },
    {
      name: "keep the place of a reader who left",
      file: "packages/server/src/http/streams/limited-stream.ts",
      find: "new TransformStream({ flush: giveBack, cancel: giveBack })",
      replace: "new TransformStream()",
      caughtBy: whole(
        "[TRUST 25] streams over the budget get 429, other principals are served, and a closed stream frees its slot",
      ),
    },
    {
      name: "let all looks run at once",
      file: "packages/server/src/services/admission-queue.ts",
      find: "if (principal.running >= maxPerPrincipal) continue;",
      replace: "if (principal.running >= 1_000 * maxPerPrincipal) continue;",
      caughtBy: {
        file: "packages/server/src/services/budgets.test.ts",
        title:
          "[TRUST 25] previews of one principal queue up, do not delay other principals, and fail beyond the queue",
      },
    },
    {
      name: "let a burst of one tenant delay the others",
      file: "packages/server/src/services/admission-queue.ts",
      find: "if (tenant.recent > 0 && !isAlone(name)) return;",
      replace: "if (tenant.recent < 0 && !isAlone(name)) return;",
      caughtBy: {
        file: "packages/server/src/services/admission-queue.test.ts",
        title:
          "[TRUST 25] while another tenant is active, a tenant gets its next turn only after its last one",
      },
    },
    {
      name: "forget the waiting calls of a principal that returns",
      file: "packages/server/src/services/admission-queue.ts",
      find: "        tenant.recent -= 1;",
      replace: "        tenant.recent -= 1;\n        tenant.principals.delete(id);",
      caughtBy: {
        file: "packages/server/src/services/admission-queue.test.ts",
        title:
          "[TRUST 25] a principal that returns while its earlier work still runs loses none of its waiting admissions",
      },
    },
    {
      name: "count nobody's calls",
      file: "packages/server/src/services/create-paraph-service.ts",
      find: "budgets.admit(request.principal, (addWork) => admitted(request, addWork))",
      replace: "admitted(request, () => budgets)",
      caughtBy: whole(
        "[TRUST 25] calls over the budget get 429 with a retry time, and another principal is served",
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

function listPostgresEngineMutations(): Mutation[] {
  const queue = "packages/server/src/engine/postgres/segment-queue.ts";
  const queueTest = "packages/server/src/engine/postgres/segment-queue.test.ts";
  const engine = "packages/server/src/engine/postgres/engine.ts";
  const engineTest = "packages/server/src/engine/postgres/engine.test.ts";
  return [
    {
      name: "serve one tenant until its queue is empty",
      file: queue,
      find: "      waiting.delete(tenant);\n      if (calls.size > 0) waiting.set(tenant, calls);\n",
      replace: "      if (calls.size === 0) waiting.delete(tenant);\n",
      caughtBy: {
        file: queueTest,
        title: "tenants take turns, so a tenant with many calls does not delay the others",
      },
    },
    {
      name: "forget a message that arrives during a segment",
      file: queue,
      find: "if (isDueAgain && !isClosed) enqueue(wake);",
      replace: "if (isDueAgain && isClosed) enqueue(wake);",
      caughtBy: {
        file: queueTest,
        title: "a process runs one segment of a call at a time, and once more if a message arrived meanwhile",
      },
    },
    {
      name: "drop what waits when a worker stops",
      file: engine,
      find: "for (const wake of segments.close()) void outgoing",
      replace: "for (const wake of segments.close().slice(10_000)) void outgoing",
      caughtBy: {
        file: engineTest,
        title: "a worker runs its own messages, and hands over what it has not started when it stops",
      },
    },
    {
      name: "let a sweeper take a call whose segment runs",
      file: engine,
      find: "segments.listRunning(longSegmentMs)",
      replace: "segments.listRunning(longSegmentMs).slice(10_000)",
      caughtBy: {
        file: engineTest,
        title: "[P12] a call stays with its worker for as long as its segment runs, so no sweeper takes it",
      },
    },
    {
      name: "sweep the oldest calls of one tenant first",
      file: "packages/server/src/postgres/calls/sweep.ts",
      find: "order by turn, next_at limit $1",
      replace: "order by next_at, turn limit $1",
      caughtBy: {
        file: "packages/server/src/postgres/calls/sweep.test.ts",
        title: "tenants take turns in a sweep, so a tenant with many due calls does not delay the others",
      },
    },
    {
      name: "look only for steps that end while a worker runs",
      file: "packages/server/src/postgres/calls/sweep.ts",
      find: "least(coalesce($1, (select at from passed) - interval '15 minutes'), (select at from passed))",
      replace: "least(coalesce($1, (select at from passed)), (select at from passed))",
      caughtBy: {
        file: "packages/server/src/postgres/calls/sweep.test.ts",
        title: "[P14] a plan whose step ended is due, even if no process was there to send the message",
      },
    },
  ];
}

function listStartMutations(): Mutation[] {
  const start = "packages/cli/src/commands/start/start.ts";
  const signingKey = "packages/cli/src/commands/start/signing-key.ts";
  const startTest = "packages/cli/src/commands/start/start.test.ts";
  const signingKeyTest = "packages/cli/src/commands/start/signing-key.test.ts";
  const migrate = "packages/server/src/postgres/migrate.ts";
  const migrateTest = "packages/server/src/postgres/migrate.test.ts";
  return [
    {
      name: "create a signing key without being asked",
      file: signingKey,
      find: "if (!createSigningKey && !existsSync(file))",
      replace: "if (createSigningKey === false)",
      caughtBy: { file: startTest, title: "the file of the signing key" },
    },
    {
      name: "start with a signing key that its group can read",
      file: signingKey,
      find: "if (uid === user) return (mode & 0o077) === 0;",
      replace: "if (uid === user) return (mode & 0o007) === 0;",
      caughtBy: {
        file: signingKeyTest,
        title: "[TRUST 32] refuses the signing key, readable by its group, and says how to make it private",
      },
      quick: true,
    },
    {
      name: "start with an earlier signing key that all users can read",
      file: signingKey,
      find: "of listKeyFiles(file)",
      replace: "of [[file]] as const",
      caughtBy: {
        file: signingKeyTest,
        title: "[TRUST 32] refuses an earlier key, readable by all users, and says how to make it private",
      },
      quick: true,
    },
    {
      name: "run as root",
      file: start,
      find: "if (process.getuid?.() !== 0 || allowRoot) return;",
      replace: "if (allowRoot !== false) return;",
      caughtBy: { file: startTest, title: "a plain user" },
    },
    {
      name: "wait for a lock of a table while all queries wait behind it",
      file: migrate,
      find: "const lockTimeoutMs = 2_000;",
      replace: "const lockTimeoutMs = 0;",
      caughtBy: {
        file: migrateTest,
        title: "waits for a lock only briefly at a time, so that other sessions stall briefly",
      },
    },
    {
      name: "keep an index that an interrupted build left invalid",
      file: migrate,
      find: `  if (rows[0]?.valid === false)
    await client.query(\`drop index concurrently paraph.\${client.escapeIdentifier(name)}\`);
  if (rows[0]?.valid !== true)`,
      replace: "  if (rows.length === 0)",
      caughtBy: {
        file: migrateTest,
        title: "builds an index again that an interrupted build left invalid",
      },
    },
  ];
}

function listEngineMutations(): Mutation[] {
  const file = "test/engine-registration.test.ts";
  const replaced =
    "cannot keep its own service in Paraph's place, and Paraph repeats the messages that the service took";
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
      caughtBy: { file, title: "cannot keep changed settings of the service, and Paraph restores its own" },
    },
    {
      name: "take the registration of another live worker for foreign",
      file: "packages/server/src/engine/restate/registration.ts",
      find: "(await announce(workerUrl)).map(normalizeUrl)",
      replace: "[await announce(workerUrl), workerUrl].slice(1).map(String).map(normalizeUrl)",
      caughtBy: {
        file,
        title: "[P14] take over from a worker that died, and leave each other's registration alone",
      },
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

function listTextMutations(): Mutation[] {
  return [
    {
      name: "read a member of every object as a currency",
      file: corePath("intents/numbers.ts"),
      find: "(symbols.get(text) ?? symbols.get(text.toLowerCase()) ?? [])",
      replace: "(symbols.get(text) ?? symbols.get(text.toLowerCase()) ?? ({} as never)[text] ?? [])",
      caughtBy: {
        file: corePath("intents/grammar.test.ts"),
        title: "[TRUST 24] understands the names of members that every object has as any other word",
      },
    },
    {
      name: "look up any text as the id of a call",
      file: "packages/server/src/mcp/tools/call-tool.ts",
      find: "callIdPattern.test(id) ?",
      replace: "callIdPattern.test(id) || id ?",
      caughtBy: {
        file: "packages/server/src/mcp/hostile-input.test.ts",
        title:
          "[TRUST 24] an id with a zero byte is unknown like any other, and PostgreSQL is not asked for it",
      },
    },
    {
      name: "accept any text as the id of a principal",
      file: "packages/server/src/http/schemas/common.ts",
      find: "principalIdPatterns.existing.test(id)",
      replace: "principalIdPatterns.existing.test(id) || id.length > 0",
      caughtBy: {
        file: "packages/server/src/http/hostile.test.ts",
        title: "[TRUST 24] no id of a principal in a body contains a zero byte",
      },
    },
  ];
}
