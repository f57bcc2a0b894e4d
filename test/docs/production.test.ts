// Runs the programs of docs/operate/production.md as its reader would, on a real PostgreSQL and Restate.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { findFreePort, startRestate } from "@paraph/dev-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/servers/database.ts";
import { sourceEnvironment } from "../support/servers/source-environment.ts";
import { findFileName, listChecked, root } from "./code-blocks.ts";

describe("docs/operate/production.md", () => {
  let folder: string;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    // The folder is in the repository, so that the programs find the packages.
    folder = mkdtempSync(join(root, "test/docs/blocks-"));
    for (const block of listChecked("ts")) {
      const name = block.page === "docs/operate/production.md" ? findFileName(block) : undefined;
      if (name !== undefined) writeFileSync(join(folder, name), block.text);
    }
    mkdirSync(join(folder, "workspace"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function start(program: readonly string[], env: Record<string, string>) {
    const child = spawn(process.execPath, ["--conditions=paraph-source", ...program], {
      cwd: folder,
      env: { ...sourceEnvironment, DATABASE_URL: database.url, STATE_DIRECTORY: folder, ...env },
    });
    const closed = once(child, "close");
    const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
      ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
    );
    return { child, ended };
  }

  const cli = join(root, "packages/cli/src/main.ts");

  async function startRestateForServer(): Promise<Record<string, string>> {
    const restate = await startRestate({ folder });
    onTestFinished(() => restate.stop());
    return {
      RESTATE_INGRESS_URL: restate.ingressUrl,
      RESTATE_ADMIN_URL: restate.adminUrl,
      RESTATE_PUBLIC_KEY: restate.publicKey,
    };
  }

  it.each([
    ["PostgreSQL alone", async () => ({})],
    ["Restate's sockets", startRestateForServer],
  ])("`server.ts` becomes ready on %s, and stops on SIGTERM", async (_, startEngine) => {
    const migrated = await start([cli, "migrate"], { DATABASE_OWNER_URL: database.ownerUrl }).ended;
    expect(migrated).toMatchObject({ code: 0, stderr: expect.stringContaining("up to date") });
    const port = await findFreePort();
    const { child, ended } = start(["server.ts"], { PORT: String(port), ...(await startEngine()) });
    onTestFinished(() => void child.kill("SIGKILL"));
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(isReady).toBe(200);
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(new RegExp(`"code":"started".*"port":${port}\\b`));
  });

  it("`server.ts` ends with an error if PostgreSQL is unavailable at the start", async () => {
    const closedPort = await findFreePort();
    const { ended } = start(["server.ts"], {
      DATABASE_URL: `postgres://paraph:paraph@127.0.0.1:${closedPort}/paraph`,
    });
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining("ECONNREFUSED") });
  });
});
