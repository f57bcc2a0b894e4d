import type { ConfigSource, Engine, Ports, PublicKey, Sealer, Signer } from "@paraph/core";
import type { Config, WorkerAddress } from "../config/config.ts";
import type { RestateAddress } from "../engine/restate/index.ts";
import type { PollStore } from "../observations/index.ts";
import type { MailRequestStore, MessageStore, NoticeStore, ReplyStore } from "../postgres/index.ts";
import type { AdapterView } from "../services/paraph-service.ts";
import type { Log } from "../telemetry/index.ts";
import type { Outbox } from "../webhooks/index.ts";

/** The options of `startParaph`. */
export interface ParaphOptions {
  readonly config: Config;
  /** The folder that the configuration's paths are relative to. */
  readonly folder: string;
  /** The file that the configuration came from. Messages about faults in the configuration name this file. */
  readonly source?: ConfigSource | undefined;
  readonly databaseUrl: string;
  /** The Restate that brings due calls to workers. Without it, PostgreSQL does this alone. */
  readonly restate?: RestateAddress | undefined;
  readonly signer: Signer & Sealer;
  readonly publicKeys: readonly PublicKey[];
  /** The roles of this process: answer callers, perform calls, or both (default: both). */
  readonly roles?: readonly ("api" | "worker")[];
  readonly http?: {
    readonly host?: string;
    readonly port?: number;
    /** The certificate with its chain and the private key, as PEM (default: plain HTTP). */
    readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
    /**
     * Whether browsers may log in over plain HTTP from other computers. Everyone in the network can then read the
     * session's cookie.
     */
    readonly allowsPlainLogin?: boolean;
  };
  /** The address at which this process serves segments to Restate, unless the configuration sets another. */
  readonly worker?: WorkerAddress;
  readonly log: Log;
  readonly version: string;
  /**
   * Whether this process may replace the configuration in force with an earlier one, even while processes with the
   * newer configuration run.
   */
  readonly allowDowngrade?: boolean;
  /**
   * The maximum number of first segments that an API process runs concurrently (default: 64). With 0, the workers run
   * all first segments.
   */
  readonly maxInlineSegments?: number;
  /**
   * The maximum time that an MCP request waits for an approver before Paraph responds with `pending` (default: 45 s).
   */
  readonly mcpMaxWaitMs?: number;
  /**
   * The maximum time that a stopping process waits for its attempts to end (default: 10 min 30 s, which outlasts every
   * attempt's deadline).
   */
  readonly maxDrainMs?: number;
  /**
   * The time for which the start waits for an adapter to open (default: 10 s). After that, the adapter goes on opening
   * in the background.
   */
  readonly adapterStartTimeoutMs?: number | undefined;
  /** The time that a process may be without its lease before other processes declare it dead (default: 5 s). */
  readonly leaseGraceMs?: number;
  /** Wraps the ports before Paraph uses them. The laboratory uses this option to kill processes at port boundaries. */
  readonly wrapPorts?: (parts: DurablePorts) => DurablePorts;
}

/** The ports that write data which must outlive this process. */
interface DurablePorts {
  readonly ports: Ports;
  readonly engine: Engine;
  readonly messageStore: MessageStore;
  readonly outbox: Outbox;
  readonly notices: NoticeStore;
  readonly replies: ReplyStore;
  readonly mailRequests: MailRequestStore;
  readonly pollStore: PollStore;
}

/** A running Paraph process. */
export interface ParaphServer {
  /** The address of the API, or undefined in a process that is only a worker. */
  readonly url: string | undefined;
  /** The address at which Prometheus reads metrics, or undefined if the configuration has no `metrics`. */
  readonly metricsUrl: string | undefined;
  /**
   * Returns an address at which this person can log in once, within ten minutes. Returns undefined if there is no such
   * person, or if this process has no API.
   */
  createLoginLink(tenant: string, principal: string): Promise<string | undefined>;
  /** Returns each adapter with its current health. */
  listAdapters(signal: AbortSignal): Promise<readonly AdapterView[]>;
  stop(): Promise<void>;
}
