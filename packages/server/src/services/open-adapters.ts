import { setTimeout as sleep } from "node:timers/promises";
import {
  type Adapter,
  adapterName,
  type Capability,
  CapabilityError,
  type Contract,
  createUnavailableCapability,
  digest,
  type Facade,
  type Facades,
  type Health,
  type Json,
  type OpenAdapter,
  ParaphError,
} from "@paraph/core";
import type { AdapterView } from "./paraph-service.ts";

/**
 * The opened adapters of the configuration. An adapter that fails to open or becomes unavailable does not affect the
 * others.
 */
export interface RunningAdapters {
  /**
   * Returns the capabilities of each adapter. An unavailable adapter keeps its last known ones, marked as unavailable.
   */
  listCapabilities(): ReadonlyMap<string, readonly Capability[]>;
  /** Returns the unavailable adapters whose capabilities are unknown because no contracts are stored for them. */
  listUnknownAdapters(): ReadonlySet<string>;
  /** Returns each adapter with its current health. */
  list(signal: AbortSignal): Promise<readonly AdapterView[]>;
  /** Returns the open adapters that support observing, by name. */
  listObservable(): ReadonlyMap<string, Required<Pick<OpenAdapter, "observe">>>;
  /** Returns the facades of those open adapters that are MCP servers. */
  getFacades(): Facades;
  close(): Promise<void>;
}

/** The dependencies of `openAdapters`. */
export interface OpenAdaptersOptions {
  readonly adapters: Readonly<Record<string, Adapter>>;
  readonly folder: string;
  readonly credential: (name: string) => Promise<string>;
  /** The store of the contracts that each adapter last offered. */
  readonly contractCache: {
    recall(): Promise<ReadonlyMap<string, readonly Contract[]>>;
    keep(adapter: {
      name: string;
      kind: string;
      digest: string;
      contracts: readonly Contract[];
    }): Promise<void>;
  };
  /** Called when the capabilities of an adapter change. */
  readonly onChange: (adapter: string) => Promise<void>;
  /** [P10] Called with the code of an adapter's problem, never with its message. */
  readonly onProblem: (code: string, adapter: string) => void;
  /**
   * The time for which the start waits for an adapter to open (default: 10 s). After that, the start continues without
   * the adapter, which goes on opening. A program that downloads its package first is therefore not stopped halfway.
   */
  readonly startTimeoutMs?: number | undefined;
  /** The maximum time for one attempt to open an adapter (default: 3 minutes). */
  readonly openTimeoutMs?: number;
}

