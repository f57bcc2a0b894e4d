import type { Bug } from "./bug.ts";

/** Bugs in what others can reach, take up or fill. */
export const boundsBugs: readonly Bug[] = [...engine()];

function engine(): Bug[] {
  const file = "test/engine-registration.test.ts";
  const replaced =
    "registers another service in our place: it is replaced, the messages it took are repeated";
  return [
    {
      name: "believe any registration",
      file: "packages/server/src/restate/keep-registered.ts",
      find: '  if (foreign(current)) return "engine-registration-foreign";\n',
      replace: "",
      caughtBy: { file, title: replaced },
    },
    {
      name: "leave the messages with a foreign deployment",
      file: "packages/server/src/restate/admin.ts",
      find: "for (const message of held) await",
      replace: "for (const message of held.slice(held.length)) await",
      caughtBy: { file, title: replaced },
    },
    {
      name: "believe any settings of the service",
      file: "packages/server/src/restate/keep-registered.ts",
      find: "settings === expected ? undefined",
      replace: "settings !== undefined && expected !== undefined ? undefined",
      caughtBy: { file, title: "changes the service's settings: ours are in force again" },
    },
    {
      name: "take the registration of another live worker for foreign",
      file: "packages/server/src/restate/keep-registered.ts",
      find: "(await announce(workerUrl)).map(normalized)",
      replace: "[await announce(workerUrl), workerUrl].slice(1).map(String).map(normalized)",
      caughtBy: { file, title: "[P14] take over from one that died, and do not fight over the registration" },
    },
    {
      name: "open the engine's ports",
      file: "packages/server/src/servers/restate.ts",
      find: 'RESTATE_LISTEN_MODE: "unix"',
      replace: 'RESTATE_LISTEN_MODE: "all"',
      caughtBy: {
        file: "packages/server/src/servers/supervise.test.ts",
        title:
          "[TRUST 26] PostgreSQL listens on 127.0.0.1 only, Restate on no port: only on sockets that no other user reaches",
      },
    },
  ];
}
