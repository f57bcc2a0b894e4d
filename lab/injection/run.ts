import { access, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Violation } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { createRandom } from "../random.ts";
import { generateHostileValues } from "./hostile-values.ts";
import type { InjectionStage, InjectionTarget } from "./target.ts";
import { allTargets } from "./targets.ts";

/**
 * [TRUST 17] [TRUST 18] Sends hostile values through every input that an agent controls. A detector watches each input.
 * No other process may start, no file outside may change, and no forbidden address may receive a request.
 */
export async function runInjection(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const values = options.calls ?? (options.quick ? 1_000 : 100_000);
  const chosen = allTargets.filter(({ name }) => name.includes(options.at ?? ""));
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);
  const folder = await mkdtemp(join(tmpdir(), "paraph-injection-"));
  const nobody = await startForbiddenServer();
  const violations: Violation[] = [];
  const figures: Record<string, number> = {};
  const covers: string[] = [];
  try {
    for (const [index, target] of chosen.entries()) {
      const own = join(folder, String(index));
      await mkdir(own, { recursive: true });
      const count = Math.max(30, Math.round((values * target.share) / shares));
      const aims = { canary: join(folder, "escaped"), forbidden: nobody.address };
      const got = await putValues(
        target,
        own,
        count,
        generateHostileValues(aims, createRandom(options.seed + index)),
        (done) => options.progress(`${target.name}: ${done}/${count}`),
      );
      const escapes = [
        ...got.escapes,
        ...((await pathExists(aims.canary)) ? ["a file outside came to exist"] : []),
        ...(nobody.asked() > 0 ? [`${nobody.asked()} requests to a forbidden address`] : []),
        ...(got.reached === 0 ? ["the spy was never reached: this proves nothing"] : []),
      ];
      violations.push(...escapes.map((what) => ({ rule: "TRUST 18", call: target.name, what })));
      figures[target.name] = count;
      figures[`${target.name}, reached`] = got.reached;
      covers.push(
        `${target.name}: ${count} hostile values; the probe behind it was reached ${got.reached} times.`,
      );
      await rm(aims.canary, { force: true, recursive: true });
      nobody.forget();
    }
  } finally {
    await nobody.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const all = Object.entries(figures).reduce(
    (sum, [name, n]) => (name.endsWith("reached") ? sum : sum + n),
    0,
  );
  return {
    run: "injection",
    seed: options.seed,
    violations,
    covers,
    timelines: {},
    figures: { values: all, ...figures, seconds: Math.round((Date.now() - startedAt) / 1_000) },
  };
}

async function putValues(
  target: InjectionTarget,
  folder: string,
  count: number,
  values: Generator<string>,
  progress: (done: number) => void,
): Promise<{ escapes: string[]; reached: number }> {
  const stage: InjectionStage = await target.prepare(folder);
  const escapes: string[] = [];
  try {
    for (let done = 0; done < count; ) {
      const some = Array.from({ length: Math.min(4, count - done) }, () => values.next().value as string);
      await Promise.all(some.map((value) => stage.put(value)));
      done += some.length;
      if (done % 100 < 4 || done === count) {
        progress(done);
        escapes.push(...(await stage.escapes()));
      }
      if (escapes.length > 20) break;
    }
    return { escapes, reached: stage.reached() };
  } finally {
    await stage.close();
  }
}

/** Starts a server on this machine that must receive no request. */
async function startForbiddenServer() {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    forget: () => {
      asked = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