/** Opens all adapters concurrently, and keeps retrying those that do not open. */
export async function openAdapters(options: OpenAdaptersOptions): Promise<RunningAdapters> {
  const recalled = await options.contractCache.recall();
  const all = await Promise.all(
    Object.entries(options.adapters).map(async ([name, adapter]) => {
      const one = new ManagedAdapter(name, adapter, recalled.get(name) ?? [], options);
      await one.start();
      return one;
    }),
  );
  const byName = new Map(all.map((one) => [one.name, one]));
  const facades: Facades = {
    get: (name) => byName.get(name)?.facade,
    values: () => all.flatMap(({ facade }) => facade ?? []),
  };
  return {
    listCapabilities: () => new Map(all.map((one) => [one.name, one.capabilities])),
    listUnknownAdapters: () => new Set(all.filter((one) => one.isUnknown).map(({ name }) => name)),
    list: (signal) => Promise.all(all.map((one) => one.readStatus(signal))),
    listObservable: () =>
      new Map(all.flatMap((one) => (one.observe ? [[one.name, { observe: one.observe }] as const] : []))),
    getFacades: () => facades,
    close: async () => {
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

interface Unavailability {
  readonly code: string;
  readonly message: string;
}

/** The lifecycle of one adapter, from its first opening to its close. */
class ManagedAdapter {
  readonly name: string;
  readonly #adapter: Adapter;
  readonly #options: OpenAdaptersOptions;
  readonly #closing = new AbortController();
  #open: OpenAdapter | undefined;
  #trouble: Unavailability | undefined;
  #retry: NodeJS.Timeout | undefined;
  #offered: readonly Capability[] = [];
  #digest: string;
  /** When the adapter last answered. */
  #seenAt: string | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** Whether the start of Paraph no longer waits for this adapter. From then on, `onChange` reports its capabilities. */
  #isPublished = false;

  constructor(name: string, adapter: Adapter, recalled: readonly Contract[], options: OpenAdaptersOptions) {
    this.name = name;
    this.#adapter = adapter;
    this.#options = options;
    this.#offered = recalled.map((contract) => createUnavailableCapability(contract, startingReason));
    this.#digest = digestCapabilities(this.#offered);
  }

  get capabilities(): readonly Capability[] {
    return this.#offered;
  }

  /**
   * The value whose change triggers `onChange`. It also changes if a capability becomes unavailable while its contract
   * stays the same.
   */
  get #standing(): string {
    return JSON.stringify([this.#digest, this.#offered.map(({ unavailable }) => unavailable?.code)]);
  }

  get isUnknown(): boolean {
    return this.#trouble !== undefined && this.#offered.length === 0;
  }

  get observe() {
    const open = this.#open;
    return (
      open?.observe &&
      ((...given: Parameters<NonNullable<OpenAdapter["observe"]>>) => open.observe!(...given))
    );
  }

  get facade(): Facade | undefined {
    return this.#trouble ? undefined : this.#open?.facade?.();
  }

  /** Begins to open the adapter, and waits until it is open or has failed, up to the start timeout. */
  async start(): Promise<void> {
    const { startTimeoutMs = defaultStartTimeoutMs } = this.#options;
    this.#next(() => this.#try(firstRetryMs));
    const patience = new AbortController();
    const late = sleep(startTimeoutMs, "late", { signal: patience.signal }).catch(() => {});
    if ((await Promise.race([this.#turn, late])) === "late") this.#markUnavailable(stillOpening(this.name));
    patience.abort();
    this.#isPublished = true;
  }

  async readStatus(signal: AbortSignal): Promise<AdapterView> {
    const { name, capabilities } = this;
    const read = () => ({
      ...{ name, kind: this.#adapter.kind, capabilities: capabilities.length, digest: this.#digest },
      ...(this.#seenAt !== undefined && { seenAt: this.#seenAt }),
    });
    if (this.#trouble) return { ...read(), state: "unavailable", ...this.#trouble };
    const health = await this.#health(signal);
    if (health.kind === "well") this.#seenAt = new Date().toISOString();
    const about = read();
    return health.kind === "well"
      ? { ...about, state: "ready", ...(health.message !== undefined && { message: health.message }) }
      : { ...about, state: "degraded", code: health.code, message: health.message };
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    this.#closing.abort();
    await this.#turn;
    await this.#open?.close?.().catch(() => {});
    this.#open = undefined;
  }

  async #health(signal: AbortSignal): Promise<Health> {
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(healthTimeoutMs)]);
      return (await this.#open?.health?.(patience)) ?? { kind: "well" };
    } catch (error) {
      return { kind: "degraded", ...toUnavailability(error, "answer") };
    }
  }

  /** Opens the adapter, or schedules a retry. */
  async #try(retryMs: number): Promise<void> {
    const { openTimeoutMs = defaultOpenTimeoutMs } = this.#options;
    try {
      const patience = AbortSignal.timeout(openTimeoutMs);
      const open = await this.#opened(AbortSignal.any([this.#closing.signal, patience]));
      if (this.#closing.signal.aborted) return void (await open.close?.());
      this.#open = open;
      await this.#discover();
    } catch (error) {
      await this.#open?.close?.().catch(() => {});
      this.#open = undefined;
      this.#markUnavailable(toUnavailability(error, "open"));
      if (this.#closing.signal.aborted) return;
      this.#retry = setTimeout(
        () => this.#next(() => this.#try(Math.min(maxRetryMs, retryMs * 2))),
        retryMs,
      ).unref();
      return;
    }
    if (this.#isPublished) await this.#told();
  }

  /** Marks the capabilities as unavailable. Reports each problem once, not at each retry. */
  #markUnavailable(unavailable: Unavailability): void {
    const before = this.#trouble?.message;
    this.#trouble = unavailable;
    this.#offered = this.#offered.map(({ contract }) => createUnavailableCapability(contract, unavailable));
    if (this.#closing.signal.aborted || unavailable.message === before) return;
    this.#options.onProblem(unavailable.code, this.name);
  }

  /** Opens the adapter, and gives up if it does not open in time. If it opens later, Paraph closes it. */
  async #opened(signal: AbortSignal): Promise<OpenAdapter> {
    const { folder, credential } = this.#options;
    const opening = this.#adapter.open({
      name: this.name,
      folder,
      signal,
      credential,
      announceChange: () => this.#next(() => this.#rediscover()),
    });
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(openTimedOut(this.name)), { once: true });
    });
    opening.then(
      async (open) => {
        if (signal.aborted) await open.close?.();
      },
      () => {},
    );
    return Promise.race([opening, late]);
  }

  async #discover(): Promise<boolean> {
    const capabilities = await this.#open!.capabilities();
    rejectForeignCapabilities(this.name, capabilities);
    const digest = digestCapabilities(capabilities);
    const contracts = capabilities.map(({ contract }) => contract);
    await this.#options.contractCache.keep({ name: this.name, kind: this.#adapter.kind, digest, contracts });
    const before = this.#standing;
    this.#offered = capabilities;
    this.#digest = digest;
    this.#trouble = undefined;
    this.#seenAt = new Date().toISOString();
    return this.#standing !== before;
  }

  /** Reads the capabilities again. If that fails, the earlier ones stay. */
  async #rediscover(): Promise<void> {
    if (!this.#open) return;
    try {
      if (await this.#discover()) await this.#told();
    } catch (error) {
      this.#options.onProblem(toUnavailability(error, "answer").code, this.name);
    }
  }

  #told(): Promise<void> {
    return this.#options.onChange(this.name);
  }

  /** Queues a step of this adapter. The steps run one at a time, in order. */
  #next(body: () => Promise<void>): void {
    if (this.#closing.signal.aborted) return;
    this.#turn = this.#turn.then(body).catch(() => this.#options.onProblem("adapter-fault", this.name));
  }
}

const defaultStartTimeoutMs = 10_000;
const defaultOpenTimeoutMs = 180_000;
const healthTimeoutMs = 5_000;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
const startingReason = {
  code: "adapter-starting",
  message: "The adapter is starting. Try again in a moment.",
};

function digestCapabilities(capabilities: readonly Capability[]): string {
  return digest(
    capabilities.map(({ contract, contractDigest }) => [contract.name, contractDigest]).sort() as Json,
  );
}

/**
 * Rejects a capability whose name does not begin with its own adapter's name. Otherwise, policy and freezes would treat
 * it as a capability of another adapter.
 */
function rejectForeignCapabilities(name: string, capabilities: readonly Capability[]): void {
  const seen = new Set<string>();
  for (const { contract } of capabilities) {
    if (adapterName(contract) !== name) {
      throw new ParaphError(
        "adapter-invalid",
        `\`${contract.name}\` must begin with \`${name}.\`, the name of its adapter.`,
      );
    }
    if (seen.has(contract.name)) {
      throw new ParaphError(
        "adapter-invalid",
        `Two capabilities of this adapter are called \`${contract.name}\`. Rename one of them.`,
      );
    }
    seen.add(contract.name);
  }
}

/**
 * [P10] Converts an error into a code and a message. Paraph's own error messages are safe to show. Other messages may
 * hold secrets, so only the error's code is shown.
 */
function toUnavailability(error: unknown, what: "open" | "answer"): Unavailability {
  if (error instanceof ParaphError || error instanceof CapabilityError) {
    return { code: error.code, message: error.message };
  }
  const code = (error as { code?: unknown } | undefined)?.code;
  const called = typeof code === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(code) ? ` (\`${code}\`)` : "";
  return {
    code: "adapter-fault",
    message: `The adapter does not ${what}${called}. Check that its external system is available. Paraph retries automatically.`,
  };
}

function openTimedOut(name: string): ParaphError {
  return new ParaphError(
    "adapter-slow",
    `\`${name}\` did not open in time. Check that its external system is available. Paraph retries automatically.`,
  );
}

function stillOpening(name: string): Unavailability {
  return {
    code: "adapter-starting",
    message: `\`${name}\` is still starting. If \`npx\` or \`uvx\` starts it, its package may still be downloading.`,
  };
}
