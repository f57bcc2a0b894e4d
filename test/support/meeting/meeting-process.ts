import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BoundaryPoint } from "../../../lab/faults/boundary-faults.ts";
import { sourceEnvironment } from "../servers/source-environment.ts";

/** The options of a process of the story. */
export interface MeetingOptions {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly addresses: Readonly<Record<"bo" | "paraph" | "agent" | "assistant" | "team", string>>;
  readonly calendar: { readonly host: string; readonly url: string };
  readonly servers: { readonly submissionUrl: string; readonly imapUrl: string };
  /** The file with the certificate of the authority of the mail servers. */
  readonly authority: string;
  readonly dkim: { readonly domain: string; readonly selector: string };
  /** The DKIM records by domain. */
  readonly dnsRecords: Readonly<Record<string, string>>;
}

/** A Paraph process with an API and a worker. It dies at a durable boundary, and another one takes over. */
export class MeetingProcess {
  url = "";
  readonly #options: MeetingOptions;
  #child: ChildProcess | undefined;

  constructor(options: MeetingOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), {
      execArgv: ["--conditions=paraph-source", "--no-warnings"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        ...sourceEnvironment,
        MEETING: JSON.stringify(this.#options),
        NODE_EXTRA_CA_CERTS: this.#options.authority,
        PARAPH_ARMED: "1",
      },
    });
    this.#child = child;
    let said = "";
    child.stderr!.on("data", (chunk) => {
      said += chunk;
    });
    const lines = createInterface({ input: child.stdout! });
    const url = await Promise.race([
      once(lines, "line").then(([line]) => String(line)),
      once(child, "close").then(() => undefined),
    ]);
    if (url === undefined) throw new Error(`The process ended before it was ready: ${said}`);
    this.url = url;
  }

  /** Performs the action. The process dies at the boundary that the action leads to, and another one takes over. */
  async dieAt(stop: BoundaryPoint, action: () => Promise<unknown>): Promise<void> {
    const child = this.#child!;
    const gone = once(child, "exit");
    const heard = once(child, "message");
    child.send({ stop: { ...stop, victim: "self" } });
    await heard;
    await action();
    await gone;
    await this.start();
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}
